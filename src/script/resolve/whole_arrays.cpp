// Whole arrays: assignments to parts of them, and NumPy's functions that write their results to
// one. Each is a loop over the elements, by the thread alone.
#include <fmt/format.h>

#include <algorithm>

#include "src/script/resolve/library/unmade_arrays.hpp"
#include "src/script/resolve/resolver.hpp"
#include "src/script/resolve/values/chars.hpp"

namespace warpwise::script {
namespace {

using Op = Statement::Op;

Type int64() {
    return number_type(Kind::Int64);
}

// The array that a view shows a part of, where that is known.
const Expression* root_of(const ExpressionRef& value) {
    if (value->op == Expression::Op::Let) {
        const Expression* const root = root_of(value->operands[1]);
        const bool is_bound =
            root->op == Expression::Op::Variable && root->variable == value->variable;
        return is_bound ? root_of(value->operands[0]) : root;
    }
    const bool is_part = value->op == Expression::Op::Call || value->op == Expression::Op::Cast;
    return is_part && !value->operands.empty() ? root_of(value->operands[0]) : value.get();
}

}  // namespace

// Whether both give one value, with nothing in between that acts.
bool Resolver::is_same_value(const Syntax& a, const Syntax& b) {
    if (a.form != b.form || a.text != b.text || a.flag != b.flag) return false;
    static const std::set<std::string_view> kOthers = {"Call", "NamedExpr", "IfExp", "Lambda"};
    if (a.form == Syntax::Form::Node && kOthers.contains(a.text)) return false;
    if (a.items.size() != b.items.size() || a.fields.size() != b.fields.size()) return false;
    for (std::size_t i = 0; i < a.items.size(); ++i) {
        if (!is_same_value(*a.items[i], *b.items[i])) return false;
    }
    for (std::size_t i = 0; i < a.fields.size(); ++i) {
        if (a.fields[i].first != b.fields[i].first) return false;
        if (a.fields[i].first == "ctx") continue;
        if (!is_same_value(*a.fields[i].second, *b.fields[i].second)) return false;
    }
    return true;
}

// Whether the entries of two indices leave the same axes: numbers stand beside numbers.
bool Resolver::are_numbers(const Syntax& a, const Syntax& b) {
    const auto is_number = [this](const Syntax& one) {
        return !one.is("Slice") && is_whole_number(expression(one)->type);
    };
    return is_number(a) && is_number(b);
}

// Parts of one array, of which the same axes are left, with the same steps.
bool Resolver::are_parallel(const Syntax& a, const Syntax& b) {
    if (!a.is("Subscript") || !b.is("Subscript")) return false;
    if (!is_same_value(a["value"], b["value"]) && !are_parallel(a["value"], b["value"])) {
        return false;
    }
    const auto fits = [this](const Syntax* left, const Syntax* right) {
        if (left->is("Slice") && right->is("Slice")) {
            return is_same_value((*left)["step"], (*right)["step"]);
        }
        return is_same_value(*left, *right) || are_numbers(*left, *right);
    };
    return std::ranges::equal(UnmadeArrays::entries_of(a), UnmadeArrays::entries_of(b), fits);
}

// Whether both give one value where x[:] is x.
bool Resolver::is_same_array(const Syntax& a, const Syntax& b) {
    const auto is_whole = [](const Syntax& node) {
        const auto is_full = [](const Syntax* one) {
            return one->is("Slice") && (*one)["lower"].is_none() && (*one)["upper"].is_none() &&
                   (*one)["step"].is_none();
        };
        return node.is("Subscript") && std::ranges::all_of(UnmadeArrays::entries_of(node), is_full);
    };
    if (is_whole(a)) return is_same_array(a["value"], b);
    if (is_whole(b)) return is_same_array(a, b["value"]);
    return is_same_value(a, b);
}

// Parts of one array that lie at the same places, or have no element in common: x[i] and x[j].
bool Resolver::are_same_axes(const Syntax& a, const Syntax& b) {
    if (!a.is("Subscript") || !b.is("Subscript") || !is_same_value(a["value"], b["value"])) {
        return false;
    }
    const auto fits = [this](const Syntax* left, const Syntax* right) {
        return is_same_value(*left, *right) || are_numbers(*left, *right);
    };
    return std::ranges::equal(UnmadeArrays::entries_of(a), UnmadeArrays::entries_of(b), fits);
}

// How an array that is read lies beside the part that is written. `source` and `target` are their
// syntax, null where that is not known.
Resolver::Beside Resolver::beside(const ExpressionRef& view, const ExpressionRef& value,
                                  const Syntax& target, const Syntax* source) {
    const Expression* const root = root_of(view);
    const Expression* const other = root_of(value);
    const std::set<std::size_t> mine = origins(view);
    const std::set<std::size_t> others = origins(value);
    const auto is_storage = [](const Expression* one) {
        return one->op == Expression::Op::Storage;
    };
    const bool are_known =
        (!mine.empty() || is_storage(root)) && (!others.empty() || is_storage(other));
    const bool is_other = is_storage(root) && is_storage(other) && root->text != other->text;
    const bool share = !are_known || (mine.empty() && others.empty() && !is_other) ||
                       std::ranges::any_of(
                           mine, [&others](const std::size_t one) { return others.contains(one); });
    if (!share) return Beside::Elsewhere;
    const bool is_same = source != nullptr && value->type->rank == view->type->rank &&
                         (is_same_array(target, *source) || are_same_axes(target, *source));
    if (is_same) return Beside::Same;
    const bool are_dense =
        view->type->layout != Layout::Strided && value->type->layout != Layout::Strided;
    const bool are_alike = value->type->rank == view->type->rank &&
                           bytes_of(value->type->element) == bytes_of(view->type->element) &&
                           (are_dense || (source != nullptr && are_parallel(target, *source)));
    if (!are_alike) {
        unsupported(target,
                    "the parts of the array may overlap, and kernels have no memory for a copy; "
                    "write a loop");
    }
    return Beside::Shifted;
}

// From the end where the part that is written lies behind what is read.
ExpressionRef Resolver::backwards_of(const ExpressionRef& part, const ExpressionRef& value) {
    const bool are_dense =
        part->type->layout != Layout::Strided && value->type->layout != Layout::Strided;
    const bool are_alike = part->type->element == value->type->element;
    return call(!are_dense  ? "__ww_py_lies_behind"
                : are_alike ? "{0}.data > {1}.data"
                            : "(const char*){0}.data > (const char*){1}.data",
                {part, value}, number_type(Kind::Bool));
}

// Of parts that overlap an element is read once, so that none is read after it was written.
void Resolver::require_same_shape(const ExpressionRef& part, const ExpressionRef& value,
                                  const Syntax& node, Block& out) {
    end_if(call("__ww_py_needs_copy", {part, value}, number_type(Kind::Bool)),
           "parts of one array have other shapes", node, out);
}

// In a variable, so that it is evaluated once.
ExpressionRef Resolver::held_array(const ExpressionRef& value, std::string_view name,
                                   const Syntax& node, Block& out) {
    const ExpressionRef array = decayed(value);
    const bool stays = array->op == Expression::Op::Variable && is_fixed(array);
    return stays ? array : assigned(array, name, node, out);
}

// Where in an array that broadcasts to the shape of `target` the counters are.
Resolver::Values Resolver::broadcast_places(const ExpressionRef& array, const ExpressionRef& target,
                                            const Values& counters) {
    const auto rank = static_cast<std::size_t>(array->type->rank);
    Values places;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const ExpressionRef& counter = counters[counters.size() - rank + axis];
        const ExpressionRef length = extent(array, static_cast<int>(axis));
        const bool is_whole = array->variable == target->variable;
        places.push_back(is_whole ? counter
                                  : select(infix("==", length, whole(1), number_type(Kind::Bool)),
                                           whole(0), counter, int64()));
    }
    return places;
}

