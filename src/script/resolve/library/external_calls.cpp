// Calls of functions written in CUDA C++, by Numba's convention: a pointer to the result first.
#include <fmt/format.h>

#include "src/script/promotion.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {

// {external "name" "result" ["argument" ...]}
ExpressionRef Resolver::external(const Syntax& value) {
    TypeData type{.family = Family::Known, .name = value.items[0]->text};
    type.element = parse_type(value.items[1]->text);
    for (const Syntax* one : value.items[2]->items) type.items.push_back(parse_type(one->text));
    type.names = {"external"};
    return nothing(intern(std::move(type)));
}

ExpressionRef Resolver::call_external(Type function, const Arguments& arguments,
                                      const Syntax& node) {
    const std::vector<Type>& wanted = function->items;
    if (arguments.size() != wanted.size()) {
        fail(node, fmt::format("{}() takes {} argument{}, got {}", function->name, wanted.size(),
                               wanted.size() == 1 ? "" : "s", arguments.size()));
    }
    Values values;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Argument& given = arguments[i];
        const Type type = given.value->type;
        if (!given.keyword.empty()) {
            unsupported(*given.node,
                        fmt::format("{}() takes its arguments by position", function->name));
        }
        const bool is_memory =
            wanted[i]->is_array() && type->is_array() && wanted[i]->element == type->element;
        const bool is_number = wanted[i]->is_number() && type->is_number() &&
                               (wanted[i]->is_complex() || !type->is_complex());
        if (!is_memory && !is_number) {
            fail(*given.node,
                 fmt::format("argument {} of {}() is {}, but it is declared as {}", i + 1,
                             function->name, described(type), text_of(wanted[i])));
        }
        if (is_memory) note_written(given.value, *given.node);
        values.push_back(is_number ? cast(given.value, wanted[i]) : decayed(given.value));
    }
    note_effect(Effect::Acts);
    return call(translation_.external(*function), std::move(values), function->element,
                Effect::Acts);
}

}  // namespace warpwise::script
