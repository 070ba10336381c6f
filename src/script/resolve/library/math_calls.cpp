// Functions of math and numpy that take any number of arguments, tuples, keywords or conditions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/script/promotion.hpp"
#include "src/script/resolve/library/small_arrays.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {

ExpressionRef Resolver::math_call(const std::string& name, const Arguments& arguments,
                                  const Syntax& node) {
    if (name == "math.isclose") return is_close(arguments, node);
    if (name == "numpy.isclose" || name == "numpy.allclose") {
        return is_near(name.substr(6), arguments, node);
    }
    const bool is_open = name == "numpy.clip" && arguments.size() == 3 &&
                         std::ranges::any_of(arguments, [](const Argument& one) {
                             return one.value->type->family == Family::None;
                         });
    if (is_open) {  // no bound on that side
        ExpressionRef value = arguments[0].value;
        for (const std::size_t i : {1U, 2U}) {
            if (arguments[i].value->type->family == Family::None) continue;
            Argument first = arguments[0];
            first.value = value;
            value =
                call_row(i == 1 ? "numpy.maximum" : "numpy.minimum", {first, arguments[i]}, node);
        }
        return value;
    }
    if (name == "math.dist") return point_distance(arguments, node);
    if (name == "numpy.dtype") {
        only(arguments, node, name);
        return nothing(intern({.family = Family::Element, .element = element_type(arguments[0])}));
    }
    if (name == "numpy.finfo" || name == "numpy.iinfo") {
        only(arguments, node, name);
        const Type type = arguments[0].value->type->is_number() ? arguments[0].value->type
                                                                : element_type(arguments[0]);
        if (name == "numpy.finfo" ? !type->is_real() : !type->is_integer()) {
            fail(node, fmt::format("{}() does not take {}", name, text_of(type)));
        }
        return nothing(intern({.family = Family::Known, .name = name + "(" + text_of(type) + ")"}));
    }
    if (name == "numpy.real" || name == "numpy.imag") {
        const ExpressionRef& value = only(arguments, node, name);
        if (!value->type->is_number()) fail(node, name + "() takes a number in kernels");
        const bool is_real = name == "numpy.real";
        const Type type = value->type;
        if (!type->is_complex()) return is_real ? value : cast(whole(0), type);
        return member(value, is_real ? "real" : "imag",
                      number_type(type->kind == Kind::Complex64 ? Kind::Float32 : Kind::Float64));
    }
    if (name == "numpy.where") return chosen_value(arguments, node);
    if (name == "numpy.divmod") return divmod(arguments, node);
    const bool is_many = name == "math.hypot" || name == "math.gcd" || name == "math.lcm";
    if (is_many && arguments.size() != 2) {
        Values values;
        for (const Argument& one : arguments) values.push_back(one.value);
        return folded_call(name, values, node);
    }
    if (name == "math.comb" || name == "math.perm" || name == "math.factorial" ||
        name == "math.isqrt") {
        return counted(name, arguments, node);
    }
    if (name == "math.prod") {
        return folded_items(name, arguments, node, whole(1),
                            [&](ExpressionRef product, ExpressionRef one) {
                                return binary("*", std::move(product), std::move(one), node);
                            });
    }
    return nullptr;
}

// Functions of numbers that are not negative: the thread ends at others, as at an exception.
ExpressionRef Resolver::counted(const std::string& name, Arguments arguments, const Syntax& node) {
    static constexpr const char* kNames[] = {"n", "k"};
    for (std::size_t i = 0; i < arguments.size() && i < 2; ++i) {
        ExpressionRef& value = arguments[i].value;
        const Type type = value->type;
        const bool may_be_negative =
            is_whole_number(type) && type->is_signed() && !is_surely_natural(value);
        if (!may_be_negative) continue;
        std::string message =
            name == "math.factorial" || (name == "math.perm" && arguments.size() == 1)
                ? "factorial() not defined for negative values"
            : name == "math.isqrt" ? "isqrt() argument must be nonnegative"
                                   : fmt::format("{} must be a non-negative integer", kNames[i]);
        const int raise = implicit_end("ValueError", std::move(message), node);
        value = checked("{0} < 0", {cast(value, number_type(Kind::Int64))}, raise);
    }
    return call_row(name, arguments, node);
}

