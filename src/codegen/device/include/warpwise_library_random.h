// Random numbers of generators that keep states: kernels of the library.
#pragma once

#ifndef __WW_ARRAY_RARE_DRAWS
#define __WW_ARRAY_RARE_DRAWS
#endif
#include "warpwise_array.h"

extern "C++" {
#include "../skeleton/xorwow_streams.cuh"
}  // extern "C++"