ExpressionRef Resolver::broadcast_element(const ExpressionRef& array, const ExpressionRef& target,
                                          const Values& counters, const Syntax& node) {
    return target_element(array, broadcast_places(array, target, counters), node);
}

// The thread ends where the array does not broadcast to the target's shape, as at an exception.
void Resolver::require_broadcast(const ExpressionRef& array, const ExpressionRef& target,
                                 const Syntax& node, Block& out) {
    const int rank = array->type->rank;
    const int wanted = target->type->rank;
    if (rank > wanted) {
        fail(node, fmt::format("{} does not fit into {}", described(array->type),
                               described(target->type)));
    }
    const Type boolean = number_type(Kind::Bool);
    if (array->variable == target->variable) return;
    for (int axis = 0; axis < rank; ++axis) {
        const ExpressionRef length = extent(array, axis);
        auto both = std::make_shared<Expression>();
        both->op = Expression::Op::And;
        both->type = boolean;
        both->operands = {infix("!=", length, whole(1), boolean),
                          infix("!=", length, extent(target, wanted - rank + axis), boolean)};
        end_if(std::move(both), "could not broadcast an array to another shape", node, out);
    }
}

void Resolver::for_each_element(const ExpressionRef& target, const ExpressionRef& backwards,
                                const Syntax& node, Block& out, const AtPlaces& body,
                                const AtPlaces& before_last) {
    static constexpr std::string_view kNames[] = {"i", "j", "k", "l"};
    Values counters;
    Block* inner = &out;
    for (int axis = 0; axis < target->type->rank; ++axis) {
        if (before_last && axis + 1 == target->type->rank) before_last(counters, *inner);
        Statement loop{.op = Op::For, .place = node.place};
        loop.variable = temporary(kNames[std::min(axis, 3)], int64());
        loop.variable->is_never_negative = true;
        loop.variable->assignments = 2;
        const ExpressionRef length = extent(target, axis);
        loop.range = {whole(0), length, whole(1)};
        loop.loop = ++loop_count_;
        const ExpressionRef turn = variable(loop.variable);
        ExpressionRef last = infix("-", infix("-", length, whole(1), int64()), turn, int64());
        auto from_end = std::make_shared<Expression>(*last);
        from_end->is_never_negative = true;
        counters.push_back(backwards ? select(backwards, std::move(from_end), turn, int64())
                                     : turn);
        inner->push_back(std::move(loop));
        inner = &inner->back().body;
    }
    body(counters, *inner);
}

