// Reductions over arrays with any associative expression, in one launch.
//
//   ww::ReductionKernel dot(ww::float32, "0", "a+b", "x[i]*y[i]",
//                           "const float *x, const float *y", {.name = "dot"});
//   ww::Array d = dot(x, y);                       // 0-d
//   ww::Array rows = dot.call(operands, {.axes = std::vector{1}});
//
// `map_expr` gives the value of element `i` (in C order, of `n`), `reduce_expr` joins two values
// `a` and `b`, `neutral` is the value that changes nothing: what a reduction over no elements
// gives. Values may be structs, which need only be copyable. Arguments are as those of
// ElementwiseKernel; so are shapes, strides, overlaps and the places of the compiler's errors
// ("NAME.map_expr").
//
// Association. A function of the expression, of the extents of kept and reduced axes and of whether
// neighbouring elements are kept or reduced: the same input gives the same bits on every device of
// a kind, for any number of threads. The expression need not be commutative in theory, but values
// are joined in an order of ours.
//
// Running: as ElementwiseKernel; the result is an array whose kernel has been queued.
// Ownership, errors, threading: as ElementwiseKernel.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/elementwise_kernel.hpp"

namespace warpwise {

namespace algorithm {
class ReductionState;
}

struct ReductionCall {
    std::optional<std::vector<int>> axes = std::nullopt;  // unset: all
    bool keepdims = false;
    Array* out = nullptr;                         // written in place and returned
    std::optional<Stream> stream = std::nullopt;  // default: the current stream of the device
};

class WARPWISE_API ReductionKernel {
  public:
    // `type`: of the values, "float" or a registered one. An empty map is "in[i]", and no arguments
    // are "const TYPE *in".
    ReductionKernel(std::string_view type, std::string_view neutral, std::string_view reduce_expr,
                    std::string_view map_expr = {}, std::string_view arguments = {},
                    const KernelText& text = {.name = "reduce_kernel"});
    // Complex types are std::complex; of structs the last registered name with that layout.
    ReductionKernel(const DType& dtype, std::string_view neutral, std::string_view reduce_expr,
                    std::string_view map_expr = {}, std::string_view arguments = {},
                    const KernelText& text = {.name = "reduce_kernel"});

    Array call(std::span<const KernelOperand> operands, const ReductionCall& options = {}) const;
    template <class... Operands>
    Array operator()(const Operands&... operands) const {
        const KernelOperand list[] = {KernelOperand(operands)...};
        return call(list);
    }

    const std::string& name() const noexcept;
    DType dtype() const noexcept;  // of results
    const std::vector<KernelParameter>& parameters() const noexcept;
    // The CUDA C++ text for contiguous arrays that are reduced to one value.
    std::string source() const;

  private:
    std::shared_ptr<algorithm::ReductionState> state_;
};

}  // namespace warpwise
