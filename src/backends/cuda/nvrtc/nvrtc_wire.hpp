// Requests to NVRTC and its results as bytes, between the library and processes that compile
// for it (nvrtc_pool.hpp).
//
// Errors: decoding throws DeviceError on bytes that are no such message.
// Threading: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/backends/cuda/nvrtc/nvrtc.hpp"

namespace warpwise::cuda {

struct NvrtcJob {
    std::string folder;    // that relative names count from
    NvrtcRequest request;  // its headers are views of `headers`
    std::vector<std::pair<std::string, std::string>> headers;
};

std::vector<std::byte> encode_job(const NvrtcRequest& request, const std::string& folder);
NvrtcJob decode_job(std::span<const std::byte> bytes);

std::vector<std::byte> encode_answer(const NvrtcResult& result);
// Of NVRTC itself: `text` of a DeviceError.
std::vector<std::byte> encode_failure(const std::string& text);
// Throws the DeviceError that was encoded.
NvrtcResult decode_answer(std::span<const std::byte> bytes);

}  // namespace warpwise::cuda
