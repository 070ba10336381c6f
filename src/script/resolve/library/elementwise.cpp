// Expressions over whole arrays: one number, np.sum((a[i] - b[j]) ** 2), (x > 0).any(), and parts
// of arrays that get their elements, x[i] = y[i] * 2 + z.
//
// No array is made: a loop, for one number in a function that the translation writes, goes over the
// places of the arrays and computes the expression with their elements. Its arrays and numbers, the
// leaves of its syntax, are evaluated once, from left to right. Elements follow the rules of
// numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "src/script/promotion.hpp"
#include "src/script/resolve/library/shapes.hpp"
#include "src/script/resolve/library/unmade_arrays.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

using Op = Statement::Op;

const std::set<std::string, std::less<>> kNumbers = {
    "sum",  "prod", "mean", "var", "std",    "min",    "max",           "amin",
    "amax", "any",  "all",  "dot", "argmin", "argmax", "count_nonzero", "linalg.norm"};

const std::set<std::string, std::less<>> kOfPython = {
    "builtins.sum", "builtins.min", "builtins.max", "builtins.any", "builtins.all"};

Type boolean() {
    return number_type(Kind::Bool);
}

bool is_array(const ExpressionRef& value) {
    return value->type->is_array() && value->type->rank > 0 && value->type->element->is_number();
}

// Whether a function of elements takes an argument by this name.
bool has_keyword(std::string_view function, std::string_view keyword) {
    if (function == "numpy.isclose") return true;
    return (function == "numpy.round" || function == "numpy.around") && keyword == "decimals";
}

}  // namespace

// The name of a method of arrays that computes each element by itself; else empty.
std::string_view Resolver::method_of_elements(const Syntax& node) {
    static const std::set<std::string_view> kMethods = {"astype", "clip", "conj", "conjugate"};
    if (!node.is("Call") || !node["func"].is("Attribute")) return {};
    const auto found = kMethods.find(node["func"]["attr"].text);
    return found == kMethods.end() ? std::string_view() : *found;
}

// What an operator, a comparison or a function of elements is computed from; empty: a leaf.
std::vector<const Syntax*> Resolver::elementwise_operands(const Syntax& node) {
    if (node.is("BinOp") && !node["op"].is("MatMult")) return {&node["left"], &node["right"]};
    if (node.is("UnaryOp") && !node["op"].is("Not")) return {&node["operand"]};
    if (node.is("Compare")) {
        static const std::set<std::string_view> kOthers = {"In", "NotIn", "Is", "IsNot"};
        const auto compared = node.list("comparators");
        const bool is_one = compared.size() == 1 && !kOthers.contains(node.list("ops")[0]->text);
        if (is_one) return {&node["left"], compared[0]};
    }
    if (!node.is("Call")) return {};
    const Syntax& function = node["func"];
    const std::optional<std::string> path = dotted(function);
    const auto given = node.list("args");
    const auto keywords = node.list("keywords");
    const bool is_global =
        function.is("Known") || (path && (function.is("Name") || scope_value(*path) != nullptr));
    if (!keywords.empty() && !is_global) return {};
    const bool is_plain =
        std::ranges::none_of(given, [](const Syntax* one) { return one->is("Starred"); });
    const std::string_view method = is_global ? std::string_view() : method_of_elements(node);
    if (is_plain && !method.empty()) {
        std::vector<const Syntax*> operands{&node["func"]["value"]};
        if (method == "clip") operands.insert(operands.end(), given.begin(), given.end());
        return operands;
    }
    if (!is_global || !is_plain) return {};
    const Type callee = expression(function)->type;
    const bool is_known = callee->family == Family::Known && callee->names.empty();
    if (!is_known || !is_elementwise(callee->name)) return {};
    std::vector<const Syntax*> operands{given.begin(), given.end()};
    for (const Syntax* one : keywords) {
        if (!has_keyword(callee->name, (*one)["arg"].text)) return {};
        operands.push_back(&(*one)["value"]);
    }
    return operands;
}

