// Polynomials, convolution and correlation.
//
// Invariant: no product is stored. A short filter is a matrix of windows, which overlap in memory,
// times a vector: multiplication and sum are one kernel, which fuses. A long one slides in a kernel
// of its own, where neighbouring threads read neighbouring elements and the same one of the filter.
#include <fmt/format.h>

#include <algorithm>

#include "src/algorithm/library_kernel.hpp"
#include "src/array/order/library_step.hpp"
#include "src/array/parts.hpp"
#include "src/array/reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/array_shapes.hpp"

namespace warpwise {
namespace {

enum class Extent : std::uint8_t { Full, Same, Valid };

Extent extent_of(std::string_view mode, const char* function) {
    if (mode == "full") return Extent::Full;
    if (mode == "same") return Extent::Same;
    if (mode == "valid") return Extent::Valid;
    array::refuse_value("{} got mode '{}'; it is 'full', 'same' or 'valid'", function, mode);
}

void require_signals(const Array& a, const Array& v, const char* function) {
    array::require_same_device(a, v, function);
    for (const Array* one : {&a, &v}) {
        array::require_numbers(*one, function);
        if (one->ndim() == 1 && one->size() > 0) continue;
        array::refuse_value("{} got an array of shape {}; it takes one axis with elements",
                            function, text_of(one->shape()));
    }
}

constexpr std::int64_t kShortFilter = 32;

// The sums of windows of `signal`, without padding, in `kind`. Parts of 256 products are added one
// after the other, then the parts: rounding errors of long filters stay small.
Array slid_by_kernel(const Array& signal, const Array& filter, Kind kind) {
    const Array x = ascontiguousarray(array::converted(signal, kind));
    const Array h = ascontiguousarray(array::converted(filter, kind));
    const std::int64_t count = x.size() - h.size() + 1;
    const Array y = array::empty_beside(x, Shape{count}, x.dtype());
    const std::string_view sum = kind == Kind::Float32 ? "__fmaf_rn(signal[k], filter[k], part)"
                                 : kind == Kind::Float64
                                     ? "__fma_rn(signal[k], filter[k], part)"
                                     : "__ww_add(part, __ww_multiply(signal[k], "
                                       "filter[k]))";
    const std::string body = fmt::format(R"(
const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
if (i >= a3) return;
const {0} *signal = (const {0} *)a0 + i;
const {0} *filter = (const {0} *)a1;
{0} total = __ww_cast<{0}>(0);
for (long long first = 0; first < a4; first += 256) {{
    const long long end = first + 256 < a4 ? first + 256 : a4;
    {0} part = __ww_cast<{0}>(0);
    for (long long k = first; k < end; ++k) part = {1};
    total = __ww_add(total, part);
}}
(({0} *)a2)[i] = total;)",
                                         algorithm::device_type(kind), sum);
    runtime::Context& context = array::context_of(x);
    const auto kernel = algorithm::library_kernel({.name = "ww_slide",
                                                   .header = "warpwise_library_index.h",
                                                   .parameters = "rrwnn",
                                                   .body = body},
                                                  {kind}, context);
    array::LibraryStep(kernel, context)
        .read(x)
        .read(h)
        .write(y)
        .number(count)
        .number(h.size())
        .run((count + 255) / 256);
    return y;
}

// Sums of long[k + i] * filter[i] over i, for a filter that is not longer.
Array slid(const Array& signal, const Array& filter, Extent extent) {
    const std::int64_t n = signal.size();
    const std::int64_t m = filter.size();
    std::int64_t before = extent == Extent::Full ? m - 1 : 0;
    std::int64_t after = before;
    if (extent == Extent::Same) {
        before = m / 2;
        after = m - before - 1;
    }
    Array padded = ascontiguousarray(signal);
    if (before + after > 0) {
        padded = zeros(Shape{before + n + after}, signal.dtype(), signal.device());
        padded.at({Slice{before, before + n, std::nullopt}}).assign(signal);
    }
    const Operand both[] = {signal, filter};
    const Kind kind = result_type(both).kind();
    if (m > kShortFilter && kind != Kind::Bool) {
        return array::converted(slid_by_kernel(padded, filter, array::accumulator_of(kind)), kind);
    }
    graph::View windows = padded.value().view;
    const std::int64_t step = windows.strides[0];
    windows.shape = Shape{padded.size() - m + 1, m};
    windows.strides = Strides{step, step};
    return matmul(array::show(padded, windows), filter);
}

Array reversed(const Array& array) {
    return flip(array);
}

}  // namespace

Array polyval(const Array& coefficients, const Array& x) {
    array::require_same_device(coefficients, x, "polyval");
    if (coefficients.ndim() != 1) {
        array::refuse_value("polyval got coefficients of shape {}; give one axis",
                            text_of(coefficients.shape()));
    }
    const Operand both[] = {coefficients, x};
    const DType type = result_type(both);
    Array result = zeros(x.shape(), type, x.device());
    for (std::int64_t i = 0; i < coefficients.size(); ++i) {
        const Array one = coefficients.at({i});
        result = i == 0 ? add(result, one) : add(multiply(result, x), one);
    }
    return result;
}

Array convolve(const Array& a, const Array& v, std::string_view mode) {
    const Extent extent = extent_of(mode, "convolve");
    const Array signal = atleast_1d(a);
    const Array filter = atleast_1d(v);
    require_signals(signal, filter, "convolve");
    const bool is_swapped = filter.size() > signal.size();
    return slid(is_swapped ? filter : signal, reversed(is_swapped ? signal : filter), extent);
}

Array correlate(const Array& a, const Array& v, std::string_view mode) {
    const Extent extent = extent_of(mode, "correlate");
    require_signals(a, v, "correlate");
    const Array second = types::is_complex(array::kind_of(v)) ? conj(v) : v;
    if (v.size() <= a.size()) return slid(a, second, extent);
    return copy(reversed(slid(second, a, extent)));
}

}  // namespace warpwise
