// A typed expression in static single assignment: what one point of an iteration space computes.
//
// Values are numbered in the order of their instructions; operands have smaller numbers. A Body
// holds no addresses, extents, strides or numbers: Input and Scalar refer to what a launch binds.
//
// Threading: plain values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "src/ir/draw.hpp"
#include "src/ir/op.hpp"

namespace warpwise::ir {

using ValueId = std::uint16_t;

struct Instruction {
    enum class Form : std::uint8_t {
        Input,   // the element of input `number` at this point
        Scalar,  // scalar `number`
        Index,   // the coordinate of this point along axis `number`; Int64
        Cast,    // operands[0] converted to `kind`, as NumPy's astype (to bool: whether not zero)
        Apply,   // `op` of operands, all of the kind of computation
        Draw,    // `draw` for element operands[0], an Int64; parameters are operands[1] and [2].
                 // Scalars `number` and the two behind it are the generator's, of UInt64
        // operands[0], an index into an axis of operands[1] elements (negative: from its end), as
        // one from 0 on. One outside of the axis is clipped, and reported as site operands[2] of
        // the launch. All Int64.
        Bound,
        Gather,  // the element of gathered input `number`, operands[0] (Int64) bytes further
    };
    Form form = Form::Input;
    Kind kind = Kind::Void;  // of the value
    Op op = Op::kCount;      // of Apply
    Draw draw = Draw::kCount;
    std::uint16_t number = 0;
    std::array<ValueId, 3> operands{};

    friend bool operator==(const Instruction&, const Instruction&) = default;
};

struct Body {
    std::vector<Instruction> instructions;

    // The number of an equal instruction that is there already, else of this one, appended.
    ValueId add(const Instruction& instruction);
    friend bool operator==(const Body&, const Body&) = default;
};

// Throws Error (a defect of the library) where operands are missing, later, or of kinds that the
// op's rule does not give. `inputs`, `scalars`, `axes`: how many of them there are.
void verify(const Body& body, int inputs, int scalars, int axes);
// One line an instruction: "%2 = add float32 %0 %1".
std::string print(const Body& body);

}  // namespace warpwise::ir