ExpressionRef Resolver::target_element(const ExpressionRef& target, const Values& counters,
                                       const Syntax& node) {
    std::vector<Index> places;
    for (const ExpressionRef& counter : counters) {
        places.push_back({.at = counter, .node = &node, .is_checked = true});
    }
    return element(target, places, node);
}

// x[a:b] = v: a number, or an array that broadcasts.
void Resolver::store_part(const ExpressionRef& view, ExpressionRef value, const Syntax& target,
                          const Syntax* source, Block& out) {
    if (view->type->element->is_chars()) {
        if (ExpressionRef text = Chars::of(value)) value = std::move(text);
    }
    const Type type = value->type;
    if (type->is_tuple()) return store_row(view, value, target, out);
    if (!type->is_scalar() && !type->is_array()) {
        fail(target, fmt::format("a part of an array cannot be {}; it takes a number, a tuple or "
                                 "an array",
                                 described(type)));
    }
    const Beside place = type->is_array() ? beside(view, value, target, source) : Beside::Elsewhere;
    const ExpressionRef part = held_array(view, "part", target, out);
    ExpressionRef backwards;
    if (type->is_array()) {
        value = held_array(value, "values", target, out);
        require_broadcast(value, part, target, out);
        if (place == Beside::Shifted) backwards = backwards_of(part, value);
    } else {
        value = held(value, "value", target, out);
    }
    for_each_element(part, backwards, target, out, [&](const Values& counters, Block& body) {
        ExpressionRef one =
            type->is_array() ? broadcast_element(value, part, counters, target) : value;
        store(target_element(part, counters, target), std::move(one), target, body);
    });
}

void Resolver::copy_part(const ExpressionRef& part, ExpressionRef value, const Syntax& node,
                         Block& out) {
    if (!value->type->is_array()) {
        fail(node, fmt::format("{} cannot be {}", described(part->type), described(value->type)));
    }
    const ExpressionRef target = held_array(part, "part", node, out);
    value = held_array(value, "values", node, out);
    require_broadcast(value, target, node, out);
    for_each_element(target, nullptr, node, out, [&](const Values& counters, Block& body) {
        store(target_element(target, counters, node),
              broadcast_element(value, target, counters, node), node, body);
    });
}

