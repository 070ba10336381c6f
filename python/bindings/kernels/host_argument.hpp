// ww.In, ww.Out and ww.InOut: host arrays that a launch copies to the device and back.
#pragma once

#include <nanobind/nanobind.h>

#include "python/bindings/memory/host_memory.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::python {

class HostArgument {
  public:
    // Throws ArgumentError for what is no contiguous array with a CUDA C++ type, or for a read-only
    // array that is to take results. `role` is "In", "Out" or "InOut".
    HostArgument(nb::object array, bool copies_in, bool copies_out, const char* role);

    const HostArray& host_array() const noexcept { return host_array_; }
    const nb::object& array() const noexcept { return array_; }

  private:
    nb::object array_;
    HostMemory memory_;
    HostArray host_array_;
};

// One Python class each.
struct In : HostArgument {
    explicit In(nb::object array) : HostArgument(std::move(array), true, false, "In") {}
};
struct Out : HostArgument {
    explicit Out(nb::object array) : HostArgument(std::move(array), false, true, "Out") {}
};
struct InOut : HostArgument {
    explicit InOut(nb::object array) : HostArgument(std::move(array), true, true, "InOut") {}
};

}  // namespace warpwise::python
