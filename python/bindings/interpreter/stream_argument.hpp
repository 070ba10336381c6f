// Streams as users give them: a Stream, an object of another library that has `__cuda_stream__`, or
// None.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "python/bindings/interpreter/hot_call.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "warpwise/stream.hpp"

namespace warpwise::python {

// As given; stream_of() resolves it. Refers to the caller's object.
struct StreamArgument {
    nanobind::handle object;
};

// Whether the object can be used as a stream.
bool is_stream(nanobind::handle object) noexcept;
// Empty for None. Throws ArgumentError for what is_stream() is not, and for a `__cuda_stream__`
// that returns no handle of the current device. Need the GIL.
std::optional<Stream> stream_of(nanobind::handle object);
inline std::optional<Stream> stream_of(const StreamArgument& given) {
    return stream_of(given.object);
}
inline Stream stream_or_current(const StreamArgument& given) {
    std::optional<Stream> stream = stream_of(given.object);
    return stream ? *std::move(stream) : Stream::current();
}

// The `stream` of a hot call, its last argument, by position after `before` others or by name: null
// where it is absent or None. False: the call is not of the usual form.
inline bool usual_stream(const HotArguments& given, std::size_t before, const Stream*& stream) {
    static PyObject* const name = PyUnicode_InternFromString("stream");
    stream = nullptr;
    const std::size_t named = given.named();
    if (given.count < before || given.count - before + named > 1) return false;
    if (given.count == before && named == 0) return true;
    if (named == 1 && !given.is_named(0, name)) return false;
    const nanobind::handle object = given.values[before];
    if (object.is_none()) return true;
    stream = exactly<Stream>(object);
    return stream != nullptr;
}

}  // namespace warpwise::python

namespace nanobind::detail {

template <>
struct type_caster<warpwise::python::StreamArgument> {
    NB_TYPE_CASTER(warpwise::python::StreamArgument, const_name("Stream | typing.Any"))

    bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
        value.object = source;
        return source.is_none() || warpwise::python::is_stream(source);
    }
};

}  // namespace nanobind::detail
