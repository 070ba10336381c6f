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

// [ "result" "arguments" ... ], two words for each; the first may be empty.
std::vector<Signature> signatures_of(const Syntax& value) {
    if (value.items.size() % 2 != 0) fail("has half a signature");
    std::vector<Signature> signatures;
    for (std::size_t i = 0; i < value.items.size(); i += 2) {
        Signature& made = signatures.emplace_back();
        const std::string& result = value.items[i]->text;
        if (!result.empty()) made.result = parse_type(result);
        made.arguments = parse_signature(value.items[i + 1]->text);
    }
    return signatures;
}

Function function_of(const Syntax& value) {
    const std::size_t words = value.items.size();
    if (!value.is_tagged("function") || words < 7 || words > 8) fail("has no function");
    const auto& items = value.items;
    Function function;
    function.name = items[0]->text;
    function.node = items[4];
    if (words == 8) function.signatures = signatures_of(*items[7]);
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
    for (const Syntax* one : tree_.root().items) {
        if (!one->is_tagged("class")) {
            functions_.push_back(function_of(*one));
            continue;
        }
        std::uint64_t number = 0;
        if (one->items.size() % 2 != 1 || !one->items[0]->as_uint(number)) fail("has half a class");
        std::map<std::string, const Syntax*>& members = members_[static_cast<std::size_t>(number)];
        for (std::size_t i = 1; i < one->items.size(); i += 2) {
            members[one->items[i]->text] = one->items[i + 1];
        }
    }
    if (functions_.empty()) fail("has no function");
}

const Syntax* Program::member(std::size_t class_number, const std::string& name) const noexcept {
    const auto members = members_.find(class_number);
    if (members == members_.end()) return nullptr;
    const auto found = members->second.find(name);
    return found == members->second.end() ? nullptr : found->second;
}

}  // namespace warpwise::script
