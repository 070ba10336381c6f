// What generated kernels with a user's text in them use.
#pragma once

extern "C++" {
#include "../skeleton/user_values.cuh"
#include "../skeleton/values.cuh"
#ifndef __WARPWISE_CPU__
#include "../skeleton/vectors.cuh"
#endif
}  // extern "C++"
