// How the fake CUPTI learns what the fake driver does, as the real one does by means of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "src/backends/cuda/driver/abi.hpp"

namespace warpwise::cuda::fake {

struct WatchedWork {
    enum class Kind : std::uint8_t { Kernel, Up, Down, OnDevice, Between, Fill };
    Kind kind = Kind::Kernel;
    ContextHandle context = nullptr;
    StreamHandle stream = nullptr;
    const char* name = nullptr;  // of a kernel
    unsigned grid[3] = {};
    unsigned block[3] = {};
    unsigned dynamic_shared_bytes = 0;
    std::size_t bytes = 0;
    std::int64_t start = 0, end = 0;  // nanoseconds of the steady clock
};

using Watcher = void (*)(const WatchedWork& work);
using SetWatcher = void (*)(Watcher watcher);
inline constexpr const char* kSetWatcher = "fake_cuda_set_watcher";

// Does `run`, and notifies the watcher when it is done.
std::function<void()> watched(WatchedWork work, std::function<void()> run);

}  // namespace warpwise::cuda::fake
