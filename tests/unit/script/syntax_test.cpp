// Reading the text of programs, and showing places in a source.
#include "src/script/syntax.hpp"

#include <gtest/gtest.h>

#include <string>

#include "src/script/program.hpp"
#include "warpwise/error.hpp"

namespace warpwise::script {
namespace {

TEST(Syntax, ReadsEveryFormOfValue) {
    const SyntaxTree tree(
        "[None True -12 #0x1.8p+1 @1,-2 \"a\\\"b\\n\" Ellipsis (Name 3 4 3 5 id \"x\") {tag 1 [2 "
        "3]}]");
    const auto& items = tree.root().items;
    ASSERT_EQ(items.size(), 9u);
    EXPECT_TRUE(items[0]->is_none());
    EXPECT_TRUE(items[1]->flag);
    std::int64_t number = 0;
    EXPECT_TRUE(items[2]->as_int(number));
    EXPECT_EQ(number, -12);
    EXPECT_EQ(items[3]->real, 3.0);
    EXPECT_EQ(items[4]->imaginary, -2.0);
    EXPECT_EQ(items[5]->text, "a\"b\n");
    EXPECT_EQ(items[6]->form, Syntax::Form::Ellipsis);
    EXPECT_TRUE(items[7]->is("Name"));
    EXPECT_EQ(items[7]->place.column, 4);
    EXPECT_EQ((*items[7])["id"].text, "x");
    EXPECT_TRUE((*items[7])["absent"].is_none());
    EXPECT_TRUE(items[8]->is_tagged("tag"));
    EXPECT_EQ(items[8]->items[1]->items.size(), 2u);
}

TEST(Syntax, NumbersBeyond64BitsAreNoNumbers) {
    const SyntaxTree tree("[18446744073709551615 18446744073709551616]");
    std::int64_t number = 0;
    std::uint64_t wide = 0;
    EXPECT_FALSE(tree.root().items[0]->as_int(number));
    EXPECT_TRUE(tree.root().items[0]->as_uint(wide));
    EXPECT_FALSE(tree.root().items[1]->as_uint(wide));
}

TEST(Syntax, RefusesDamagedTextsWithTheirOffset) {
    for (const char* text : {"", "[", "(Name 1", "[1]]", "\"a", "{", "[nonsense]", "#1q", "[1-]"}) {
        EXPECT_THROW(SyntaxTree{text}, ArgumentError) << text;
    }
    const std::string deep(5000, '[');
    EXPECT_THROW(SyntaxTree{deep}, ArgumentError);
    for (const char* text : {"[]", "[1]", "[{function 1}]"}) {
        EXPECT_THROW(Program{text}, ArgumentError) << text;
    }
}

TEST(Syntax, ShowsPlacesInCharacters) {
    const SourceText source{"f", "f.py", 10, {"def f():", "    é = ü + 1"}};
    const Place place{11, 9, 11, 11};  // of ü, in bytes: é has two
    EXPECT_EQ(source.location(place), "f.py:11:9");
    EXPECT_EQ(source.shown(place, "no"),
              "f.py:11:9: error: no (in 'f')\n    é = ü + 1\n        ^\n");
    try {
        refuse(source, place, "no");
        FAIL();
    } catch (const CompileError& error) {
        EXPECT_EQ(error.line(), 11);
        EXPECT_EQ(error.file(), "f.py");
    }
}

}  // namespace
}  // namespace warpwise::script