void Resolver::add_leaves(const Syntax& node, std::vector<const Syntax*>& leaves) {
    if (node.is("Constant") || literal_result(node)) return;
    const std::vector<const Syntax*> operands = elementwise_operands(node);
    if (operands.empty()) leaves.push_back(&node);
    for (const Syntax* one : operands) add_leaves(*one, leaves);
}

// Whether an expression is computed from arrays of a length that is not known when compiled, or of
// more elements than are written out; nothing: a type is not known yet.
std::optional<bool> Resolver::is_over_arrays(const Syntax& node) {
    UnmadeArrays unmade(*this);
    if (elementwise_operands(node).empty()) {
        const std::optional<bool> is_chosen = unmade.is_chosen(node);
        return is_chosen.value_or(true) ? is_chosen : unmade.is_one(node);
    }
    std::vector<const Syntax*> leaves;
    add_leaves(node, leaves);
    bool is_unknown = false;
    Shape all;
    for (const Syntax* leaf : leaves) {
        const std::optional<bool> is_unmade = unmade.is_one(*leaf);
        const std::optional<bool> is_chosen = unmade.is_chosen(*leaf);
        if (!is_unmade || !is_chosen) return std::nullopt;
        is_unknown |= *is_unmade || *is_chosen;
        if (*is_unmade || *is_chosen) continue;
        const ExpressionRef value = expression(*leaf);
        if (value->type->family == Family::Unknown) return std::nullopt;
        if (!is_array(value)) {
            if (!value->type->is_number()) return false;
            continue;
        }
        const Shape& own = known_shape(shaped(value, *leaf));
        is_unknown |= own.empty();
        if (own.size() > all.size()) all.insert(all.begin(), own.size() - all.size(), 1);
        for (std::size_t axis = 0; axis < own.size(); ++axis) {
            std::int64_t& extent = all[all.size() - own.size() + axis];
            extent = std::max(extent, own[axis]);
        }
    }
    return is_unknown || count_of(all) > kMostWritten;
}

// `name` of an expression over arrays, or numpy.dot() of two; null for others.
ExpressionRef Resolver::number_of_elements(std::string_view name,
                                           std::span<const Syntax* const> given,
                                           const Syntax& node) {
    const bool is_product = name == "dot";
    const bool is_python = name.starts_with("builtins.");
    bool is_known = is_python ? kOfPython.contains(name) : kNumbers.contains(name);
    if (name == "builtins.len" && given.size() == 1) {  // of x[condition]
        const std::optional<bool> is_chosen = UnmadeArrays(*this).is_chosen(*given[0]);
        if (!is_chosen) return nothing(unknown_type());
        is_known = *is_chosen;
    }
    if (!is_known || given.size() != (is_product ? 2U : 1U)) return nullptr;
    bool has_arrays = false;
    for (const Syntax* one : given) {
        const std::optional<bool> is_over = is_over_arrays(*one);
        if (!is_over) return nothing(unknown_type());
        has_arrays |= *is_over;
    }
    if (!has_arrays) return nullptr;
    for (const Syntax* one : given) {
        const bool is_leaf = elementwise_operands(*one).empty() && is_over_arrays(*one) == false;
        if (!is_product || !is_leaf) continue;
        const ExpressionRef value = expression(*one);
        if (!is_array(value)) return nullptr;
    }
    return call_written(translation_.comprehensions().number_function_of(name, given, node), node,
                        false, node);
}

