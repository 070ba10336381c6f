// Headers of the C library and of the toolkit that sources include by habit and NVRTC does not
// have, as texts. What they declare is NVRTC's own or written here.
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace warpwise::cuda {

using HeaderText = std::pair<std::string_view, std::string_view>;  // name, text

std::span<const HeaderText> nvrtc_headers() noexcept;
// The one of them that every source begins with: what nvcc's own headers bring in unasked, and the
// shuffles and votes without _sync, which CUDA has dropped.
inline constexpr std::string_view kPrelude = "warpwise_nvrtc_prelude.h";

}  // namespace warpwise::cuda
