// What threads raise, as an exception of the host. The words are those of script/exceptions.cuh.
#include "src/array/python/raised_record.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

#include "warpwise/array_functions.hpp"
#include "warpwise/python_function.hpp"

namespace warpwise {
namespace {

constexpr std::int64_t kWords = 9;

std::string place_text(const LaunchError::Index& index) {
    return fmt::format("[{}, {}, {}]", index[0], index[1], index[2]);
}

std::string text_of(const PythonException::Origin& origin, const LaunchError::Index& block,
                    const LaunchError::Index& thread) {
    return fmt::format("{}: in function '{}', file {}, line {}, tid={} ctaid={}{}{}",
                       origin.exception, origin.function, origin.file, origin.line,
                       place_text(thread), place_text(block), origin.message.empty() ? "" : ": ",
                       origin.message);
}

// As NumPy words it; an index from the end was made one from the start.
std::string index_text(const std::string& axis, std::int64_t index, std::int64_t extent) {
    return fmt::format("index {} is out of bounds for {} with size {}",
                       index < 0 ? index - extent : index, axis, extent);
}

}  // namespace

PythonException::PythonException(Origin origin, std::string kernel, Index block, Index thread)
    : LaunchError(text_of(origin, block, thread), std::move(kernel), block, thread),
      origin_(std::move(origin)) {}

PythonException::~PythonException() = default;

namespace array {

RaisedRecord::RaisedRecord(const Device& device) : words_(zeros({kWords}, int64, device)) {}

void RaisedRecord::check(const script::Translated& kernel) const {
    std::array<std::int64_t, kWords> words{};
    words_.get(words.data());
    if (words[0] == 0) return;
    const script::Raise& raised = kernel.raises.at(static_cast<std::size_t>(words[0] - 1));
    const auto index = [&words](std::size_t first) {
        LaunchError::Index made{};
        for (std::size_t i = 0; i < 3; ++i) made[i] = static_cast<std::uint32_t>(words[first + i]);
        return made;
    };
    PythonException::Origin origin{.exception = raised.exception,
                                   .message = raised.message,
                                   .function = raised.function,
                                   .file = raised.file,
                                   .line = raised.place.line,
                                   .column = raised.place.column};
    if (raised.detail == script::Raise::Detail::Index) {
        origin.message = index_text(raised.message, words[7], words[8]);
    }
    throw PythonException(std::move(origin), kernel.signature.name, index(1), index(4));
}

}  // namespace array
}  // namespace warpwise
