// The table of ops, and the type rules. A rule refuses or maps a kind; promotion is done before.
#include "src/ir/op.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include "src/base/text.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/error.hpp"

namespace warpwise::ir {
namespace {

constexpr std::array kRows{
#define WARPWISE_OP(Name, name, arity, rule, cost, spelling, documentation) \
    OpRow{Op::Name, #name, arity, TypeRule::rule, Cost::cost, spelling, documentation},
#include "src/ir/ops.def"
#undef WARPWISE_OP
};
static_assert(kRows.size() == kOpCount);

std::string name_of(Kind kind) {
    return kind == Kind::Struct ? "struct" : DType(kind).name();  // which struct is not known here
}

std::string text_of(const OperandType& operand) {
    if (operand.weak == nullptr) return name_of(operand.kind);
    return fmt::format("the number {}", operand.weak->text());
}

std::string list_of(std::span<const OperandType> operands) {
    std::vector<std::string> names;
    for (const OperandType& operand : operands) names.push_back(text_of(operand));
    return join(names, " and ");
}

[[noreturn]] void refuse(const OpRow& row, std::span<const OperandType> operands,
                         std::string_view advice) {
    throw ArgumentError(
        ArgumentError::Kind::Type,
        fmt::format("{} is not defined for {}; {}", row.name, list_of(operands), advice));
}

bool is_floating_rule(TypeRule rule) {
    return rule == TypeRule::Floating || rule == TypeRule::RealFloating;
}

bool is_comparison(const OpRow& row) {
    return row.arity == 2 &&
           (row.rule == TypeRule::Compare || row.rule == TypeRule::CompareOrdered);
}

bool is_whole(Kind kind) {
    return types::is_integer(kind) || types::is_bool(kind);
}

// An integer kind that holds the values of `kind` and the integer; float64 where none does, which
// still orders them rightly as long as the integer is out of the range of `kind` on its lower side
// or `kind` has at most 32 bits.
Kind kind_for_both(Kind kind, const Scalar& scalar) {
    if (scalar.kind() == Kind::Int64 && kind != Kind::UInt64) return Kind::Int64;
    if (scalar.kind() == Kind::UInt64 && types::is_unsigned(kind)) return Kind::UInt64;
    if (scalar.kind() == Kind::UInt64 && kind == Kind::Int64) {
        return types::promote_weak(kind, scalar);  // throws: no kind holds both
    }
    return Kind::Float64;
}

// A weak scalar beside what the others promote to, where the op looks for integers' floats itself.
Kind with_weak(const OpRow& row, Kind kind, const Scalar& scalar) {
    if (types::is_integer(kind) && is_whole(scalar.kind())) {
        if (is_floating_rule(row.rule) || row.rule == TypeRule::Divide ||
            row.rule == TypeRule::Logical) {
            return kind;  // a float takes it, whatever its size
        }
        if (is_comparison(row) && !types::is_bool(scalar.kind()) && !scalar.fits(kind)) {
            return kind_for_both(kind, scalar);
        }
    }
    return types::promote_weak(kind, scalar);
}

// What the operands promote to together, integers not yet replaced by floats.
Kind promoted(const OpRow& row, std::span<const OperandType> operands) {
    Kind kind = Kind::Void;
    Kind floating = Kind::Void;
    for (const OperandType& operand : operands) {
        if (operand.weak != nullptr) continue;
        const Kind own = types::floating_kind(operand.kind);
        kind = kind == Kind::Void ? operand.kind : types::promote(kind, operand.kind);
        floating = floating == Kind::Void ? own : types::promote(floating, own);
    }
    const Kind strong = kind;
    for (const OperandType& operand : operands) {
        if (operand.weak == nullptr) continue;
        kind = kind == Kind::Void ? types::default_kind(*operand.weak)
                                  : with_weak(row, kind, *operand.weak);
    }
    if (!is_floating_rule(row.rule)) return kind;
    // As NumPy's functions: int16 beside uint16 is float32, since each alone is.
    if (kind == strong) return floating;
    const bool is_made_complex = types::is_real_float(strong) && types::is_complex(kind);
    return is_made_complex ? types::complex_kind(floating) : types::floating_kind(kind);
}

// The kind of computation for a promoted kind; Void where the rule refuses it.
Kind computation(TypeRule rule, Kind kind) {
    const Kind or_int8 = types::is_bool(kind) ? Kind::Int8 : kind;
    switch (rule) {
        case TypeRule::Numeric:
            return types::is_bool(kind) ? Kind::Void : kind;
        case TypeRule::NumericWidened:
            return or_int8;
        case TypeRule::Real:
            return types::is_complex(kind) ? Kind::Void : or_int8;
        case TypeRule::RealOrBool:
        case TypeRule::CompareOrdered:
            return types::is_complex(kind) ? Kind::Void : kind;
        case TypeRule::Floating:
            return types::floating_kind(kind);
        case TypeRule::RealFloating:
            return types::is_complex(kind) ? Kind::Void : types::floating_kind(kind);
        case TypeRule::Divide:
            return is_whole(kind) ? Kind::Float64 : kind;
        case TypeRule::Integer:
        case TypeRule::BitCount:
            return is_whole(kind) ? or_int8 : Kind::Void;
        case TypeRule::Bits:
            return is_whole(kind) ? kind : Kind::Void;
        case TypeRule::Logical:
            return Kind::Bool;
        case TypeRule::NumericOrBool:
        case TypeRule::Compare:
        case TypeRule::Test:
        case TypeRule::Magnitude:
        case TypeRule::Part:
        case TypeRule::Select:
        case TypeRule::Same:
            return kind;
    }
    return Kind::Void;
}

Kind result(TypeRule rule, Kind computation) {
    switch (rule) {
        case TypeRule::Compare:
        case TypeRule::CompareOrdered:
        case TypeRule::Test:
        case TypeRule::Logical:
            return Kind::Bool;
        case TypeRule::Magnitude:
        case TypeRule::Part:
            return types::real_kind(computation);
        case TypeRule::BitCount:
            return Kind::UInt8;
        default:
            return computation;
    }
}

std::string_view advice_for(TypeRule rule) {
    switch (rule) {
        case TypeRule::Numeric:
            return "convert bools to a number with astype first";
        case TypeRule::Integer:
        case TypeRule::Bits:
        case TypeRule::BitCount:
            return "it takes integers only";
        default:
            return "it takes real numbers only";
    }
}

void check_operands(const OpRow& row, std::span<const OperandType> operands) {
    if (operands.size() != static_cast<std::size_t>(row.arity)) {
        throw ArgumentError(
            ArgumentError::Kind::Type,
            fmt::format("{} takes {} operands, not {}", row.name, row.arity, operands.size()));
    }
    for (const OperandType& operand : operands) {
        if (!types::is_number(operand.kind)) refuse(row, operands, "it takes numbers and bools");
    }
}

// `values`: the operands that the kind of computation is for.
Kind forced_computation(const OpRow& row, std::span<const OperandType> values, Kind forced) {
    if (!types::is_number(forced) || computation(row.rule, forced) != forced) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            fmt::format("{} does not compute in {}; choose another dtype", row.name,
                                        name_of(forced)));
    }
    for (const OperandType& value : values) {
        if (row.rule == TypeRule::Logical || types::can_cast_same_kind(value.kind, forced))
            continue;
        throw ArgumentError(ArgumentError::Kind::Type,
                            fmt::format("{} cannot convert {} to dtype {}; use astype first",
                                        row.name, text_of(value), name_of(forced)));
    }
    return forced;
}

}  // namespace

