// Lets the host's compiler read the random number generators of <curand_kernel.h>.
#pragma once

#include "tests/unit/codegen/host_shim.hpp"

#include "src/codegen/device/core/vector_types.cuh"
#include "src/codegen/device/random/poisson.cuh"
