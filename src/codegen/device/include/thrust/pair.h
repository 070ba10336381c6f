// Thrust for device code: see thrust/names.cuh.
#pragma once
#include "../../thrust/names.cuh"
#include "../../thrust/algorithms.cuh"
