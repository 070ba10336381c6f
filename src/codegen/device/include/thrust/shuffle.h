// Thrust for device code: see thrust/algorithms.cuh. Containers are the host's.
#pragma once
#include "../../thrust/algorithms.cuh"
