// See masked_reduction.hpp.
#include "src/array/masked_reduction.hpp"

#include "src/array/elementwise.hpp"
#include "src/array/parts.hpp"
#include "src/array/reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"

namespace warpwise::array {
namespace {

bool is_integral(Kind kind) {
    return types::is_integer(kind) || types::is_bool(kind);
}

// The start as a value of the result's type, which must hold it.
Scalar start_of(const Scalar& initial, Kind kind, std::string_view function) {
    const bool is_held = is_integral(kind)
                             ? is_integral(initial.kind()) && initial.fits(kind)
                             : types::is_complex(kind) || !types::is_complex(initial.kind());
    if (!is_held) {
        refuse_value(
            "{} got initial={} for results of type {}, which does not hold it; give "
            "another value, or dtype=",
            function, initial.text(), DType(kind).name());
    }
    return initial.typed(kind);
}

// min and max over no elements: the start.
std::optional<Array> nothing_but(const Scalar& start, Kind kind, const Array& array,
                                 const Reduction& options, std::string_view function) {
    const ReducedAxes axes(array, without_axis_of_scalar(array, options.axes), function);
    if (axes.count != 0) return std::nullopt;
    return constant(start, kind, options.keepdims ? axes.kept : axes.results, context_of(array));
}

}  // namespace

Reduction unmasked(const Reduction& options) {
    return {.axes = options.axes, .keepdims = options.keepdims, .dtype = options.dtype};
}

void refuse_initial(const Reduction& options, std::string_view function) {
    if (!options.initial) return;
    refuse_type("{} got initial={}; it takes none", function, options.initial->text());
}

void refuse_mask(const Reduction& options, std::string_view function) {
    refuse_initial(options, function);
    if (options.where == nullptr) return;
    refuse_type("{} got where=; it takes none: select the elements first, as in x[mask]", function);
}

Array selected(const Array& array, const Array* mask, const Scalar& instead,
               std::string_view function) {
    if (mask == nullptr) return array;
    require_numbers(array, function);
    if (kind_of(*mask) != Kind::Bool) {
        refuse_type("{} got where= of {}; it takes bools", function, mask->dtype().name());
    }
    if (!broadcasts_to(mask->shape(), array.shape())) {
        refuse_value("{} got where= of shape {} for an array of shape {}; it must broadcast to it",
                     function, text_of(mask->shape()), text_of(array.shape()));
    }
    return where(*mask, array, instead.typed(kind_of(array)));
}

Array counted(const Array& array, const Reduction& options, std::string_view function) {
    const Array ones = constant(Scalar(true), Kind::Bool, array.shape(), context_of(array));
    return sum(selected(ones, options.where, Scalar(false), function),
               {.axes = options.axes, .keepdims = options.keepdims, .dtype = int64});
}

Array written(const Array& result, const Reduction& options, std::string_view function) {
    if (options.out == nullptr) return result;
    if (!(options.out->shape() == result.shape())) {
        refuse_value("{} got out= of shape {} for a result of shape {}; it must have that shape",
                     function, text_of(options.out->shape()), text_of(result.shape()));
    }
    write_out(*options.out, result, nullptr, function);
    return *options.out;
}

Array masked(const Maskable& reduction, const Array& array, const Reduction& options,
             std::string_view function) {
    require_numbers(array, function);
    const Reduction inner = unmasked(options);
    if (reduction.identity) {
        const Array chosen = selected(array, options.where, Scalar(*reduction.identity), function);
        Array result = reduction.plain(chosen, inner);
        if (options.initial) {
            const Scalar start = start_of(*options.initial, kind_of(result), function);
            result = compute(reduction.combine, {result, start});
        }
        return written(result, options, function);
    }
    if (!options.initial) {
        refuse_value("{} got where= without initial=, its value where no element is left",
                     function);
    }
    // Minima and maxima keep the type, so that the start is a value of the elements' too.
    const Kind kind = options.dtype ? options.dtype->kind() : kind_of(array);
    const Scalar start = start_of(*options.initial, kind, function);
    if (auto nothing = nothing_but(start, kind, array, options, function)) {
        return written(*nothing, options, function);
    }
    const Array chosen = selected(converted(array, kind), options.where, start, function);
    return written(compute(reduction.combine, {reduction.plain(chosen, inner), start}), options,
                   function);
}

}  // namespace warpwise::array
