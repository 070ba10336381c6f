// Sizes and integer names of C's <stddef.h> and <stdint.h>, as the host's compiler has them.
#pragma once

#include "../include/stddef.h"
#include "../include/stdint.h"

typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef bool _Bool;  // as structs shared with C say
