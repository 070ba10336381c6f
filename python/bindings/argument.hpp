// Python objects as launch arguments.
//
// An ArgumentPack refers to the objects it was made of; they must outlive it. Up to 24 arguments
// need no allocation. Objects that can be no argument become Form::Foreign with a description, so
// that the launch refuses them with the parameter's name.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <deque>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "python/bindings/host_memory.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::python {

class ArgumentPack {
  public:
    explicit ArgumentPack(const nb::args& objects);
    ArgumentPack(const ArgumentPack&) = delete;
    ArgumentPack& operator=(const ArgumentPack&) = delete;

    std::span<const Argument> view() const noexcept { return arguments_; }
    // Whether a launch waits for its results.
    bool copies_out() const noexcept { return copies_out_; }
    // Whether a launch copies host memory at all.
    bool copies() const noexcept { return copies_; }

  private:
    Argument convert(nb::handle object);
    Argument convert_integer(nb::handle object);
    Argument convert_numpy_scalar(nb::handle object, Kind kind);
    Argument convert_record(nb::handle object);
    Argument convert_rare(nb::handle object);
    Argument foreign(std::string text, const char* instead_of_pointer = "",
                     const char* instead_of_struct = "");

    static constexpr std::size_t kInlineArguments = 24;
    alignas(Argument) std::array<std::byte, kInlineArguments * sizeof(Argument)> inline_;
    std::pmr::monotonic_buffer_resource memory_{inline_.data(), inline_.size()};
    std::pmr::vector<Argument> arguments_{&memory_};
    std::vector<HostMemory> records_;
    std::vector<nb::object> scalars_;  // what 0-d arrays hold
    std::deque<std::string> texts_;
    std::deque<ForeignObject> foreign_;
    bool copies_ = false;
    bool copies_out_ = false;
};

}  // namespace warpwise::python
