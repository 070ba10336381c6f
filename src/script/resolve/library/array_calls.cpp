// NumPy's functions and methods of one array that give one number: a.sum(), np.max(a), np.dot(a,
// b). The calling thread goes over the elements in their order.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "src/script/promotion.hpp"
#include "src/script/resolve/library/small_arrays.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

const std::set<std::string, std::less<>> kReductions = {
    "sum", "prod", "mean", "var",    "std",    "min",           "max", "amin",       "amax",
    "any", "all",  "dot",  "argmin", "argmax", "count_nonzero", "ptp", "linalg.norm"};

// Of sums and products: as NumPy's, of 64 bits.
Type sum_type(Type element) {
    if (!element->is_whole()) return element;
    const bool is_signed = element->is_bool() || element->is_signed();
    return number_type(is_signed ? Kind::Int64 : Kind::UInt64);
}

// That a sum is computed in.
Type exact_type(Type type) {
    return type->kind == Kind::Float16 ? number_type(Kind::Float32) : type;
}

Type mean_type(Type element) {
    return element->is_whole() ? number_type(Kind::Float64) : element;
}

}  // namespace

// The thread ends where the array has no element, as at an exception.
ExpressionRef Resolver::checked_size(const ExpressionRef& array, std::string message,
                                     const Syntax& node) {
    const int raise = implicit_end("ValueError", std::move(message), node);
    return checked("{0} == 0", {size_of(array, array->type->rank)}, raise);
}

ExpressionRef Resolver::dot(const ExpressionRef& left, const ExpressionRef& right,
                            const Syntax& node) {
    const auto is_vector = [](const ExpressionRef& value) {
        return value->type->is_array() && value->type->rank == 1 &&
               value->type->element->is_number();
    };
    if (ExpressionRef product = SmallArrays(*this).matrix_product(left, right, node))
        return product;
    if (!is_vector(left) || !is_vector(right)) {
        unsupported(node,
                    fmt::format("kernels multiply arrays of one axis, not {} and {}; assign the "
                                "product to a part of an array, z[:] = x @ y",
                                described(left->type), described(right->type)));
    }
    Lets lets;
    const ExpressionRef a = is_simple(left) ? decayed(left) : once(decayed(left), "left", lets);
    const ExpressionRef b = is_simple(right) ? decayed(right) : once(decayed(right), "right", lets);
    const Type type = number_type(unified(a->type->element->kind, b->type->element->kind));
    if (type->is_bool()) unsupported(node, "kernels have no products of arrays of bools");
    const int raise = implicit_end("ValueError", "shapes of the arrays are not aligned", node);
    ExpressionRef count = checked("{0} != {1}", {extent(a, 0), extent(b, 0)}, raise);
    const Type exact = exact_type(type);
    ExpressionRef result = call(fmt::format("__ww_py_array_dot<{}>", spelling_of(exact)),
                                {a, b, std::move(count)}, exact, Effect::Reads);
    return wrapped(lets, cast(std::move(result), type));
}

