// The arguments of most launches, without the pack that takes any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "python/bindings/bindings.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::python {

// Memory of ours, in a Buffer or an Allocation, for pointers, and numbers for all else. Small: a
// driver's launch leaves the caches without what the next one reads.
class PlainArguments {
  public:
    // `pointers`: bits of the parameters that are pointers. False where an object is something
    // else, or there are too many: for an ArgumentPack. The objects must outlive this one.
    bool take(PyObject* const* objects, std::size_t count, std::uint64_t pointers);
    std::span<const Argument> view() const noexcept {
        return {reinterpret_cast<const Argument*>(storage_), count_};
    }

  private:
    static constexpr std::size_t kMost = 12;
    alignas(Argument) std::byte storage_[kMost * sizeof(Argument)];
    std::size_t count_ = 0;
};

}  // namespace warpwise::python
