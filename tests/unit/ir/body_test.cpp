// Bodies: equal values once, what verify refuses, text.
#include "src/ir/body.hpp"

#include <gmock/gmock.h>

#include "warpwise/error.hpp"

namespace warpwise::ir {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Form = Instruction::Form;

Instruction input(Kind kind, std::uint16_t number = 0) {
    return {.form = Form::Input, .kind = kind, .number = number};
}

Instruction cast(Kind kind, ValueId value) {
    return {.form = Form::Cast, .kind = kind, .operands = {value}};
}

Instruction apply(Op op, Kind kind, ValueId a, ValueId b = 0) {
    return {.form = Form::Apply, .kind = kind, .op = op, .operands = {a, b}};
}

// x * s + i, in float32, for an int8 x.
Body example() {
    Body body;
    const ValueId x = body.add(cast(Kind::Float32, body.add(input(Kind::Int8))));
    const ValueId s = body.add({.form = Form::Scalar, .kind = Kind::Float32});
    const ValueId i = body.add({.form = Form::Index, .kind = Kind::Int64, .number = 1});
    const ValueId product = body.add(apply(Op::Multiply, Kind::Float32, x, s));
    body.add(apply(Op::Add, Kind::Float32, product, body.add(cast(Kind::Float32, i))));
    return body;
}

TEST(Body, KeepsEqualValuesOnce) {
    Body body;
    const ValueId x = body.add(input(Kind::Float32));
    const ValueId y = body.add(input(Kind::Float32, 1));
    const ValueId sum = body.add(apply(Op::Add, Kind::Float32, x, y));
    EXPECT_EQ(body.add(input(Kind::Float32)), x);
    EXPECT_EQ(body.add(apply(Op::Add, Kind::Float32, x, y)), sum);
    EXPECT_NE(body.add(apply(Op::Add, Kind::Float32, y, x)), sum);
    EXPECT_EQ(body.instructions.size(), 4U);
}

TEST(Body, IsPrintedALineAValue) {
    EXPECT_EQ(print(example()),
              "%0 = input int8 0\n"
              "%1 = cast float32 %0\n"
              "%2 = scalar float32 0\n"
              "%3 = index int64 1\n"
              "%4 = multiply float32 %1 %2\n"
              "%5 = cast float32 %3\n"
              "%6 = add float32 %4 %5\n");
}

// What verify() refuses can still be shown.
TEST(Body, PrintsAnOperationThatThereIsNot) {
    Body body;
    body.add(apply(Op::kCount, Kind::Float32, body.add(input(Kind::Float32))));
    EXPECT_THAT(print(body), HasSubstr("%1 = apply float32"));
}

TEST(Verify, AcceptsWhatIsWellTyped) {
    EXPECT_NO_THROW(verify(example(), 1, 1, 2));
    EXPECT_NO_THROW(verify(Body{}, 0, 0, 0));
}

TEST(Verify, RefusesNumbersBeyondWhatIsBound) {
    EXPECT_THAT([] { verify(example(), 0, 1, 2); },
                ThrowsMessage<Error>(HasSubstr("input 0 of 0")));
    EXPECT_THAT([] { verify(example(), 1, 0, 2); },
                ThrowsMessage<Error>(HasSubstr("scalar 0 of 0")));
    EXPECT_THAT([] { verify(example(), 1, 1, 1); },
                ThrowsMessage<Error>(HasSubstr("index 1 of 1")));
}

TEST(Verify, RefusesLaterOperands) {
    Body body = example();
    body.instructions[1].operands[0] = 1;
    EXPECT_THAT([&] { verify(body, 1, 1, 2); },
                ThrowsMessage<Error>(HasSubstr("value %1 of a body uses %1 before it is there")));
}

TEST(Verify, RefusesWrongKinds) {
    Body mixed = example();
    mixed.instructions[4].operands[0] = 0;  // int8 * float32
    EXPECT_THAT([&] { verify(mixed, 1, 1, 2); },
                ThrowsMessage<Error>(HasSubstr("applies multiply in float32 to a int8")));
    Body wrong_result = example();
    wrong_result.instructions[6].kind = Kind::Float64;
    EXPECT_THAT([&] { verify(wrong_result, 1, 1, 2); },
                ThrowsMessage<Error>(HasSubstr("is float64, but add gives float32")));
    Body wrong_index = example();
    wrong_index.instructions[3].kind = Kind::Int32;
    EXPECT_THROW(verify(wrong_index, 1, 1, 2), Error);
    Body no_kind = example();
    no_kind.instructions[0].kind = Kind::Struct;
    EXPECT_THROW(verify(no_kind, 1, 1, 2), Error);
}

TEST(Verify, RefusesOpsThatTheRuleDoesNotDefine) {
    Body body;
    body.add(apply(Op::Floor, Kind::Complex64, body.add(input(Kind::Complex64))));
    EXPECT_THAT([&] { verify(body, 1, 0, 0); }, ThrowsMessage<Error>(HasSubstr("mistyped")));
    body.instructions[1].op = Op::kCount;
    EXPECT_THAT([&] { verify(body, 1, 0, 0); }, ThrowsMessage<Error>(HasSubstr("applies no op")));
}

}  // namespace
}  // namespace warpwise::ir