// `name` of an array; null for other functions.
ExpressionRef Resolver::array_reduction(std::string_view name, const ExpressionRef& value,
                                        const Arguments& arguments, const Syntax& node) {
    if (!kReductions.contains(name) || name == "dot") return nullptr;
    const Argument* axis = nullptr;
    bool keeps_axis = false;
    Arguments others;
    for (const Argument& one : arguments) {
        const bool is_first = &one == arguments.data();
        const bool is_spread = name == "var" || name == "std";
        if (one.keyword == "axis" || (one.keyword.empty() && is_first)) {
            axis = &one;
        } else if (one.keyword == "keepdims" && (is_true(one.value) || is_false(one.value))) {
            keeps_axis = is_true(one.value);
        } else if (one.keyword == "ddof" && is_spread && is_whole_number(one.value->type)) {
            others.push_back(one);
        } else {
            unsupported(*one.node, fmt::format("{}() of an array takes an axis in kernels, {} and "
                                               "no other arguments; write a loop",
                                               name, is_spread ? "keepdims, ddof" : "keepdims"));
        }
    }
    if (axis != nullptr && axis->value->type->family == Family::None) axis = nullptr;
    if (axis != nullptr) {
        const auto known = constants_of(axis->value);
        if (!known || known->size() != 1) {
            unsupported(*axis->node, "the axis of a reduction is a constant in kernels");
        }
        return SmallArrays(*this).reduced_axis(name, value, known->front(), keeps_axis, others,
                                               node);
    }
    if (keeps_axis) unsupported(node, "keepdims stands beside an axis in kernels");
    const Type element = value->type->element;
    if (!element->is_number()) {
        fail(node, fmt::format("{}() takes numbers, got {}", name, described(value->type)));
    }
    if (value->type->rank == 0) unsupported(node, "a field of a record is one number in kernels");
    Lets lets;
    const ExpressionRef array =
        is_simple(value) ? decayed(value) : once(decayed(value), "array", lets);
    const Type int64 = number_type(Kind::Int64);
    const auto made = [&](std::string_view function, Type exact, Type type, Values operands) {
        ExpressionRef result = call(fmt::format("{}<{}>", function, spelling_of(exact)),
                                    std::move(operands), exact, Effect::Reads);
        return wrapped(lets, cast(std::move(result), type));
    };
    if (name == "sum" || name == "prod") {
        const Type type = sum_type(element);
        return made(name == "sum" ? "__ww_py_array_sum" : "__ww_py_array_prod", exact_type(type),
                    type, {array});
    }
    const ExpressionRef size = size_of(array, array->type->rank);
    if (name == "mean") {
        const Type type = mean_type(element);
        return made("__ww_py_array_mean", exact_type(type), type, {array, size});
    }
    if (name == "var" || name == "std" || name == "linalg.norm") {
        const Type type = mean_type(element);
        if (type->is_complex()) fail(node, fmt::format("{}() takes real numbers", name));
        const Type exact = exact_type(type);
        if (name == "linalg.norm") return made("__ww_py_array_norm", exact, type, {array});
        const ExpressionRef less = others.empty() ? whole(0) : cast(others[0].value, int64);
        ExpressionRef spread = call(fmt::format("__ww_py_array_var<{}>", spelling_of(exact)),
                                    {array, size, less}, exact, Effect::Reads);
        if (name == "std") spread = call("::sqrt", {std::move(spread)}, exact);
        return wrapped(lets, cast(std::move(spread), type));
    }
    if (name == "any" || name == "all" || name == "count_nonzero") {
        ExpressionRef count =
            call("__ww_py_array_count_nonzero", {array}, int64, Effect::Reads, true);
        if (name == "count_nonzero") return wrapped(lets, std::move(count));
        const Type boolean = number_type(Kind::Bool);
        return wrapped(lets, name == "any" ? infix("!=", std::move(count), whole(0), boolean)
                                           : infix("==", std::move(count), size, boolean));
    }
    const bool is_place = name == "argmin" || name == "argmax";
    const Type exact = exact_type(element);
    const bool is_least = name.ends_with("min");
    const auto extreme = [&](bool least) {
        ExpressionRef count = checked_size(
            array,
            is_place
                ? fmt::format("attempt to get {} of an empty sequence", name)
                : fmt::format("zero-size array to reduction operation {} which has no identity",
                              least ? "minimum" : "maximum"),
            node);
        return call(fmt::format("__ww_py_array_{}<{}, {}>", is_place ? "place" : "extreme",
                                spelling_of(exact), least),
                    {array, std::move(count)}, is_place ? int64 : exact, Effect::Reads, is_place);
    };
    if (is_place) return wrapped(lets, extreme(is_least));
    if (name == "ptp") {
        if (element->is_bool()) fail(node, "ptp() takes numbers");
        ExpressionRef greatest = cast(extreme(false), element);
        return wrapped(
            lets,
            cast(infix("-", std::move(greatest), cast(extreme(true), element), element), element));
    }
    return wrapped(lets, cast(extreme(is_least), element));
}

