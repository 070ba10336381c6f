// Calls of the CUDA dialect that name a place in memory: atomic operations, loads and stores with
// hints to caches.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {

// Where a value acts, what stands before it is computed before, and the place alone behind it.
Resolver::Arguments Resolver::before_place(Arguments arguments, Lets& lets) const {
    const bool acts = std::ranges::any_of(
        arguments, [](const Argument& one) { return one.value->effect == Effect::Acts; });
    if (acts) {
        for (Argument& one : arguments) one.value = fixed(one.value, lets);
    }
    return arguments;
}

// The element that such a call names by an array and an index or a tuple of indices.
ExpressionRef Resolver::named_place(const std::string& name, const Arguments& arguments,
                                    const Syntax& node) {
    const ExpressionRef& array = arguments[0].value;
    if (!array->type->is_array()) {
        fail(*arguments[0].node, fmt::format("cuda.{}() takes an array and a place in it, got {}",
                                             name, described(array->type)));
    }
    std::vector<Index> places;
    const auto add = [&](ExpressionRef at) {
        if (!at->type->is_number() || !(at->type->is_whole() || at->type->is_real())) {
            fail(*arguments[1].node,
                 fmt::format("an index is a whole number, got {}", described(at->type)));
        }
        // Where int64 and uint64 meet in a variable it is float64; Numba's atomics take it.
        if (at->type->is_real()) at = cast(std::move(at), number_type(Kind::Int64));
        places.push_back({.at = std::move(at), .node = arguments[1].node});
    };
    if (name == "atomic.compare_and_swap") {
        for (int axis = 0; axis < array->type->rank; ++axis) add(whole(0));
    } else if (arguments[1].value->type->is_tuple()) {
        require_items(arguments[1].value->type, *arguments[1].node);
        for (std::size_t i = 0; i < arguments[1].value->type->items.size(); ++i) {
            add(item(arguments[1].value, i));
        }
    } else {
        add(arguments[1].value);
    }
    if (places.size() != static_cast<std::size_t>(array->type->rank)) {
        fail(*arguments[1].node, fmt::format("{} takes {} indices, got {}", described(array->type),
                                             array->type->rank, places.size()));
    }
    if (array->type->is_packed) {
        fail(node, fmt::format("cuda.{}() needs elements that are aligned; make the dtype "
                               "of the records with align=True",
                               name));
    }
    return element(array, places, node);
}

ExpressionRef Resolver::atomic(const std::string& name, const Arguments& given,
                               const Syntax& node) {
    Lets lets;
    const Arguments arguments = before_place(given, lets);
    static constexpr auto kOperations =
        std::to_array<std::string_view>({"add", "sub", "and_", "or_", "xor", "inc", "dec", "exch",
                                         "max", "min", "nanmax", "nanmin"});
    const bool is_first_element = name == "compare_and_swap";
    const bool is_cas = name == "cas" || is_first_element;
    if (!is_cas && std::ranges::find(kOperations, name) == kOperations.end()) {
        unsupported(node, fmt::format("there is no cuda.atomic.{}", name));
    }
    const std::size_t wanted = name == "cas" ? 4 : 3;
    if (arguments.size() != wanted) {
        fail(node, fmt::format("cuda.atomic.{}() takes {} arguments, got {}", name, wanted,
                               arguments.size()));
    }
    const ExpressionRef place = named_place("atomic." + name, arguments, node);
    const ExpressionRef& array = arguments[0].value;
    const Type type = array->type->element;
    const bool is_bits =
        name == "and_" || name == "or_" || name == "xor" || name == "inc" || name == "dec";
    const bool is_wide = type->is_number() && DType(type->kind).size() >= 4 && !type->is_complex();
    if (!is_wide || (is_bits && !type->is_integer())) {
        fail(node,
             fmt::format("cuda.atomic.{}() does not work on elements of {}", name, text_of(type)));
    }
    Values operands{place};
    for (std::size_t next = is_first_element ? 1 : 2; next < wanted; ++next) {
        const ExpressionRef& value = arguments[next].value;
        if (!value->type->is_number() || value->type->is_complex()) {
            fail(*arguments[next].node,
                 fmt::format("expected a number, got {}", described(value->type)));
        }
        operands.push_back(cast(value, type));
    }
    note_written(array, node);
    std::string text = is_cas ? "cas" : name;
    if (text.ends_with('_')) text.pop_back();
    return wrapped(lets, call(fmt::format("__ww_py_atomic_{}", text), std::move(operands), type,
                              Effect::Acts));
}

// Loads and stores with hints to caches: CUDA C++'s functions of their names, `__ldcg`.
ExpressionRef Resolver::hinted_access(const std::string& name, const Arguments& given,
                                      const Syntax& node) {
    Lets lets;
    const Arguments arguments = before_place(given, lets);
    const bool is_store = name.starts_with("st");
    const std::size_t wanted = is_store ? 3 : 2;
    if (arguments.size() != wanted) {
        fail(node,
             fmt::format("cuda.{}() takes {} arguments, got {}", name, wanted, arguments.size()));
    }
    ExpressionRef place = named_place(name, arguments, node);
    const ExpressionRef& array = arguments[0].value;
    const Type type = array->type->element;
    if (!type->is_number() || type->is_bool() || type->is_complex()) {
        fail(*arguments[0].node, fmt::format("cuda.{}() takes arrays of whole numbers or floats, "
                                             "got {}",
                                             name, described(array->type)));
    }
    if (!is_store) {
        note_effect(Effect::Acts);
        return wrapped(lets, call(fmt::format("::__{}(&{{0}})", name), {std::move(place)}, type,
                                  Effect::Acts));
    }
    const ExpressionRef& value = arguments[2].value;
    if (!value->type->is_number() || value->type->is_complex()) {
        fail(*arguments[2].node, fmt::format("expected a number, got {}", described(value->type)));
    }
    note_written(array, node);
    return wrapped(lets, call(fmt::format("::__{}(&{{0}}, {{1}})", name),
                              {std::move(place), cast(value, type)}, none_type(), Effect::Acts));
}

}  // namespace warpwise::script
