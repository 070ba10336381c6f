// Part of <curand_kernel.h> in the toolkit, too.
#pragma once
#include "curand_kernel.h"
