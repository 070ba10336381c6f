// Groups whose generated text is kept in tests/golden/fused.
#pragma once

#include <string>
#include <vector>

#include "src/codegen/group.hpp"

namespace warpwise::codegen {

struct GoldenGroup {
    std::string name;  // of the file, without .txt
    Group group;
};

std::vector<GoldenGroup> golden_groups();

}  // namespace warpwise::codegen
