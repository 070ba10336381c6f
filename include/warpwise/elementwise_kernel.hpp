// Kernels over arrays from one statement or a few: the loop, the indices and the launch are ours.
//
//   ww::ElementwiseKernel lin_comb("float a, const float *x, float b, const float *y, float *z",
//                                  "z[i] = a*x[i] + b*y[i]", {.name = "lin_comb"});
//   lin_comb(5, x, 6, y, z);               // writes z
//   ww::Array w = lin_comb(5, x, 6, y);    // the only output is left out: a new array
//
// The operation is CUDA C++ and runs once for each element. `i` is the number of the element in C
// order and `n` how many there are, both size_t. Pointers to const are inputs; other pointers are
// outputs, which may be read too. Numbers are converted as those of a launch are.
//
// Shapes. Arrays that the operation reads or writes as x[i] broadcast to one shape; those that it
// writes have that shape. Arrays that are only used with other indices (x[i + 1], table[k[i]]) have
// any shape; x[j] is always the element that is number j in C order, whatever the strides. Code
// that takes an address (x + 1, &x[i]) needs arrays that are contiguous.
//
// Overlap. An output may be an input at the same time (z and x the same array). An input that
// overlaps an output otherwise is copied first; outputs that overlap each other are refused.
//
// Running. A call queues one kernel in the order of the stream, behind all that is pending on the
// arrays' memory. Kernels are compiled at the first call with arrays of that form (contiguous,
// strided, ...), kept by the object, and cached on disk. Products and sums contract as in any CUDA
// code.
//
// Ownership: a shared handle. Errors: ArgumentError for arguments, at the call; CompileError whose
// place is in the operation or the preamble as they were given; LaunchError, OutOfMemoryError,
// DeviceError. Nothing was written then. Threading: may be called from many threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/array.hpp"
#include "warpwise/dtype.hpp"
#include "warpwise/export.hpp"
#include "warpwise/kernel.hpp"
#include "warpwise/module.hpp"
#include "warpwise/stream.hpp"

namespace warpwise {

namespace algorithm {
class ElementwiseState;
}

// One parameter of a kernel over arrays.
struct KernelParameter {
    std::string name;
    std::string type;       // of the number or the element, without const: "float"
    DType dtype;            // Void: a type of the preamble that was not registered
    bool is_array = false;  // a pointer
    bool is_const = false;  // an array that is only read
};

// Makes `name` a C++ type whose values are `dtype`, in declarations of parameters of kernels over
// arrays. The program defines it, in a preamble; its size is checked there. The last registration
// of a name counts. Throws ArgumentError for names that are none and for C++'s own types.
WARPWISE_API void register_dtype(std::string_view name, const DType& dtype);

// An argument of a call: an array, or what a launch takes for a number or a struct. Refers to the
// array, which must outlive it.
class WARPWISE_API KernelOperand {
  public:
    KernelOperand(const Array& array) noexcept : array_(&array), value_(nullptr) {}
    KernelOperand(const Argument& value) noexcept : value_(value) {}
    template <class T>
        requires(!std::is_same_v<T, Array> && !std::is_same_v<T, KernelOperand> &&
                 std::is_constructible_v<Argument, const T&>)
    KernelOperand(const T& value) noexcept : value_(value) {}
    const Array* array() const noexcept { return array_; }  // null: a value
    const Argument& value() const noexcept { return value_; }

  private:
    const Array* array_ = nullptr;
    Argument value_;
};

// What a kernel over arrays is made of besides its parameters and expressions.
struct KernelText {
    std::string name = "kernel";  // of the kernel, in messages and profiles; an identifier
    std::string preamble = {};    // before the kernel: functions, types, #include
    std::vector<std::string> options = {};  // of the compiler, as SourceModule's
    std::vector<std::string> include_dirs = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string loop_prep = {};   // ElementwiseKernel: before the loop of a thread
    std::string after_loop = {};  // and behind it
};

struct ElementwiseCall {
    std::optional<Stream> stream = std::nullopt;  // default: the current stream of the device
    // The elements to visit: those of this slice of 0, 1, ..., n - 1. Without `clips`, start and
    // stop are given and must lie in the array (stop may lie one before or past its ends).
    std::optional<Slice> elements = std::nullopt;
    bool clips = true;
};

class WARPWISE_API ElementwiseKernel {
  public:
    ElementwiseKernel(std::string_view arguments, std::string_view operation,
                      const KernelText& text = {});
    ElementwiseKernel(std::vector<KernelParameter> arguments, std::string_view operation,
                      const KernelText& text = {});

    // Runs the kernel; the outputs in the order of the parameters.
    std::vector<Array> call(std::span<const KernelOperand> operands,
                            const ElementwiseCall& options = {}) const;
    // The same; the first output.
    template <class... Operands>
    Array operator()(const Operands&... operands) const {
        const KernelOperand list[] = {KernelOperand(operands)...};
        return call(list).front();
    }

    const std::string& name() const noexcept;
    const std::vector<KernelParameter>& parameters() const noexcept;
    // The CUDA C++ text for contiguous arrays, without broadcasting.
    std::string source() const;

  private:
    std::shared_ptr<algorithm::ElementwiseState> state_;
};

}  // namespace warpwise
