// Programs for GPUs that were compiled elsewhere, and linked ones.
//
// Threading: as runtime::BinarySupport.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/runtime/binary_support.hpp"

namespace warpwise::cuda {

class CudaBinaries final : public runtime::BinarySupport {
  public:
    compiler::Program read(std::span<const std::byte> image, std::string_view name,
                           std::string_view target) override;
    compiler::Program link(std::span<const runtime::LinkPart> parts,
                           const std::vector<std::string>& options,
                           std::string_view target) override;
};

// The number in "sm_90", "compute_90a"; 0 when there is none.
int architecture_number(std::string_view name);

}  // namespace warpwise::cuda
