// cuRAND's device API: XORWOW, Philox4_32_10, MRG32k3a and Sobol generators with their
// distributions. Words are cuRAND's, bit for bit.
#pragma once

extern "C++" {
#include "../random/discrete.cuh"
}  // extern "C++"