// The arrays and numbers of the expression, each in a variable of this function.
WholeValue Resolver::held_leaves(const Syntax& value, Block& out) {
    std::vector<const Syntax*> leaves;
    add_leaves(value, leaves);
    WholeValue whole;
    UnmadeArrays unmade(*this);
    for (const Syntax* leaf : leaves) {
        if (unmade.is_one(*leaf).value_or(false)) {
            whole.leaves.push_back(unmade.leaf(*leaf, out));
            continue;
        }
        if (unmade.is_chosen(*leaf).value_or(false)) {
            unmade.add_chosen(whole, *leaf, out);
            continue;
        }
        const ExpressionRef one = expression(*leaf);
        whole.leaves.push_back({.node = leaf,
                                .given = one,
                                .value = is_array(one) ? held_array(one, "operand", *leaf, out)
                                                       : held(one, "operand", *leaf, out)});
    }
    return whole;
}

// Whether an axis, counted from the last, is known to have one item, or the array lacks it.
bool Resolver::is_unit_axis(const ExpressionRef& array, int from_last) {
    const int axis = array->type->rank - 1 - from_last;
    if (axis < 0) return true;
    const bool is_variable = array->op == Expression::Op::Variable;
    const std::vector<std::int64_t>& bounded =
        is_variable ? array->variable->bounded_shape : array->bounded_shape;
    const std::vector<std::int64_t>& shape =
        array->type->shape.empty() ? bounded : array->type->shape;
    const std::vector<bool>& units = is_variable ? array->variable->unit_axes : array->unit_axes;
    const auto at = static_cast<std::size_t>(axis);
    return (!units.empty() && units[at]) || (!shape.empty() && shape[at] == 1);
}

// To the shape of the first array of most axes the others broadcast. Along an axis that is known to
// have one item there, and along those of several axes, any other array may have more.
void Resolver::set_shape(WholeValue& whole, const Syntax& node, Block& out) {
    const WholeValue::Leaf* first = nullptr;
    for (const auto& leaf : whole.leaves) {
        const bool is_larger =
            is_array(leaf.value) && (!first || leaf.value->type->rank > first->value->type->rank);
        if (is_larger) first = &leaf;
    }
    const int rank = first->value->type->rank;
    Values extents;
    bool is_joint = false;
    for (int axis = 0; axis < rank; ++axis) {
        const int from_last = rank - 1 - axis;
        ExpressionRef length = extent(first->value, axis);
        bool is_one = is_unit_axis(first->given, from_last);
        for (const auto& leaf : whole.leaves) {
            const bool is_other =
                is_array(leaf.value) && leaf.value->variable != first->value->variable;
            if (!is_other || is_unit_axis(leaf.given, from_last) || (rank == 1 && !is_one))
                continue;
            const ExpressionRef other = extent(leaf.value, leaf.value->type->rank - 1 - from_last);
            length = is_one ? other
                            : select(infix("==", length, script::whole(1), boolean()), other,
                                     length, number_type(Kind::Int64));
            is_one = false;
            is_joint = true;
        }
        extents.push_back(std::move(length));
    }
    whole.shape = first->value;
    if (is_joint) {
        TypeData data = *with_axes(first->value->type, rank, Layout::C);
        data.element = number_type(Kind::UInt8);
        data.is_packed = false;
        whole.shape = assigned(call("__ww_py_shape", std::move(extents), intern(std::move(data))),
                               "shape", node, out);
    }
    for (const auto& leaf : whole.leaves) {
        if (is_array(leaf.value)) require_broadcast(leaf.value, whole.shape, *leaf.node, out);
    }
    if (whole.mask != nullptr) UnmadeArrays(*this).check_chosen(whole, node, out);
}

ExpressionRef Resolver::element_of(const WholeValue& whole, const Syntax& value,
                                   const Values& counters, Block& body) {
    std::map<const Syntax*, ExpressionRef> elements;
    for (const auto& leaf : whole.leaves) {
        const ExpressionRef& one = leaf.value;
        elements[leaf.node] = leaf.at ? leaf.at(broadcast_places(one, whole.shape, counters), body)
                              : is_array(one)
                                  ? broadcast_element(one, whole.shape, counters, *leaf.node)
                                  : one;
    }
    for (const auto& [leaf, one] : elements) {
        if (is_unknown(one)) return one;
        stands_for_[leaf] = one;
    }
    ExpressionRef element = expression(value);
    for (const auto& leaf : whole.leaves) stands_for_.erase(leaf.node);
    return element;
}

