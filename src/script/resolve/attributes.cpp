// Attributes: of arrays, numbers, named tuples, and of modules' objects.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"
#include "src/script/intrinsics.hpp"
#include "src/script/resolve/magnitudes.hpp"
#include "src/script/resolve/order.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

// What kernels can use of a module: "sin" of "math".
std::vector<std::string> names_of(std::string_view module) {
    std::vector<std::string> names;
    if (module == "warpwise.cuda" || module == "numba.cuda") {
        module = "cuda";
        names = {"threadIdx", "blockIdx", "blockDim", "gridDim", "grid",  "gridsize",
                 "laneid",    "warpsize", "shared",   "local",   "const", "atomic"};
    }
    const std::string start = std::string(module) + ".";
    for (const IntrinsicRow& row : intrinsic_rows()) {
        if (!row.name.starts_with(start)) continue;
        std::string name(row.name.substr(start.size()));
        if (names.empty() || names.back() != name) names.push_back(std::move(name));
    }
    return names;
}

}  // namespace

ExpressionRef Resolver::known_object(const std::string& name, const Syntax& node) {
    const Type int32 = number_type(Kind::Int32);
    if (name == "cuda.warpsize") return whole(32);
    if (name == "cuda.laneid") return call("__ww_py_lane", {}, int32, Effect::Pure, true);
    (void)node;
    return nothing(intern({.family = Family::Known, .name = name}));
}

ExpressionRef Resolver::attribute(const Syntax& node) {
    const std::string& name = node["attr"].text;
    if (const std::optional<std::string> path = dotted(node)) {
        if (const Syntax* const value = scope_value(*path)) return frozen(*value, node, name);
    }
    if (ExpressionRef found = field_of_element(node["value"], name, node)) return found;
    const ExpressionRef base = expression(node["value"]);
    const Type type = base->type;
    if (type->family == Family::Unknown) return base;
    if (type->is_record()) {
        if (name == "shape") return shape_of(first_array(base), type->rank);
        if (name == "size") return size_of(first_array(base), type->rank);
        if (name == "ndim") return whole(type->rank);
        return field(base, name, node);
    }
    if (type->family == Family::Known) {
        const std::string& object = type->name;
        const bool is_index = object == "cuda.threadIdx" || object == "cuda.blockIdx" ||
                              object == "cuda.blockDim" || object == "cuda.gridDim";
        if (is_index && (name == "x" || name == "y" || name == "z")) {
            // CUDA's are unsigned, and below 2^31.
            auto made = std::make_shared<Expression>(
                *cast(call(object.substr(5) + "." + name + "{}", {}, number_type(Kind::UInt32),
                           Effect::Pure, true),
                      number_type(Kind::Int32)));
            made->is_never_negative = true;
            made->most = object.ends_with("Idx") || object.ends_with("gridDim") ? INT32_MAX : 1024;
            if (object == "cuda.threadIdx") made->most = 1023;
            return made;
        }
        if (is_index) fail(node, fmt::format("{} has x, y and z, not '{}'", object, name));
        if (object.starts_with("numpy.finfo(") || object.starts_with("numpy.iinfo(")) {
            return limit_of(object, name, node);
        }
        return known_object(object + "." + name, node);
    }
    if (type->family == Family::Module || type->family == Family::Other) {
        fail(node, fmt::format("{} has no attribute '{}' that kernels can use{}", described(type),
                               name, suggestion(name, names_of(type->name))));
    }
    if (type->family == Family::Element && type->element->is_tuple()) {
        if (const Syntax* const own = member_of(type->element, name))
            return frozen(*own, node, name);
    }
    if (type->family == Family::Element && type->element->is_scalar()) {
        if (name == "type") return base;
        if (name == "itemsize") {
            return whole(static_cast<std::int64_t>(bytes_of(type->element)));
        }
    }
    if (type->is_array()) {
        if (name == "shape") return shape_of(base, type->rank);
        if (name == "size") return size_of(base, type->rank);
        if (name == "ndim") return behind(base, whole(type->rank));
        if (name == "itemsize") {
            return behind(base, whole(static_cast<std::int64_t>(bytes_of(type->element))));
        }
        if (name == "nbytes") {
            return infix("*", size_of(base, type->rank),
                         whole(static_cast<std::int64_t>(bytes_of(type->element))),
                         number_type(Kind::Int64));
        }
        if (name == "dtype") {
            if (base->effect == Effect::Acts) unsupported(node, "give this array a name before");
            return nothing(intern({.family = Family::Element, .element = type->element}));
        }
        if (name == "T") return transposed(base);
        if (name == "flat") return flat(base, node);
        if (name == "real" || name == "imag") return complex_parts(base, name == "imag", node);
        fail(node, fmt::format("arrays have no attribute '{}' in kernels; they have shape, size, "
                               "ndim, dtype, itemsize, nbytes, T, flat, real and imag",
                               name));
    }
    if (type->is_tuple()) {
        const auto found = std::ranges::find(type->names, name);
        if (found != type->names.end()) {
            return item(base, static_cast<std::size_t>(found - type->names.begin()));
        }
        if (const Syntax* const own = member_of(type, name)) {
            if (!own->is_tagged("property")) return frozen(*own, node, name);
            return call_member(*own, {{.keyword = "", .value = base, .node = &node}}, node);
        }
        const char* const advice = is_enum(type) ? "; members that are written have" : "";
        fail(node, fmt::format("{} has no field '{}'{}{}", described(type), name, advice,
                               suggestion(name, type->names)));
    }
    if (type->is_number()) {
        if (name == "real" || name == "imag") {
            if (type->is_complex()) {
                return member(
                    base, name,
                    number_type(type->kind == Kind::Complex64 ? Kind::Float32 : Kind::Float64));
            }
            return name == "real" ? base : behind(base, cast(whole(0), type));
        }
        fail(node, fmt::format("{} has no attribute '{}' in kernels{}", described(type), name,
                               name == "value" ? "; members of enums are their values there" : ""));
    }
    fail(node, fmt::format("{} has no attribute '{}'", described(type), name));
}

}  // namespace warpwise::script
