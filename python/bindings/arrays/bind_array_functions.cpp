// The elementwise functions of src/ir/ops.def, and products.
//
// f(x) and f(x, y) of arrays and numbers are hot calls; keywords go through nanobind.
#include <nanobind/stl/string.h>

#include <deque>
#include <string>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/hot_call.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

using One = Array (*)(const Operand&, const Elementwise&);
using Two = Array (*)(const Operand&, const Operand&, const Elementwise&);
using Three = Array (*)(const Operand&, const Operand&, const Operand&, const Elementwise&);

template <One kFunction>
PyObject* usual_one(const HotArguments& given) {
    if (given.count != 1 || given.names != nullptr) return unusual();
    return new_array(kFunction(operand_of(given.values[0]), {}));
}
template <Two kFunction>
PyObject* usual_two(const HotArguments& given) {
    if (given.count != 2 || given.names != nullptr) return unusual();
    return new_array(kFunction(operand_of(given.values[0]), operand_of(given.values[1]), {}));
}
template <Three kFunction>
PyObject* usual_three(const HotArguments& given) {
    if (given.count != 3 || given.names != nullptr) return unusual();
    return new_array(kFunction(operand_of(given.values[0]), operand_of(given.values[1]),
                               operand_of(given.values[2]), {}));
}

// out=, where= and dtype=, as given; refers to the caller's objects.
class Options {
  public:
    Options(nb::handle out, nb::handle where, nb::handle dtype) : out_(out) {
        options_.dtype = optional_dtype(dtype);
        options_.out = optional_array(output(), "out");
        options_.where = optional_mask(where);
    }
    // The result: `out` itself where it was given.
    nb::object result(Array&& array) const { return result_or_out(std::move(array), output()); }
    // The same after writing to it what a function without `out` computed.
    nb::object written(Array&& array, const char* function) const {
        return written_or_new(std::move(array), output(), function);
    }
    const Elementwise& operator*() const noexcept { return options_; }

  private:
    // NumPy also passes a tuple of one.
    nb::handle output() const {
        if (!nb::isinstance<nb::tuple>(out_) || nb::len(out_) != 1) return out_;
        return PyTuple_GetItem(out_.ptr(), 0);
    }
    nb::handle out_;
    Elementwise options_;
};

const char* kept(std::string text) {
    static std::deque<std::string>& texts = *new std::deque<std::string>;
    return texts.emplace_back(std::move(text)).c_str();
}

constexpr const char* kOptions =
    ", /, *, out: Array | None = None, where: Array | bool = True, dtype: typing.Any = None) -> "
    "Array";

template <One kFunction>
void bind(nb::module_& module, const char* name, const char* doc) {
    if (name == std::string("round")) return;  // it takes decimals: below
    module.def(
        name,
        [](nb::handle x, nb::handle out, nb::handle where, nb::handle dtype) {
            const Options options(out, where, dtype);
            return options.result(kFunction(operand_of(x), *options));
        },
        nb::arg().none(), nb::kw_only(), "out"_a = nb::none(), "where"_a.none() = true,
        "dtype"_a = nb::none(),
        nb::sig(kept("def " + std::string(name) + "(x: Array | complex" + kOptions)), doc);
    HotCall<usual_one<kFunction>>::install(module.attr(name));
}

template <Two kFunction>
void bind(nb::module_& module, const char* name, const char* doc) {
    module.def(
        name,
        [](nb::handle x1, nb::handle x2, nb::handle out, nb::handle where, nb::handle dtype) {
            const Options options(out, where, dtype);
            return options.result(kFunction(operand_of(x1), operand_of(x2), *options));
        },
        nb::arg().none(), nb::arg().none(), nb::kw_only(), "out"_a = nb::none(),
        "where"_a.none() = true, "dtype"_a = nb::none(),
        nb::sig(kept("def " + std::string(name) + "(x1: Array | complex, x2: Array | complex" +
                     kOptions)),
        doc);
    HotCall<usual_two<kFunction>>::install(module.attr(name));
}

template <Three kFunction>
void bind(nb::module_& module, const char* name, const char* doc) {
    if (name == std::string("clip")) return;  // its limits may be None: below
    module.def(
        name,
        [](nb::handle x1, nb::handle x2, nb::handle x3, nb::handle out, nb::handle where,
           nb::handle dtype) {
            const Options options(out, where, dtype);
            return options.result(
                kFunction(operand_of(x1), operand_of(x2), operand_of(x3), *options));
        },
        nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::kw_only(), "out"_a = nb::none(),
        "where"_a.none() = true, "dtype"_a = nb::none(),
        nb::sig(kept("def " + std::string(name) + "(x1: Array | complex, x2: Array | complex, " +
                     "x3: Array | complex" + kOptions)),
        doc);
    if (name == std::string("where")) {
        module.def(name, &places_of, nb::arg(),
                   nb::sig("def where(condition: Array, /) -> tuple[Array, ...]"), "As nonzero().");
    }
    HotCall<usual_three<kFunction>>::install(module.attr(name));
}

