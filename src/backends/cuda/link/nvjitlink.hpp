// nvJitLink, NVIDIA's linker of device code: opened at the first link, never closed.
//
// Where it lies: as NVRTC (library_search.hpp): libnvJitLink.so.13 or .12.
//
// Threading: every function may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpwise::cuda {

enum class LinkKind : int { Cubin = 1, Ptx = 2, LtoIr = 3, Fatbin = 4, Object = 5, Library = 6 };

struct LinkItem {
    LinkKind kind;
    std::string name;  // what messages call it
    std::span<const std::byte> image;
};

struct LinkResult {
    bool is_good = false;
    std::string log;               // errors, or else warnings
    std::vector<std::byte> cubin;  // when it is good
};

// `options` as nvJitLink takes them, "-arch=sm_90" among them. Throws DeviceError where there is no
// nvJitLink, listing where it was looked for; what is wrong with the items is a result.
// Path, size and time of the library; empty when there is none. Opens nothing.
std::string nvjitlink_identity();

LinkResult run_nvjitlink(std::span<const LinkItem> items, const std::vector<std::string>& options);

}  // namespace warpwise::cuda
