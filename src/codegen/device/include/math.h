// The exact mathematical functions are in the implicit prelude.
#pragma once