// Whether elements of arrays are among what it is computed from.
bool Resolver::is_of_elements(const Syntax& node) {
    if (stands_for_.empty()) return false;
    if (const auto found = stands_for_.find(&node); found != stands_for_.end()) {
        const ExpressionRef& value = found->second;
        return value->op != Expression::Op::Variable && value->op != Expression::Op::Constant;
    }
    return std::ranges::any_of(elementwise_operands(node),
                               [&](const Syntax* one) { return is_of_elements(*one); });
}

void Resolver::require_elements(const ExpressionRef& array, std::string message, const Syntax& node,
                                Block& out) {
    end_if(infix("==", size_of(array, array->type->rank), whole(0), boolean()), std::move(message),
           node, out);
}

// Those that a condition chooses, where there is one.
void Resolver::for_each_chosen(const WholeValue& whole, const Syntax& node, Block& out,
                               const std::function<void(const Values&, Block&)>& body) {
    for_each_element(whole.shape, nullptr, node, out, [&](const Values& counters, Block& inner) {
        if (whole.mask == nullptr) return body(counters, inner);
        Statement made{.op = Op::If, .place = node.place};
        made.value = element_of(whole, *whole.mask, counters, inner);
        body(counters, made.body);
        inner.push_back(std::move(made));
    });
}

// How many elements a condition chooses, or there are.
ExpressionRef Resolver::count_of_chosen(const WholeValue& whole, Block& out) {
    if (whole.mask == nullptr) return size_of(whole.shape, whole.shape->type->rank);
    WholeValue all = whole;
    all.mask = nullptr;
    const Type int64 = number_type(Kind::Int64);
    return total_of(all, *whole.mask, "+", int64, out,
                    [](const ExpressionRef& one, Block&) { return one; });
}

// The sum, or the product, of what `term` makes of each element.
ExpressionRef Resolver::total_of(
    const WholeValue& whole, const Syntax& value, std::string_view op, Type type, Block& out,
    const std::function<ExpressionRef(const ExpressionRef&, Block&)>& term) {
    const std::shared_ptr<Variable> sum = total("total", type);
    const ExpressionRef read = variable(sum);
    const auto set = [&](ExpressionRef to, Block& where) {
        where.push_back({.op = Op::Assign,
                         .place = value.place,
                         .variable = sum,
                         .value = cast(std::move(to), type)});
    };
    set(script::whole(op == "*" ? 1 : 0), out);
    for_each_chosen(whole, value, out, [&](const Values& counters, Block& body) {
        const ExpressionRef element =
            held(element_of(whole, value, counters, body), "element", value, body);
        set(binary(op, read, cast(term(element, body), type), value), body);
    });
    return read;
}

