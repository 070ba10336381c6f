// What generated reductions use.
#pragma once

#include "warpwise_elementwise.h"
extern "C++" {
#include "../skeleton/reduction.cuh"
}  // extern "C++"
