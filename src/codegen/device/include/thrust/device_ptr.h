// Thrust for device code: see thrust/names.cuh.
#pragma once
#include "../../thrust/algorithms.cuh"
#include "../../thrust/names.cuh"
