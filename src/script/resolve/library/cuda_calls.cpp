// Calls of the CUDA dialect that are more than a row of intrinsics.def: places in the grid, memory
// of the block and the thread, atomic operations.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/base/text.hpp"
#include "src/script/identifiers.hpp"
#include "src/script/promotion.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/resolver.hpp"
#include "src/script/resolve/values/chars.hpp"

namespace warpwise::script {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 28;

std::optional<std::int64_t> constant_of(const ExpressionRef& value) {
    if (value->constant && value->constant->whole) return value->constant->whole;
    if (value->variable && value->variable->constant) return value->variable->constant;
    return std::nullopt;
}

}  // namespace

ExpressionRef Resolver::cuda_call(const std::string& name, const Arguments& arguments,
                                  const Syntax& node) {
    if (name == "cuda.grid" || name == "cuda.gridsize") {
        return grid(name == "cuda.gridsize", arguments, node);
    }
    if (name == "cuda.shared.array" || name == "cuda.local.array") {
        return storage(name == "cuda.shared.array" ? "__shared__" : "", arguments, node);
    }
    if (name == "cuda.const.array_like") {
        const ExpressionRef& value = only(arguments, node, name);
        const Type memory = value->type->is_record() ? value->type->items[0] : value->type;
        if (memory->is_array() && memory->is_constant) return value;
        fail(node,
             "const.array_like() takes an array of the host that is a global of the function");
    }
    if (name == "cuda.stored_as") {  // of arguments: see _stored_arguments.py
        const Type wanted = arguments.at(1).value->type->element;
        return Chars(*this).stored_as(arguments[0].value, wanted, wanted->is_chars() ? 1 : 0, node);
    }
    if (name.starts_with("cuda.atomic.")) return atomic(name.substr(12), arguments, node);
    if (name == "cuda.selp" && arguments.size() == 3) {
        const Type type = common_type(arguments[1].value, arguments[2].value, node, "selp()");
        return select(truth_of(arguments[0].value, node), arguments[1].value, arguments[2].value,
                      type);
    }
    if (name == "cuda.match_all_sync" && arguments.size() == 2) {
        note_effect(Effect::Acts);
        return call("__ww_py_match_all",
                    {cast(arguments[0].value, number_type(Kind::UInt32)), arguments[1].value},
                    tuple_type({number_type(Kind::Int32), number_type(Kind::Bool)}), Effect::Acts);
    }
    if (name == "cuda.cg.this_grid" && arguments.empty()) {
        return nothing(intern({.family = Family::Known, .name = "cuda.cg.grid_group"}));
    }
    if (name == "cuda.cg.grid_group.sync" && arguments.empty()) {
        note_effect(Effect::Acts);
        return call("::cooperative_groups::this_grid().sync(){}", {}, none_type(), Effect::Acts);
    }
    if (ExpressionRef made = vector(name, arguments, node)) return made;
    unsupported(node, fmt::format("{} is not available in this version", name));
}

ExpressionRef Resolver::grid(bool is_size, const Arguments& arguments, const Syntax& node) {
    const char* const name = is_size ? "gridsize" : "grid";
    const auto rank = constant_of(only(arguments, node, name));
    if (!rank || *rank < 1 || *rank > 3) {
        fail(node, fmt::format("cuda.{}() takes the number of dimensions as a constant: 1, 2 or 3",
                               name));
    }
    const Type int64 = number_type(Kind::Int64);
    const auto along = [&](char axis) {
        constexpr std::uint64_t kMost = std::uint64_t{1} << 41;  // 2^31 blocks of 1024 threads
        return with_most(
            call(fmt::format("__ww_py_{}_{}", name, axis), {}, int64, Effect::Pure, true), kMost);
    };
    if (*rank == 1) return along('x');
    Values places;
    for (std::int64_t i = 0; i < *rank; ++i) places.push_back(along(static_cast<char>('x' + i)));
    const std::vector<Type> types(places.size(), int64);
    return tuple(std::move(places), tuple_type(types));
}

// A number, or the numbers of a tuple, that are known when compiled.
std::optional<std::vector<std::int64_t>> Resolver::constants_of(const ExpressionRef& value) {
    if (!value->type->is_tuple()) {
        const auto known = constant_of(value);
        return known ? std::optional(std::vector{*known}) : std::nullopt;
    }
    if (value->variable && !value->variable->constant_items.empty()) {
        return value->variable->constant_items;
    }
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < value->type->items.size(); ++i) {
        const auto known = constant_of(item(value, i));
        if (!known) return std::nullopt;
        all.push_back(*known);
    }
    return all;
}

