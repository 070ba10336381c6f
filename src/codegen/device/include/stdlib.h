// malloc, free, calloc, abs and abort are in the implicit prelude.
#pragma once
#include "stddef.h"

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
