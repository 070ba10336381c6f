// The table of intrinsics.def.
#pragma once

#include <span>
#include <string_view>

#include "src/script/typed.hpp"

namespace warpwise::script {

struct IntrinsicRow {
    std::string_view name;
    std::string_view signature;
    Effect effect = Effect::Pure;
    std::string_view text;
};

// All rows in order; those of a name stand together.
std::span<const IntrinsicRow> intrinsic_rows() noexcept;
// Those of a name; empty where there are none.
std::span<const IntrinsicRow> rows_named(std::string_view name) noexcept;

}  // namespace warpwise::script
