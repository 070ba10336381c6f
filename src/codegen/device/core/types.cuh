// Sizes and integer names of C's <stddef.h>, <stdint.h> and <sys/types.h>, as the host's compiler
// has them.
#pragma once

#include "../include/stddef.h"
#include "../include/stdint.h"

typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef uint8_t u_int8_t;
typedef uint16_t u_int16_t;
typedef uint32_t u_int32_t;
typedef uint64_t u_int64_t;
typedef long ssize_t;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef bool _Bool;            // as structs shared with C say
typedef struct _IO_FILE FILE;  // as declarations for the host mention it
