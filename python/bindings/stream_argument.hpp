// Streams as users give them: a Stream, an object of another library that has `__cuda_stream__`, or
// None.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "warpwise/stream.hpp"

namespace warpwise::python {

// As given; stream_of() looks into it. Refers to the caller's object.
struct StreamArgument {
    nanobind::handle object;
};

// Whether the object can be meant as a stream.
bool is_stream(nanobind::handle object) noexcept;
// Empty for None. Throws ArgumentError for what is_stream() is not, and for a `__cuda_stream__`
// that gives no handle of the current device. Need the GIL.
std::optional<Stream> stream_of(nanobind::handle object);
inline std::optional<Stream> stream_of(const StreamArgument& given) {
    return stream_of(given.object);
}
inline Stream stream_or_current(const StreamArgument& given) {
    std::optional<Stream> stream = stream_of(given.object);
    return stream ? *std::move(stream) : Stream::current();
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
