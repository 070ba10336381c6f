// Executor gang without mask registers: what some lanes of a vector store, to elements that they
// have read and to others.
#include <fmt/format.h>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::ContainsRegex;
using testing::Not;

// Of bytes `s` and `t`, under a condition of the thread's own element.
std::string ir_of(std::string_view body, const char* level = "x86-64-v3") {
    const std::string source = fmt::format(
        R"(extern "C" __global__ void k(unsigned char* s, unsigned char* t, int* counter, int n) {{
               int i = blockIdx.x * blockDim.x + threadIdx.x; {} }})",
        body);
    return text_of(
        compile(source, "llvm", level, {"--warpwise-executor=auto", "--warpwise-block=256,1,1"}));
}

// What is stored of a vector is chosen between the new elements and those that lie there.
bool stores_whole(std::string_view body, const char* level = "x86-64-v3") {
    static const testing::Matcher<const std::string&> kBlend =
        ContainsRegex("select <[0-9]+ x i1> [^\n]*, <[0-9]+ x i8> [^\n]*\n *store <[0-9]+ x i8>");
    return kBlend.Matches(ir_of(body, level));
}

TEST(GangOwnElements, AreStoredWhole) {
    EXPECT_TRUE(stores_whole("if (i < n && s[i] > 7) s[i] -= 7;"));
    EXPECT_TRUE(stores_whole("if (i < n && s[i] > 7) { s[i] = 7; t[i + 1] = 7; }"));
}

TEST(GangOwnElements, HaveMaskedStoresWithMaskRegisters) {
    EXPECT_FALSE(stores_whole("if (i < n && s[i] > 7) s[i] -= 7;", "x86-64-v4"));
}

TEST(GangOwnElements, AreThoseThatTheThreadHasRead) {
    EXPECT_FALSE(stores_whole("if (i < n && t[i] > 7) s[i] = 7;"));
    EXPECT_FALSE(stores_whole("if (i < n && s[i + 1] > 7) s[i] = 7;"));
}

constexpr const char* kUnread = "if (counter[i] > n) s[i] = 7;";

// One lane or two are a loop, more store each to its element or to none.
TEST(GangOtherElements, AreStoredToPlacesThatLanesChoose) {
    EXPECT_THAT(ir_of(kUnread), ContainsRegex("select i1 %[^\n]*, ptr %lanes"));
    EXPECT_THAT(ir_of(kUnread, "x86-64-v4"), Not(ContainsRegex("ptr %lanes")));
}

// Threads that have not read theirs under the condition may see it written by others.
TEST(GangOwnElements, AreReadByAllLanesOfTheVector) {
    EXPECT_FALSE(stores_whole("if (t[i] > 7) s[i] -= 7;"));
}

// Marks that other threads set meanwhile, by a race that the program can bear, stay.
TEST(GangOwnElements, AreStoredByNoOtherThread) {
    EXPECT_FALSE(stores_whole("if (i < n && s[i] > 7) { s[i] -= 7; s[t[i]] = 1; }"));
}

TEST(GangOwnElements, AreNotThoseOfThreadsThatSynchronise) {
    EXPECT_FALSE(stores_whole("if (s[i] > 7) s[i] -= 7; __syncthreads(); t[i ^ 1] = s[i];"));
    EXPECT_FALSE(stores_whole("if (s[i] > 7) { s[i] -= 7; atomicAdd(counter, 1); }"));
    EXPECT_FALSE(stores_whole("if (s[i] > 7) { s[i] -= 7; __threadfence(); }"));
    EXPECT_FALSE(stores_whole("if (((volatile unsigned char*)s)[i] > 7) s[i] = 7;"));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