// min(), max(), argmin() and argmax(); `has_nan`: the first NaN is both.
ExpressionRef Resolver::extreme_of(const WholeValue& whole, const Syntax& value,
                                   const std::string& name, Type type, bool has_nan, Block& out) {
    const bool is_place = name.starts_with("arg");
    const bool is_least = name.ends_with("min");
    require_elements(whole.shape,
                     is_place ? fmt::format("attempt to get {} of an empty sequence", name)
                              : fmt::format("{}() of an array without elements", name),
                     value, out);
    const Type int64 = number_type(Kind::Int64);
    const auto start = [&](std::string_view of, ExpressionRef first) {
        std::shared_ptr<Variable> made = total(of, first->type);
        out.push_back(
            {.op = Op::Assign, .place = value.place, .variable = made, .value = std::move(first)});
        return made;
    };
    const Values zeros(static_cast<std::size_t>(whole.shape->type->rank), script::whole(0));
    const auto best = start("best", cast(element_of(whole, value, zeros, out), type));
    const auto place = is_place ? start("place", script::whole(0)) : nullptr;
    const auto turn = is_place ? start("turn", script::whole(0)) : nullptr;
    const auto found = whole.mask != nullptr ? start("found", truth(false)) : nullptr;
    for_each_chosen(whole, value, out, [&](const Values& counters, Block& body) {
        const ExpressionRef one =
            held(cast(element_of(whole, value, counters, body), type), "element", value, body);
        const ExpressionRef read = variable(best);
        std::string better = fmt::format("{{0}} {} {{1}}", is_least ? "<" : ">");
        if (has_nan) better = "(" + better + " || {0} != {0}) && {1} == {1}";
        Statement made{.op = Op::If, .place = value.place};
        Values operands{one, read};
        if (found) {
            better = "!{2} || (" + better + ")";
            operands.push_back(variable(found));
        }
        made.value = call(better, std::move(operands), boolean());
        const auto set = [&](const std::shared_ptr<Variable>& to, ExpressionRef by, Block& where) {
            where.push_back(
                {.op = Op::Assign, .place = value.place, .variable = to, .value = std::move(by)});
        };
        set(best, one, made.body);
        if (found) set(found, truth(true), made.body);
        if (is_place) set(place, variable(turn), made.body);
        body.push_back(std::move(made));
        if (is_place) {
            set(turn, infix("+", variable(turn), script::whole(1), int64), body);
        }
    });
    if (found) {
        end_if(prefix("!", variable(found), boolean()),
               fmt::format("{}() of an array without elements", name), value, out);
    }
    return variable(is_place ? place : best);
}

// `name` of all elements, of a type that may not be known yet.
ExpressionRef Resolver::reduced_number(WholeValue& all, const Syntax& value,
                                       const std::string& name, bool is_python, Block& out) {
    const Values zeros(static_cast<std::size_t>(all.shape->type->rank), whole(0));
    Block none;
    const Type element = element_of(all, value, zeros, none)->type;
    if (element->family == Family::Unknown) return nothing(element);
    if (!element->is_number()) {
        fail(value, fmt::format("{}() takes numbers, got {}", name, described(element)));
    }
    if (name == "len") return count_of_chosen(all, out);
    const bool is_spread = name == "var" || name == "std" || name == "linalg.norm";
    const bool is_mean = name == "mean" || is_spread;
    const bool is_order = name.ends_with("min") || name.ends_with("max");
    if (element->is_complex() && (is_spread || is_order)) {
        fail(value, fmt::format("{}() takes real numbers", name));
    }
    const auto is_beside = [](const WholeValue::Leaf& leaf) {
        return is_array(leaf.value) && !leaf.is_chosen && !leaf.is_condition;
    };
    if (all.mask != nullptr && std::ranges::any_of(all.leaves, is_beside)) {
        unsupported(value,
                    "arrays beside x[condition] are chosen from by the same condition in "
                    "kernels");
    }
    if (name == "dot" && all.shape->type->rank != 1) {
        unsupported(value, "kernels multiply arrays of one axis; write a loop");
    }
    const Type type = is_python ? number_type(*binary_kind("+", Kind::Int64, element->kind))
                                : total_type(element, is_mean);
    const Type result = element->is_whole() || is_python ? type : element;
    const auto same = [](const ExpressionRef& one, Block&) { return one; };
    const auto count = [&](const ExpressionRef& total) {
        return binary("/", total, cast(count_of_chosen(all, out), type), value);
    };
    ExpressionRef number;
    if (name == "sum" || name == "dot" || name == "prod") {
        number = cast(total_of(all, value, name == "prod" ? "*" : "+", type, out, same), result);
    } else if (name == "mean") {
        number = cast(count(total_of(all, value, "+", type, out, same)), result);
    } else if (is_spread) {
        ExpressionRef mean;
        if (name != "linalg.norm") {
            mean = held(count(total_of(all, value, "+", type, out, same)), "mean", value, out);
        }
        number = total_of(all, value, "+", type, out, [&](const ExpressionRef& one, Block& body) {
            ExpressionRef from = cast(one, type);
            if (mean) from = binary("-", from, mean, value);
            from = held(from, "distance", value, body);
            return binary("*", from, from, value);
        });
        if (mean) number = count(number);
        if (name != "var") number = call("::sqrt", {std::move(number)}, type);
        number = cast(std::move(number), result);
    } else if (is_order) {
        number = extreme_of(all, value, name, element, !is_python && element->is_real(), out);
    } else {
        const Type int64 = number_type(Kind::Int64);
        const ExpressionRef found =
            total_of(all, value, "+", int64, out,
                     [&](const ExpressionRef& one, Block&) { return truth_of(one, value); });
        number = name == "count_nonzero" ? found
                 : name == "any"         ? infix("!=", found, whole(0), boolean())
                                         : infix("==", found, count_of_chosen(all, out), boolean());
    }
    return number;
}

