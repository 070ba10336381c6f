// Counting: bincount and histogram.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/array_sorting.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

std::optional<std::pair<double, double>> range_of(nb::handle range) {
    if (range.is_none()) return std::nullopt;
    if (PySequence_Check(range.ptr()) == 0 || nb::len(range) != 2) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            "range expects two numbers, got " + value_text(range));
    }
    return std::pair(number_of(nb::object(range[0]), "range").real(),
                     number_of(nb::object(range[1]), "range").real());
}

nb::object counted(const Array& x, nb::handle bins, nb::handle range, nb::handle density,
                   nb::handle weights) {
    HistogramOptions options{.range = range_of(range),
                             .weights = optional_array(weights, "weights"),
                             .density = !density.is_none() && nb::cast<bool>(density)};
    const bool is_array = array_in(bins) != nullptr;
    const bool is_count = !is_array && PyIndex_Check(bins.ptr()) != 0;
    if (!is_array && !is_list(bins) && !is_count) {
        throw ArgumentError(
            ArgumentError::Kind::Type,
            "bins expects an int, or edges in a ww.Array or a list, got " + value_text(bins));
    }
    std::optional<Array> edges;
    if (!is_count) edges = array_beside(bins, x, "bins");
    const std::int64_t count = is_count ? integer_of(bins, "bins") : 0;
    Histogram result = without_gil(
        [&] { return edges ? histogram(x, *edges, options) : histogram(x, count, options); });
    if (!edges) edges = std::move(result.edges);
    return nb::make_tuple(nb::steal(new_array(std::move(result.counts))),
                          is_array ? nb::borrow(bins) : nb::steal(new_array(std::move(*edges))));
}

}  // namespace

void bind_array_histograms(nb::module_& module) {
    module.def(
        "bincount",
        [](const Array& x, nb::handle weights, std::int64_t minlength) {
            const Array* const given = optional_array(weights, "weights");
            GilRelease unlocked;
            return bincount(x, given, minlength);
        },
        nb::arg(), "weights"_a = nb::none(), "minlength"_a = 0,
        nb::sig("def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> "
                "Array"),
        "How often each number from 0 on occurs; with weights their sums, float64.");
    module.def("histogram", &counted, nb::arg(), "bins"_a = 10, "range"_a = nb::none(),
               "density"_a = nb::none(), "weights"_a = nb::none(),
               nb::sig("def histogram(x: Array, /, bins: typing.Any = 10, range: tuple[float, "
                       "float] | None = None, density: bool | None = None, weights: Array | None = "
                       "None) -> tuple[Array, Array]"),
               "How many elements are in each of `bins` bins of one width, or between edges that "
               "are given; and the edges.");
}

}  // namespace warpwise::python
