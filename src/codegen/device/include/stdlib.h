// malloc, free, calloc, abs and abort are in the implicit prelude.
#pragma once
#include "stddef.h"

// Gone when the function returns.
#define alloca(bytes) __builtin_alloca(bytes)

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