// x[a:b] += v.
void Resolver::change_part(std::string_view op, const ExpressionRef& view, ExpressionRef value,
                           const Syntax& target, const Syntax& source, Block& out) {
    const ExpressionRef part = held_array(view, "part", target, out);
    if (value->storage) {  // an array that is made here
        evaluate(value, target, out);
        value = value->storage;
    }
    const Beside place =
        value->type->is_array() ? beside(view, value, target, &source) : Beside::Elsewhere;
    ExpressionRef backwards;
    if (value->type->is_array()) {
        value = held_array(value, "values", target, out);
        require_broadcast(value, part, target, out);
        if (place == Beside::Shifted) {
            require_same_shape(part, value, target, out);
            backwards = backwards_of(part, value);
        }
    } else {
        value = held(value, "value", target, out);
    }
    for_each_element(part, backwards, target, out, [&](const Values& counters, Block& body) {
        const ExpressionRef element = target_element(part, counters, target);
        ExpressionRef one =
            value->type->is_array() ? broadcast_element(value, part, counters, target) : value;
        store(element, binary(op, element, std::move(one), target), target, body);
    });
}

// numpy.sin(x, out): of every element.
ExpressionRef Resolver::elementwise_call(const std::string& name, Arguments arguments,
                                         const Syntax& node) {
    const auto by_name = std::ranges::find(arguments, "out", &Argument::keyword);
    if (by_name == arguments.end() && statement_call_ != &node) {
        Values values;
        for (const Argument& one : arguments) values.push_back(one.value);
        const auto compute = [&](const Values& items) {
            Arguments elements = arguments;
            for (std::size_t i = 0; i < items.size(); ++i) elements[i].value = items[i];
            return call_known(name, elements, node);
        };
        if (ExpressionRef made = each_element(values, node, compute)) return made;
    }
    const auto output = by_name != arguments.end() ? by_name : std::prev(arguments.end());
    const ExpressionRef written = output->value;
    const Syntax& written_node = *output->node;
    arguments.erase(output);
    if (!written->type->is_array() || arguments.empty()) {
        unsupported(node, fmt::format("{} of an array needs one for the results in kernels: "
                                      "{}(x, out)",
                                      name, name));
    }
    if (statement_call_ != &node) {
        unsupported(node, fmt::format("{} of an array is a statement of its own in kernels", name));
    }
    Block& out = *statement_lines_;
    std::vector<Beside> places;
    for (const Argument& one : arguments) {
        places.push_back(one.value->type->is_array()
                             ? beside(written, one.value, written_node, one.node)
                             : Beside::Elsewhere);
    }
    if (std::ranges::count(places, Beside::Shifted) > 1) {
        unsupported(node,
                    "several parts of the array may overlap the results, and kernels have no "
                    "memory for a copy; write a loop");
    }
    const ExpressionRef target = held_array(written, "out", node, out);
    ExpressionRef backwards;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        ExpressionRef& value = arguments[i].value;
        if (!value->type->is_array()) continue;
        value = held_array(value, "operand", node, out);
        require_broadcast(value, target, node, out);
        if (places[i] != Beside::Shifted) continue;
        require_same_shape(target, value, node, out);
        backwards = backwards_of(target, value);
    }
    for_each_element(target, backwards, node, out, [&](const Values& counters, Block& body) {
        Arguments elements = arguments;
        for (Argument& one : elements) {
            if (!one.value->type->is_array()) continue;
            one.value = broadcast_element(one.value, target, counters, node);
        }
        ExpressionRef result = call_known(name, elements, node);
        const ExpressionRef place = target_element(target, counters, node);
        if (result->type->is_number() && result->type->is_real() && place->type->is_whole()) {
            fail(node, fmt::format("{} gives {}, which an array of {} does not hold", name,
                                   described(result->type), text_of(place->type)));
        }
        store(place, std::move(result), node, body);
    });
    return nothing(none_type());
}

}  // namespace warpwise::script
