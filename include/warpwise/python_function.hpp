// Kernels that are written in Python: a function's syntax tree becomes CUDA C++ for the types of
// its arguments.
//
//   ww::PythonFunction saxpy(program);            // the text that the host language makes of it
//   saxpy.launch({.grid = 4, .block = 256}, {2.0, x, y});
//   std::string text = saxpy.source("float64, float32[::1], float32[::1]");
//
// The text of a program holds the trees of the kernel and of the functions it calls, with the
// values of their globals; src/script/README.md has its grammar. Types are Numba's: whole numbers
// are int64 unless they have a type of their own, numbers with a point float64, arrays keep
// theirs. `float32[:]` takes any strides, `float32[::1]` contiguous arrays.
//
// Arguments: arrays, numbers, tuples of numbers, and nullptr for None. A function is compiled once
// for each combination of types and device; the compiled kernels are kept by the object and cached
// on disk. Where all signed integers of a launch are from 0 to 2^31 - 1, it takes a kernel that is
// compiled for such; others, and those of types that were compiled before, the general one. The
// same holds of contiguous arrays with 1 to 4 items along the last of several axes, where the
// function indexes that axis by constants or loops along it. A launch is ordered behind all that is
// pending on the arrays' memory.
//
// Ownership: shared handles. Errors: CompileError and UnsupportedError whose places are in the
// Python source; ArgumentError for arguments; LaunchError (PythonException for
// what a kernel with `debug` raises), OutOfMemoryError, DeviceError.
// Threading: from any thread; a first call by several threads compiles once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/elementwise_kernel.hpp"
#include "warpwise/error.hpp"
#include "warpwise/export.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise {

namespace array {
class PythonFunctionState;
struct PythonKernelState;
}  // namespace array

struct PythonFunctionOptions {
    // Variables that a path leaves unset are zero there (as under Numba); else they are refused.
    bool zero_unset = false;
    // A launch waits for the kernel, and throws PythonException for what a thread raises; indices
    // and divisors are checked. Else `raise` and `assert` end the thread.
    bool debug = false;
    bool fast_math = false;
    bool line_info = false;
    int max_registers = 0;  // of a thread, on GPUs; 0: the compiler's choice
    std::vector<std::string> compiler_options = {};  // more of them, as SourceModule's
    // __launch_bounds__: threads of a block at most, blocks of a multiprocessor at least.
    std::vector<std::uint32_t> launch_bounds = {};
    // CUDA C++ that comes before the program: functions that it has as {external ...}. They return
    // through their first argument, a pointer to the result.
    std::string preamble = {};
};

// What a thread of a kernel compiled with `debug` raised: the first one of the launch. The arrays
// hold what the kernel wrote until then; other threads ran to their end.
class WARPWISE_API PythonException : public LaunchError {
  public:
    struct Origin {
        std::string exception;  // "ValueError", as the source names it
        std::string message;    // of it alone
        std::string function;
        std::string file;
        int line = 0;
        int column = 0;  // of the statement, in bytes from 0
    };

    PythonException(Origin origin, std::string kernel, Index block, Index thread);
    ~PythonException() override;

    const Origin& origin() const noexcept { return origin_; }

  private:
    Origin origin_;
};

// A function compiled for types of arguments, on a device.
class WARPWISE_API PythonKernel {
  public:
    // The CUDA C++ that was compiled, with markers of Python's lines.
    const std::string& source() const noexcept;
    // "float64, float32[::1]".
    const std::string& types() const noexcept;
    // Whether it writes the memory of this argument, an array.
    bool writes(std::size_t argument) const noexcept;
    // For attributes, occupancy and the launch of one thread for each of n elements. Its parameters
    // are those of the text: arrays are structs of address, shape and strides.
    const Kernel& kernel() const noexcept;
    // Arguments must have the types that it was compiled for.
    void launch(const LaunchConfig& config, std::span<const KernelOperand> operands) const;
    // The same where that is seen at once, for callers that guess the kernel: false, and nothing
    // has happened, for all else.
    bool launch_plain(const LaunchConfig& config, std::span<const KernelOperand> operands) const;

    explicit PythonKernel(std::shared_ptr<const array::PythonKernelState> state) noexcept;

  private:
    std::shared_ptr<const array::PythonKernelState> state_;
};

class WARPWISE_API PythonFunction {
  public:
    explicit PythonFunction(std::string_view program, PythonFunctionOptions options = {});

    const std::string& name() const noexcept;
    // The types of arguments, as signatures name them. Throws ArgumentError for what no kernel
    // takes.
    static std::string types_of(std::span<const KernelOperand> operands);
    // The CUDA C++ for these types, "float64, float32[::1]" or "void(float64, float32[::1])", of
    // the general kernel, which takes integers of either sign and arrays of all extents.
    std::string source(std::string_view signature) const;
    // Of a function that is no kernel, as `extern "C" __device__` of that name. It returns its
    // result, or, with `returns_status`, stores it at its first argument and returns 0.
    // A number is converted to the type `result`, where one is named.
    std::string device_source(std::string_view signature, const std::string& name,
                              bool returns_status, std::string_view result = "") const;
    // Which arguments are arrays that the function writes.
    std::vector<bool> written(std::string_view signature) const;
    // The general kernel, which launches with these types then take.
    PythonKernel compile(std::string_view signature) const;  // for the current device
    PythonKernel compile(std::string_view signature, const Device& device) const;
    // What was compiled so far; of equal types the most general one alone.
    std::vector<PythonKernel> kernels() const;
    // The type that the function returns for arguments of these types, of a function that is no
    // kernel: "float64", "none".
    std::string result_of(std::string_view signature) const;
    // The kernel for these arguments on their device; compiled where it is new.
    PythonKernel kernel_for(std::span<const KernelOperand> operands) const;
    void launch(const LaunchConfig& config, std::span<const KernelOperand> operands) const {
        kernel_for(operands).launch(config, operands);
    }

  private:
    std::shared_ptr<array::PythonFunctionState> state_;
};

}  // namespace warpwise
