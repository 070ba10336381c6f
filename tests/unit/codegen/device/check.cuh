// A check that holds is folded away by the optimiser; one that fails, or that does not fold, leaves
// a call of device_check_failed in the code, which the test looks for.
#pragma once
#include <math.h>

extern "C" __device__ void device_check_failed(int line);

#define CHECK(condition)                                 \
    do {                                                 \
        if (!(condition)) device_check_failed(__LINE__); \
    } while (false)
