// Kernels whose generated text is kept in tests/golden, and compiled for GPUs.
#pragma once

#include <string>
#include <vector>

#include "src/algorithm/elementwise_form.hpp"

namespace warpwise::algorithm {

struct SampleKernel {
    std::string name;    // of the file in tests/golden/`folder`, without .txt
    std::string folder;  // "elementwise", "reduction_kernel"
    std::string source;
    KernelText text;
    KernelSignature signature;
};

std::vector<SampleKernel> sample_kernels();

// Of a kernel "k" with these parameters.
ElementwiseDefinition definition_of(std::string_view arguments, std::string_view operation,
                                    KernelText text = {.name = "k"});

}  // namespace warpwise::algorithm
