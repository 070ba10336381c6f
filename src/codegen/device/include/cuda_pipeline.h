// The pipeline of one thread by its C names: copies are made at once, waits have nothing to wait
// for.
#pragma once
#include "cuda_pipeline_primitives.h"
