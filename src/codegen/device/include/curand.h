// <curand.h> is cuRAND's host API, which device code cannot call: the types it shares with kernels.
#pragma once

extern "C++" {
#include "../random/state.cuh"
}  // extern "C++"
