// Of the fake driver: what it calls its errors.
#include <algorithm>
#include <iterator>

#include "tests/unit/backends/cuda/fake_world.hpp"

namespace warpwise::cuda::fake {

Status get_error_name(Status status, const char** text) {
    struct Row {
        int status;
        const char* name;
    };
    static constexpr Row kRows[] = {
        {2, "CUDA_ERROR_OUT_OF_MEMORY"},
        {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
        {100, "CUDA_ERROR_NO_DEVICE"},
        {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
        {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
        {226, "CUDA_ERROR_CONTAINED"},
        {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
        {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
        {710, "CUDA_ERROR_ASSERT"},
        {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
        {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
        {719, "CUDA_ERROR_LAUNCH_FAILED"},
        {810, "CUDA_ERROR_MPS_CLIENT_TERMINATED"},
        {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
        {911, "CUDA_ERROR_EXTERNAL_DEVICE"},
    };
    const auto* const row = std::ranges::find(kRows, static_cast<int>(status), &Row::status);
    *text = row != std::end(kRows) ? row->name : "CUDA_ERROR_OF_THE_FAKE";
    return Status::Success;
}
Status get_error_string(Status, const char** text) {
    *text = "as the test requested";
    return Status::Success;
}

}  // namespace warpwise::cuda::fake
