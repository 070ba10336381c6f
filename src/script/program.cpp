// From the text of a program to its functions.
#include "src/script/program.hpp"

#include <fmt/format.h>

#include "warpwise/error.hpp"

namespace warpwise::script {
namespace {

[[noreturn]] void fail(const char* what) {
    throw ArgumentError(
        ArgumentError::Kind::Value,
        fmt::format("the text of a Python program {}; write it as src/script/README.md says",
                    what));
}

std::map<std::string, const Syntax*> pairs_of(const Syntax& value, std::string_view tag) {
    if (!value.is_tagged(tag) || value.items.size() % 2 != 0) fail("has no list of names");
    std::map<std::string, const Syntax*> pairs;
    for (std::size_t i = 0; i < value.items.size(); i += 2) {
        if (value.items[i]->form != Syntax::Form::String) fail("has no name");
        pairs[value.items[i]->text] = value.items[i + 1];
    }
    return pairs;
}

Function function_of(const Syntax& value) {
    if (!value.is_tagged("function") || value.items.size() != 7) fail("has no function");
    const auto& items = value.items;
    Function function{
        .name = items[0]->text, .source = {}, .node = items[4], .scope = {}, .defaults = {}};
    std::int64_t first_line = 0;
    if (!items[2]->as_int(first_line)) fail("has no line");
    function.source = {items[0]->text, items[1]->text, static_cast<int>(first_line), {}};
    for (const Syntax* line : items[3]->items) function.source.lines.push_back(line->text);
    if (!function.node->is("FunctionDef") && !function.node->is("Lambda")) fail("has no function");
    function.scope = pairs_of(*items[5], "scope");
    function.defaults = pairs_of(*items[6], "defaults");
    return function;
}

}  // namespace

Program::Program(std::string_view text) : tree_(text) {
    for (const Syntax* function : tree_.root().items) functions_.push_back(function_of(*function));
    if (functions_.empty()) fail("has no function");
}

}  // namespace warpwise::script
