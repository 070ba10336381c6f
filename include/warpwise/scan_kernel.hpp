// Scans over arrays with any associative expression, in one launch.
//
//   ww::InclusiveScanKernel totals(ww::int64, "a+b");
//   ww::Array y = totals(x);                   // y[i] = x[0] + ... + x[i]
//   totals.call(x, {.out = &x});               // in place
//   ww::ExclusiveScanKernel largest(ww::int64, "a > b ? a : b", "0");
//
// `scan_expr` joins two values `a` and `b`, `a` being what comes before. Values may be structs,
// which need only be copyable. An inclusive scan needs no neutral value; an exclusive one begins
// with it.
//
// GenericScanKernel has expressions for what is scanned and for what becomes of it:
//
//   ww::GenericScanKernel compact(ww::int32, "const float *x, float *kept, long long *count",
//                                 "x[i] > 0 ? 1 : 0", "a+b", "0",
//                                 "if (item != prev_item) kept[item-1] = x[i];"
//                                 "if (i == n-1) *count = item;");
//
// `input_expr` gives the value of element `i` (size_t, of `n`), `output_statement` uses `item`, the
// joined value up to and with element i, and `prev_item`, that before it (the neutral value for the
// first). With `is_segment_start_expr` a scan begins again where that is true; `scan_expr` may ask
// `across_seg_boundary`, whether b begins a segment, and prev_item is the neutral value there.
// Arguments are as those of ElementwiseKernel; so are the places of the compiler's errors
// ("NAME.scan_expr"). A pointer refers to the elements of its array in C order.
//
// Association: a function of the number of elements. The same input gives the same bits on every
// device of a kind, for any number of threads. The expression need not be commutative.
//
// Overlap. An output may be an input. Input expressions that read other elements than x[i] of an
// array that the statement writes throw ArgumentError; other inputs that overlap outputs are
// copied.
//
// Running: as ElementwiseKernel; one kernel is queued. Ownership, errors, threading: as
// ElementwiseKernel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/elementwise_kernel.hpp"

namespace warpwise {

namespace algorithm {
class ScanState;
}

struct ScanCall {
    Array* out = nullptr;                         // written in place and returned; may be the input
    std::optional<Stream> stream = std::nullopt;  // default: the current stream of the device
};

// What both plain scans are: an array in, one of the same shape out, elements in C order.
class WARPWISE_API ScanKernel {
  public:
    Array call(const Array& input, const ScanCall& options = {}) const;
    Array operator()(const Array& input) const { return call(input); }

    const std::string& name() const noexcept;
    DType dtype() const noexcept;
    std::string source() const;  // the CUDA C++ text that is compiled

  protected:
    explicit ScanKernel(std::shared_ptr<algorithm::ScanState> state) noexcept
        : state_(std::move(state)) {}

  private:
    std::shared_ptr<algorithm::ScanState> state_;
};

class WARPWISE_API InclusiveScanKernel : public ScanKernel {
  public:
    // `type`: of the values, "float" or a registered one; the array has such elements.
    InclusiveScanKernel(std::string_view type, std::string_view scan_expr,
                        const KernelText& text = {.name = "scan"});
    // Complex types are std::complex; of structs the last registered name with that layout.
    InclusiveScanKernel(const DType& dtype, std::string_view scan_expr,
                        const KernelText& text = {.name = "scan"});
};

class WARPWISE_API ExclusiveScanKernel : public ScanKernel {
  public:
    ExclusiveScanKernel(std::string_view type, std::string_view scan_expr, std::string_view neutral,
                        const KernelText& text = {.name = "scan"});
    ExclusiveScanKernel(const DType& dtype, std::string_view scan_expr, std::string_view neutral,
                        const KernelText& text = {.name = "scan"});
};

struct GenericScanCall {
    std::optional<std::int64_t> size = std::nullopt;  // n; unset: elements of arrays used as x[i]
    std::optional<Stream> stream = std::nullopt;
};

class WARPWISE_API GenericScanKernel {
  public:
    // `neutral` may be empty where nothing asks for prev_item.
    GenericScanKernel(std::string_view type, std::string_view arguments,
                      std::string_view input_expr, std::string_view scan_expr,
                      std::string_view neutral, std::string_view output_statement,
                      std::string_view is_segment_start_expr = {},
                      const KernelText& text = {.name = "scan"});
    GenericScanKernel(const DType& dtype, std::string_view arguments, std::string_view input_expr,
                      std::string_view scan_expr, std::string_view neutral,
                      std::string_view output_statement,
                      std::string_view is_segment_start_expr = {},
                      const KernelText& text = {.name = "scan"});

    void call(std::span<const KernelOperand> operands, const GenericScanCall& options = {}) const;
    template <class... Operands>
    void operator()(const Operands&... operands) const {
        const KernelOperand list[] = {KernelOperand(operands)...};
        call(list);
    }

    const std::string& name() const noexcept;
    const std::vector<KernelParameter>& parameters() const noexcept;
    std::string source() const;

  private:
    std::shared_ptr<algorithm::ScanState> state_;
};

}  // namespace warpwise
