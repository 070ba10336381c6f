// See evaluation_error.hpp.
#include "src/graph/report/evaluation_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <typeinfo>

#include "src/base/hooks/caller.hpp"
#include "warpwise/error.hpp"

namespace warpwise::graph {
namespace {

[[noreturn]] void rethrow_at(const Error& error, const std::string& line) {
    // Some messages go on with a report; the line ends their first line.
    std::string text = error.what();
    text.insert(std::min(text.find('\n'), text.size()),
                fmt::format("; in the expression at {}", line));
    const std::type_info& type = typeid(error);
    if (type == typeid(OutOfMemoryError)) throw OutOfMemoryError(text);
    if (type == typeid(DeviceError)) throw DeviceError(text);
    if (type == typeid(CheckError)) throw CheckError(text);
    if (type == typeid(Error)) throw Error(text);
    if (type == typeid(LaunchError)) {
        const auto& launch = static_cast<const LaunchError&>(error);
        throw LaunchError(text, launch.kernel(), launch.block(), launch.thread());
    }
    if (type == typeid(ArgumentError)) {
        throw ArgumentError(static_cast<const ArgumentError&>(error).kind(), text);
    }
    if (type == typeid(CompileError)) {
        const auto& compile = static_cast<const CompileError&>(error);
        throw CompileError(text, compile.log(), compile.file(), compile.line());
    }
    if (type == typeid(UnsupportedError)) {
        const auto& unsupported = static_cast<const UnsupportedError&>(error);
        throw UnsupportedError(text, unsupported.log(), unsupported.file(), unsupported.line());
    }
    throw;  // of a class that holds more than is known here, or an interruption
}

}  // namespace

void rethrow_with_place(const std::exception_ptr& error, std::uint64_t place) {
    const std::string line = name_of_place(place);
    if (line.empty()) std::rethrow_exception(error);
    try {
        std::rethrow_exception(error);
    } catch (const Error& known) {
        rethrow_at(known, line);
    }
}

}  // namespace warpwise::graph
