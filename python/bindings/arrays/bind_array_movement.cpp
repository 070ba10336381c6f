// Functions of shapes and types of arrays: views, joining, repetition, promotion.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/arrays/index_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "warpwise/array_shapes.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

std::vector<std::int64_t> numbers_of(nb::handle object, const char* role) {
    const Shape numbers = shape_of(object, role);
    return {numbers.begin(), numbers.end()};
}

std::optional<int> optional_axis(nb::handle axis) {
    if (axis.is_none()) return std::nullopt;
    return axes_of(axis)[0];
}

bool can_cast_by(const DType& from, const DType& to, const std::string& casting) {
    const nb::object answer =
        nb::module_::import_("numpy").attr("can_cast")(numpy_dtype(from), numpy_dtype(to), casting);
    return nb::cast<bool>(answer);
}

// What functions that join arrays take: NumPy's options.
struct Joining {
    nb::handle out, dtype;
    const std::string& casting;
    const char* function;

    // Calls `join` with the arrays, as another type where one is asked for.
    template <class Join>
    nb::object operator()(nb::handle given, Join&& join) const {
        nb::object holder;
        const std::vector<const Array*> arrays = arrays_of(given, holder, function);
        if (dtype.is_none()) return written(join(arrays));
        const DType type = dtype_of(dtype);
        std::vector<Array> typed;
        std::vector<const Array*> pointers;
        typed.reserve(arrays.size());
        for (const Array* array : arrays) {
            require_castable(array->dtype(), type);
            typed.push_back(astype(*array, type, /*copy=*/false));
            pointers.push_back(&typed.back());
        }
        return written(join(pointers));
    }

  private:
    nb::object written(Array&& result) const {
        if (!out.is_none()) require_castable(result.dtype(), array_of(out, "out").dtype());
        return written_or_new(std::move(result), out, function);
    }

    void require_castable(const DType& from, const DType& to) const {
        if (can_cast_by(from, to, casting)) return;
        throw ArgumentError(ArgumentError::Kind::Type,
                            std::string(function) + " got an array of " + std::string(from.name()) +
                                " for one of " + std::string(to.name()) + ", which casting='" +
                                casting + "' does not allow; convert it with astype");
    }
};

// Arrays, numbers and dtypes.
nb::object common_type(const nb::args& given) {
    std::vector<Array> of_dtypes;
    of_dtypes.reserve(given.size());
    std::vector<Operand> operands;
    for (const nb::handle each : given) {
        if (array_in(each) != nullptr || number_in(each)) {
            operands.push_back(operand_of(each));
        } else {
            of_dtypes.push_back(empty(Shape{0}, dtype_of(each), Device("cpu")));
            operands.emplace_back(of_dtypes.back());
        }
    }
    return numpy_dtype(result_type(operands));
}