// Whether it is a parameter whose value callers may know: the next pass has it then.
bool Resolver::want_constant(const ExpressionRef& value) {
    if (instance_.is_kernel || !value->variable || !value->variable->is_parameter) return false;
    const auto found = std::ranges::find(instance_.parameters, value->variable);
    const auto number = static_cast<std::size_t>(found - instance_.parameters.begin());
    const bool is_captured = number >= parameters_of(*instance_.node).size();
    if (is_captured || instance_.constants.contains(number)) return false;
    translation_.want_constant(*instance_.node, number);
    return true;
}

std::vector<std::int64_t> Resolver::constant_shape(const Argument& argument) {
    const auto all = constants_of(argument.value);
    if (!all) {
        if (want_constant(argument.value)) return {};
        fail(*argument.node,
             "the shape of shared and local arrays must be constants: numbers, globals, or "
             "variables that are one number");
    }
    std::vector<std::int64_t> shape;
    std::int64_t elements = 1;
    for (const std::int64_t extent : *all) {
        if (extent < 0 || extent > kMostElements) {
            fail(*argument.node, fmt::format("an array cannot have the extent {}", extent));
        }
        shape.push_back(extent);
        elements *= std::max<std::int64_t>(extent, 1);
        if (elements > kMostElements) fail(*argument.node, "the array is too large");
    }
    if (shape.empty()) fail(*argument.node, "shared and local arrays have an axis at least");
    return shape;
}

Type Resolver::element_type(const Argument& argument) const {
    const Type type = argument.value->type;
    if (type->family == Family::Element && type->element->is_scalar()) return type->element;
    if (type->family == Family::Text) {
        try {
            const Type named = parse_type(type->name);
            if (named->is_scalar()) return named;
        } catch (const std::exception&) {
            fail(*argument.node, fmt::format("Invalid NumPy dtype specified: {}; kernels know "
                                             "those of numbers, such as 'float32'",
                                             quote(type->name)));
        }
    }
    fail(*argument.node,
         fmt::format("a dtype is a type such as numpy.float32, got {}", described(type)));
}

ExpressionRef Resolver::storage(std::string_view space, const Arguments& arguments,
                                const Syntax& node) {
    const Argument* shape_given = nullptr;
    const Argument* dtype_given = nullptr;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument& one = arguments[i];
        if (one.keyword == "shape" || (one.keyword.empty() && i == 0)) {
            shape_given = &one;
        } else if (one.keyword == "dtype" || (one.keyword.empty() && i == 1)) {
            dtype_given = &one;
        } else if (one.keyword != "alignment") {
            fail(*one.node, "shared and local arrays take a shape and a dtype");
        }
    }
    if (shape_given == nullptr || dtype_given == nullptr) {
        fail(node, "shared and local arrays take a shape and a dtype");
    }
    const Type given = dtype_given->value->type;
    const bool are_records = given->family == Family::Element && given->element->is_record();
    const Type element = are_records ? given->element : element_type(*dtype_given);
    const std::vector<std::int64_t> shape = constant_shape(*shape_given);
    if (shape.empty()) return nothing(unknown_type());
    const bool is_shared = !space.empty();
    const bool is_empty = std::ranges::find(shape, 0) != shape.end();
    if (is_empty) {
        if (are_records) fail(node, "arrays of records have extents of 1 or more");
        if (!is_shared || shape.size() != 1) {
            fail(node,
                 "only shared arrays of one axis may have the extent 0: then the launch gives "
                 "their size");
        }
        if (!instance_.is_kernel) {
            unsupported(node,
                        "shared memory whose size the launch gives is declared in the kernel; "
                        "pass the array to this function");
        }
        instance_.uses_dynamic_shared = true;
        return call(
            fmt::format("__ww_py_dynamic_shared<{}>(__ww_shared_bytes{{}})", spelling_of(element)),
            {}, array_type(element, 1, Layout::C));
    }
    const std::string name =
        storage_name_.empty() ? (is_shared ? "shared" : "local") : storage_name_;
    return are_records ? record_storage(space, element, shape, name, *dtype_given->node)
                       : declared_storage(space, element, shape, name);
}

// Each field is an array of its own: threads that read one field read neighbouring elements.
ExpressionRef Resolver::record_storage(std::string_view space, Type record,
                                       const std::vector<std::int64_t>& shape,
                                       const std::string& name, const Syntax& node) {
    Values fields;
    std::vector<Type> types;
    for (std::size_t i = 0; i < record->items.size(); ++i) {
        const Type field = record->items[i];
        const std::string own = name + "_" + record->names[i];
        if (field->is_record()) {
            fields.push_back(record_storage(space, field, shape, own, node));
        } else {
            std::vector<std::int64_t> extents = shape;
            extents.insert(extents.end(), field->shape.begin(), field->shape.end());
            fields.push_back(decayed(declared_storage(space, field->element, extents, own)));
        }
        types.push_back(fields.back()->type);
    }
    const Type all = record_type(record->names, std::move(types), static_cast<int>(shape.size()));
    return call(fmt::format("__ww_py_record_of<{}>", spelling_of(all)), std::move(fields), all);
}

