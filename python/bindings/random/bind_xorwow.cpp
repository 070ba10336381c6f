// The class ww.random.XORWOW.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/random/random_values.hpp"
#include "warpwise/error.hpp"
#include "warpwise/random.hpp"

namespace warpwise::python {
namespace {

using random::XORWOW;
using random::XORWOWState;

nb::dict state_of(const XORWOW& self) {
    const XORWOWState state = self.state();
    nb::dict result;
    result["bit_generator"] = "XORWOW";
    result["version"] = random::kStreamVersion;
    result["seed"] = state.seed;
    result["position"] = state.position;
    result["jumps"] = state.jumps;
    return result;
}

XORWOWState state_in(nb::handle object) {
    constexpr const char* kKeys[] = {"seed", "position", "jumps"};
    const nb::dict state = checked_state(object, "an", "XORWOW", kKeys);
    return {word_of(state["seed"], "seed"), word_of(state["position"], "position"),
            word_of(state["jumps"], "jumps")};
}

nb::object raw_words(XORWOW& self, nb::handle size) {
    const std::size_t count = size.is_none() ? 1 : count_in(size, "size");
    std::vector<std::uint32_t> words;
    {
        GilRelease unlocked;
        words = self.random_raw(count);
    }
    if (size.is_none()) return nb::int_(words[0]);
    return array_of_words(words, uint32);
}

void bind_places(nb::class_<XORWOW>& scope) {
    scope
        .def_prop_rw(
            "state", &state_of,
            [](XORWOW& self, nb::handle state) { self.set_state(state_in(state)); },
            nb::for_getter(nb::sig("def state(self) -> dict[str, typing.Any]")),
            nb::for_setter(nb::sig("def state(self, value: dict[str, typing.Any], /) -> None")),
            "Seed, position in blocks of four words, jumps; with the version of streams.")
        .def(
            "jumped",
            [](const XORWOW& self, nb::handle jumps) {
                return self.jumped(word_of(jumps, "jumps"));
            },
            "jumps"_a = 1, nb::sig("def jumped(self, jumps: int = 1) -> XORWOW"),
            "A generator of a stream that overlaps no other: 16,384 subsequences further.")
        .def(
            "advance",
            [](XORWOW& self, nb::handle delta) -> XORWOW& {
                self.advance(word_of(delta, "delta"));
                return self;
            },
            "delta"_a, nb::rv_policy::none, nb::sig("def advance(self, delta: int) -> XORWOW"),
            "Moves every subsequence on by `delta` blocks of four words.");
}

}  // namespace

void bind_xorwow(nb::module_& module) {
    nb::class_<XORWOW> scope(module, "XORWOW",
                             "XORWOW (Marsaglia, 2003): 16,384 subsequences of cuRAND's default "
                             "generator, 2^67 words apart.");
    scope
        .def(
            "__init__", [](XORWOW* self, nb::handle seed) { new (self) XORWOW(seed_of(seed)); },
            "seed"_a = nb::none(),
            nb::sig("def __init__(self, seed: int | Sequence[int] | SeedSequence | None = None) "
                    "-> None"))
        .def_prop_ro("seed_seq", &seed_of_generator<XORWOW>,
                     nb::sig("def seed_seq(self) -> SeedSequence | None"),
                     "What it was made of; None for states.")
        .def(
            "spawn",
            [](XORWOW& self, nb::handle count) {
                return self.spawn(count_in(count, "n_children"));
            },
            "n_children"_a, nb::sig("def spawn(self, n_children: int) -> list[XORWOW]"),
            "Generators of independent streams.")
        .def("random_raw", &raw_words, "size"_a = nb::none(),
             nb::sig("def random_raw(self, size: int | None = None) -> typing.Any"),
             "Random words: an int, or a NumPy array of uint32.")
        .def(
            "__getstate__",
            [](const XORWOW& self) {
                return nb::make_tuple(state_of(self), seed_of_generator(self));
            },
            nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"))
        .def(
            "__setstate__",
            [](XORWOW& self, const nb::tuple& parts) {
                restore(self, state_in(parts[0]), parts[1]);
            },
            nb::sig("def __setstate__(self, state: tuple[typing.Any, ...], /) -> None"))
        .def("__repr__", [](const XORWOW& self) {
            return "XORWOW(seed=" + std::to_string(self.state().seed) +
                   ", position=" + std::to_string(self.state().position) + ")";
        });
    bind_places(scope);
}

}  // namespace warpwise::python
