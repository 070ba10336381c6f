// The mathematical functions are in the implicit prelude.
#pragma once