ExpressionRef Resolver::declared_storage(std::string_view space, Type element,
                                         const std::vector<std::int64_t>& shape,
                                         const std::string& wanted) {
    std::string name = identifier(wanted);
    const auto is_taken = [&](const std::string& wanted) {
        return std::ranges::any_of(
            instance_.storage, [&](const StorageDeclaration& one) { return one.name == wanted; });
    };
    for (int count = 2; is_taken(name); ++count) {
        name = fmt::format("{}_{}", identifier(wanted), count);
    }
    instance_.storage.push_back({.name = name,
                                 .qualifier = std::string(space),
                                 .element = element,
                                 .shape = shape,
                                 .initializer = ""});
    auto made = std::make_shared<Expression>();
    made->op = Expression::Op::Storage;
    made->type = intern({.family = Family::Array,
                         .element = element,
                         .rank = static_cast<int>(shape.size()),
                         .layout = Layout::Fixed,
                         .shape = shape,
                         .name = name});
    made->text = name;
    return made;
}

ExpressionRef Resolver::atomic(const std::string& name, const Arguments& arguments,
                               const Syntax& node) {
    static constexpr auto kOperations =
        std::to_array<std::string_view>({"add", "sub", "and_", "or_", "xor", "inc", "dec", "exch",
                                         "max", "min", "nanmax", "nanmin"});
    const bool is_first_element = name == "compare_and_swap";
    const bool is_cas = name == "cas" || is_first_element;
    if (!is_cas && std::ranges::find(kOperations, name) == kOperations.end()) {
        unsupported(node, fmt::format("there is no cuda.atomic.{}", name));
    }
    const std::size_t wanted = name == "cas" ? 4 : 3;
    if (arguments.size() != wanted) {
        fail(node, fmt::format("cuda.atomic.{}() takes {} arguments, got {}", name, wanted,
                               arguments.size()));
    }
    const ExpressionRef& array = arguments[0].value;
    if (!array->type->is_array()) {
        fail(*arguments[0].node,
             fmt::format("cuda.atomic.{}() changes an element of an array, got {}", name,
                         described(array->type)));
    }
    std::vector<Index> places;
    const auto add = [&](ExpressionRef at) {
        if (!at->type->is_number() || !(at->type->is_whole() || at->type->is_real())) {
            fail(*arguments[1].node,
                 fmt::format("an index is a whole number, got {}", described(at->type)));
        }
        // Where int64 and uint64 meet in a variable it is float64; Numba's atomics take it.
        if (at->type->is_real()) at = cast(std::move(at), number_type(Kind::Int64));
        places.push_back({.at = std::move(at), .node = arguments[1].node});
    };
    std::size_t next = 2;
    if (is_first_element) {
        next = 1;
        for (int axis = 0; axis < array->type->rank; ++axis) add(whole(0));
    } else if (arguments[1].value->type->is_tuple()) {
        require_items(arguments[1].value->type, *arguments[1].node);
        for (std::size_t i = 0; i < arguments[1].value->type->items.size(); ++i) {
            add(item(arguments[1].value, i));
        }
    } else {
        add(arguments[1].value);
    }
    if (places.size() != static_cast<std::size_t>(array->type->rank)) {
        fail(*arguments[1].node, fmt::format("{} takes {} indices, got {}", described(array->type),
                                             array->type->rank, places.size()));
    }
    if (array->type->is_packed) {
        fail(node, fmt::format("cuda.atomic.{}() needs elements that are aligned; make the dtype "
                               "of the records with align=True",
                               name));
    }
    const Type type = array->type->element;
    const bool is_bits =
        name == "and_" || name == "or_" || name == "xor" || name == "inc" || name == "dec";
    const bool is_wide = type->is_number() && DType(type->kind).size() >= 4 && !type->is_complex();
    if (!is_wide || (is_bits && !type->is_integer())) {
        fail(node,
             fmt::format("cuda.atomic.{}() does not work on elements of {}", name, text_of(type)));
    }
    Values operands{element(array, places, node)};
    for (; next < wanted; ++next) {
        const ExpressionRef& value = arguments[next].value;
        if (!value->type->is_number() || value->type->is_complex()) {
            fail(*arguments[next].node,
                 fmt::format("expected a number, got {}", described(value->type)));
        }
        operands.push_back(cast(value, type));
    }
    note_written(array, node);
    std::string text = is_cas ? "cas" : name;
    if (text.ends_with('_')) text.pop_back();
    return call(fmt::format("__ww_py_atomic_{}", text), std::move(operands), type, Effect::Acts);
}

}  // namespace warpwise::script
