// Thrust for device code: see thrust/iterators.cuh.
#pragma once
#include "../../../thrust/iterators.cuh"
