// Of the samples from before CUDA 5: what their device code uses.
#pragma once

#define CUT_BANK_CHECKER(array, index) (array)[index]
