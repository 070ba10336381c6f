// What every generated array kernel uses: functions on elements, and scalars from words.
#pragma once

#include "warpwise_array.h"

extern "C++" {
#include "../skeleton/indices.cuh"
#include "../skeleton/values.cuh"
#ifndef __WARPWISE_CPU__
#include "../skeleton/vectors.cuh"
#endif
}  // extern "C++"
