// Executor gang: what the vector code of small kernels looks like, one construct each, so that a
// lost vector load or a mask that creeps in is noticed; and what stays with executor reference.
#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string gang_ir(std::string_view source) {
    return text_of(compile(source, "llvm", "x86-64-v4", {"--warpwise-executor=gang"}));
}

std::string executor_of(std::string_view source) {
    return kernel(compile(source, "llvm", "x86-64-v4", {"--warpwise-executor=auto"}), "k").executor;
}

TEST(GangAccess, ByThreadIsAVectorAccess) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* y, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] = 2 * x[i];
        })");
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.load.v16f32"));
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.store.v16f32"));
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
    EXPECT_THAT(ir, Not(HasSubstr("scatter")));
}

TEST(GangAccess, BySignedOffsetOfTheThreadIsAVectorAccess) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* y) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            y[i] = x[i + 1] - x[i - 1];
        })");
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
}

TEST(GangAccess, InAGridStrideLoopIsAVectorAccess) {
    const std::string ir = gang_ir(R"(
        __global__ void k(float* x, int n) {
            for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
                x[i] += 1;
        })");
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.load.v16f32"));
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
}

TEST(GangAccess, ByRowOfATileIsAVectorAccess) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* y, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
            y[j * n + i] = x[j * n + i];
        })");
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
    EXPECT_THAT(ir, Not(HasSubstr("scatter")));
}

TEST(GangAccess, OfOnePlaceIsOneLoad) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* y) { y[threadIdx.x] = x[blockIdx.x]; })");
    EXPECT_THAT(ir, HasSubstr("load float"));
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
}

TEST(GangAccess, ThroughAnIndexIsAGatherFromOneBase) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, const int* index, float* y) {
            y[threadIdx.x] = x[index[threadIdx.x]];
        })");
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.gather.v16f32"));
}

TEST(GangControl, ADivergentLoopRunsWhileALaneIsLeft) {
    const std::string ir = gang_ir(R"(
        __global__ void k(int* x) {
            int v = x[threadIdx.x], steps = 0;
            while (v > 1) { v = v % 2 ? 3 * v + 1 : v / 2; ++steps; }
            x[threadIdx.x] = steps;
        })");
    EXPECT_THAT(ir, HasSubstr("bitcast <16 x i1>"));
    EXPECT_THAT(ir, Not(HasSubstr("extractelement")));
}

TEST(GangControl, AUniformLoopCountsOnce) {
    const std::string ir = gang_ir(R"(
        __global__ void k(float* x, int n) {
            float sum = 0;
            for (int i = 0; i < n; ++i) sum += x[i];
            x[threadIdx.x] = sum;
        })");
    EXPECT_THAT(ir, HasSubstr("phi i32"));
    EXPECT_THAT(ir, Not(HasSubstr("phi <16 x i32>")));
}

// Threads that leave an inner loop early wait for the outer one's next turn, while the others pass
// the outer loop's exit in every turn of the inner one.
TEST(GangControl, AnExitInsideAnInnerLoopIsNotPassedByAll) {
    Loaded module(R"(
        __global__ void k(int* x) {
            int stack[8], top = 0, sum = 0;
            stack[top++] = threadIdx.x;
            while (top > 0) {
                int value = stack[--top];
                sum = 3 * sum + value;
                if (value < 1) continue;
                stack[top++] = value - 1;
            }
            x[threadIdx.x] = sum;
        })");
    std::vector<int> x(20);
    module.run("k", {1, 1, 1}, {20, 1, 1}, x.data());
    for (int thread = 0; thread < 20; ++thread) {
        int sum = 0;
        for (int value = thread; value >= 0; --value) sum = 3 * sum + value;
        EXPECT_EQ(x[thread], sum);
    }
}

// The depth of the stack differs from thread to thread behind loops that lanes leave one by one.
TEST(GangControl, APhiBehindDivergentLoopsDiffersFromLaneToLane) {
    Loaded module(R"(
        __global__ void k(int* x) {
            int stack[16], top = 0, sum = 0;
            stack[top++] = threadIdx.x;
            while (top > 0) {
                int value = stack[--top];
                if (value < 2) {
                    for (int i = 0; i <= value; ++i) sum = 5 * sum + i;
                    continue;
                }
                int half = 0;
                do { half += 1; } while (2 * half < value);
                stack[top++] = half - 1;
                stack[top++] = value - half;
            }
            x[threadIdx.x] = sum;
        })");
    auto expected = [](int thread) {
        std::vector<int> stack{thread};
        int sum = 0;
        while (!stack.empty()) {
            int value = stack.back();
            stack.pop_back();
            if (value < 2) {
                for (int i = 0; i <= value; ++i) sum = 5 * sum + i;
                continue;
            }
            int half = (value + 1) / 2;
            stack.push_back(half - 1);
            stack.push_back(value - half);
        }
        return sum;
    };
    std::vector<int> x(12);
    module.run("k", {1, 1, 1}, {12, 1, 1}, x.data());
    for (int thread = 0; thread < 12; ++thread) EXPECT_EQ(x[thread], expected(thread));
}

TEST(GangWarp, AShuffleByAConstantStaysInRegisters) {
    const std::string ir = gang_ir(R"(
        __global__ void k(float* x) {
            float v = x[threadIdx.x];
            x[threadIdx.x] = v + __shfl_xor_sync(~0u, v, 16);
        })");
    EXPECT_THAT(ir, HasSubstr("shufflevector"));
    EXPECT_THAT(ir, Not(HasSubstr("warpwise-service")));
}

TEST(GangWarp, ABallotIsAMask) {
    const std::string ir = gang_ir(R"(
        __global__ void k(unsigned* x) { x[threadIdx.x] = __ballot_sync(~0u, x[threadIdx.x] > 3); })");
    EXPECT_THAT(ir, Not(HasSubstr("warpwise-service")));
}

TEST(GangAtomics, NobodyReadsAreCombinedFirst) {
    const std::string ir = gang_ir(R"(
        __global__ void k(int* sum, const int* x) { atomicAdd(sum, x[threadIdx.x]); })");
    EXPECT_THAT(ir, HasSubstr("@llvm.vector.reduce.add"));
}

TEST(GangChoice, TakesKernelsWithBarriers) {
    EXPECT_EQ(executor_of("__global__ void k() { __syncthreads(); }"), "gang");
}

TEST(GangChoice, LeavesThreadsThatWaitForEachOther) {
    EXPECT_EQ(executor_of("__global__ void k(volatile int* flag) { while (*flag == 0) {} }"),
              "reference");
}

TEST(GangChoice, LeavesBarriersInFunctionsThatStayCalls) {
    EXPECT_EQ(executor_of(R"(
        __device__ __noinline__ void meet() { __syncthreads(); }
        __global__ void k() { meet(); })"),
              "reference");
}

TEST(GangChoice, SaysWhatItCannotDo) {
    EXPECT_THAT([] { gang_ir("__global__ void k(volatile int* flag) { while (*flag == 0) {} }"); },
                testing::ThrowsMessage<UnsupportedError>(HasSubstr("wait for each other")));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
