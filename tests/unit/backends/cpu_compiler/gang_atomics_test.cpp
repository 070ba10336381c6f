// Executor gang: atomic updates, of one place and of scattered ones.
#include <fmt/format.h>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string gang_ir(std::string_view source) {
    return text_of(compile(source, "llvm", "x86-64-v4", {"--warpwise-executor=gang"}));
}

TEST(GangAtomics, NobodyReadsAreCombinedFirst) {
    const std::string ir = gang_ir(R"(
        __global__ void k(int* sum, const int* x) { atomicAdd(sum, x[threadIdx.x]); })");
    EXPECT_THAT(ir, HasSubstr("@llvm.vector.reduce.add"));
}

TEST(GangAtomics, OfOnePlaceAreOneUpdateAndCountsOfLanes) {
    const std::string ir = gang_ir(R"(
        __global__ void k(int* count, int* out, const int* x) {
            if (x[threadIdx.x] > 3) out[atomicAdd(count, 1)] = x[threadIdx.x];
        })");
    EXPECT_THAT(ir, HasSubstr("@llvm.ctpop"));
    EXPECT_THAT(ir, HasSubstr("atomicrmw add"));
    EXPECT_THAT(ir, Not(HasSubstr("lanes.all")));
}

TEST(GangAtomics, SumsOfFloatsAreStoredOnce) {
    const std::string ir = gang_ir(R"(
        __global__ void k(float* sum, const float* x) { atomicAdd(sum, x[threadIdx.x]); })");
    EXPECT_THAT(ir, HasSubstr("cmpxchg"));
    EXPECT_THAT(ir, Not(HasSubstr("atomicrmw fadd")));
}

// The update stands behind the loop over blocks, under a test whether there was any.
TEST(GangAtomics, ThatTheirThreadsCannotNoticeAreMadeOnceForManyBlocks) {
    const auto code = [](const char* body, const char* skip = "") {
        std::vector<std::string> options = {"--warpwise-executor=auto", "--warpwise-block=256"};
        if (*skip) options.emplace_back(skip);
        return text_of(compile(fmt::format(R"(
            __global__ void k(const float* x, unsigned* count, unsigned* out) {{
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                {}
            }})",
                                           body),
                               "llvm", "x86-64-v4", options));
    };
    EXPECT_THAT(code("if (x[i] > 3) atomicAdd(count, 1u);"), HasSubstr("%updates"));
    EXPECT_THAT(code("if (x[i] > 3) atomicAdd(count, 1u);", "--warpwise-skip-pass=defer-updates"),
                Not(HasSubstr("%updates")));
    for (const char* noticed :
         {"atomicAdd(count, 1u); out[i] = x[i];", "atomicAdd(count, 1u); __threadfence();",
          "out[i] = atomicAdd(count, 1u);", "atomicMax(count, 1u); out[i] = atomicAdd(out, 1u);",
          "for (; x[i] > 0; i += 9) atomicAdd(count, 1u);", "atomicAdd(count + i / 256, 1u);"}) {
        EXPECT_THAT(code(noticed), Not(HasSubstr("%updates"))) << noticed;
    }
}

// The bytes go over the stack, not the addresses made of them; a full gang needs no bits to search.
TEST(GangAtomics, OnScatteredPlacesTakeEachLanesIndex) {
    const std::string ir = gang_ir(R"(
        __global__ void k(int* counts, const unsigned char* x) {
            atomicAdd(&counts[x[threadIdx.x]], 1);
        })");
    EXPECT_THAT(ir, HasSubstr("lanes.all"));
    EXPECT_THAT(ir, HasSubstr("load i8"));
    EXPECT_THAT(ir, Not(HasSubstr("store <16 x ptr>")));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
