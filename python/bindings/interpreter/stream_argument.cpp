// See stream_argument.hpp. The protocol: `__cuda_stream__`, a method or an attribute, is a tuple of
// its version, 0, and the handle.
#include "python/bindings/interpreter/stream_argument.hpp"

#include <cstdint>
#include <string>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace nb = nanobind;
namespace {

constexpr const char* kProtocol = "__cuda_stream__";

bool has_protocol(nb::handle object) noexcept {
    return PyObject_HasAttrString(object.ptr(), kProtocol) != 0;
}

[[noreturn]] void refuse(ArgumentError::Kind kind, const std::string& message) {
    throw ArgumentError(kind, message);
}

// The protocol's result; ArgumentError for anything but (0, handle).
std::uint64_t handle_of(nb::handle object) {
    nb::object pair = object.attr(kProtocol);
    if (PyCallable_Check(pair.ptr()) != 0) pair = pair();
    const bool is_pair = PySequence_Check(pair.ptr()) != 0 && nb::len(pair) == 2;
    std::int64_t version = -1;
    std::uint64_t handle = 0;
    if (!is_pair || !nb::try_cast(nb::object(pair[0]), version) ||
        !nb::try_cast(nb::object(pair[1]), handle)) {
        refuse(ArgumentError::Kind::Type, "__cuda_stream__ of " + describe(object) + " returns " +
                                              value_text(pair) +
                                              "; it must return (0, handle of the stream)");
    }
    if (version != 0) {
        refuse(ArgumentError::Kind::Value, "__cuda_stream__ of " + describe(object) +
                                               " has version " + std::to_string(version) +
                                               ", and this Warpwise supports 0; update it");
    }
    return handle;
}

}  // namespace

bool is_stream(nb::handle object) noexcept {
    return nb::isinstance<Stream>(object) || has_protocol(object);
}

std::optional<Stream> stream_of(nb::handle object) {
    if (object.is_none()) return std::nullopt;
    if (nb::isinstance<Stream>(object)) return nb::cast<const Stream&>(object);
    if (!has_protocol(object)) {
        refuse(ArgumentError::Kind::Type,
               "stream expects a ww.Stream, an object with __cuda_stream__ or None, got " +
                   value_text(object));
    }
    return Stream::from_handle(handle_of(object), share(object));
}

}  // namespace warpwise::python
