// Seeds and sequences of numbers. See random_values.hpp.
#include "python/bindings/random/random_values.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

[[noreturn]] void refuse_seed(nb::handle object) {
    throw ArgumentError(
        ArgumentError::Kind::Type,
        "a seed is None, an int, a sequence of ints or a SeedSequence; got " + value_text(object));
}

bool is_equal(const nb::object& a, const nb::object& b) {
    return PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ) == 1;
}

bool is_integer(nb::handle object) {
    return PyIndex_Check(object.ptr()) != 0 && PyBool_Check(object.ptr()) == 0;
}

// Appends the words of the int; 0 has one.
void add_words(nb::handle object, std::vector<std::uint32_t>& words) {
    const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
    if (!number.is_valid()) nb::raise_python_error();
    if (PyObject_RichCompareBool(number.ptr(), nb::int_(0).ptr(), Py_LT) == 1) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "a seed got " + value_text(object) + "; it must be 0 or more");
    }
    const auto bits = nb::cast<std::size_t>(number.attr("bit_length")());
    const std::size_t count = bits == 0 ? 1 : (bits + 31) / 32;
    const auto bytes = nb::cast<nb::bytes>(number.attr("to_bytes")(count * 4, "little"));
    const std::size_t first = words.size();
    words.resize(first + count);
    std::memcpy(words.data() + first, bytes.c_str(), count * 4);
}

void add_entropy(nb::handle object, std::vector<std::uint32_t>& words) {
    if (is_integer(object)) return add_words(object, words);
    const bool is_text = nb::isinstance<nb::str>(object) || nb::isinstance<nb::bytes>(object);
    if (is_text || PySequence_Check(object.ptr()) == 0) refuse_seed(object);
    for (nb::handle one : nb::iter(object)) add_entropy(one, words);
}

}  // namespace

random::SeedSequence seed_of(nb::handle object, nb::handle spawn_key, std::uint32_t pool_size) {
    if (nb::isinstance<random::SeedSequence>(object)) {
        return nb::cast<random::SeedSequence>(object);
    }
    if (nb::hasattr(object, "entropy") && nb::hasattr(object, "spawn_key")) {  // NumPy's
        return seed_of(object.attr("entropy"), object.attr("spawn_key"),
                       nb::cast<std::uint32_t>(object.attr("pool_size")));
    }
    std::vector<std::uint32_t> key;
    if (spawn_key.is_valid() && !spawn_key.is_none()) add_entropy(spawn_key, key);
    std::vector<std::uint32_t> entropy;
    if (object.is_none()) {
        entropy = random::SeedSequence().entropy();
    } else {
        add_entropy(object, entropy);
    }
    return random::SeedSequence(std::move(entropy), std::move(key), pool_size);
}

std::uint64_t word_of(nb::handle object, const char* role) {
    if (!is_integer(object)) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            std::string(role) + " expects an int, got " + value_text(object));
    }
    std::vector<std::uint32_t> words;
    add_words(object, words);
    if (words.size() > 2) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            std::string(role) + " expects 64 bits at most, got " + value_text(object));
    }
    words.resize(2);
    return words[0] | std::uint64_t{words[1]} << 32;
}

nb::object integer_of_words(const std::vector<std::uint32_t>& words) {
    const nb::bytes bytes(words.data(), words.size() * 4);
    return nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type))
        .attr("from_bytes")(bytes, "little");
}

std::size_t count_in(nb::handle object, const char* role) {
    const std::int64_t count = integer_of(object, role);
    if (count >= 0) return static_cast<std::size_t>(count);
    throw ArgumentError(ArgumentError::Kind::Value,
                        std::string(role) + " expects 0 or more, got " + std::to_string(count));
}

nb::object array_of_words(const std::vector<std::uint32_t>& words, const DType& kind) {
    return nb::module_::import_("numpy")
        .attr("frombuffer")(nb::bytes(words.data(), words.size() * 4), numpy_dtype(kind))
        .attr("copy")();
}

nb::dict checked_state(nb::handle object, const char* article, const char* name,
                       std::span<const char* const> keys) {
    const bool is_dict = nb::isinstance<nb::dict>(object);
    const nb::dict state = is_dict ? nb::borrow<nb::dict>(object) : nb::dict();
    const bool has_all =
        std::ranges::all_of(keys, [&](const char* key) { return state.contains(key); }) &&
        state.contains("version") && state.contains("bit_generator");
    if (!has_all || !is_equal(state["bit_generator"], nb::str(name))) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            std::string("the state of ") + article + " " + name +
                                " is a dict such as its state property gives; got " +
                                value_text(object));
    }
    if (!is_equal(state["version"], nb::int_(random::kStreamVersion))) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "the state is of stream version " + text_of(state["version"]) +
                                "; this version of Warpwise has streams of version " +
                                std::to_string(random::kStreamVersion));
    }
    return state;
}

}  // namespace warpwise::python
