// The surface functions are in the implicit prelude.
#pragma once
