// The log: what is worth knowing but is no error. WARPWISE_LOG sets the level; lines go to stderr
// until a sink is set.
//
//   log::debug("cache miss for {}", name);
//
// Writing never throws and never calls the sink under a lock, so it is allowed in destructors.
// Threading: any thread; lines of several threads do not mix.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "warpwise/export.hpp"

namespace warpwise::log {

enum class Level : std::uint8_t { Error, Warning, Info, Debug };

WARPWISE_API std::string_view level_name(Level level) noexcept;
WARPWISE_API std::optional<Level> parse_level(std::string_view name) noexcept;

// Lines above this level are dropped. Before the first set_level() it is WARPWISE_LOG's, or Warning
// while that is not set or not a level (settings() reports the latter).
WARPWISE_API Level level() noexcept;
WARPWISE_API void set_level(Level level) noexcept;

// Receives the text of a line, without line end. An empty sink restores stderr. Returns the
// previous one. A sink that throws loses its line to stderr.
using Sink = std::function<void(Level, std::string_view)>;
WARPWISE_API Sink set_sink(Sink sink);

WARPWISE_API void write(Level level, std::string_view text) noexcept;
// Formats and writes; a failing format or allocation is written in place of the line.
WARPWISE_API void write_formatted(Level level, fmt::string_view format,
                                  fmt::format_args arguments) noexcept;

template <class... T>
void error(fmt::format_string<T...> format, const T&... values) noexcept {
    write_formatted(Level::Error, format, fmt::make_format_args(values...));
}
template <class... T>
void warning(fmt::format_string<T...> format, const T&... values) noexcept {
    if (level() >= Level::Warning) {
        write_formatted(Level::Warning, format, fmt::make_format_args(values...));
    }
}
template <class... T>
void info(fmt::format_string<T...> format, const T&... values) noexcept {
    if (level() >= Level::Info) {
        write_formatted(Level::Info, format, fmt::make_format_args(values...));
    }
}
template <class... T>
void debug(fmt::format_string<T...> format, const T&... values) noexcept {
    if (level() >= Level::Debug) {
        write_formatted(Level::Debug, format, fmt::make_format_args(values...));
    }
}

}  // namespace warpwise::log