// pow(base, exponent, modulus): the thread ends where there is none, as at an exception.
ExpressionRef Resolver::modular_power(const Arguments& arguments, const Syntax& node) {
    const Type int64 = number_type(Kind::Int64);
    Lets lets;
    Values values;
    for (const Argument& one : arguments) {
        const Type type = one.value->type;
        const bool is_whole = is_whole_number(type);
        if (!one.keyword.empty() || !is_whole || type->kind == Kind::UInt64) {
            fail(*one.node, fmt::format("pow() of three numbers takes signed whole ones in "
                                        "kernels, got {}",
                                        described(type)));
        }
        values.push_back(once(cast(one.value, int64), "number", lets));
    }
    const auto require = [&](ExpressionRef holds, const char* message) {
        const int raise = implicit_end("ValueError", message, node);
        return checked("!{0}", {std::move(holds)}, raise);
    };
    const Type boolean = number_type(Kind::Bool);
    ExpressionRef has_power = truth(true);
    const auto& modulus = values[2]->constant;
    if (!modulus || modulus->whole.value_or(0) == 0) {
        has_power =
            require(infix("!=", values[2], whole(0), boolean), "pow() 3rd argument cannot be 0");
    }
    if (!is_surely_natural(values[1])) {
        ExpressionRef has_inverse = call("__ww_py_has_modular_power",
                                         {has_power, values[0], values[1], values[2]}, boolean);
        has_power = require(std::move(has_inverse), "base is not invertible for the given modulus");
    }
    const bool stays = is_surely_natural(values[2]);
    values.insert(values.begin(), std::move(has_power));
    return wrapped(lets,
                   call("__ww_py_modular_power", std::move(values), int64, Effect::Pure, stays));
}

// f(a, b, c) as f(f(a, b), c), from the value of no argument on.
ExpressionRef Resolver::folded_call(const std::string& name, const Values& values,
                                    const Syntax& node) {
    ExpressionRef result = name == "math.hypot" ? real(0) : whole(name == "math.lcm" ? 1 : 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool is_first = i == 0 && values.size() > 1;
        result = is_first ? values[0]
                          : call_row(name,
                                     {{.keyword = "", .value = std::move(result), .node = &node},
                                      {.keyword = "", .value = values[i], .node = &node}},
                                     node);
    }
    return result;
}

ExpressionRef Resolver::point_distance(const Arguments& arguments, const Syntax& node) {
    const auto is_array = [](const Argument& one) { return one.value->type->is_array(); };
    if (arguments.size() == 2 && std::ranges::all_of(arguments, is_array)) {
        Lets held;
        const Values a = SmallArrays(*this).vector_items(arguments[0].value, held, node);
        const Values b = SmallArrays(*this).vector_items(arguments[1].value, held, node);
        if (a.empty() || a.size() != b.size()) {
            fail(node,
                 "math.dist() takes two tuples of as many numbers in kernels, or arrays whose "
                 "length is known when compiled; np.linalg.norm(p - q) takes any");
        }
        Values steps;
        for (std::size_t i = 0; i < a.size(); ++i) {
            steps.push_back(binary("-", a[i], b[i], node));
        }
        return wrapped(held, folded_call("math.hypot", steps, node));
    }
    const bool are_points =
        arguments.size() == 2 && arguments[0].value->type->is_tuple() &&
        arguments[1].value->type->is_tuple() &&
        arguments[0].value->type->items.size() == arguments[1].value->type->items.size();
    if (!are_points) fail(node, "math.dist() takes two tuples of as many numbers in kernels");
    for (const Argument& one : arguments) require_items(one.value->type, *one.node);
    Lets lets;
    Values differences;
    const ExpressionRef from =
        once(before(arguments[0].value, arguments[1].value, lets), "from", lets);
    const ExpressionRef to = once(arguments[1].value, "to", lets);
    for (std::size_t i = 0; i < from->type->items.size(); ++i) {
        differences.push_back(binary("-", item(from, i), item(to, i), node));
    }
    return wrapped(lets, folded_call("math.hypot", differences, node));
}

