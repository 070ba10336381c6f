// Python objects as what kernels over arrays take: texts, and the arguments of calls.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "python/bindings/bindings.hpp"
#include "python/bindings/kernels/argument.hpp"
#include "warpwise/elementwise_kernel.hpp"

namespace warpwise::python {

// The arguments of a call. Refers to the objects, which must outlive it; needs the GIL.
class KernelCall {
  public:
    explicit KernelCall(const nb::args& arguments);
    explicit KernelCall(std::span<PyObject* const> objects);
    KernelCall(const KernelCall&) = delete;
    KernelCall& operator=(const KernelCall&) = delete;
    std::span<const KernelOperand> operands() const noexcept { return {first_, count_}; }

  private:
    static constexpr std::size_t kInline = 16;

    std::optional<ArgumentPack> pack_;   // of what is no array
    std::unique_ptr<std::byte[]> more_;  // storage for operands that do not fit inside
    alignas(KernelOperand) std::byte inline_[kInline * sizeof(KernelOperand)];
    KernelOperand* first_ = reinterpret_cast<KernelOperand*>(inline_);
    std::size_t count_ = 0;
};

// Arrays whose memory says what they are, numbers of Python and NumPy, None; needs the GIL.
bool is_direct(PyObject* object) noexcept;

// One declaration after the other: a str, or a sequence of them.
std::string declarations_of(nb::handle arguments);
// The declarations of a kernel's parameters, as a tuple of str and as a call of its name.
nb::object shown_parameters(const std::vector<KernelParameter>& parameters);
std::string shown_call(const std::string& name, const std::vector<KernelParameter>& parameters);

}  // namespace warpwise::python
