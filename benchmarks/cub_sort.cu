// NVIDIA's radix sorts on the GPU's default stream, for moving_and_sorting.py: what they take
// between two events, in milliseconds, or the negated code of an error.
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <type_traits>

namespace {

template <class Key, class Value>
float sorted_in(const Key* keys, Key* keys_out, const Value* values, Value* values_out,
                std::int64_t n) {
    auto work = [&](void* memory, std::size_t& bytes) {
        if constexpr (std::is_same_v<Value, cub::NullType>) {
            return cub::DeviceRadixSort::SortKeys(memory, bytes, keys, keys_out, n);
        } else {
            return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, keys_out, values,
                                                   values_out, n);
        }
    };
    std::size_t bytes = 0;
    void* memory = nullptr;
    cudaEvent_t begin, end;
    cudaError_t status = work(nullptr, bytes);
    if (status == cudaSuccess) status = cudaMalloc(&memory, bytes);
    if (status != cudaSuccess) return -static_cast<float>(status);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    status = work(memory, bytes);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    if (status == cudaSuccess) status = cudaGetLastError();
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFree(memory);
    return status == cudaSuccess ? milliseconds : -static_cast<float>(status);
}

}  // namespace

extern "C" float sort_float32(const void* keys, void* out, std::int64_t n) {
    return sorted_in<float, cub::NullType>(static_cast<const float*>(keys),
                                           static_cast<float*>(out), nullptr, nullptr, n);
}

extern "C" float sort_pairs_int64(const void* keys, void* out, const void* values, void* values_out,
                                  std::int64_t n) {
    return sorted_in(static_cast<const std::int64_t*>(keys), static_cast<std::int64_t*>(out),
                     static_cast<const std::int64_t*>(values),
                     static_cast<std::int64_t*>(values_out), n);
}
