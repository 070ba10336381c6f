// Host arrays as arguments: device memory for the time of one launch.
//
// Use: construct (allocates and writes the addresses), copy_in(), launch, copy_out(). The memory
// goes back, in stream order, with the object. If anything throws after copy_in() began, abandon()
// waits until the stream has released the host memory; an interrupt of that wait too is
// Interrupted, and must keep the memory until the stream is done.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "src/runtime/module/kernel_state.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::runtime {

class BufferState;

class HostArrays {
  public:
    HostArrays(const KernelState& kernel, std::span<const Argument> arguments, std::byte* packed,
               StreamState& stream);

    void copy_in();
    // Returns when results are in host memory, or, without results, when the host memory that was
    // copied in is no longer read. Throws the error of the launch if there are results.
    void copy_out();
    // Throws Interrupted; every other error comes after the one that the caller is about to see.
    void abandon();

  private:
    struct Item {
        HostArray array;
        std::shared_ptr<BufferState> memory;
    };

    StreamState& stream_;
    std::vector<Item> items_;
    std::unique_ptr<EventImpl> copied_in_;
};

}  // namespace warpwise::runtime
