// Making typed expressions: constants are folded, conversions that change nothing are left out.
//
// Threading: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/script/typed.hpp"

namespace warpwise::script {

ExpressionRef whole(std::int64_t value);
ExpressionRef large(std::uint64_t value);
ExpressionRef real(double value, Kind kind = Kind::Float64);
ExpressionRef truth(bool value);
ExpressionRef nothing(Type type);  // of a type that is known when compiled

ExpressionRef variable(std::shared_ptr<Variable> variable);
// Numbers, tuples of numbers, arrays to a less special layout; the caller has checked that it fits.
ExpressionRef cast(ExpressionRef value, Type type);
ExpressionRef infix(std::string_view op, ExpressionRef a, ExpressionRef b, Type type);
ExpressionRef prefix(std::string_view op, ExpressionRef a, Type type);
ExpressionRef call(std::string_view text, std::vector<ExpressionRef> operands, Type type,
                   Effect effect = Effect::Pure, bool is_never_negative = false);
ExpressionRef member(ExpressionRef value, std::string_view text, Type type,
                     bool is_never_negative = false);
ExpressionRef tuple(std::vector<ExpressionRef> items, Type type);
// Of these items' own types.
ExpressionRef tuple(std::vector<ExpressionRef> items);
ExpressionRef item(const ExpressionRef& tuple, std::size_t index);
// An element to be written or referred to.
ExpressionRef as_place(const ExpressionRef& element);
ExpressionRef let(std::shared_ptr<Variable> variable, ExpressionRef value, ExpressionRef body);
ExpressionRef select(ExpressionRef condition, ExpressionRef a, ExpressionRef b, Type type);

bool is_unknown(const ExpressionRef& value);  // its type is not found yet
Effect effect_of(const std::vector<ExpressionRef>& operands, Effect least = Effect::Pure);
bool is_true(const ExpressionRef& value);  // a condition known when compiled
bool is_false(const ExpressionRef& value);
// What holds where the comparison does not; empty for other operators.
std::string_view opposite_comparison(std::string_view op);
// Whether repeating it costs nothing and changes nothing: constants, variables, extents.
bool is_simple(const ExpressionRef& value);
// The same, and no later statement can change it.
bool is_fixed(const ExpressionRef& value);
// Conversions that keep every value aside.
const ExpressionRef& unconverted(const ExpressionRef& value);
// Whether both have the same value wherever variables and memory are the same.
bool is_same(const ExpressionRef& a, const ExpressionRef& b);

}  // namespace warpwise::script
