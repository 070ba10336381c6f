// The class ww.random.SobolSequence.
#include <nanobind/stl/string.h>

#include <cstring>
#include <string>
#include <vector>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/random/random_values.hpp"
#include "warpwise/error.hpp"
#include "warpwise/random.hpp"

namespace warpwise::python {
namespace {

using random::Sobol;

Sobol made_of(nb::handle directions, bool scramble, nb::handle seed, nb::handle device) {
    const nb::object table =
        nb::module_::import_("numpy").attr("ascontiguousarray")(directions, "dtype"_a = "uint64");
    const auto shape = nb::cast<nb::tuple>(table.attr("shape"));
    if (shape.size() != 2) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            "directions expects a table of dimensions and bits, got shape " + text_of(shape));
    }
    const auto bytes = nb::cast<nb::bytes>(table.attr("tobytes")());
    std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
    std::memcpy(words.data(), bytes.c_str(), bytes.size());
    Sobol points(words, nb::cast<std::int64_t>(shape[0]), nb::cast<int>(shape[1]),
                 optional_device(device));
    if (scramble) points.scramble(seed_of(seed));
    return points;
}

}  // namespace

void bind_sobol(nb::module_& module) {
    nb::class_<Sobol>(
        module, "SobolSequence",
        "Points that fill a cube evenly, float64 in [0, 1), the same on every device.")
        .def(
            "__init__",
            [](Sobol* self, nb::handle directions, bool scramble, nb::handle seed,
               nb::handle device) {
                new (self) Sobol(made_of(directions, scramble, seed, device));
            },
            "directions"_a, nb::kw_only(), "scramble"_a = true, "seed"_a = nb::none(),
            "device"_a = nb::none(),
            nb::sig("def __init__(self, directions: typing.Any, *, scramble: bool = True, seed: "
                    "int | Sequence[int] | SeedSequence | None = None, device: Device | str | None "
                    "= None) -> None"))
        .def(
            "random", [](Sobol& self, nb::handle n) { return self.random(integer_of(n, "n")); },
            "n"_a = 1, nb::sig("def random(self, n: int = 1) -> Array"),
            "The next n points, of shape (n, d).")
        .def(
            "fast_forward",
            [](Sobol& self, nb::handle n) -> Sobol& {
                self.fast_forward(integer_of(n, "n"));
                return self;
            },
            "n"_a, nb::rv_policy::none, nb::sig("def fast_forward(self, n: int) -> SobolSequence"),
            "Passes n points.")
        .def(
            "reset",
            [](Sobol& self) -> Sobol& {
                self.reset();
                return self;
            },
            nb::rv_policy::none, nb::sig("def reset(self) -> SobolSequence"),
            "Back to the first point.")
        .def_prop_ro("d", &Sobol::dimensions, "Dimensions of the points.")
        .def_prop_ro("bits", &Sobol::bits, "There are 2**bits points.")
        .def_prop_ro("num_generated", &Sobol::index, "How many points were drawn or passed.")
        .def("__repr__", [](const Sobol& self) {
            return "SobolSequence(d=" + std::to_string(self.dimensions()) +
                   ", bits=" + std::to_string(self.bits()) + ")";
        });
}

}  // namespace warpwise::python