std::span<const OpRow, kOpCount> all_ops() noexcept {
    return kRows;
}

const OpRow& row_of(Op op) noexcept {
    return kRows[static_cast<std::size_t>(op)];
}

std::optional<Op> op_named(std::string_view name) noexcept {
    const auto* const row = std::ranges::find(kRows, name, &OpRow::name);
    return row == kRows.end() ? std::nullopt : std::optional(row->op);
}

OpTypes types_of(Op op, std::span<const OperandType> operands, Kind forced) {
    const OpRow& row = row_of(op);
    check_operands(row, operands);
    std::span<const OperandType> values = operands;
    if (row.rule == TypeRule::Select) {
        if (!types::is_bool(operands[0].kind)) {
            throw ArgumentError(ArgumentError::Kind::Type,
                                fmt::format("{}: the condition is {}; it must be bool", row.name,
                                            text_of(operands[0])));
        }
        values = operands.subspan(1);
    }
    const Kind kind = forced == Kind::Void ? computation(row.rule, promoted(row, values))
                                           : forced_computation(row, values, forced);
    if (kind == Kind::Void) refuse(row, operands, advice_for(row.rule));
    return {.computation = kind, .result = result(row.rule, kind)};
}

OpTypes types_of_equal(Op op, Kind kind) {
    constexpr std::size_t kKinds = 32;
    static std::array<std::atomic<std::uint16_t>, kOpCount * kKinds> known{};  // 0: not known
    auto& entry = known[static_cast<std::size_t>(op) * kKinds + static_cast<std::size_t>(kind)];
    if (const std::uint16_t found = entry.load(std::memory_order_relaxed); found != 0) {
        return {static_cast<Kind>(found & 0xff), static_cast<Kind>(found >> 8)};
    }
    const OperandType one{kind, nullptr};
    const std::array<OperandType, 3> operands{one, one, one};
    const auto arity = static_cast<std::size_t>(row_of(op).arity);
    const OpTypes types = types_of(op, std::span(operands.data(), arity));
    entry.store(static_cast<std::uint16_t>(static_cast<unsigned>(types.computation) |
                                           static_cast<unsigned>(types.result) << 8),
                std::memory_order_relaxed);
    return types;
}

}  // namespace warpwise::ir
