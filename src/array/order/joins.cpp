// See joins.hpp.
#include "src/array/order/joins.hpp"

#include <algorithm>
#include <array>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"

namespace warpwise::array {
namespace {

using ir::Op;

constexpr std::array kJoining = {
    Op::Add,        Op::Multiply,  Op::Maximum,    Op::Minimum,    Op::Fmax,      Op::Fmin,
    Op::LogicalAnd, Op::LogicalOr, Op::LogicalXor, Op::BitwiseAnd, Op::BitwiseOr, Op::BitwiseXor,
};

std::string names() {
    std::string text;
    for (const Op op : kJoining) text += (text.empty() ? "" : ", ") + std::string(row_of(op).name);
    return text;
}

bool is_widened(const Join& join) {
    return join.op == Op::Add || join.op == Op::Multiply;
}

}  // namespace

Join join_named(std::string_view ufunc, std::string_view function) {
    const std::optional<Op> op = ir::op_named(ufunc);
    if (!op || std::ranges::find(kJoining, *op) == kJoining.end()) {
        refuse_value("{} got the function '{}'; it takes {}", function, ufunc, names());
    }
    const std::string functor = *op == Op::Add        ? "sum"
                                : *op == Op::Multiply ? "product"
                                                      : std::string(ufunc);
    return {std::string(ufunc) + "." + std::string(function), "__ww_joined_" + functor, *op};
}

Kind joined_kind(const Join& join, const Array& array, const std::optional<DType>& dtype) {
    require_numbers(array, join.name);
    if (dtype && !types::is_number(dtype->kind())) {
        refuse_type("{} got dtype={}; it must be a type of numbers", join.name, dtype->name());
    }
    const Kind own = kind_of(array);
    if (is_widened(join)) {
        if (dtype) return dtype->kind();
        if (types::is_bool(own) || types::is_signed(own)) return Kind::Int64;
        return types::is_unsigned(own) ? Kind::UInt64 : own;
    }
    const Kind result = ir::types_of_equal(join.op, dtype ? dtype->kind() : own).result;
    if (dtype && result != dtype->kind()) {
        refuse_type("{} got dtype={}; its results are {}", join.name, dtype->name(),
                    DType(result).name());
    }
    return result;
}

}  // namespace warpwise::array
