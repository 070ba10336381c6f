// Whole translations of small programs: the text, the signature, what is written, what is refused.
#include "src/script/translate.hpp"

#include <gtest/gtest.h>

#include <string>

#include "warpwise/error.hpp"

namespace warpwise::script {
namespace {

std::string name(const char* id, const char* context = "Load") {
    return std::string("(Name 2 4 2 5 id \"") + id + "\" ctx (" + context + " 0 0 0 0))";
}

std::string number(const char* text) {
    return std::string("(Constant 2 4 2 5 value ") + text + ")";
}

std::string binary(const std::string& a, const char* op, const std::string& b) {
    return "(BinOp 2 4 2 9 left " + a + " op (" + op + " 0 0 0 0) right " + b + ")";
}

std::string element(const char* array, const std::string& index, const char* context) {
    return "(Subscript 2 4 2 8 value " + name(array) + " slice " + index + " ctx (" + context +
           " 0 0 0 0))";
}

std::string assign(const std::string& target, const std::string& value) {
    return "(Assign 2 4 2 16 targets [" + target + "] value " + value + ")";
}

// def f(x, n): body
Program program(const std::string& body) {
    return Program(
        "[{function \"f\" \"f.py\" 1 [\"def f(x, n):\" \"    the body\"] (FunctionDef 1 0 2 16 "
        "name "
        "\"f\" args (arguments 0 0 0 0 posonlyargs [] args [(arg 1 6 1 7 arg \"x\") (arg 1 9 1 10 "
        "arg \"n\")] kwonlyargs [] kw_defaults [] defaults []) body [" +
        body + "]) {scope} {defaults}}]");
}

Translated translated(const std::string& body, const char* types, bool zero_unset = false) {
    return translate(program(body), parse_signature(types), {.zero_unset = zero_unset});
}

TEST(Translate, ArraysAreStructsByValue) {
    const std::string body =
        assign(element("x", number("0"), "Store"), binary(name("n"), "Add", number("1")));
    const Translated dense = translated(body, "float32[::1], int64");
    EXPECT_NE(dense.source.find("void f(__ww_py_array<float, 1> x, long long n)"),
              std::string::npos)
        << dense.source;
    EXPECT_NE(dense.source.find("x, long long n) {\n    x[0] = n + 1;\n}"), std::string::npos);
    EXPECT_EQ(dense.signature.argument_bytes, 24u);
    EXPECT_EQ(dense.signature.parameters[0].size, 16u);
    EXPECT_EQ(dense.written, std::set<std::size_t>{0});
    const Translated strided = translated(body, "float32[:], int32");
    EXPECT_EQ(strided.signature.parameters[0].size, 24u);
    EXPECT_NE(strided.source.find("x[0] = (long long)n + 1;"), std::string::npos) << strided.source;
}

TEST(Translate, SignedIndicesWrapUnlessTheyCannotBeNegative) {
    const Translated wrapped =
        translated(assign(element("x", name("n"), "Store"), number("1")), "int64[:], int64");
    EXPECT_NE(wrapped.source.find("x[__ww_py_wrap(n, x.shape[0])] = 1;"), std::string::npos);
    const Translated plain =
        translated(assign(element("x", name("n"), "Store"), number("1")), "int64[:], uint32");
    EXPECT_EQ(plain.source.find("wrap"), std::string::npos) << plain.source;
}

TEST(Translate, ChecksAreThereOnRequest) {
    const std::string raise = "(Raise 2 4 2 9 exc (Call 2 4 2 9 func " + name("ValueError") +
                              " args [(Constant 2 4 2 9 value \"no\")] keywords []))";
    const std::string body =
        assign(element("x", name("n"), "Store"), binary(number("1"), "Div", name("n"))) + raise;
    const auto types = parse_signature("float64[::1], int64");
    const Translated checked = translate(program(body), types, {.checks = true});
    ASSERT_EQ(checked.raises.size(), 3u) << checked.source;
    EXPECT_EQ(checked.raises[0].exception, "ZeroDivisionError");
    EXPECT_EQ(checked.raises[1].exception, "IndexError");
    EXPECT_EQ(checked.raises[1].detail, Raise::Detail::Index);
    EXPECT_EQ(checked.raises[2].exception, "ValueError");
    EXPECT_EQ(checked.raises[2].message, "no");
    EXPECT_EQ(checked.raises[2].place.line, 2);
    EXPECT_NE(checked.source.find("__ww_py_raise(__ww_raised, 3);"), std::string::npos)
        << checked.source;
    EXPECT_EQ(checked.words.back().argument, kRaised);
    const Translated plain = translate(program(body), types);
    EXPECT_TRUE(plain.raises.empty());
    EXPECT_EQ(plain.source.find("raise"), std::string::npos) << plain.source;
    EXPECT_EQ(plain.words.size(), 2u);
}

TEST(Translate, VariablesTakeAllTheirTypes) {
    const std::string loop =
        "(While 2 4 2 9 test " + name("n") + " body [" +
        assign(name("v", "Store"), binary(name("v"), "Mult", number("#0x1p-1"))) + "] orelse [])";
    const Translated result = translated(assign(name("v", "Store"), number("1")) + loop +
                                             assign(element("x", number("0"), "Store"), name("v")),
                                         "float64[::1], int64");
    EXPECT_NE(result.source.find("double v = 1.0;"), std::string::npos) << result.source;
}

TEST(Translate, VariablesThatMayBeUnsetAreRefused) {
    const std::string body = "(If 2 4 2 9 test " + name("n") + " body [" +
                             assign(name("v", "Store"), number("1")) + "] orelse [])" +
                             assign(element("x", number("0"), "Store"), name("v"));
    EXPECT_THROW(translated(body, "int64[:], int64"), CompileError);
    const Translated zero = translated(body, "int64[:], int64", true);
    EXPECT_NE(zero.source.find("int v{};"), std::string::npos) << zero.source;
}

TEST(Translate, CallsWithTheWrongNumberOfArgumentsAreRefused) {
    EXPECT_THROW(translated("(Pass 2 4 2 8)", "int64"), ArgumentError);
    EXPECT_EQ(text_of(result_of(
                  program("(Return 2 4 2 9 value " + binary(name("x"), "Div", name("n")) + ")"),
                  parse_signature("int32, int32"))),
              "float64");
}

}  // namespace
}  // namespace warpwise::script