// m.sum(axis=1)[k], (a @ b)[i, j]: an element of what lies nowhere; null for other nodes.
ExpressionRef Resolver::item_of_expression(const Syntax& node) {
    const std::optional<bool> is_item = UnmadeArrays(*this).is_item(node);
    if (!is_item) return nothing(unknown_type());
    if (!*is_item) return nullptr;
    const std::array value{&node};
    return call_written(translation_.comprehensions().number_function_of("item", value, node), node,
                        false, node);
}

// What the written function of an item consists of.
bool Resolver::returned_item(const Syntax& node, Block& out) {
    const Syntax& base = node["value"];
    WholeValue whole = held_leaves(base, out);
    set_shape(whole, base, out);
    if (std::ranges::any_of(whole.leaves, &WholeValue::Leaf::is_running)) {
        unsupported(base,
                    "sums up to an element are known in their order: assign them to a part "
                    "of an array before, y[:] = np.cumsum(x)");
    }
    const int rank = whole.shape->type->rank;
    std::vector<Index> index = indices(node, rank);
    const auto is_number = [](const Index& one) { return one.at != nullptr; };
    if (index.size() != static_cast<std::size_t>(rank) || !std::ranges::all_of(index, is_number)) {
        unsupported(node,
                    "a part of an array that lies nowhere is assigned to an array before: "
                    "y[:] = m.sum(axis=1)");
    }
    Values places;
    for (int axis = 0; axis < rank; ++axis) {
        const Index& one = index[static_cast<std::size_t>(axis)];
        if (is_unknown(one.at)) return false;
        const ExpressionRef length = extent(whole.shape, axis);
        ExpressionRef at = call("__ww_py_wrap", {cast(one.at, number_type(Kind::Int64)), length},
                                number_type(Kind::Int64));
        at = held(checked_index(std::move(at), length, static_cast<std::size_t>(axis), node), "at",
                  node, out);
        places.push_back(std::move(at));
    }
    ExpressionRef number = element_of(whole, base, places, out);
    if (!is_unknown(number)) return_value(std::move(number), node, out);
    return false;
}

// The statement that the written function consists of.
bool Resolver::returned_number(const Syntax& node, Block& out) {
    const Syntax& value = node["value"];
    if (node["name"].text == "item") return returned_item(value, out);
    const bool is_python = node["name"].text.starts_with("builtins.");
    const std::string name = node["name"].text.substr(is_python ? 9 : 0);
    const std::optional<bool> is_over = is_over_arrays(value);
    if (!is_over) return false;
    WholeValue all = held_leaves(value, out);
    set_shape(all, value, out);
    ExpressionRef number = reduced_number(all, value, name, is_python, out);
    if (!is_unknown(number)) return_value(std::move(number), node, out);
    return false;
}

}  // namespace warpwise::script
