// The log's level and sink. The sink is held by shared_ptr and called outside the lock.
#include "src/base/log.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "src/base/mutex.hpp"

namespace warpwise::log {
namespace {

constexpr std::array<std::string_view, 4> kNames{"error", "warning", "info", "debug"};

struct State {
    std::atomic<Level> level;
    Mutex mutex;
    std::shared_ptr<const Sink> sink WARPWISE_GUARDED_BY(mutex);

    State() noexcept {
        const char* name = std::getenv("WARPWISE_LOG");
        level = parse_level(name != nullptr ? name : "").value_or(Level::Warning);
    }
};

State& state() noexcept {
    // Never destroyed: threads and destructors write to the end of the process.
    alignas(State) static std::byte storage[sizeof(State)];
    static State* const instance = new (storage) State;
    return *instance;
}

void write_to_stderr(Level level, std::string_view text) noexcept {
    const std::string_view name = level_name(level);
    // One call for the whole line: stdio locks the stream for it, so lines do not mix.
    std::fprintf(stderr, "warpwise: %.*s: %.*s\n", static_cast<int>(name.size()), name.data(),
                 static_cast<int>(text.size()), text.data());
}

std::shared_ptr<const Sink> current_sink() {
    State& s = state();
    MutexLock lock(s.mutex);
    return s.sink;
}

}  // namespace

std::string_view level_name(Level level) noexcept {
    return kNames[static_cast<std::size_t>(level)];
}

std::optional<Level> parse_level(std::string_view name) noexcept {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == name) return static_cast<Level>(i);
    }
    return std::nullopt;
}

Level level() noexcept {
    return state().level.load(std::memory_order_relaxed);
}

void set_level(Level level) noexcept {
    state().level.store(level, std::memory_order_relaxed);
}

Sink set_sink(Sink sink) {
    std::shared_ptr<const Sink> next;
    if (sink) next = std::make_shared<const Sink>(std::move(sink));
    State& s = state();
    {
        MutexLock lock(s.mutex);
        std::swap(s.sink, next);
    }
    return next ? *next : Sink();
}

void write(Level level, std::string_view text) noexcept {
    if (level > log::level()) return;
    try {
        if (const auto sink = current_sink()) {
            (*sink)(level, text);
            return;
        }
    } catch (const std::exception& error) {
        write_to_stderr(Level::Error, error.what());
    } catch (...) {
        write_to_stderr(Level::Error, "the log sink threw something that is no std::exception");
    }
    write_to_stderr(level, text);
}

void write_formatted(Level level, fmt::string_view format, fmt::format_args arguments) noexcept {
    try {
        write(level, fmt::vformat(format, arguments));
    } catch (const std::exception& error) {
        write(level, error.what());
    }
}

}  // namespace warpwise::log
