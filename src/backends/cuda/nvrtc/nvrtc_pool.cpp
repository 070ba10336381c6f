// Seats: one in this process, one for each worker; four in this process while the server starts.
#include "src/backends/cuda/nvrtc/nvrtc_pool.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "src/backends/cuda/nvrtc/nvrtc_server.hpp"
#include "src/backends/cuda/nvrtc/nvrtc_wire.hpp"
#include "src/base/log.hpp"
#include "src/base/processors.hpp"
#include "src/compiler/service_library.hpp"
#include "src/compiler/worker/channel.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cuda {
namespace {

using compiler::Descriptor;

constexpr const char* kProgram = "warpwise-nvrtc-worker";
// NVRTC overlaps parts of this many compiles in one process.
constexpr unsigned kHereAtStart = 4;
constexpr unsigned kMostByDefault = 32;
constexpr int kMostRefusals = 3;  // of workers, of one job
constexpr std::chrono::seconds kStartLimit{20};
constexpr std::chrono::milliseconds kLookAgain{2};

enum class Ending : std::uint8_t { Done, NotTaken, Died };

// One that waits for work sends nothing: what can be read is its end.
bool has_ended(const Descriptor& worker) {
    pollfd state{.fd = worker.number(), .events = POLLIN, .revents = 0};
    return ::poll(&state, 1, 0) != 0;
}

// A worker that has ended for lack of work, or was killed, has not taken the job.
Ending ask(int worker, const NvrtcRequest& request, std::vector<std::byte>& answer) {
    std::error_code error;  // a folder that was deleted is like one without a name
    const std::string folder = std::filesystem::current_path(error).string();
    if (!compiler::send_frame(worker, encode_job(request, folder))) return Ending::NotTaken;
    if (!compiler::receive_frame(worker)) return Ending::NotTaken;
    auto received = compiler::receive_frame(worker);
    if (!received) return Ending::Died;
    answer = *std::move(received);
    return Ending::Done;
}

[[noreturn]] void throw_death(const NvrtcRequest& request) {
    const std::string text = fmt::format(
        "NVRTC died of {} in a process of its own; simplify the source near its last change, or "
        "report it to NVIDIA",
        request.name);
    throw CompileError(text, text + "\n", {}, 0);
}

}  // namespace

NvrtcPool::NvrtcPool(std::string program, std::string library, unsigned most)
    : program_(std::move(program)),
      library_(std::move(library)),
      most_(most),
      process_(::getpid()) {}

NvrtcResult NvrtcPool::compile(const NvrtcRequest& request, const Compile& here) {
    if (most_ == 0) return here(request);
    for (int i = 0; i < kMostRefusals; ++i) {
        Worker worker = take_seat();
        if (!worker) return compile_here(request, here);
        std::vector<std::byte> answer;
        const Ending ending = ask(worker->number(), request, answer);
        if (ending == Ending::Done) {
            release(*std::move(worker));
            return decode_answer(answer);
        }
        drop_worker();
        if (ending == Ending::Died) throw_death(request);
    }
    // No process can be forked, for lack of memory or by a limit.
    return here(request);
}

NvrtcResult NvrtcPool::compile_here(const NvrtcRequest& request, const Compile& here) {
    struct Seat {
        NvrtcPool& pool;
        ~Seat() {
            MutexLock lock(pool.mutex_);
            if (pool.here_ > 0) --pool.here_;
            pool.changed_.notify_one();
        }
    } const seat{*this};
    return here(request);
}

unsigned NvrtcPool::workers() const {
    MutexLock lock(mutex_);
    return workers_;
}

NvrtcPool::Worker NvrtcPool::take_seat() {
    MutexLock lock(mutex_);
    forget_other_process();
    while (true) {
        if (state_ == State::Starting) look_at_server();
        if (may_be_here()) {
            ++here_;
            return std::nullopt;
        }
        if (state_ == State::Absent) {
            state_ = State::Starting;
            deadline_ = std::chrono::steady_clock::now() + kStartLimit;
            lock.unlock();
            start();
            lock.lock();
            continue;
        }
        if (!idle_.empty()) {
            Descriptor worker = std::move(idle_.back());
            idle_.pop_back();
            if (!has_ended(worker)) return worker;
            if (workers_ > 0) --workers_;
            continue;
        }
        if (state_ == State::Ready && workers_ < most_) {
            if (Worker worker = new_worker()) return worker;
            continue;
        }
        if (state_ == State::Starting) {
            changed_.wait_for(lock, kLookAgain);
        } else {
            changed_.wait(lock);
        }
    }
}

bool NvrtcPool::may_be_here() const {
    if (state_ == State::Failed || here_ == 0) return true;
    return state_ == State::Starting && here_ < kHereAtStart;
}

void NvrtcPool::start() {
    Descriptor server;
    try {
        auto [mine, theirs] = compiler::make_sockets();
        const pid_t first = compiler::start_worker(program_, theirs.number(), {library_});
        theirs.reset();
        compiler::wait_for(first);
        server = std::move(mine);
    } catch (const DeviceError& error) {
        log::info("all sources for GPUs are compiled in this process: {}", error.what());
    }
    MutexLock lock(mutex_);
    if (server.number() < 0) state_ = State::Failed;
    server_ = std::move(server);
    changed_.notify_all();
}

void NvrtcPool::look_at_server() {
    if (server_.number() < 0) return;  // on its way
    pollfd ready{.fd = server_.number(), .events = POLLIN, .revents = 0};
    const bool is_late = std::chrono::steady_clock::now() > deadline_;
    if (::poll(&ready, 1, 0) != 1 && !is_late) return;
    std::byte byte{};
    const bool is_good =
        !is_late && ::recv(server_.number(), &byte, 1, MSG_DONTWAIT) == 1 && byte == kServerReady;
    state_ = is_good ? State::Ready : State::Failed;
    if (!is_good) server_.reset();
    changed_.notify_all();
}

std::optional<Descriptor> NvrtcPool::new_worker() {
    try {
        auto [mine, theirs] = compiler::make_sockets();
        if (send_descriptor(server_.number(), theirs.number())) {
            ++workers_;
            return std::move(mine);
        }
        // It was killed: with it, another may be started.
        state_ = State::Absent;
    } catch (const DeviceError&) {
        state_ = State::Failed;
    }
    server_.reset();
    changed_.notify_all();
    return std::nullopt;
}

// Its sockets are the parent's, whose workers must not read two.
void NvrtcPool::forget_other_process() {
    const pid_t here = ::getpid();
    if (std::exchange(process_, here) == here) return;
    state_ = State::Absent;
    server_.reset();
    idle_.clear();
    workers_ = 0;
    here_ = 0;
}

void NvrtcPool::release(Descriptor worker) {
    MutexLock lock(mutex_);
    idle_.push_back(std::move(worker));
    changed_.notify_one();
}

void NvrtcPool::drop_worker() {
    MutexLock lock(mutex_);
    if (workers_ > 0) --workers_;
    changed_.notify_one();
}

NvrtcPool& nvrtc_pool() {
    static auto* const pool = [] {
        const unsigned others = std::min(usable_processors() - 1, kMostByDefault);
        return new NvrtcPool(compiler::library_folder() + "/" + kProgram, Nvrtc::path(),
                             settings().compile_processes.value_or(others));
    }();
    return *pool;
}

}  // namespace warpwise::cuda