void bind_views(nb::module_& module) {
    module.def(
        "broadcast_to",
        [](const Array& x, nb::handle shape) { return x.broadcast_to(shape_of(shape)); }, nb::arg(),
        "shape"_a, nb::sig("def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array"),
        "A read-only view of another shape, in which x is repeated.");
    module.def(
        "broadcast_shapes",
        [](const nb::args& shapes) {
            std::vector<Shape> list;
            list.reserve(shapes.size());
            for (const nb::handle each : shapes) list.push_back(shape_of(each));
            return tuple_of(broadcast_shapes(list));
        },
        nb::sig("def broadcast_shapes(*shapes: int | tuple[int, ...]) -> tuple[int, ...]"),
        "The shape that all of them broadcast to.");
    module.def(
        "broadcast_arrays",
        [](const nb::args& arrays) {
            nb::object holder;
            return list_of(broadcast_arrays(arrays_of(arrays, holder, "broadcast_arrays")));
        },
        nb::sig("def broadcast_arrays(*arrays: Array) -> list[Array]"),
        "Views of the shape that all broadcast to.");
    module.def(
        "meshgrid",
        [](const nb::args& arrays, bool copy, bool sparse, const std::string& indexing) {
            nb::object holder;
            return list_of(meshgrid(arrays_of(arrays, holder, "meshgrid"), indexing, sparse, copy));
        },
        "arrays"_a, "copy"_a = true, "sparse"_a = false, "indexing"_a = "xy",
        nb::sig("def meshgrid(*arrays: Array, copy: bool = True, sparse: bool = False, indexing: "
                "str = 'xy') -> list[Array]"),
        "The coordinates of a grid, one array for each axis; views that are read-only with "
        "copy=False. With `sparse` all extents but one are 1.");
    module.def(
        "expand_dims",
        [](const Array& x, nb::handle axis) { return expand_dims(x, axes_of(axis)); }, nb::arg(),
        "axis"_a = 0,
        nb::sig("def expand_dims(x: Array, /, axis: int | tuple[int, ...] = 0) -> Array"),
        "A view with axes of extent 1 added.");
    module.def(
        "squeeze", [](const Array& x, nb::handle axis) { return squeeze(x, optional_axes(axis)); },
        nb::arg(), "axis"_a = nb::none(),
        nb::sig("def squeeze(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array"),
        "A view without axes of extent 1.");
    module.def(
        "flip", [](const Array& x, nb::handle axis) { return flip(x, optional_axes(axis)); },
        nb::arg(), "axis"_a = nb::none(),
        nb::sig("def flip(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array"),
        "A view with axes reversed.");
    module.def(
        "sliding_window_view",
        [](const Array& x, nb::handle window_shape, nb::handle axis) {
            return sliding_window_view(x, shape_of(window_shape, "window_shape"),
                                       optional_axes(axis));
        },
        nb::arg(), "window_shape"_a, "axis"_a = nb::none(),
        nb::sig("def sliding_window_view(x: Array, /, window_shape: int | tuple[int, ...], axis: "
                "int | tuple[int, ...] | None = None) -> Array"),
        "A read-only view of all windows of this shape along the axes; the windows' axes are last, "
        "and no element is copied.");
    module.def(
        "permute_dims",
        [](const Array& x, nb::handle axes) { return permute_dims(x, axes_of(axes, "axes")); },
        nb::arg(), "axes"_a,
        nb::sig("def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array"),
        "A view with the axes in this order.");
    module.def("matrix_transpose", &matrix_transpose, nb::arg(),
               nb::sig("def matrix_transpose(x: Array, /) -> Array"),
               "A view with the last two axes exchanged.");
    module.def(
        "moveaxis",
        [](const Array& x, nb::handle source, nb::handle destination) {
            return moveaxis(x, axes_of(source, "source"), axes_of(destination, "destination"));
        },
        nb::arg(), "source"_a, "destination"_a,
        nb::sig("def moveaxis(x: Array, source: int | tuple[int, ...], destination: int | "
                "tuple[int, ...], /) -> Array"),
        "A view with axes moved to other places.");
    module.def(
        "reshape",
        [](const Array& x, nb::handle shape, nb::handle order, std::optional<bool> copy) {
            return reshaped(x, shape_of(shape), order, copy);
        },
        nb::arg(), "shape"_a, "order"_a = "C", nb::kw_only(), "copy"_a = nb::none(),
        nb::sig("def reshape(x: Array, /, shape: int | tuple[int, ...], order: str = 'C', *, copy: "
                "bool | None = None) -> Array"),
        "The elements, counted in C order or that of `order`, as another shape; a view where "
        "possible.");
}

