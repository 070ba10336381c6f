// Part of <cub/cub.cuh>, which is small enough to come whole.
#include <cub/cub.cuh>
