// Views of an array's memory: parts, x[a:b], and elements of another type: x.real, x.view(dtype).
#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"
#include "src/script/resolve/library/shapes.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

Type int64() {
    return number_type(Kind::Int64);
}

bool is_full(const Syntax& node) {
    return node.is("Slice") && node["lower"].is_none() && node["upper"].is_none() &&
           node["step"].is_none();
}

// Of so many items; -1: it is not known when compiled.
std::int64_t length_of_slice(const ExpressionRef& start, const ExpressionRef& stop,
                             const ExpressionRef& step, std::int64_t count) {
    const auto number = [](const ExpressionRef& value) { return *value->constant->whole; };
    for (const ExpressionRef& one : {start, stop, step}) {
        if (one && !(one->constant && one->constant->whole)) return -1;
    }
    const std::int64_t by = step ? number(step) : 1;
    if (by == 0) return -1;
    const std::int64_t least = by > 0 ? 0 : -1;
    const auto place = [&](const ExpressionRef& given, std::int64_t otherwise) {
        if (!given) return otherwise;
        const std::int64_t at = number(given) < 0 ? number(given) + count : number(given);
        return std::clamp(at, least, count + least);
    };
    const std::int64_t from = place(start, by > 0 ? 0 : count - 1);
    const std::int64_t to = place(stop, by > 0 ? count : -1);
    const std::int64_t way = by > 0 ? to - from : from - to;
    const std::int64_t size = by > 0 ? by : -by;
    return way <= 0 ? 0 : (way - 1) / size + 1;
}

std::optional<std::int64_t> constant_of(const ExpressionRef& value) {
    if (value->constant && value->constant->whole) return value->constant->whole;
    return std::nullopt;
}

// `value` as another one and a constant that is added to it.
std::pair<ExpressionRef, std::int64_t> without_offset(const ExpressionRef& given) {
    constexpr std::int64_t kMost = std::int64_t{1} << 32;
    const ExpressionRef& value = unconverted(given);
    if (const auto known = constant_of(value)) return {nullptr, *known};
    const bool adds = value->op == Expression::Op::Infix && value->type->kind == Kind::Int64 &&
                      (value->text == "+" || value->text == "-");
    if (!adds) return {value, 0};
    const auto known = [](const std::optional<std::int64_t>& one) {
        return one && *one < kMost && *one > -kMost;
    };
    const auto second = constant_of(value->operands[1]);
    if (known(second)) {
        auto [base, offset] = without_offset(value->operands[0]);
        return {base, value->text == "+" ? offset + *second : offset - *second};
    }
    const auto first = constant_of(value->operands[0]);
    if (known(first) && value->text == "+") {
        auto [base, offset] = without_offset(value->operands[1]);
        return {base, offset + *first};
    }
    return {value, 0};
}

Type with_element(Type array, Type element, Layout layout, bool is_packed) {
    TypeData data = *with_axes(array, array->rank, layout);
    data.element = element;
    data.is_packed = is_packed;
    return intern(std::move(data));
}

}  // namespace

// Of an array's axis: a part of `length` items, from a start that is not known, x[i:i + 3].
std::optional<std::int64_t> Resolver::bounded_length(const Index& index) {
    if (!index.start || !index.stop) {
        const bool is_first = !index.start && index.stop && index.stop->constant;
        const auto count = is_first ? index.stop->constant->whole : std::nullopt;
        return count && *count > 0 && !index.step ? count : std::nullopt;
    }
    const auto step = index.step ? constant_of(index.step) : std::int64_t{1};
    const auto [first, from] = without_offset(index.start);
    const auto [second, to] = without_offset(index.stop);
    if (!step || *step < 1 || to <= from || !is_same(first, second)) return std::nullopt;
    return (to - from - 1) / *step + 1;
}

// Where all of its extents are constants or follow from the bounds; else empty.
std::vector<std::int64_t> Resolver::bounded_shape(const ExpressionRef& array,
                                                  const std::vector<Index>& indices) {
    std::vector<std::int64_t> shape;
    for (int axis = 0; axis < array->type->rank; ++axis) {
        const auto at = static_cast<std::size_t>(axis);
        const bool is_given = at < indices.size() && !is_full(*indices[at].node);
        if (is_given && indices[at].at) continue;
        if (!is_given && array->type->shape.empty()) return {};
        const auto length = is_given ? bounded_length(indices[at]) : array->type->shape[at];
        if (!length) return {};
        shape.push_back(*length);
    }
    return shape;
}