nb::object clip_to(nb::handle x, nb::handle lower, nb::handle upper, nb::handle out) {
    const Options options(out, nb::handle(Py_True), nb::none());
    const Operand value = operand_of(x);
    const auto min = optional_operand(lower), max = optional_operand(upper);
    return options.result(clipped(value, min, max, *options));
}

nb::object rounded(nb::handle x, int decimals, nb::handle out, nb::handle where, nb::handle dtype) {
    const Options options(out, where, dtype);
    if (decimals == 0) return options.result(round(operand_of(x), *options));
    if ((*options).dtype || (*options).where != nullptr) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "round takes where= and dtype= without decimals only");
    }
    return options.written(round(array_of(x, "round"), decimals), "round");
}

void bind_products(nb::module_& module) {
    module.def(
        "matmul",
        [](const Array& x1, const Array& x2, nb::handle out) {
            return written_or_new(matmul(x1, x2), out, "matmul");
        },
        nb::arg(), nb::arg(), "out"_a = nb::none(),
        nb::sig("def matmul(x1: Array, x2: Array, /, out: Array | None = None) -> Array"),
        "The product of matrices, of the last two axes.");
    module.def("vecdot", &vecdot, nb::arg(), nb::arg(), nb::kw_only(), "axis"_a = -1,
               nb::sig("def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array"),
               "The sum of conj(x1) * x2 along an axis.");
    module.def(
        "tensordot",
        [](const Array& x1, const Array& x2, nb::handle axes) {
            if (PyIndex_Check(axes.ptr()) != 0) {
                return tensordot(x1, x2, static_cast<int>(integer_of(axes, "axes")));
            }
            if (PySequence_Check(axes.ptr()) == 0 || nb::len(axes) != 2) {
                throw ArgumentError(
                    ArgumentError::Kind::Type,
                    "axes expects an int or two sequences of ints, got " + value_text(axes));
            }
            return tensordot(x1, x2, axes_of(nb::object(axes[0])), axes_of(nb::object(axes[1])));
        },
        nb::arg(), nb::arg(), "axes"_a = 2,
        nb::sig("def tensordot(x1: Array, x2: Array, /, axes: int | "
                "tuple[typing.Sequence[int], typing.Sequence[int]] = 2) -> Array"),
        "The sum of products over the last `axes` axes of x1 and the first of x2, or over the axes "
        "that are given.");
}

}  // namespace

Array clipped(const Operand& value, const std::optional<Operand>& min,
              const std::optional<Operand>& max, const Elementwise& options) {
    if (!min && !max) return positive(value, options);
    if (!max) return maximum(value, *min, options);
    if (!min) return minimum(value, *max, options);
    return clip(value, *min, *max, options);
}

void bind_array_functions(nb::module_& module) {
#define WARPWISE_OP(Name, name, arity, rule, cost, spelling, documentation) \
    bind<&warpwise::name>(module, #name, documentation);
#include "src/ir/ops.def"
#undef WARPWISE_OP
    module.def(
        "elementwise_names",
        [] {
            nb::list names;
#define WARPWISE_OP(Name, name, ...) names.append(#name);
#include "src/ir/ops.def"
#undef WARPWISE_OP
            for (const char* product : {"matmul", "vecdot"}) names.append(product);
            return nb::frozenset(names);
        },
        nb::sig("def elementwise_names() -> frozenset[str]"), "What NumPy's ufuncs map to.");
    module.def("clip", &clip_to, nb::arg(), "min"_a = nb::none(), "max"_a = nb::none(),
               nb::kw_only(), "out"_a = nb::none(),
               nb::sig("def clip(x: Array, /, min: Array | complex | None = None, max: Array | "
                       "complex | None = None, *, out: Array | None = None) -> Array"),
               "minimum(maximum(x, min), max); a limit of None is none.");
    module.def("round", &rounded, nb::arg().none(), "decimals"_a = 0, nb::kw_only(),
               "out"_a = nb::none(), "where"_a.none() = true, "dtype"_a = nb::none(),
               nb::sig("def round(x: Array | complex, /, decimals: int = 0, *, out: Array | None = "
                       "None, where: Array | bool = True, dtype: typing.Any = None) -> Array"),
               "The nearest integer, or number with so many decimal places; of two the even one.");
    bind_products(module);
}

}  // namespace warpwise::python
