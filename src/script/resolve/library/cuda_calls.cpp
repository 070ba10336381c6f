// Calls of the CUDA dialect that are more than a row of intrinsics.def: places in the grid, memory
// of the block and the thread.
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
    if (name.starts_with("cuda.ld") || name.starts_with("cuda.st")) {
        return hinted_access(name.substr(5), arguments, node);
    }
    if (name == "cuda.selp" && arguments.size() == 3) {
        const Type type = common_type(arguments[1].value, arguments[2].value, node, "selp()");
        return select(truth_of(arguments[0].value, node), arguments[1].value, arguments[2].value,
                      type);
    }
    if (ExpressionRef pair = pair_of_warp(name, arguments)) return pair;
    if (name.starts_with("cuda.libdevice.remquo") && arguments.size() == 2) {
        const Type type = number_type(name.ends_with('f') ? Kind::Float32 : Kind::Float64);
        return call("__ww_py_remquo",
                    {cast(arguments[0].value, type), cast(arguments[1].value, type)},
                    tuple_type({type, number_type(Kind::Int32)}));
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

// Functions of lanes of a warp that return two values; null: another function.
ExpressionRef Resolver::pair_of_warp(const std::string& name, const Arguments& arguments) {
    const Type int32 = number_type(Kind::Int32);
    const auto given = [&](std::size_t i, Type type) { return cast(arguments[i].value, type); };
    const auto made = [&](const char* function, Values values, Type first) {
        note_effect(Effect::Acts);
        return call(function, std::move(values), tuple_type({first, number_type(Kind::Bool)}),
                    Effect::Acts);
    };
    if (arguments.empty()) return nullptr;
    const ExpressionRef mask = given(0, number_type(Kind::UInt32));
    if (name == "cuda.match_all_sync" && arguments.size() == 2) {
        return made("__ww_py_match_all", {mask, arguments[1].value}, int32);
    }
    if (name == "cuda.vote_sync_intrinsic" && arguments.size() == 3) {
        return made("__ww_py_vote", {mask, given(1, int32), given(2, number_type(Kind::Bool))},
                    int32);
    }
    if (name == "cuda.shfl_sync_intrinsic" && arguments.size() == 5) {
        const ExpressionRef& value = arguments[2].value;
        return made("__ww_py_shuffle",
                    {mask, given(1, int32), value, given(3, int32), given(4, int32)}, value->type);
    }
    return nullptr;
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

}  // namespace warpwise::script
