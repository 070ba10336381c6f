// Generator's choices, permutations and bytes, and distributions of several numbers at once.
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/random/bind_generator.hpp"
#include "python/bindings/random/random_values.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

using random::Generator;
using random::Sample;

Sample sample_of(nb::handle size, nb::handle dtype, nb::handle device) {
    Sample sample{.dtype = optional_dtype(dtype), .device = optional_device(device)};
    if (!size.is_none()) sample.shape = shape_of(size, "size");
    return sample;
}

std::vector<double> vector_of(nb::handle object, const char* role, std::size_t axes = 1) {
    std::vector<std::int64_t> extents;
    std::vector<double> values = doubles_of(object, role, extents);
    const bool is_number = extents.empty() && axes == 1;  // one outcome
    if (extents.size() == axes || is_number) return values;
    throw ArgumentError(ArgumentError::Kind::Value,
                        std::string(role) + " expects numbers along " + std::to_string(axes) +
                            (axes == 1 ? " axis" : " axes") + ", got " + value_text(object));
}

bool is_count(nb::handle object) {
    return array_in(object) == nullptr && PyIndex_Check(object.ptr()) != 0;
}

Array choose(Generator& self, nb::handle from, nb::handle size, bool replace, nb::handle p,
             int axis, nb::handle device) {
    const Shape shape = size.is_none() ? Shape{} : shape_of(size, "size");
    std::vector<double> probabilities;
    if (!p.is_none()) probabilities = vector_of(p, "p");
    if (is_count(from)) {
        const std::int64_t count = integer_of(from, "a");
        const auto place = optional_device(device);
        GilRelease unlocked;
        return self.choice(count, shape, replace, probabilities, place);
    }
    const Array& array = array_of(from, "a");
    GilRelease unlocked;
    return self.choice(array, shape, replace, probabilities, axis);
}

void bind_order(nb::class_<Generator>& scope) {
    scope.def("choice", &choose, "a"_a, "size"_a = nb::none(), "replace"_a = true,
              "p"_a = nb::none(), "axis"_a = 0, nb::kw_only(), "device"_a = nb::none(),
              nb::sig("def choice(self, a: Array | int, size: int | tuple[int, ...] | None = None, "
                      "replace: bool = True, p: typing.Any = None, axis: int = 0, *, device: "
                      "Device | str | None = None) -> Array"),
              "Elements of an array along an axis, or of 0, ..., a - 1; uniformly, or with "
              "probabilities p.");
    scope.def(
        "permutation",
        [](Generator& self, nb::handle x, int axis, nb::handle device) {
            if (is_count(x)) {
                return self.permutation(integer_of(x, "x"), optional_device(device));
            }
            const Array& array = array_of(x, "x");
            GilRelease unlocked;
            return self.permutation(array, axis);
        },
        "x"_a, "axis"_a = 0, nb::kw_only(), "device"_a = nb::none(),
        nb::sig("def permutation(self, x: Array | int, axis: int = 0, *, device: Device | str | "
                "None = None) -> Array"),
        "0, ..., x - 1 in random order, or a copy of an array in random order along an axis.");
    scope.def(
        "shuffle",
        [](Generator& self, nb::handle x, int axis) {
            Array& array = array_of(x, "x");
            GilRelease unlocked;
            self.shuffle(array, axis);
        },
        "x"_a, "axis"_a = 0, nb::sig("def shuffle(self, x: Array, axis: int = 0) -> None"),
        "Brings an array into random order along an axis, in place.");
    scope.def(
        "bytes",
        [](Generator& self, nb::handle length) {
            const std::int64_t count = integer_of(length, "length");
            if (count < 0) {
                throw ArgumentError(ArgumentError::Kind::Value,
                                    "length expects 0 or more, got " + value_text(length));
            }
            const auto bytes = self.bytes(static_cast<std::size_t>(count));
            return nb::bytes(bytes.data(), bytes.size());
        },
        "length"_a, nb::sig("def bytes(self, length: int) -> bytes"), "Random bytes.");
}

void bind_several(nb::class_<Generator>& scope) {
    scope.def(
        "multinomial",
        [](Generator& self, nb::handle n, nb::handle pvals, nb::handle size, nb::handle dtype,
           nb::handle device) {
            const std::vector<double> probabilities = vector_of(pvals, "pvals");
            const Sample sample = sample_of(size, dtype, device);
            const Operand trials = operand_of(n);
            GilRelease unlocked;
            return self.multinomial(trials, probabilities, sample);
        },
        "n"_a, "pvals"_a, "size"_a = nb::none(), "dtype"_a = nb::none(), nb::kw_only(),
        "device"_a = nb::none(),
        nb::sig("def multinomial(self, n: Array | int, pvals: typing.Any, size: int | tuple[int, "
                "...] | None = None, dtype: typing.Any = None, *, device: Device | str | None = "
                "None) -> Array"),
        "How n trials fall among outcomes of probabilities pvals, along a last axis; int64.");
    scope.def(
        "dirichlet",
        [](Generator& self, nb::handle alpha, nb::handle size, nb::handle dtype,
           nb::handle device) {
            const std::vector<double> shapes = vector_of(alpha, "alpha");
            const Sample sample = sample_of(size, dtype, device);
            GilRelease unlocked;
            return self.dirichlet(shapes, sample);
        },
        "alpha"_a, "size"_a = nb::none(), "dtype"_a = nb::none(), nb::kw_only(),
        "device"_a = nb::none(),
        nb::sig("def dirichlet(self, alpha: typing.Any, size: int | tuple[int, ...] | None = None, "
                "dtype: typing.Any = None, *, device: Device | str | None = None) -> Array"),
        "Parts of 1, along a last axis.");
    scope.def(
        "multivariate_normal",
        [](Generator& self, nb::handle mean, nb::handle cov, nb::handle size, nb::handle dtype,
           nb::handle device) {
            const std::vector<double> center = vector_of(mean, "mean");
            const std::vector<double> covariance = vector_of(cov, "cov", 2);
            const Sample sample = sample_of(size, dtype, device);
            GilRelease unlocked;
            return self.multivariate_normal(center, covariance, sample);
        },
        "mean"_a, "cov"_a, "size"_a = nb::none(), "dtype"_a = nb::none(), nb::kw_only(),
        "device"_a = nb::none(),
        nb::sig("def multivariate_normal(self, mean: typing.Any, cov: typing.Any, size: int | "
                "tuple[int, ...] | None = None, dtype: typing.Any = None, *, device: Device | str "
                "| None = None) -> Array"),
        "Normal vectors along a last axis; the covariance is factorised (Cholesky) on the host.");
}

}  // namespace

void bind_generator_order(nb::class_<Generator>& scope) {
    bind_order(scope);
    bind_several(scope);
}

}  // namespace warpwise::python
