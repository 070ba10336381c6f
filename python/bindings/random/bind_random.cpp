// The classes ww.random.SeedSequence and ww.random.Philox.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/random/random_values.hpp"
#include "warpwise/error.hpp"
#include "warpwise/random.hpp"

namespace warpwise::python {
namespace {

using random::Philox;
using random::PhiloxState;
using random::SeedSequence;

nb::tuple parts_of(const SeedSequence& self) {
    nb::list key;
    for (const std::uint32_t word : self.spawn_key()) key.append(word);
    return nb::make_tuple(integer_of_words(self.entropy()), nb::tuple(key), self.pool_size(),
                          self.children_spawned());
}

SeedSequence of_parts(const nb::tuple& parts) {
    SeedSequence seed = seed_of(parts[0], parts[1], nb::cast<std::uint32_t>(parts[2]));
    seed.set_children_spawned(nb::cast<std::size_t>(parts[3]));
    return seed;
}

void bind_seed_sequence(nb::module_& module) {
    nb::class_<SeedSequence>(module, "SeedSequence",
                             "Entropy as words that differ in every bit for neighbouring seeds: "
                             "NumPy's SeedSequence, bit by bit.")
        .def(
            "__init__",
            [](SeedSequence* self, nb::handle entropy, nb::handle spawn_key,
               std::uint32_t pool_size) {
                new (self) SeedSequence(seed_of(entropy, spawn_key, pool_size));
            },
            "entropy"_a = nb::none(), nb::kw_only(), "spawn_key"_a = nb::tuple(), "pool_size"_a = 4,
            nb::sig("def __init__(self, entropy: int | Sequence[int] | None = None, *, spawn_key: "
                    "Sequence[int] = (), pool_size: int = 4) -> None"))
        .def_prop_ro(
            "entropy", [](const SeedSequence& self) { return integer_of_words(self.entropy()); },
            nb::sig("def entropy(self) -> int"), "The entropy as one number.")
        .def_prop_ro(
            "spawn_key", [](const SeedSequence& self) { return nb::object(parts_of(self)[1]); },
            nb::sig("def spawn_key(self) -> tuple[int, ...]"),
            "What distinguishes a child from its parent and its siblings.")
        .def_prop_ro("pool_size", &SeedSequence::pool_size, "Words of the pool.")
        .def_prop_ro("n_children_spawned", &SeedSequence::children_spawned,
                     "How many children spawn() has made.")
        .def(
            "generate_state",
            [](const SeedSequence& self, nb::handle words, nb::handle dtype) {
                const DType kind = optional_dtype(dtype).value_or(uint32);
                if (kind != uint32 && kind != uint64) {
                    throw ArgumentError(
                        ArgumentError::Kind::Value,
                        "generate_state gives uint32 or uint64, got dtype " + kind.name());
                }
                const std::size_t count = count_in(words, "n_words");
                const std::vector<std::uint32_t> state =
                    self.generate_state(kind == uint64 ? 2 * count : count);
                return array_of_words(state, kind);
            },
            "n_words"_a, "dtype"_a = nb::none(),
            nb::sig("def generate_state(self, n_words: int, dtype: typing.Any = None) -> "
                    "typing.Any"),
            "Words for the state of a generator: uint32, or uint64.")
        .def(
            "spawn",
            [](SeedSequence& self, nb::handle count) {
                return self.spawn(count_in(count, "n_children"));
            },
            "n_children"_a, nb::sig("def spawn(self, n_children: int) -> list[SeedSequence]"),
            "Children for independent streams; each call makes new ones.")
        .def("__getstate__", &parts_of, nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"))
        .def(
            "__setstate__",
            [](SeedSequence& self, const nb::tuple& parts) {
                new (&self) SeedSequence(of_parts(parts));
            },
            nb::sig("def __setstate__(self, state: tuple[typing.Any, ...], /) -> None"))
        .def("__repr__", [](const SeedSequence& self) {
            return "SeedSequence(entropy=" + text_of(integer_of_words(self.entropy())) +
                   (self.spawn_key().empty()
                        ? std::string()
                        : ", spawn_key=" + text_of(nb::object(parts_of(self)[1]))) +
                   ")";
        });
}

nb::dict state_of(const Philox& self) {
    const PhiloxState state = self.state();
    nb::dict result;
    result["bit_generator"] = "Philox";
    result["version"] = random::kStreamVersion;
    result["key"] = state.key;
    result["position"] = state.position;
    result["jumps"] = state.jumps;
    return result;
}

PhiloxState state_in(nb::handle object) {
    constexpr const char* kKeys[] = {"key", "position", "jumps"};
    const nb::dict state = checked_state(object, "a", "Philox", kKeys);
    return {word_of(state["key"], "key"), word_of(state["position"], "position"),
            static_cast<std::uint32_t>(word_of(state["jumps"], "jumps"))};
}

Philox new_philox(nb::handle seed, nb::handle key, nb::handle position) {
    if (key.is_none()) {
        Philox result(seed_of(seed));
        if (!position.is_none()) result.advance(word_of(position, "position"));
        return result;
    }
    if (!seed.is_none()) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            "Philox got seed= and key=; give one of them");
    }
    return Philox(PhiloxState{word_of(key, "key"),
                              position.is_none() ? 0 : word_of(position, "position"), 0});
}

void bind_philox(nb::module_& module) {
    nb::class_<Philox>(module, "Philox",
                       "Philox4x32-10: random words as a function of a key and a counter.")
        .def(
            "__init__",
            [](Philox* self, nb::handle seed, nb::handle key, nb::handle position) {
                new (self) Philox(new_philox(seed, key, position));
            },
            "seed"_a = nb::none(), nb::kw_only(), "key"_a = nb::none(), "position"_a = nb::none(),
            nb::sig("def __init__(self, seed: int | Sequence[int] | SeedSequence | None = None, *, "
                    "key: int | None = None, position: int | None = None) -> None"))
        .def_prop_rw(
            "state", &state_of,
            [](Philox& self, nb::handle state) { self.set_state(state_in(state)); },
            nb::for_getter(nb::sig("def state(self) -> dict[str, typing.Any]")),
            nb::for_setter(nb::sig("def state(self, value: dict[str, typing.Any], /) -> None")),
            "Key, position in blocks of four words, jumps; with the version of streams.")
        .def_prop_ro("seed_seq", &seed_of_generator<Philox>,
                     nb::sig("def seed_seq(self) -> SeedSequence | None"),
                     "What it was made of; None for states.")
        .def(
            "jumped",
            [](const Philox& self, nb::handle jumps) {
                return self.jumped(static_cast<std::uint32_t>(word_of(jumps, "jumps")));
            },
            "jumps"_a = 1, nb::sig("def jumped(self, jumps: int = 1) -> Philox"),
            "A generator of a stream of 2^64 blocks that overlaps no other.")
        .def(
            "advance",
            [](Philox& self, nb::handle delta) -> Philox& {
                self.advance(word_of(delta, "delta"));
                return self;
            },
            "delta"_a, nb::rv_policy::none, nb::sig("def advance(self, delta: int) -> Philox"),
            "Moves on by `delta` blocks of four words.")
        .def(
            "spawn",
            [](Philox& self, nb::handle count) {
                return self.spawn(count_in(count, "n_children"));
            },
            "n_children"_a, nb::sig("def spawn(self, n_children: int) -> list[Philox]"),
            "Generators of independent streams.")
        .def(
            "random_raw",
            [](Philox& self, nb::handle size) -> nb::object {
                const std::size_t count = size.is_none() ? 1 : count_in(size, "size");
                const std::vector<std::uint32_t> words = self.random_raw(count);
                if (size.is_none()) return nb::int_(words[0]);
                return array_of_words(words, uint32);
            },
            "size"_a = nb::none(),
            nb::sig("def random_raw(self, size: int | None = None) -> typing.Any"),
            "Random words: an int, or a NumPy array of uint32.")
        .def(
            "__getstate__",
            [](const Philox& self) {
                return nb::make_tuple(state_of(self), seed_of_generator(self));
            },
            nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"))
        .def(
            "__setstate__",
            [](Philox& self, const nb::tuple& parts) {
                restore(self, state_in(parts[0]), parts[1]);
            },
            nb::sig("def __setstate__(self, state: tuple[typing.Any, ...], /) -> None"))
        .def("__repr__", [](const Philox& self) {
            return "Philox(key=" + std::to_string(self.state().key) +
                   ", position=" + std::to_string(self.state().position) + ")";
        });
}

}  // namespace

void bind_random(nb::module_& module) {
    bind_seed_sequence(module);
    bind_philox(module);
}

}  // namespace warpwise::python
