// The atomic functions are in the implicit prelude.
#pragma once
