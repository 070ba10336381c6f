// Several sources through NVRTC at once. NVRTC takes turns within one process, so what comes while
// it is busy goes to processes of its own: a server that is started when two compiles first
// overlap, and up to a bound of workers that it forks (nvrtc_server.hpp). They stay for the next
// compiles and end a minute after their last. A program that compiles one thing at a time starts
// none.
//
// Ownership: sockets to the workers are the pool's. Nothing is started after a failure to: then
// everything is compiled here. After fork() the child starts with none.
//
// Threading: any thread. No lock is held while anything compiles.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/backends/cuda/nvrtc/nvrtc.hpp"
#include "src/base/mutex.hpp"
#include "src/compiler/worker/spawn.hpp"

namespace warpwise::cuda {

class NvrtcPool {
  public:
    // `program`: the file of warpwise-nvrtc-worker; `library`: NVRTC's. At most `most` workers.
    NvrtcPool(std::string program, std::string library, unsigned most);
    NvrtcPool(const NvrtcPool&) = delete;
    NvrtcPool& operator=(const NvrtcPool&) = delete;

    using Compile = std::function<NvrtcResult(const NvrtcRequest&)>;
    // By `here`, or by a worker. Throws what `here` throws; CompileError when a worker dies of the
    // source.
    NvrtcResult compile(const NvrtcRequest& request, const Compile& here);

    unsigned workers() const;

  private:
    enum class State : std::uint8_t { Absent, Starting, Ready, Failed };
    using Worker = std::optional<compiler::Descriptor>;  // none: compile here

    Worker take_seat();
    NvrtcResult compile_here(const NvrtcRequest& request, const Compile& here);
    void start();
    bool may_be_here() const WARPWISE_REQUIRES(mutex_);
    void look_at_server() WARPWISE_REQUIRES(mutex_);
    std::optional<compiler::Descriptor> new_worker() WARPWISE_REQUIRES(mutex_);
    void forget_other_process() WARPWISE_REQUIRES(mutex_);
    void release(compiler::Descriptor worker);
    void drop_worker();

    const std::string program_;
    const std::string library_;
    const unsigned most_;

    mutable Mutex mutex_;
    Condition changed_;
    State state_ WARPWISE_GUARDED_BY(mutex_) = State::Absent;
    pid_t process_ WARPWISE_GUARDED_BY(mutex_);
    compiler::Descriptor server_ WARPWISE_GUARDED_BY(mutex_);
    std::chrono::steady_clock::time_point deadline_ WARPWISE_GUARDED_BY(mutex_);
    std::vector<compiler::Descriptor> idle_ WARPWISE_GUARDED_BY(mutex_);
    unsigned workers_ WARPWISE_GUARDED_BY(mutex_) = 0;
    unsigned here_ WARPWISE_GUARDED_BY(mutex_) = 0;
};

// The one of this process, for Nvrtc::instance().
NvrtcPool& nvrtc_pool();

}  // namespace warpwise::cuda
