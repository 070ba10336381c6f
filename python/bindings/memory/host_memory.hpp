// Host memory that Python objects export through the buffer protocol.
//
// A HostMemory keeps its object from being resized or freed. Asynchronous copies outlive the call
// that starts them, so their memory is kept until the copy is done (or, in a capture, as long as
// the graph). Everything here needs the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "warpwise/buffer.hpp"
#include "warpwise/stream.hpp"

namespace warpwise::python {

namespace nb = nanobind;

class HostMemory {
  public:
    enum class Access { Read, Write };

    // Throws ArgumentError, naming `role` ("host", "In"), when the object exports no contiguous
    // memory or, for Write, no writable memory.
    HostMemory(nb::handle object, Access access, const char* role);
    HostMemory(HostMemory&& other) noexcept : view_(std::exchange(other.view_, Py_buffer{})) {}
    HostMemory& operator=(HostMemory&& other) noexcept {
        std::swap(view_, other.view_);
        return *this;
    }
    ~HostMemory() { PyBuffer_Release(&view_); }  // no effect on an empty view

    void* data() const noexcept { return view_.buf; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(view_.len); }
    bool is_within(const std::byte* begin, std::size_t bytes) const noexcept {
        const auto* const first = static_cast<const std::byte*>(view_.buf);
        return begin <= first && first + view_.len <= begin + bytes;
    }
    bool is_same(const HostMemory& other) const noexcept {
        return view_.obj == other.view_.obj && view_.buf == other.view_.buf &&
               view_.len == other.view_.len;
    }

  private:
    Py_buffer view_{};
};

// Keeps `memory` until the work queued in `stream` so far is done; while the stream is captured,
// until take_captured() passes it to the graph. Small memory is kept in groups, with an event for
// each group and not for each copy: an event costs as much as a small copy.
void keep_until_done(HostMemory memory, const Stream& stream);
// Keeps `memory` until a recorded event is done.
void keep_until_done(HostMemory memory, Event done);
// Before a capture begins, or a stream joins one: an event cannot be recorded after earlier copies
// once it has.
void close_kept_group();
// Of a graph that was just launched on `stream`: all its memory.
void keep_until_done(std::shared_ptr<const void> memory, const Stream& stream);
// Of the capture that is open on `stream`, from all its streams; null when there is none.
std::shared_ptr<const void> take_captured(const Stream& stream);
// Forgets the views of this memory that are kept for copies: the copies keep the memory itself.
// What a graph keeps stays.
void forget_host_memory(const Buffer& memory);
// When nothing will be queued any more and what was has been waited for: releases what is not used.
// The rest, of work that could not be stopped, is kept for ever.
void release_host_memory();

}  // namespace warpwise::python