// A part whose length follows from its bounds, as an array of that shape: the thread ends where the
// array ends before, as at an exception.
ExpressionRef Resolver::shaped(const ExpressionRef& value, const Syntax& node) {
    const bool is_variable = value->op == Expression::Op::Variable;
    const std::vector<std::int64_t>& shape =
        is_variable ? value->variable->bounded_shape : value->bounded_shape;
    if (!value->type->is_array() || !value->type->shape.empty() || shape.empty()) return value;
    const bool is_whole = is_variable ? value->variable->is_whole_part : value->is_whole_part;
    std::string differs;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        differs +=
            fmt::format("{}{{0}}.shape[{}] != {}", axis == 0 ? "" : " || ", axis, shape[axis]);
    }
    const auto checked_value = [&] {
        const int raise = implicit_end("ValueError", "the array ends before the part of it", node);
        return checked(differs, {value}, raise);
    };
    auto made = std::make_shared<Expression>(*(is_whole ? value : checked_value()));
    TypeData data = *value->type;
    data.shape = shape;
    made->type = intern(std::move(data));
    return made;
}

// The index of a view's axis, from 0 and within the extent.
ExpressionRef Resolver::checked_entry(const Index& index, const ExpressionRef& base,
                                      std::size_t axis) {
    const ExpressionRef length = extent(base, static_cast<int>(axis));
    ExpressionRef at = cast(index.at, int64());
    if (!at->is_never_negative) at = call("__ww_py_wrap", {at, length}, int64());
    return checked_index(std::move(at), length, axis, *index.node);
}

// Where it is known; else empty.
std::vector<std::int64_t> Resolver::shape_of_view(const std::vector<std::int64_t>& shape,
                                                  const std::vector<Index>& indices) {
    std::vector<std::int64_t> rest;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const bool is_given = axis < indices.size();
        if (is_given && indices[axis].at) continue;
        const std::int64_t length = is_given
                                        ? length_of_slice(indices[axis].start, indices[axis].stop,
                                                          indices[axis].step, shape[axis])
                                        : shape[axis];
        if (length <= 0) return {};
        rest.push_back(length);
    }
    return rest;
}

// A view: the address of its first element, its extents and its strides.
ExpressionRef Resolver::view(const ExpressionRef& array, const std::vector<Index>& indices) {
    Lets lets;
    const bool has_checks = translation_.has_checks();
    const ExpressionRef base = has_checks ? once(decayed(array), "array", lets) : decayed(array);
    const Type from = base->type;
    // Leading indices of a C array, all else whole, keep its order.
    bool is_c = from->layout == Layout::C;
    int rank = from->rank;
    bool seen_slice = false;
    for (const Index& index : indices) {
        if (index.at) --rank;
        if (index.at && seen_slice) is_c = false;
        if (index.at) continue;
        const bool is_step =
            index.step && !(index.step->constant && index.step->constant->whole == 1);
        const bool is_first = !seen_slice && !is_step;
        if (!is_first && !is_full(*index.node)) is_c = false;
        if (is_step) is_c = false;
        seen_slice = true;
    }
    TypeData data = *with_axes(from, rank, is_c ? Layout::C : Layout::Strided);
    if (from->is_made) data.shape = shape_of_view(from->shape, indices);
    const Type type = intern(std::move(data));
    std::vector<ExpressionRef> operands{base};
    std::string entries;
    const auto add = [&](const ExpressionRef& value, std::int64_t other) {
        entries += fmt::format(", {{{}}}", operands.size());
        operands.push_back(value ? cast(value, int64()) : whole(other));
    };
    int axis = 0;
    bool is_whole = true;
    for (const Index& index : indices) {
        if (index.at) {
            entries += ", __ww_py_at()";
            add(has_checks ? checked_entry(index, base, static_cast<std::size_t>(axis)) : index.at,
                0);
        } else if (is_full(*index.node)) {
            entries += ", __ww_py_all()";
        } else {
            if (index.step && index.step->constant && index.step->constant->whole == 0) {
                fail(*index.node, "the step of a slice cannot be 0");
            }
            const bool is_natural =
                bounded_length(index) && (!index.start || index.start->is_never_negative);
            const std::string written =
                fmt::format(", __ww_py_slice<{}, {}>()", index.start ? 1 : 0, index.stop ? 1 : 0);
            // No more than there is, so that the length is known.
            const bool is_within =
                is_natural && index.stop && facts_.reaches(extent(array, axis), index.stop);
            is_whole &= is_within;
            entries += is_within    ? ", __ww_py_within()"
                       : is_natural ? ", __ww_py_natural()"
                                    : written;
            add(index.start, 0);
            add(is_within ? whole(*bounded_length(index)) : index.stop, 0);
            add(index.step, 1);
        }
        ++axis;
    }
    auto made = std::make_shared<Expression>(
        *wrapped(lets, call(fmt::format("__ww_py_view<{}>({{0}}{})", spelling_of(type), entries),
                            std::move(operands), type)));
    made->bounded_shape = bounded_shape(array, indices);
    made->is_whole_part = is_whole;
    made->is_row = is_c && rank == 1 && !has_checks &&
                   std::ranges::all_of(indices, [](const Index& one) { return one.at != nullptr; });
    return made;
}

