// Thrust for device code: see thrust/random.cuh.
#pragma once
#include "../../../thrust/random.cuh"
