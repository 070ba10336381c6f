// Python objects as launch arguments.
//
// An ArgumentPack refers to the objects it was made of; they must outlive it. Up to 24 arguments
// need no allocation. Objects that are not valid arguments become Form::Foreign with a description,
// so that the launch refuses them with the parameter's name.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "python/bindings/bindings.hpp"
#include "warpwise/array.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::python {

class ArgumentPack {
  public:
    ArgumentPack(PyObject* const* objects, std::size_t count);
    explicit ArgumentPack(const nb::args& objects);
    ~ArgumentPack();
    ArgumentPack(const ArgumentPack&) = delete;
    ArgumentPack& operator=(const ArgumentPack&) = delete;

    std::span<const Argument> view() const noexcept { return {arguments_, count_}; }
    // False: a launch copies host memory, or waits for another library's streams.
    bool is_plain() const noexcept { return is_plain_; }
    // Orders a launch on `device` with `config` after the work that other libraries have queued.
    void wait_for_producers(const Device& device, const LaunchConfig& config) const;
    // Keeps that host memory alive until the event is done. Needs the GIL.
    void keep_until_done(const Event& event);

  private:
    // State that few launches need.
    struct Rare;

    void make_room(std::size_t count);
    void add(nb::handle object);
    Argument convert(nb::handle object);
    Argument convert_other(nb::handle object);
    Argument convert_integer(nb::handle object);
    Argument convert_numpy_scalar(nb::handle object, Kind kind);
    Argument convert_record(nb::handle object);
    Argument convert_rare(nb::handle object);
    Argument convert_tuple(nb::handle object);
    Argument convert_array(const Array& array);
    Argument convert_foreign_array(nb::handle object);
    Argument foreign(std::string text, const char* instead_of_pointer = "",
                     const char* instead_of_struct = "");
    Rare& rare();

    static constexpr std::size_t kInlineArguments = 24;
    alignas(Argument) std::byte inline_[kInlineArguments * sizeof(Argument)];
    Argument* arguments_ = reinterpret_cast<Argument*>(inline_);
    std::size_t count_ = 0;
    std::unique_ptr<Rare> rare_;
    bool is_plain_ = true;
};

}  // namespace warpwise::python