void bind_copies(nb::module_& module) {
    module.def(
        "concat",
        [](nb::handle arrays, nb::handle axis, nb::handle out, nb::handle dtype,
           const std::string& casting) {
            const std::optional<int> along = optional_axis(axis);
            return Joining{out, dtype, casting, "concat"}(
                arrays, [&](const auto& parts) { return concat(parts, along); });
        },
        nb::arg(), "axis"_a.none() = 0, "out"_a = nb::none(), nb::kw_only(), "dtype"_a = nb::none(),
        "casting"_a = "same_kind",
        nb::sig("def concat(arrays: typing.Sequence[Array], /, axis: int | None = 0, out: Array | "
                "None = None, *, dtype: typing.Any = None, casting: str = 'same_kind') -> Array"),
        "The arrays one after another along an axis.");
    module.def(
        "stack",
        [](nb::handle arrays, int axis, nb::handle out, nb::handle dtype,
           const std::string& casting) {
            return Joining{out, dtype, casting, "stack"}(
                arrays, [&](const auto& parts) { return stack(parts, axis); });
        },
        nb::arg(), "axis"_a = 0, "out"_a = nb::none(), nb::kw_only(), "dtype"_a = nb::none(),
        "casting"_a = "same_kind",
        nb::sig("def stack(arrays: typing.Sequence[Array], /, axis: int = 0, out: Array | None = "
                "None, *, dtype: typing.Any = None, casting: str = 'same_kind') -> Array"),
        "The arrays one after another along a new axis.");
    module.def(
        "unstack", [](const Array& x, int axis) { return nb::tuple(list_of(unstack(x, axis))); },
        nb::arg(), nb::kw_only(), "axis"_a = 0,
        nb::sig("def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]"),
        "Views of the parts along an axis.");
    module.def(
        "roll",
        [](const Array& x, nb::handle shift, nb::handle axis) {
            return roll(x, numbers_of(shift, "shift"), optional_axes(axis));
        },
        nb::arg(), "shift"_a, "axis"_a = nb::none(),
        nb::sig("def roll(x: Array, /, shift: int | tuple[int, ...], axis: int | tuple[int, ...] "
                "| None = None) -> Array"),
        "The elements moved along axes, those past the end to the beginning.");
    module.def(
        "tile",
        [](const Array& x, nb::handle repetitions) {
            return tile(x, numbers_of(repetitions, "repetitions"));
        },
        nb::arg(), nb::arg(),
        nb::sig("def tile(x: Array, repetitions: tuple[int, ...], /) -> Array"),
        "The array repeated along its axes.");
    module.def(
        "repeat", &repeated, nb::arg(), nb::arg(), "axis"_a = nb::none(),
        nb::sig("def repeat(x: Array, repeats: typing.Any, /, axis: int | None = None) -> Array"),
        "Each element `repeats` times: a number for all, or one for each.");
}

}  // namespace

Array repeated(const Array& array, nb::handle repeats, nb::handle axis) {
    return repeat(array, integer_indices(repeats, "repeats"), optional_axis(axis));
}

Array reshaped(const Array& array, const Shape& shape, nb::handle order, std::optional<bool> copy) {
    const std::optional<Order> given = order_of(order, &array);
    if (!given) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "order expects 'C', 'F' or 'A', got " + value_text(order));
    }
    return reshape(array, shape, *given, copy);
}

Array raveled(const Array& array, nb::handle order) {
    return ravel(array, order_of(order, &array));
}

void bind_array_movement(nb::module_& module) {
    bind_views(module);
    bind_copies(module);
    module.def("tril", &tril, nb::arg(), "k"_a = 0,
               nb::sig("def tril(x: Array, /, k: int = 0) -> Array"),
               "The elements on and below diagonal k, zeros elsewhere.");
    module.def("triu", &triu, nb::arg(), "k"_a = 0,
               nb::sig("def triu(x: Array, /, k: int = 0) -> Array"),
               "The elements on and above diagonal k, zeros elsewhere.");
    module.def("result_type", &common_type,
               nb::sig("def result_type(*arrays_and_dtypes: typing.Any) -> typing.Any"),
               "The dtype of an operation on these arrays, numbers and dtypes.");
    module.def(
        "can_cast",
        [](nb::handle from, nb::handle to) {
            const Array* const array = array_in(from);
            return can_cast(array != nullptr ? array->dtype() : dtype_of(from), dtype_of(to));
        },
        nb::arg(), nb::arg(), nb::sig("def can_cast(from_: typing.Any, to: typing.Any, /) -> bool"),
        "Whether the conversion keeps every value.");
    module.def(
        "astype",
        [](const Array& x, nb::handle dtype, bool copy, nb::handle device) {
            const Array array = astype(x, dtype_of(dtype), copy);
            const std::optional<Device> on = optional_device(device);
            return on ? to_device(array, *on) : array;
        },
        nb::arg(), "dtype"_a, nb::kw_only(), "copy"_a = true, "device"_a = nb::none(),
        nb::sig("def astype(x: Array, dtype: typing.Any, /, *, copy: bool = True, device: Device | "
                "str | None = None) -> Array"),
        "The elements as another type.");
}

}  // namespace warpwise::python
