// What is seen of how a text uses its arrays, and what is not believed.
#include "src/algorithm/usage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/algorithm/sample_kernels.hpp"
#include "warpwise/error.hpp"

namespace warpwise::algorithm {
namespace {

using testing::HasSubstr;

Usage read(std::string_view operation, KernelText text = {.name = "k"}) {
    return definition_of("const float *x, float *y, float *z, float a", operation, std::move(text))
        .usage;
}

TEST(Usage, SeesPlainUses) {
    const Usage usage = read("z[i] = a * x [ i ] + y[i]");
    EXPECT_TRUE(usage.is_plain);
    EXPECT_FALSE(usage.uses_index);
    EXPECT_FALSE(usage.arrays[1].may_write);
    EXPECT_TRUE(usage.arrays[2].may_write);
    EXPECT_TRUE(usage.arrays[2].is_written_first);
    EXPECT_EQ(usage.statements, 1u);
}

TEST(Usage, SeesOtherIndicesAndAddresses) {
    EXPECT_FALSE(read("z[i] = x[i + 1]").is_plain);
    EXPECT_FALSE(read("z[i] = x[i + 1]").arrays[0].is_at_index);
    EXPECT_FALSE(read("z[i] = *x").is_plain);
    EXPECT_EQ(read("z[i] = *(x + i)").arrays[0].address, 9u);
    EXPECT_EQ(read("atomicAdd(&z[i], a)").arrays[2].address, 11u);
    EXPECT_TRUE(read("z[i] = (int)y[i] & (int)x[i]").is_plain);
    EXPECT_FALSE(read("z[i] = a & x[i]").arrays[0].address.has_value());
}

TEST(Usage, KnowsMembersFromArrays) {
    EXPECT_TRUE(read("float4 v; v.x = 1; z[i] = v.x").is_plain);
    EXPECT_TRUE(read("z[i].w = 1").arrays[2].may_write);
    EXPECT_FALSE(read("z[i].w = 1").arrays[2].is_written_first);
}

TEST(Usage, SeesWhatIsWritten) {
    for (const char* const text : {"y[i] = 1", "y[i] += 1", "y[i]++", "--y[i]", "y[i] >>= 1",
                                   "y[3] = 1", "*(y + i) = 1", "float &r = y[i]; r = 1"}) {
        EXPECT_TRUE(read(text).arrays[1].may_write) << text;
    }
    EXPECT_FALSE(read("z[i] = y[i] == 1 && y[i] >= 2").arrays[1].may_write);
    EXPECT_FALSE(read("z[i] = sin(y[i])").arrays[1].may_write);
    EXPECT_TRUE(read("f(y[i])", {.name = "k", .preamble = "__device__ void f(float &);"})
                    .arrays[1]
                    .may_write);
}

TEST(Usage, BelievesOnlyWritesThatAlwaysRunFirst) {
    for (const char* const text :
         {"z[i] = z[i] + 1", "if (a > 1) z[i] = 1", "if (a > 1) ; else z[i] = 1",
          "for (int k = 0; k < 2; ++k) z[i] = k", "a = z[i]; z[i] = 1", "{ z[i] = 1; }",
          "if (a > 1) continue; z[i] = 1", "z[i] += 1", "y[i] = z[i] = 1"}) {
        EXPECT_FALSE(read(text).arrays[2].is_written_first) << text;
    }
    for (const char* const text : {"float b = a; z[i] = b", "if (a > 1) { a = 0; } z[i] = a",
                                   "z[i] = 1; if (a > 1) continue; z[i] = 2"}) {
        EXPECT_TRUE(read(text).arrays[2].is_written_first) << text;
    }
    EXPECT_FALSE(
        read("LEAVE; z[i] = 1", {.name = "k", .preamble = "#define LEAVE if (x[i] > 0) continue"})
            .arrays[2]
            .is_written_first);
}

TEST(Usage, TakesNothingForPlainThatLeavesOrChangesTheIndex) {
    for (const char* const text :
         {"return; z[i] = 1", "i = 3; z[i] = 1", "z[i++] = 1",
          "for (int i = 0; i < 3; ++i) z[i] = 1", "size_t *p = &i; z[i] = *p", "z[i] = tid",
          "auto f = [] { return 1; }; z[i] = f()"}) {
        EXPECT_FALSE(read(text).is_plain) << text;
    }
    EXPECT_TRUE(read("z[i] = i").is_plain);
    EXPECT_TRUE(read("z[i] = i").uses_index);
}

TEST(Usage, DistrustsMacros) {
    EXPECT_FALSE(read("z[i] = NEXT", {.name = "k", .preamble = "#define NEXT x[i + 1]"}).is_plain);
    EXPECT_FALSE(read("z[i] = NEXT", {.name = "k", .options = {"-DNEXT=x[i+1]"}}).is_plain);
    EXPECT_TRUE(read("z[i] = N", {.name = "k", .options = {"-DN=3"}}).is_plain);
}

TEST(Usage, ReadsPastCommentsAndLiterals) {
    const Usage usage = read("z[i] = 1; // x\n/* y */ const char *s = \"x y\"; char c = 'x'");
    EXPECT_FALSE(usage.arrays[0].is_at_index || usage.arrays[0].is_elsewhere);
    EXPECT_FALSE(usage.arrays[1].is_at_index || usage.arrays[1].is_elsewhere);
}

TEST(Brackets, ThatDoNotMatchHaveAPlace) {
    require_balanced("a(b[1]{})", "k.operation");
    require_balanced("#if 1\n{\n#endif", "k.operation");
    for (const auto& [text, message] :
         {std::pair{"a\n (b", "k.operation:2: '(' is not closed"},
          std::pair{"a)", "k.operation:1: ')' closes nothing"}, std::pair{"(a]", "']' closes"}}) {
        try {
            require_balanced(text, "k.operation");
            ADD_FAILURE() << text;
        } catch (const CompileError& error) {
            EXPECT_THAT(error.what(), HasSubstr(message));
        }
    }
}

}  // namespace
}  // namespace warpwise::algorithm
