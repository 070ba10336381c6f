// CUDA's vector types: cuda.float32x4(...), a named tuple with the fields x, y, z and w.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/base/text.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

constexpr std::string_view kFields = "xyzw";

// "cuda.float32x4"; nothing for other names.
std::optional<TypeData> vector_named(std::string_view name) {
    if (!name.starts_with("cuda.")) return std::nullopt;
    name.remove_prefix(5);
    if (name.size() < 3 || name[name.size() - 2] != 'x') return std::nullopt;
    const int count = name.back() - '0';
    if (count < 1 || count > 4) return std::nullopt;
    const std::string_view element = name.substr(0, name.size() - 2);
    for (const Kind kind :
         {Kind::Int8, Kind::Int16, Kind::Int32, Kind::Int64, Kind::UInt8, Kind::UInt16,
          Kind::UInt32, Kind::UInt64, Kind::Float32, Kind::Float64}) {
        if (DType(kind).name() != element) continue;
        TypeData type{.family = Family::Tuple, .name = std::string(name)};
        for (int i = 0; i < count; ++i) {
            type.items.push_back(number_type(kind));
            type.names.emplace_back(1, kFields[static_cast<std::size_t>(i)]);
        }
        return type;
    }
    return std::nullopt;
}

}  // namespace

ExpressionRef Resolver::vector(const std::string& name, const Arguments& arguments,
                               const Syntax& node) {
    std::optional<TypeData> type = vector_named(name);
    if (!type) return nullptr;
    Lets lets;
    Values numbers;
    const auto is_vector = [](const Argument& one) { return !one.value->type->is_number(); };
    // What is bound to a variable is evaluated before what is not.
    const bool has_vectors = std::ranges::any_of(arguments, is_vector);
    for (const Argument& one : arguments) {
        if (one.value->type->family == Family::Unknown) return one.value;
        if (!one.keyword.empty()) fail(*one.node, name + "() takes its numbers by position");
        if (one.value->type->is_number() && !one.value->type->is_complex()) {
            const ExpressionRef value = has_vectors ? once(one.value, "part", lets) : one.value;
            numbers.push_back(cast(value, type->items[0]));
            continue;
        }
        if (!one.value->type->is_tuple() || !vector_named("cuda." + one.value->type->name)) {
            fail(*one.node, fmt::format("{}() takes real numbers and vectors of them, got {}", name,
                                        described(one.value->type)));
        }
        const ExpressionRef vector = once(one.value, "vector", lets);
        for (std::size_t i = 0; i < vector->type->items.size(); ++i) {
            numbers.push_back(cast(item(vector, i), type->items[0]));
        }
    }
    if (numbers.size() != type->items.size()) {
        fail(node, fmt::format("{}() takes {} number{}, got {}", name, type->items.size(),
                               type->items.size() == 1 ? "" : "s", numbers.size()));
    }
    return wrapped(lets, tuple(std::move(numbers), intern(std::move(*type))));
}

}  // namespace warpwise::script
