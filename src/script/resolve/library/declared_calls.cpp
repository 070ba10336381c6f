// Calls of functions that were declared with signatures: arguments become the declared types.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/base/text.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

// How far an argument is from a declared type, in Numba's order: first by conversions that lose
// values, then by those that do not.
struct Distance {
    int unsafe = 0;
    int safe = 0;

    auto operator<=>(const Distance&) const = default;
};

std::optional<Distance> distance(Type given, Type target) {
    if (given == target) return Distance{};
    if (given->is_number() && target->is_number()) {
        if (given->is_complex() && !target->is_complex()) return std::nullopt;
        const bool holds = unified(given->kind, target->kind) == target->kind;
        return holds ? Distance{.unsafe = 0, .safe = 1} : Distance{.unsafe = 1, .safe = 0};
    }
    if (given->is_array() && target->is_array()) {
        const bool is_same = given->element == target->element && given->rank == target->rank;
        const bool fits = target->layout == Layout::Strided || given->layout != Layout::Strided;
        if (is_same && fits) return Distance{.unsafe = 0, .safe = 1};
    }
    return std::nullopt;
}

std::optional<Distance> distance(const std::vector<ExpressionRef>& values,
                                 const std::vector<Type>& targets) {
    if (values.size() != targets.size()) return std::nullopt;
    int unsafe = 0, safe = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::optional<Distance> added = distance(values[i]->type, targets[i]);
        if (!added) return std::nullopt;
        unsafe += added->unsafe;
        safe += added->safe;
    }
    return Distance{unsafe, safe};
}

std::string listed(const std::vector<Type>& types) {
    std::vector<std::string> texts;
    texts.reserve(types.size());
    for (const Type type : types) texts.push_back(text_of(type));
    return "(" + join(texts) + ")";
}

}  // namespace

Type Resolver::as_declared(const Function& function, Values& values, const Syntax& node) {
    const Signature* chosen = nullptr;
    Distance least;
    for (const Signature& one : function.signatures) {
        const std::optional<Distance> total = distance(values, one.arguments);
        if (!total || (chosen != nullptr && least <= *total)) continue;
        chosen = &one;
        least = *total;
    }
    if (chosen == nullptr) {
        std::vector<Type> given;
        given.reserve(values.size());
        for (const ExpressionRef& value : values) given.push_back(value->type);
        std::vector<std::string> known;
        known.reserve(function.signatures.size());
        for (const Signature& one : function.signatures) known.push_back(listed(one.arguments));
        fail(node, fmt::format("Invalid use of type {} with parameters {}: it was declared for {}",
                               quote(function.name), listed(given), join(known)));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i]->type->is_number()) values[i] = cast(values[i], chosen->arguments[i]);
    }
    return chosen->result;
}

ExpressionRef Resolver::declared_result(ExpressionRef value, Type declared, const Syntax& node) {
    if (value->type->family == Family::Unknown || declared->family == Family::Unknown ||
        value->type == declared) {
        return value;
    }
    if (!value->type->is_number() || !declared->is_number() ||
        (value->type->is_complex() && !declared->is_complex())) {
        fail(node, fmt::format("the function returns {}, but it was declared to return {}",
                               described(value->type), described(declared)));
    }
    return cast(std::move(value), declared);
}

}  // namespace warpwise::script