ExpressionRef Resolver::is_close(const Arguments& arguments, const Syntax& node) {
    const Type type = number_type(Kind::Float64);
    Values values{nullptr, nullptr, real(1e-9), real(0)};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument& one = arguments[i];
        const std::size_t at = one.keyword == "rel_tol"   ? 2
                               : one.keyword == "abs_tol" ? 3
                               : one.keyword == "a"       ? 0
                               : one.keyword == "b"       ? 1
                               : one.keyword.empty()      ? i
                                                          : 4;
        if (at > 3 || (one.keyword.empty() && at > 1)) {
            fail(*one.node, "math.isclose() takes two numbers, rel_tol= and abs_tol=");
        }
        if (!one.value->type->is_number() || one.value->type->is_complex()) {
            fail(*one.node, fmt::format("math.isclose() compares real numbers, got {}",
                                        described(one.value->type)));
        }
        values[at] = cast(one.value, type);
    }
    if (!values[0] || !values[1]) fail(node, "math.isclose() takes two numbers");
    return call("__ww_py_isclose", std::move(values), number_type(Kind::Bool));
}

// math.fsum(): the thread ends at sums that pass the largest number, as at an exception.
ExpressionRef Resolver::exact_sum(const ExpressionRef& given, const Syntax& node) {
    if (is_unknown(given)) return given;
    const bool is_empty = given->type->is_tuple() && given->type->items.empty();
    if (is_empty) return real(0);
    const ExpressionRef value =
        given->type->is_tuple() ? array_of(given, nullptr, node) : decayed(given);
    const bool is_vector = value->type->is_array() && value->type->rank == 1 &&
                           value->type->element->is_number() && !value->type->element->is_complex();
    if (!is_vector) {
        fail(node, fmt::format("math.fsum() takes an array of one axis or a tuple of real numbers, "
                               "got {}",
                               described(given->type)));
    }
    const Type type = number_type(Kind::Float64);
    const int raise = implicit_end("OverflowError", "intermediate overflow in fsum", node);
    Lets lets;
    const ExpressionRef array = held_operand(value, "array", lets);
    const ExpressionRef sum =
        once(call("__ww_py_array_fsum", {array}, type, Effect::Reads), "sum", lets);
    const ExpressionRef is_lost =
        call("__ww_py_array_fsum_overflows", {sum, array}, number_type(Kind::Bool), Effect::Reads);
    const ExpressionRef checked_sum =
        let(temporary("is_lost", number_type(Kind::Bool)), checked("{0}", {is_lost}, raise), sum);
    return wrapped(lets, checked_sum);
}

