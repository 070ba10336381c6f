// The extended interface of cuFFT: types only.
#pragma once
#include "cufft.h"
