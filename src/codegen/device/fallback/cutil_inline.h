// With cutil.h, as in the samples from before CUDA 5.
#pragma once
#include "cutil.h"