// numpy.isclose() of numbers, numpy.allclose() of numbers and small arrays.
ExpressionRef Resolver::is_near(const std::string& name, const Arguments& arguments,
                                const Syntax& node) {
    static constexpr std::string_view kParameters[] = {"a", "b", "rtol", "atol", "equal_nan"};
    Values values{nullptr, nullptr, real(1e-5), real(1e-8), truth(false)};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument& one = arguments[i];
        const auto named = std::ranges::find(kParameters, one.keyword);
        const std::size_t at =
            one.keyword.empty() ? i : static_cast<std::size_t>(named - std::begin(kParameters));
        if (at >= values.size()) {
            fail(*one.node, fmt::format("numpy.{}() takes a, b, rtol, atol and equal_nan", name));
        }
        values[at] = one.value;
    }
    if (!values[0] || !values[1]) fail(node, fmt::format("numpy.{}() takes two values", name));
    const Type boolean = number_type(Kind::Bool);
    const auto compute = [&](const Values& both) {
        Values operands{both[0], both[1], values[2], values[3]};
        for (ExpressionRef& one : operands) {
            if (!one->type->is_number() || one->type->is_complex()) {
                unsupported(node, fmt::format("numpy.{}() compares real numbers in kernels, got {}",
                                              name, described(one->type)));
            }
            one = cast(one, number_type(Kind::Float64));
        }
        operands.push_back(truth_of(values[4], node));
        return call("__ww_py_isnear", std::move(operands), boolean);
    };
    const bool has_arrays = values[0]->type->is_array() || values[1]->type->is_array();
    if (!has_arrays) return compute({values[0], values[1]});
    const ExpressionRef made = each_element({values[0], values[1]}, node, compute);
    if (!made) {
        unsupported(node,
                    fmt::format("numpy.{}() takes arrays in kernels whose shape is known when "
                                "compiled; np.isclose(x, y).all() takes any",
                                name));
    }
    return name == "isclose" ? made : array_reduction("all", made, {}, node);
}

// numpy.finfo(dtype).eps, numpy.iinfo(dtype).max: of "numpy.finfo(float32)".
ExpressionRef Resolver::limit_of(const std::string& info, const std::string& name,
                                 const Syntax& node) {
    const std::size_t open = info.find('(');
    const Type type = parse_type(info.substr(open + 1, info.size() - open - 2));
    const auto bits = static_cast<std::int64_t>(DType(type->kind).size()) * 8;
    if (name == "bits") return whole(bits);
    if (type->is_integer()) {
        const bool is_signed = type->is_signed();
        const std::uint64_t all = UINT64_MAX >> (64 - bits + (is_signed ? 1 : 0));
        if (name == "max")
            return all > INT64_MAX ? large(all) : whole(static_cast<std::int64_t>(all));
        if (name == "min") return whole(is_signed ? -static_cast<std::int64_t>(all) - 1 : 0);
    } else {
        // Digits of the fraction, the largest and the least exponent.
        const int digits = bits == 64 ? 52 : bits == 32 ? 23 : 10;
        const int exponent = bits == 64 ? 1023 : bits == 32 ? 127 : 15;
        const double greatest = std::ldexp(2 - std::ldexp(1.0, -digits), exponent);
        std::optional<double> value;
        if (name == "max") value = greatest;
        if (name == "min") value = -greatest;
        if (name == "eps" || name == "resolution") value = std::ldexp(1.0, -digits);
        if (name == "resolution") value = std::pow(10.0, -std::floor(digits * std::log10(2.0)));
        if (name == "tiny" || name == "smallest_normal") value = std::ldexp(1.0, 1 - exponent);
        if (name == "smallest_subnormal") value = std::ldexp(1.0, 1 - exponent - digits);
        if (value) return cast(real(*value), type);
    }
    fail(node, fmt::format("{} has no attribute '{}' in kernels", info, name));
}

// numpy.where(condition, a, b) of numbers: both are evaluated.
ExpressionRef Resolver::chosen_value(const Arguments& arguments, const Syntax& node) {
    if (arguments.size() != 3) fail(node, "numpy.where() takes a condition and two numbers");
    const ExpressionRef& a = arguments[1].value;
    const ExpressionRef& b = arguments[2].value;
    if (!a->type->is_number() || !b->type->is_number()) {
        fail(node, fmt::format("numpy.where() takes numbers in kernels, got {} and {}",
                               described(a->type), described(b->type)));
    }
    const Type type = common_type(a, b, node, "numpy.where()");
    return call("__ww_py_where", {truth_of(arguments[0].value, node), cast(a, type), cast(b, type)},
                type);
}

}  // namespace warpwise::script