// x[:, None]: the view without, with axes of one item between its own.
ExpressionRef Resolver::view_with_axes(const ExpressionRef& array,
                                       const std::vector<Index>& indices, const Syntax& node) {
    if (!array->type->is_array() || array->type->is_list) {
        unsupported(node, fmt::format("only arrays get another axis by None, not {}",
                                      described(array->type)));
    }
    std::vector<Index> others;
    std::vector<bool> is_new;
    for (const Index& index : indices) {
        if (!index.is_new) others.push_back(index);
        if (!index.at) is_new.push_back(index.is_new);
    }
    const auto axes = static_cast<std::size_t>(array->type->rank);
    if (others.size() > axes) {
        fail(node, fmt::format("{} has {} ax{}, but the index has {}", described(array->type), axes,
                               axes == 1 ? "is" : "es", others.size()));
    }
    const auto is_number = [](const Index& one) { return one.at != nullptr; };
    if (others.size() == axes && std::ranges::all_of(others, is_number)) {
        unsupported(node, "kernels have no array of one element; x[i:i + 1] is a part of one item");
    }
    const auto is_all = [](const Index& one) { return !one.at && is_full(*one.node); };
    const ExpressionRef part =
        decayed(std::ranges::all_of(others, is_all) ? array : view(array, others));
    const auto count = static_cast<std::size_t>(std::ranges::count(is_new, true));
    is_new.resize(static_cast<std::size_t>(part->type->rank) + count, false);
    const bool is_variable = part->op == Expression::Op::Variable;
    const auto with_ones = [&is_new](std::vector<std::int64_t> shape) {
        for (std::size_t axis = 0; axis < is_new.size() && !shape.empty(); ++axis) {
            if (is_new[axis]) shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
        }
        return shape;
    };
    TypeData data = *with_axes(part->type, static_cast<int>(is_new.size()), part->type->layout);
    data.shape = with_ones(part->type->shape);
    unsigned mask = 0;
    for (std::size_t axis = 0; axis < is_new.size(); ++axis) {
        mask |= static_cast<unsigned>(is_new[axis]) << axis;
    }
    const Type type = intern(std::move(data));
    auto made = std::make_shared<Expression>(
        *call(fmt::format("__ww_py_with_axes<{}, {}>", spelling_of(type), mask), {part}, type));
    made->bounded_shape =
        with_ones(is_variable ? part->variable->bounded_shape : part->bounded_shape);
    made->is_whole_part = is_variable ? part->variable->is_whole_part : part->is_whole_part;
    made->unit_axes = is_new;
    return made;
}

// x[i] of `length` items as an array of that shape, whose address follows from constants: what is
// behind the test of x's last axis, which ends the thread. Null where it is no row of a variable.
ExpressionRef Resolver::row_of_length(const ExpressionRef& row, std::int64_t length,
                                      std::string message, const Syntax& node, Block& out) {
    const bool is_known = row->is_row && row->effect != Effect::Acts && is_fixed(row->operands[0]);
    if (!is_known) return nullptr;
    const ExpressionRef& array = row->operands[0];
    require_length(extent(array, array->type->rank - 1), length, std::move(message), node, out);
    Values operands{array};
    for (std::size_t axis = 0; axis + 1 < row->operands.size(); ++axis) {
        ExpressionRef at = row->operands[axis + 1];
        if (!at->is_never_negative) {
            at = call("__ww_py_wrap", {at, extent(array, static_cast<int>(axis))}, int64());
        }
        operands.push_back(std::move(at));
    }
    TypeData data = *row->type;
    data.shape = {length};
    return assigned(
        call(fmt::format("__ww_py_row<{}>", length), std::move(operands), intern(std::move(data))),
        "row", node, out);
}

ExpressionRef Resolver::complex_parts(const ExpressionRef& array, bool is_imaginary,
                                      const Syntax& node) {
    const Type type = array->type;
    if (!type->element->is_complex()) {
        if (!is_imaginary) return array;
        fail(node, fmt::format("{} has no imaginary parts", described(type)));
    }
    if (type->rank == 0 || type->is_packed) {
        unsupported(node, "the parts of a field of complex numbers are read from its value");
    }
    const Type part =
        number_type(type->element->kind == Kind::Complex64 ? Kind::Float32 : Kind::Float64);
    const Type view = with_element(type, part, Layout::Strided, false);
    const std::size_t bytes = is_imaginary ? bytes_of(part) : 0;
    return call(fmt::format("__ww_py_component<{}>({{0}}, {})", spelling_of(view), bytes),
                {decayed(array)}, view);
}

