// Remainders of indices that pass the ends of an axis: (i + 1) % n, where i < n.
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {

// Without a division, where it is known that one sum or difference gives it; null elsewhere.
ExpressionRef Resolver::near_remainder(const ExpressionRef& a, const ExpressionRef& b) const {
    if (a->type->kind != Kind::Int64 || b->type->kind != Kind::Int64) return nullptr;
    const std::optional<Facts::Turn> turn = facts_.turn(a, b);
    if (!turn || !is_simple(b)) return nullptr;
    ExpressionRef value = turn->has_modulus ? infix("-", a, b, a->type) : a;
    if (!turn->is_below && !turn->is_above) return value;
    const std::string function = !turn->is_above   ? "__ww_py_wrap"
                                 : !turn->is_below ? "__ww_py_wrap_above"
                                                   : "__ww_py_wrap_around";
    return with_most(call(function, {std::move(value), b}, a->type, Effect::Pure, true),
                     magnitude(b));
}

}  // namespace warpwise::script
