// The class ww.random.XORWOW.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "python/bindings/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/describe.hpp"
#include "python/bindings/interpreter.hpp"
#include "python/bindings/random_values.hpp"
#include "warpwise/error.hpp"
#include "warpwise/random.hpp"

namespace warpwise::python {
namespace {

using random::SeedSequence;
using random::XORWOW;
using random::XORWOWState;

std::size_t count_of(nb::handle object, const char* role) {
    const std::int64_t count = integer_of(object, role);
    if (count >= 0) return static_cast<std::size_t>(count);
    throw ArgumentError(ArgumentError::Kind::Value,
                        std::string(role) + " expects 0 or more, got " + std::to_string(count));
}

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

bool is_equal(const nb::object& a, const nb::object& b) {
    return PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ) == 1;
}

bool is_state(nb::handle object) {
    if (!nb::isinstance<nb::dict>(object)) return false;
    const auto dict = nb::borrow<nb::dict>(object);
    for (const char* key : {"bit_generator", "version", "seed", "position", "jumps"}) {
        if (!dict.contains(key)) return false;
    }
    return is_equal(dict["bit_generator"], nb::str("XORWOW"));
}

XORWOWState state_in(nb::handle object) {
    if (!is_state(object)) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            "the state of an XORWOW is a dict such as its state property gives; got " +
                value_text(object));
    }
    if (!is_equal(object["version"], nb::int_(random::kStreamVersion))) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "the state is of stream version " + text_of(object["version"]) +
                                "; this version of Warpwise has streams of version " +
                                std::to_string(random::kStreamVersion));
    }
    return {word_of(object["seed"], "seed"), word_of(object["position"], "position"),
            word_of(object["jumps"], "jumps")};
}

nb::object raw_words(XORWOW& self, nb::handle size) {
    const std::size_t count = size.is_none() ? 1 : count_of(size, "size");
    std::vector<std::uint32_t> words;
    {
        GilRelease unlocked;
        words = self.random_raw(count);
    }
    if (size.is_none()) return nb::int_(words[0]);
    return nb::module_::import_("numpy")
        .attr("frombuffer")(nb::bytes(words.data(), words.size() * 4), numpy_dtype(uint32))
        .attr("copy")();
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
        .def_prop_ro(
            "seed_seq",
            [](const XORWOW& self) -> nb::object {
                const auto seed = self.seed_sequence();
                return seed ? nb::cast(*seed) : nb::none();
            },
            nb::sig("def seed_seq(self) -> SeedSequence | None"),
            "What it was made of; None for states.")
        .def(
            "spawn",
            [](XORWOW& self, nb::handle count) {
                return self.spawn(count_of(count, "n_children"));
            },
            "n_children"_a, nb::sig("def spawn(self, n_children: int) -> list[XORWOW]"),
            "Generators of independent streams.")
        .def("random_raw", &raw_words, "size"_a = nb::none(),
             nb::sig("def random_raw(self, size: int | None = None) -> typing.Any"),
             "Random words: an int, or a NumPy array of uint32.")
        .def(
            "__getstate__",
            [](const XORWOW& self) {
                const auto seed = self.seed_sequence();
                return nb::make_tuple(state_of(self), seed ? nb::cast(*seed) : nb::none());
            },
            nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"))
        .def(
            "__setstate__",
            [](XORWOW& self, const nb::tuple& parts) {
                if (parts[1].is_none()) {
                    new (&self) XORWOW(state_in(parts[0]));
                    return;
                }
                XORWOW made(nb::cast<SeedSequence>(parts[1]));
                made.set_state(state_in(parts[0]));
                new (&self) XORWOW(made);
            },
            nb::sig("def __setstate__(self, state: tuple[typing.Any, ...], /) -> None"))
        .def("__repr__", [](const XORWOW& self) {
            return "XORWOW(seed=" + std::to_string(self.state().seed) +
                   ", position=" + std::to_string(self.state().position) + ")";
        });
    bind_places(scope);
}

}  // namespace warpwise::python
