// Numba's typing rules, as its dispatcher answers (numba 0.68, operators and unify_pairs).
#include "src/script/promotion.hpp"

#include "src/script/times.hpp"

namespace warpwise::script {
namespace {

TypeData data_of(Kind kind) {
    return {.family = Family::Number, .kind = kind};
}

bool is_narrow(Kind kind) noexcept {
    return kind == Kind::Bool || kind == Kind::Int8 || kind == Kind::UInt8 || kind == Kind::Int16 ||
           kind == Kind::UInt16;
}

Kind integer_result(Kind a, Kind b) noexcept {
    const auto is_signed = [](Kind kind) {
        return kind == Kind::Bool || data_of(kind).is_signed();
    };
    return is_signed(a) || is_signed(b) ? Kind::Int64 : Kind::UInt64;
}

// Of two kinds of which one is real or complex.
Kind inexact(Kind a, Kind b) noexcept {
    const bool is_complex = data_of(a).is_complex() || data_of(b).is_complex();
    const auto is_single = [](Kind kind) {
        return is_narrow(kind) || kind == Kind::Float16 || kind == Kind::Float32 ||
               kind == Kind::Complex64;
    };
    if (is_complex) return is_single(a) && is_single(b) ? Kind::Complex64 : Kind::Complex128;
    if (!is_single(a) || !is_single(b)) return Kind::Float64;
    const auto is_half = [](Kind kind) {
        return kind == Kind::Float16 || kind == Kind::Bool || kind == Kind::Int8 ||
               kind == Kind::UInt8;
    };
    return is_half(a) && is_half(b) ? Kind::Float16 : Kind::Float32;
}

}  // namespace

Kind unified(Kind a, Kind b) noexcept {
    if (a == b) return a;
    if (!data_of(a).is_whole() || !data_of(b).is_whole()) return inexact(a, b);
    if (a == Kind::Bool) return b;
    if (b == Kind::Bool) return a;
    const std::size_t wide = std::max(DType(a).size(), DType(b).size());
    const bool first_signed = data_of(a).is_signed();
    if (first_signed == data_of(b).is_signed()) return DType(a).size() == wide ? a : b;
    const Kind of_signed = first_signed ? a : b;
    const Kind of_unsigned = first_signed ? b : a;
    if (DType(of_signed).size() > DType(of_unsigned).size()) return of_signed;
    switch (DType(of_unsigned).size()) {
        case 1:
            return Kind::Int16;
        case 2:
            return Kind::Int32;
        case 4:
            return Kind::Int64;
        default:
            return Kind::Float64;
    }
}

std::optional<Type> unified(Type a, Type b) {
    if (a == b || b->family == Family::Unknown) return a;
    if (a->family == Family::Unknown) return b;
    if (a->is_number() && b->is_number()) return number_type(unified(a->kind, b->kind));
    if (a->is_time() && b->is_time() && is_date(a) == is_date(b)) {
        const std::optional<Type> joint = joint_time(a, b, is_date(a));
        const bool converts = joint && time_conversion(a, *joint) && time_conversion(b, *joint);
        return converts ? joint : std::nullopt;
    }
    if (a->is_chars() && b->is_chars() && a->kind == b->kind) return a->number < b->number ? b : a;
    if (a->is_array() && b->is_array() && a->element == b->element && a->rank == b->rank) {
        const bool is_strided = a->layout == Layout::Strided || b->layout == Layout::Strided;
        if (a->is_packed != b->is_packed) return std::nullopt;
        TypeData data = *with_axes(a, a->rank, is_strided ? Layout::Strided : Layout::C);
        data.is_constant = a->is_constant || b->is_constant;
        data.is_list = a->is_list || b->is_list;
        data.is_made = a->is_made || b->is_made;
        if (a->number != b->number) data.number = data.is_made ? std::max(a->number, b->number) : 0;
        if (a->is_made && b->is_made && a->shape == b->shape) data.shape = a->shape;
        return intern(std::move(data));
    }
    if (a->has_items() && a->family == b->family && a->items.size() == b->items.size() &&
        a->name == b->name && a->number == b->number && a->is_fields == b->is_fields &&
        a->rank == b->rank && a->is_made == b->is_made && (a->is_tuple() || a->names == b->names)) {
        TypeData data = *a;
        for (std::size_t i = 0; i < a->items.size(); ++i) {
            const std::optional<Type> item = unified(a->items[i], b->items[i]);
            if (!item) return std::nullopt;
            data.items[i] = *item;
        }
        return intern(std::move(data));
    }
    return std::nullopt;
}

std::optional<Kind> binary_kind(std::string_view op, Kind a, Kind b) noexcept {
    const TypeData left = data_of(a);
    const TypeData right = data_of(b);
    const bool is_whole = left.is_whole() && right.is_whole();
    const bool is_complex = left.is_complex() || right.is_complex();
    if (op == "&" || op == "|" || op == "^") {
        if (!is_whole) return std::nullopt;
        if (left.is_bool() && right.is_bool()) return Kind::Bool;
        return integer_result(a, b);
    }
    if (op == "<<" || op == ">>") {
        if (!is_whole) return std::nullopt;
        return left.is_integer() && !left.is_signed() ? Kind::UInt64 : Kind::Int64;
    }
    if (op == "/") {
        if (is_whole) return Kind::Float64;
        return inexact(a, b);
    }
    if (op == "//" || op == "%") {
        if (is_complex) return std::nullopt;
        return is_whole ? integer_result(a, b) : inexact(a, b);
    }
    // A power of a float with a whole exponent stays what it was.
    if (op == "**" && left.is_real() && right.is_whole()) return a;
    return is_whole ? integer_result(a, b) : inexact(a, b);
}

std::optional<Kind> unary_kind(std::string_view op, Kind a) noexcept {
    const TypeData operand = data_of(a);
    if (op == "~") {
        if (!operand.is_whole()) return std::nullopt;
        if (operand.is_bool()) return Kind::Int64;  // Python's ~True is -2
    }
    if (!operand.is_whole()) return a;
    return operand.is_bool() || operand.is_signed() ? Kind::Int64 : Kind::UInt64;
}

Kind real_kind(Kind kind) noexcept {
    return kind == Kind::Float32 || kind == Kind::Float16 ? kind : Kind::Float64;
}

Type total_type(Type element, bool is_mean) {
    if (!element->is_whole()) {
        return element->kind == Kind::Float16 ? number_type(Kind::Float32) : element;
    }
    if (is_mean) return number_type(Kind::Float64);
    const bool is_signed = element->is_bool() || element->is_signed();
    return number_type(is_signed ? Kind::Int64 : Kind::UInt64);
}

}  // namespace warpwise::script