namespace {

// The elements of a shape that is known when compiled; 0: it is not.
std::int64_t elements_of(const std::vector<ExpressionRef>& extents) {
    std::int64_t count = 1;
    for (const ExpressionRef& one : extents) {
        const std::int64_t extent = constant_of(one).value_or(0);
        if (extent <= 0 || extent > INT32_MAX / count) return 0;
        count *= extent;
    }
    return count;
}

// These extents, one of which may be -1, of the elements of an array of a known shape; else empty.
Shape shape_of_extents(const Shape& shape, std::vector<ExpressionRef> extents) {
    Shape made;
    if (shape.empty()) return made;
    const auto is_rest = [](const ExpressionRef& one) { return constant_of(one) == -1; };
    const auto rest = std::ranges::find_if(extents, is_rest);
    if (rest != extents.end()) {
        *rest = whole(1);
        const std::int64_t others = elements_of(extents);
        if (others > 0) *rest = whole(count_of(shape) / others);
    }
    if (elements_of(extents) != count_of(shape)) return made;
    for (const ExpressionRef& one : extents) made.push_back(*constant_of(one));
    return made;
}

}  // namespace

// x.reshape(2, -1): a view, of contiguous arrays. The thread ends where the elements do not fit.
ExpressionRef Resolver::reshaped(const ExpressionRef& given, const Arguments& arguments,
                                 const Syntax& node) {
    const Type type = given->type;
    if (type->rank == 0 || type->layout == Layout::Strided) {
        unsupported(node, fmt::format("{} has no view of another shape: only contiguous arrays "
                                      "have; index it with the axes that it has",
                                      described(type)));
    }
    Lets lets;
    const ExpressionRef array =
        is_simple(given) ? decayed(given) : once(decayed(given), "array", lets);
    Values wanted;
    for (const Argument& one : arguments) {
        if (!one.keyword.empty() && one.keyword != "shape" && one.keyword != "newshape") {
            unsupported(*one.node, "reshape() takes a shape in kernels, and no other arguments");
        }
        if (!one.value->type->is_tuple()) {
            wanted.push_back(one.value);
            continue;
        }
        require_items(one.value->type, *one.node);
        for (ExpressionRef& item : items_in_turn(opened(one.value, lets))) {
            wanted.push_back(std::move(item));
        }
    }
    if (wanted.empty()) fail(node, "reshape() takes an extent for each axis");
    for (ExpressionRef& one : wanted) {
        if (!one->type->is_number() || !one->type->is_whole()) {
            fail(node, fmt::format("an extent is a whole number, got {}", described(one->type)));
        }
        one = once(cast(one, int64()), "extent", lets);
    }
    const int raise = implicit_end("ValueError", "cannot reshape array: it has another size", node);
    Values sizes{size_of(array, type->rank)};
    sizes.insert(sizes.end(), wanted.begin(), wanted.end());
    const ExpressionRef fits = call("__ww_py_fits", sizes, number_type(Kind::Bool));
    TypeData axes = *with_axes(type, static_cast<int>(wanted.size()), Layout::C);
    axes.shape = shape_of_extents(known_shape(given), wanted);
    axes.is_made &= !axes.shape.empty();
    const Type view = intern(std::move(axes));
    Values operands{array, checked("!{1}", {sizes[0], fits}, raise)};
    operands.insert(operands.end(), wanted.begin(), wanted.end());
    return wrapped(lets, call(fmt::format("__ww_py_reshaped<{}>", spelling_of(view)),
                              std::move(operands), view));
}

ExpressionRef Resolver::reinterpreted(const ExpressionRef& array, const Arguments& arguments,
                                      const Syntax& node) {
    only(arguments, node, "view");
    const Type element = element_type(arguments[0]);
    const Type type = array->type;
    const std::size_t from = bytes_of(type->element), to = bytes_of(element);
    if (type->rank == 0) unsupported(node, "a field of a record has no method 'view' in kernels");
    const Layout layout = type->layout == Layout::Strided ? Layout::Strided : Layout::C;
    if (from != to && layout != Layout::C) {
        fail(node, fmt::format("{} has elements of {} bytes and strides of its own: its view as {} "
                               "would have others; only contiguous arrays, {}, have one",
                               described(type), from, text_of(element),
                               text_of(with_axes(type, type->rank, Layout::C))));
    }
    // Larger elements may lie at addresses that are no multiple of their size.
    const Type view = with_element(type, element, layout, type->is_packed || to > from);
    return call(fmt::format("__ww_py_reinterpreted<{}>", spelling_of(view)), {decayed(array)},
                view);
}

}  // namespace warpwise::script
