// Executor gang: loops that take their places from a stack, or look for something in a row, run
// one lane after the other.
#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string ir_of(std::string_view source, std::vector<std::string> options = {}) {
    options.insert(options.end(), {"--warpwise-executor=auto", "--warpwise-block=128,1,1"});
    return text_of(compile(source, "llvm", "x86-64-v4", std::move(options)));
}

constexpr std::string_view kTree = R"(
    struct Node { float least, most; int left, right; };
    extern "C" __global__ void k(const Node* tree, const float* x, int* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float at = x[i];
        int stack[32], top = 0, found = 0;
        stack[top++] = 0;
        while (top) {
            const Node& node = tree[stack[--top]];
            if (at < node.least || at > node.most) continue;
            if (node.left < 0) {
                ++found;
            } else {
                stack[top++] = node.left;
                stack[top++] = node.right;
            }
        }
        y[i] = found;
    })";

TEST(GangStacks, AreThoseOfOneLaneAfterTheOther) {
    EXPECT_THAT(ir_of(kTree), Not(HasSubstr("@llvm.masked.gather")));
    EXPECT_THAT(ir_of(kTree, {"--warpwise-skip-pass=outline-lane-loops"}),
                HasSubstr("@llvm.masked.gather"));
}

// Each lane waits for what it reads, and all of them wait together.
TEST(GangStacks, AreNotListsOfPlaces) {
    EXPECT_THAT(ir_of(R"(
        extern "C" __global__ void k(const int* next, const int* x, int* y) {
            int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
            for (int at = x[i]; at >= 0; at = next[at]) ++count;
            y[i] = count;
        })"),
                HasSubstr("@llvm.masked.gather"));
}

constexpr std::string_view kOrdered = R"(
    extern "C" __global__ void k(const float* x, float* y, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float best[8];
        for (int k = 0; k < 8; ++k) best[k] = -1;
        for (int k = 0; k < n; ++k) {
            float v = x[k * 4096 + i];
            int at = 7;
            while (at > 0 && best[at - 1] < v) { best[at] = best[at - 1]; --at; }
            best[at] = v;
        }
        for (int k = 0; k < 8; ++k) y[i * 8 + k] = best[k];
    })";

// Numbers that a loop keeps in order are no places.
TEST(GangStacks, AreNotTablesOfNumbers) {
    EXPECT_EQ(ir_of(kOrdered), ir_of(kOrdered, {"--warpwise-skip-pass=outline-lane-loops"}));
}

// Lanes leave with what they have found, or at the end of the row.
TEST(GangSearches, InRowsAreThoseOfOneLaneAfterTheOther) {
    EXPECT_THAT(ir_of(R"(
        extern "C" __global__ void k(const int* first, const int* next, int* level, int current,
                                     int* any) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (level[i] >= 0) return;
            for (int e = first[i]; e < first[i + 1]; ++e) {
                if (level[next[e]] != current) continue;
                level[i] = current + 1;
                *any = 1;
                break;
            }
        })"),
                Not(HasSubstr("@llvm.masked.gather")));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
