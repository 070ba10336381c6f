// Helpers for tests of the CPU device: kernels written by hand, as the compiler would emit them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/backend.hpp"
#include "src/backends/cpu/module/kernel.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu::test {

inline constexpr std::uint32_t kPlain = 0;
inline constexpr std::uint32_t kFibers = kKernelNeedsFibers | kKernelCallsRuntime;

// A kernel around a function of this process.
class HandKernel {
  public:
    HandKernel(std::string name, KernelEntry entry, std::uint32_t flags,
               std::uint32_t shared_bytes = 0, std::uint32_t local_bytes = 0) {
        info_.signature.name = name;
        info_.signature.symbol = std::move(name);
        info_.static_shared_bytes = shared_bytes;
        info_.local_bytes = local_bytes;
        kernel_.record.flags = flags;
        kernel_.info = &info_;
        kernel_.entry = entry;
        kernel_.max_threads_per_block = kMaxThreadsPerBlock;
    }
    HandKernel(const HandKernel&) = delete;
    HandKernel& operator=(const HandKernel&) = delete;

    CpuKernel& get() { return kernel_; }

  private:
    compiler::KernelInfo info_;
    CpuKernel kernel_;
};

// Arguments of a kernel, all of pointer size.
template <class... T>
std::vector<std::byte> pack(T... values) {
    std::vector<std::byte> bytes(8 * sizeof...(values));
    std::size_t offset = 0;
    const auto add = [&](auto value) {
        static_assert(sizeof(value) == 8);
        std::memcpy(bytes.data() + offset, &value, 8);
        offset += 8;
    };
    (add(values), ...);
    return bytes;
}

template <class T>
T argument(const std::byte* arguments, std::size_t index) {
    static_assert(sizeof(T) == 8);
    T value;
    std::memcpy(&value, arguments + 8 * index, sizeof(T));
    return value;
}

using Extent = std::array<std::uint32_t, 3>;

inline void launch(runtime::Queue& queue, HandKernel& kernel, Extent grid, Extent block,
                   const std::vector<std::byte>& arguments, bool cooperative = false,
                   std::uint32_t dynamic_shared = 0) {
    runtime::Launch launch;
    launch.kernel = &kernel.get();
    launch.grid = grid;
    launch.block = block;
    launch.dynamic_shared_bytes = dynamic_shared;
    launch.cooperative = cooperative;
    launch.arguments = arguments;
    queue.launch(launch);
}

inline std::unique_ptr<runtime::Queue> new_queue(runtime::QueueOptions options = {}) {
    return cpu_backend().make_queue(0, options);
}

inline std::unique_ptr<runtime::EventImpl> new_event() {
    return cpu_backend().make_event(0, true);
}

inline void finish(runtime::Queue& queue) {
    ASSERT_TRUE(queue.is_done(runtime::Wait::Yes));
}

// Waits and returns the error that surfaces.
inline LaunchError error_of(runtime::Queue& queue) {
    try {
        queue.is_done(runtime::Wait::Yes);
    } catch (const LaunchError& error) {
        return error;
    }
    ADD_FAILURE() << "no error surfaced";
    return LaunchError("");
}

// The position of a thread in a 1-d grid.
inline std::uint64_t global_index(const ThreadState* thread) {
    const BlockState& block = *thread->block;
    return std::uint64_t{block.block_index[0]} * block.block_dim[0] + thread->thread_index[0];
}

inline const RuntimeTable& runtime(const ThreadState* thread) {
    return *thread->block->runtime;
}

}  // namespace warpwise::cpu::test
