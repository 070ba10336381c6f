// Functions of numpy and operator that are operators of the language, and their use on whole
// arrays.
#include <algorithm>
#include <map>
#include <set>

#include "src/script/intrinsics.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/library/small_arrays.hpp"
#include "src/script/resolve/resolver.hpp"
#include "src/script/resolve/values/times.hpp"

namespace warpwise::script {
namespace {

const std::map<std::string_view, std::string_view> kOperators = {
    {"numpy.add", "+"},          {"numpy.subtract", "-"},     {"numpy.multiply", "*"},
    {"numpy.divide", "/"},       {"numpy.true_divide", "/"},  {"numpy.floor_divide", "//"},
    {"numpy.mod", "%"},          {"numpy.remainder", "%"},    {"numpy.power", "**"},
    {"numpy.bitwise_and", "&"},  {"numpy.bitwise_or", "|"},   {"numpy.bitwise_xor", "^"},
    {"numpy.left_shift", "<<"},  {"numpy.right_shift", ">>"}, {"operator.add", "+"},
    {"operator.sub", "-"},       {"operator.mul", "*"},       {"operator.truediv", "/"},
    {"operator.floordiv", "//"}, {"operator.mod", "%"},       {"operator.pow", "**"},
    {"operator.and_", "&"},      {"operator.or_", "|"},       {"operator.xor", "^"},
    {"operator.lshift", "<<"},   {"operator.rshift", ">>"}};

const std::map<std::string_view, std::string_view> kComparisons = {
    {"numpy.equal", "Eq"},       {"numpy.not_equal", "NotEq"}, {"numpy.less", "Lt"},
    {"numpy.less_equal", "LtE"}, {"numpy.greater", "Gt"},      {"numpy.greater_equal", "GtE"},
    {"operator.eq", "Eq"},       {"operator.ne", "NotEq"},     {"operator.lt", "Lt"},
    {"operator.le", "LtE"},      {"operator.gt", "Gt"},        {"operator.ge", "GtE"}};

const std::map<std::string_view, std::string_view> kOrders = {
    {"Eq", "=="}, {"NotEq", "!="}, {"Lt", "<"}, {"LtE", "<="}, {"Gt", ">"}, {"GtE", ">="}};

const std::map<std::string_view, std::string_view> kSigns = {
    {"numpy.negative", "-"}, {"numpy.positive", "+"},  {"numpy.invert", "~"}, {"operator.neg", "-"},
    {"operator.pos", "+"},   {"operator.invert", "~"}, {"operator.inv", "~"}};

std::string_view found(const std::map<std::string_view, std::string_view>& names,
                       const std::string& name) {
    const auto one = names.find(name);
    return one == names.end() ? std::string_view() : one->second;
}

}  // namespace

// Whether it computes one number from the numbers of one place.
bool Resolver::is_elementwise(const std::string& name) {
    static const std::set<std::string, std::less<>> kOthers = {
        "builtins.abs",     "numpy.abs",         "numpy.absolute",    "numpy.logical_and",
        "numpy.logical_or", "numpy.logical_xor", "numpy.logical_not", "numpy.where",
        "numpy.real",       "numpy.imag",        "numpy.round",       "numpy.around",
        "numpy.isclose"};
    if (kOthers.contains(name)) return true;
    if (!name.starts_with("numpy.")) return false;
    return kOperators.contains(name) || kComparisons.contains(name) || kSigns.contains(name) ||
           !rows_named(name).empty();
}

// Null for functions that are no operators.
ExpressionRef Resolver::numpy_call(const std::string& name, const Arguments& arguments,
                                   const Syntax& node) {
    const bool is_shape =
        name == "numpy.reshape" && !arguments.empty() && arguments[0].value->type->is_array();
    if (is_shape) {
        return reshaped(arguments[0].value, {arguments.begin() + 1, arguments.end()}, node);
    }
    if (name.starts_with("numpy.")) {
        if (ExpressionRef result = numpy_reduction(name, arguments, node)) return result;
        if (ExpressionRef result = numpy_array(name.substr(6), arguments, node)) return result;
        if (ExpressionRef result = SmallArrays(*this).call_of(name.substr(6), arguments, node))
            return result;
    }
    if (name == "numpy.allclose") return is_near("allclose", arguments, node);
    const bool has_arrays = std::ranges::any_of(
        arguments, [](const Argument& one) { return one.value->type->is_array(); });
    if (has_arrays && name.starts_with("numpy.")) return elementwise_call(name, arguments, node);
    if (name == "numpy.round" || name == "numpy.around") return numpy_rounded(arguments, node);
    const bool are_plain =
        std::ranges::all_of(arguments, [](const Argument& one) { return one.keyword.empty(); });
    if (!are_plain || arguments.empty()) return nullptr;
    if (ExpressionRef result = Times(*this).call_of(name, arguments, node)) return result;
    const ExpressionRef& a = arguments[0].value;
    if (arguments.size() == 1) {
        const std::string_view sign = found(kSigns, name);
        if (!sign.empty()) {
            // NumPy's ~ of a bool is a bool.
            const bool is_not =
                name == "numpy.invert" && a->type->is_number() && a->type->is_bool();
            if (is_not) return prefix("!", a, a->type);
            return negated(sign, a, node);
        }
        if (name == "numpy.logical_not" || name == "operator.not_") {
            return prefix("!", truth_of(a, node), number_type(Kind::Bool));
        }
        if (name == "operator.truth") return truth_of(a, node);
        const bool is_absolute =
            name == "numpy.abs" || name == "numpy.absolute" || name == "operator.abs";
        return is_absolute ? built_in("abs", arguments, node) : nullptr;
    }
    if (arguments.size() != 2) return nullptr;
    const ExpressionRef& b = arguments[1].value;
    const std::string_view op = found(kOperators, name);
    if (!op.empty()) return binary(op, a, b, node);
    const std::string_view comparison = found(kComparisons, name);
    const bool are_complex = a->type->is_number() && b->type->is_number() &&
                             (a->type->is_complex() || b->type->is_complex());
    if (!comparison.empty() && are_complex && name.starts_with("numpy.")) {
        // Python has no order of complex numbers, NumPy has.
        const Type type = number_type(unified(a->type->kind, b->type->kind));
        return infix(kOrders.at(comparison), cast(a, type), cast(b, type), number_type(Kind::Bool));
    }
    if (!comparison.empty()) return compare(operator_node(comparison), a, b, node);
    const bool is_and = name == "numpy.logical_and";
    if (is_and || name == "numpy.logical_or" || name == "numpy.logical_xor") {
        return infix(is_and                       ? "&"
                     : name == "numpy.logical_or" ? "|"
                                                  : "^",
                     truth_of(a, node), truth_of(b, node), number_type(Kind::Bool));
    }
    return nullptr;
}

}  // namespace warpwise::script
