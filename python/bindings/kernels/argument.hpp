// Python objects as launch arguments.
//
// An ArgumentPack refers to the objects it was made of; they must outlive it. Up to 24 arguments
// need no allocation. Objects that are not valid arguments become Form::Foreign with a description,
// so that the launch refuses them with the parameter's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "python/bindings/bindings.hpp"
#include "warpwise/array.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::python {

// What a launch gets of its first arrays, without an allocation.
class InlineArrays {
  public:
    InlineArrays() = default;
    ~InlineArrays();
    InlineArrays(const InlineArrays&) = delete;
    InlineArrays& operator=(const InlineArrays&) = delete;

    bool is_full() const noexcept { return count_ == kMost; }
    const DeviceArray& add(DeviceArray array) noexcept;

  private:
    static constexpr std::size_t kMost = 8;
    alignas(DeviceArray) std::byte storage_[kMost * sizeof(DeviceArray)];
    std::size_t count_ = 0;
};

// What stands for the first array holders, without an allocation.
class OwnedValues {
  public:
    OwnedValues() = default;
    ~OwnedValues();
    OwnedValues(const OwnedValues&) = delete;
    OwnedValues& operator=(const OwnedValues&) = delete;

    bool is_full() const noexcept { return count_ == kMost; }
    nb::handle add(nb::object value) noexcept { return objects_[count_++] = value.release().ptr(); }

  private:
    static constexpr std::size_t kMost = 8;
    PyObject* objects_[kMost];
    std::size_t count_ = 0;
};

inline const Stream* stream_of(const LaunchConfig& config) noexcept {
    return config.stream ? &*config.stream : nullptr;
}

class ArgumentPack {
  public:
    // `stream`: where the launch runs, which must outlive the pack; null for the current one.
    // `addresses`: bits of the arguments whose integers are addresses.
    ArgumentPack(PyObject* const* objects, std::size_t count, const Stream* stream = nullptr,
                 std::uint64_t addresses = 0);
    explicit ArgumentPack(const nb::args& objects, const Stream* stream = nullptr);
    ~ArgumentPack();
    ArgumentPack(const ArgumentPack&) = delete;
    ArgumentPack& operator=(const ArgumentPack&) = delete;

    std::span<const Argument> view() const noexcept { return {arguments_, count_}; }
    // False: a launch copies host memory, or waits for another library's streams.
    bool is_plain() const noexcept { return is_plain_; }
    // Whether there are addresses among the arguments.
    bool has_pointers() const noexcept { return has_pointers_; }
    // Orders a launch on `device` with `config` after the work that other libraries have queued.
    void wait_for_producers(const Device& device, const LaunchConfig& config) const;
    // Keeps that host memory alive until the event is done. Needs the GIL.
    void keep_until_done(const Event& event);

  private:
    // State that few launches need.
    struct Rare;
    // What arguments that are no plain memory or numbers need until the launch.
    struct Kept {
        std::optional<Stream> current;  // the pack's stream once an array needed the current one
        InlineArrays arrays;            // the first; others are in `rare`
        OwnedValues values;             // as above
        std::unique_ptr<Rare> rare;

        Kept();
        ~Kept();
    };

    void make_room(std::size_t count);  // for more than kInlineArguments
    void add(nb::handle object, bool is_address = false);
    Argument convert(nb::handle object);
    Argument convert_other(nb::handle object);
    Argument convert_integer(nb::handle object);
    Argument convert_address(nb::handle object);
    Argument convert_holder(nb::handle holder);
    Argument convert_record(nb::handle object);
    Argument convert_rare(nb::handle object);
    Argument convert_tuple(nb::handle object);
    Argument convert_array(const Array& array);
    Argument convert_foreign_array(nb::handle object);
    Argument foreign(std::string text, const char* instead_of_pointer = "",
                     const char* instead_of_struct = "");
    Kept& kept();
    Rare& rare();

    static constexpr std::size_t kInlineArguments = 24;
    alignas(Argument) std::byte inline_[kInlineArguments * sizeof(Argument)];
    Argument* arguments_ = reinterpret_cast<Argument*>(inline_);
    std::size_t count_ = 0;
    const Stream* stream_ = nullptr;
    std::optional<Kept> kept_;
    bool is_plain_ = true;
    bool has_pointers_ = false;
};

}  // namespace warpwise::python