// np.sum(a) and its like; null for other functions, and for numbers.
ExpressionRef Resolver::numpy_reduction(const std::string& name, const Arguments& arguments,
                                        const Syntax& node) {
    const std::string_view function = std::string_view(name).substr(6);  // behind "numpy."
    const auto is_vector = [](const Argument& one) {
        const Type type = one.value->type;
        return type->is_array() && type->rank == 1 && type->element->is_number() &&
               !type->element->is_complex();
    };
    const bool is_product = (function == "inner" || function == "vdot") && arguments.size() == 2 &&
                            std::ranges::all_of(arguments, is_vector);
    if (is_product) return dot(arguments[0].value, arguments[1].value, node);
    if (!kReductions.contains(function) || arguments.empty()) return nullptr;
    const ExpressionRef& value = arguments[0].value;
    if (function == "dot") {
        if (arguments.size() != 2) fail(node, "numpy.dot() takes two arrays in kernels");
        return dot(value, arguments[1].value, node);
    }
    const Arguments rest(arguments.begin() + 1, arguments.end());
    if (value->type->is_array()) return array_reduction(function, value, rest, node);
    if (!value->type->is_tuple() || !rest.empty()) return nullptr;
    static const std::map<std::string_view, std::string_view> kOfTuples = {
        {"sum", "sum"},  {"min", "min"}, {"max", "max"}, {"amin", "min"},
        {"amax", "max"}, {"any", "any"}, {"all", "all"}};
    if (function == "prod") return math_call("math.prod", arguments, node);
    const auto found = kOfTuples.find(function);
    if (found == kOfTuples.end()) {
        return array_reduction(function, array_of(value, nullptr, node), {}, node);
    }
    return built_in(std::string(found->second), arguments, node);
}

// Methods of arrays; null for other names.
ExpressionRef Resolver::array_method(const ExpressionRef& array, const std::string& name,
                                     const Arguments& arguments, const Syntax& node) {
    if (name == "view") return reinterpreted(array, arguments, node);
    if (name == "dot") return dot(array, only(arguments, node, name), node);
    if (name == "fill") {
        const ExpressionRef& value = only(arguments, node, name);
        if (statement_call_ != &node) unsupported(node, "x.fill(v) is a statement of its own");
        store_part(array, value, node, nullptr, *statement_lines_);
        return nothing(none_type());
    }
    if (name == "ravel" && arguments.empty()) return flat(array, node);
    if (name == "reshape") return reshaped(array, arguments, node);
    if (name == "transpose" && arguments.empty()) return transposed(array);
    if (name == "copy" && arguments.empty()) return array_of(array, nullptr, node);
    const bool is_short = !known_shape(shaped(array, node)).empty();
    if (name == "astype" && arguments.size() == 1 && is_short) {
        return array_of(array, element_type(arguments[0]), node);
    }
    static const std::set<std::string, std::less<>> kShort = {"clip", "cumsum",    "cumprod",
                                                              "conj", "conjugate", "round"};
    if (is_short && kShort.contains(name)) {
        Arguments all = arguments;
        all.insert(all.begin(), {.keyword = "", .value = array, .node = &node});
        return call_known("numpy." + name, all, node);
    }
    static const std::set<std::string, std::less<>> kCopies = {
        "copy",    "astype", "flatten", "tolist", "cumsum",
        "cumprod", "repeat", "take",    "round",  "clip"};
    if (kCopies.contains(name)) {
        unsupported(node, fmt::format("{}() makes an array, for which kernels have no memory; "
                                      "assign to the elements of cuda.local.array() or of an "
                                      "argument: y[:] = x",
                                      name));
    }
    if (array->type->is_list &&
        (name == "append" || name == "extend" || name == "pop" || name == "insert")) {
        return grow(array, name, arguments, node);
    }
    if (name == "sort") return SmallArrays(*this).sort_in_place(array, arguments, node);
    if (name == "argsort") {
        return SmallArrays(*this).order(name, {{.keyword = "", .value = array, .node = &node}},
                                        node);
    }
    return array_reduction(name, array, arguments, node);
}

ExpressionRef Resolver::transposed(const ExpressionRef& array) {
    const Type type = array->type;
    if (type->rank < 2) return array;
    TypeData data = *with_axes(type, type->rank, Layout::Strided);
    if (type->is_made) data.shape.assign(type->shape.rbegin(), type->shape.rend());
    const Type turned = intern(std::move(data));
    return call(fmt::format("__ww_py_transposed<{}>", spelling_of(turned)), {decayed(array)},
                turned);
}

// All elements as one axis.
ExpressionRef Resolver::flat(const ExpressionRef& array, const Syntax& node) {
    const Type type = array->type;
    if (type->rank == 1) return array;
    if (type->rank == 0 || type->layout == Layout::Strided) {
        unsupported(node,
                    fmt::format("{} has no view of one axis: only contiguous arrays have; loop "
                                "with `for v in x.flat`, or over its axes",
                                described(type)));
    }
    const Type view = with_axes(type, 1, Layout::C);
    return call(fmt::format("__ww_py_flattened<{}>", spelling_of(view)), {decayed(array)}, view);
}

}  // namespace warpwise::script
