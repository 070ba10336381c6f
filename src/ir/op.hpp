// The operations on elements: one row each in ops.def.
//
// An op takes operands of one kind, the kind of computation, which its type rule chooses from the
// kinds of the user's operands (where() takes a bool besides). Its result has that kind, or bool,
// or the real kind, by the rule. Code generation, the interpreter, the C++ functions, Python's
// and their documentation all come from the rows.
//
// Threading: constants and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "warpwise/dtype.hpp"
#include "warpwise/scalar.hpp"

namespace warpwise::ir {

enum class Op : std::uint16_t {
#define WARPWISE_OP(Name, ...) Name,
#include "src/ir/ops.def"
#undef WARPWISE_OP
    kCount
};

// How an op finds the kind it computes in and the kind of its result, from what its operands
// promote to. Integers mixed with floats, weak scalars and so on are promotion's matter
// (promotion.hpp).
enum class TypeRule : std::uint8_t {
    Numeric,         // any number but bool; result the same: subtract, negative
    NumericOrBool,   // any number; result the same: add, multiply
    NumericWidened,  // any number, bool as int8; result the same: pow, square
    Real,            // no complex, bool as int8; result the same: floor_divide, remainder
    RealOrBool,      // no complex; result the same: minimum, floor
    Floating,        // integers become floats (floating_kind); real and complex: exp, sin, sqrt
    RealFloating,    // integers become floats; complex refused: atan2, hypot, cbrt
    Divide,          // integers and bools become float64; real and complex
    Integer,         // integers, bool as int8: shifts
    Bits,            // integers and bool: bitwise_and
    Compare,         // any number, result bool: equal
    CompareOrdered,  // no complex, result bool: less, signbit
    Test,            // any number, result bool: isnan (false for integers)
    Logical,         // computes in bool, which every number converts to; result bool
    Magnitude,       // any number; complex gives its real kind: abs
    Part,            // any number; the real kind: real, imag
    Select,          // bool, then two of one kind; result that kind: where
    Same,            // any number; result the same: conj
    BitCount         // integers, bool as int8; result uint8: bitwise_count
};

// What an op costs, for the decision whether to compute it again or to store it.
enum class Cost : std::uint8_t { Cheap, Expensive };

struct OpRow {
    Op op;
    std::string_view name;  // the array API's or NumPy's name: "add"
    int arity = 0;          // 1 to 3
    TypeRule rule;
    Cost cost;
    // CUDA C++ over operands a, b, c of the kind of computation T; functions are those of the
    // headers in src/codegen/device/array/.
    std::string_view spelling;
    std::string_view documentation;  // one sentence
};

inline constexpr std::size_t kOpCount = static_cast<std::size_t>(Op::kCount);

std::span<const OpRow, kOpCount> all_ops() noexcept;  // in the order of the enum
const OpRow& row_of(Op op) noexcept;
std::optional<Op> op_named(std::string_view name) noexcept;

// What the rule makes of operands.
struct OpTypes {
    Kind computation = Kind::Void;  // operands are converted to it (Select: the last two)
    Kind result = Kind::Void;
};

// One operand as typing sees it: a kind, and the value where it is a weak scalar.
struct OperandType {
    Kind kind = Kind::Void;
    const Scalar* weak = nullptr;
};

// Throws ArgumentError naming the op and the kinds where the rule has no answer, and where a weak
// integer is out of the range of the integers beside it. Comparisons take such an integer and
// compare in a kind that holds it. int64 beside uint64 is float64, as NumPy promotes them; NumPy
// compares them exactly, which is up to the caller. `forced`: the kind of computation that the user
// asked for (dtype=), Void for none; operands must convert to it within their category.
OpTypes types_of(Op op, std::span<const OperandType> operands, Kind forced = Kind::Void);
// The same of operands that are all of one kind, for an op that is no selection. Quick: what was
// found is kept.
OpTypes types_of_equal(Op op, Kind kind);

}  // namespace warpwise::ir
