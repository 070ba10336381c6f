// Executor gang: what the vector code of small kernels looks like, one construct each, so that a
// lost vector load or a mask that creeps in is noticed; and what stays with executor reference.
#include <fmt/format.h>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string gang_ir(std::string_view source) {
    return text_of(compile(source, "llvm", "x86-64-v4", {"--warpwise-executor=gang"}));
}

std::string block_ir(std::string_view source, const char* shape) {
    return text_of(
        compile(source, "llvm", "x86-64-v4",
                {"--warpwise-executor=auto", fmt::format("--warpwise-block={}", shape)}));
}

std::string executor_of(std::string_view source) {
    const auto program = compile(source, "llvm", "x86-64-v4", {"--warpwise-executor=auto"});
    return std::string(compiler::name_of(record(program, "k").executor));
}

std::string assembly(std::string_view source, std::string_view level) {
    return text_of(compile(source, "asm", level, {"--warpwise-executor=gang"}));
}

constexpr std::string_view kDivergentLoop = R"(
    __global__ void k(const float* x, float* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float v = x[i];
        while (v > 1.0f) v *= 0.5f;
        y[i] = v;
    })";

constexpr std::string_view kGreatestOfRows = R"(
    __global__ void k(const int* first, const int* place, const float* x, float* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float most = y[i];
        for (int j = first[i]; j < first[i + 1]; ++j) most = fmaxf(most, x[j] * x[place[j]]);
        y[i] = most;
    })";

// Several instructions of a vector are worth its gathers, and not as many loads.
TEST(GangLoops, OfAFewGathersRunLaneByLaneWithoutThem) {
    EXPECT_THAT(assembly(kGreatestOfRows, "x86-64-v4"), HasSubstr("gather"));
    EXPECT_THAT(assembly(kGreatestOfRows, "x86-64-v3"), Not(HasSubstr("vpinsrd")));
}

TEST(GangLoops, OfAFewGathersRunLaneByLaneWhereThoseAreSlow) {
    EXPECT_THAT(assembly(kGreatestOfRows, "x86-64-v4,-fast-gather"), Not(HasSubstr("gather")));
}

TEST(GangMasks, StayWideWithoutMaskRegisters) {
    EXPECT_THAT(assembly(kDivergentLoop, "x86-64-v3"), Not(HasSubstr("vpack")));
}

TEST(GangMasks, AreMaskRegistersWhereThereAreAny) {
    EXPECT_THAT(assembly(kDivergentLoop, "x86-64-v4"), HasSubstr("{%k"));
}

// LLVM would ask for each lane of the mask, with a branch.
TEST(GangMasks, LeaveFullVectorsToOneAccessWithoutMaskedOnes) {
    const std::string ir =
        text_of(compile(kDivergentLoop, "llvm", "x86-64-v2", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, Not(HasSubstr("llvm.masked")));
    EXPECT_THAT(ir, HasSubstr("load <16 x float>"));
}

// And would make the whole mask undefined where the condition of a dead lane is.
// Whether a vector has a lane left is one instruction, of masks from other blocks too.
TEST(GangMasks, AreAskedForALaneByOneTest) {
    const std::string code =
        text_of(compile(R"(
        __global__ void k(const char* text, const char* key, int size, unsigned char* found) {
            int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
            while (k < size && text[i + k] == key[k]) ++k;
            found[i] = k == size;
        })",
                        "asm", "x86-64-v3", {"--warpwise-executor=auto", "--warpwise-block=256"}));
    EXPECT_GE(count(code, "vptest"), 1U);  // of four vectors together
    EXPECT_THAT(code, Not(HasSubstr("vextracti128")));
}

TEST(GangMasks, OfADivergentBranchAreSelected) {
    EXPECT_THAT(gang_ir(R"(
        __global__ void k(const int* p, unsigned char* y) {
            if (p[threadIdx.x] > 0) y[threadIdx.x] = 1;
        })"),
                HasSubstr("select <16 x i1>"));
}

TEST(GangMasks, StayAsTheyAreBehindAUniformBranch) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const int* x, int* y, int n) {
            if (n > 5) y[threadIdx.x] = 7 * x[threadIdx.x];
        })");
    EXPECT_THAT(ir, HasSubstr("icmp sgt i32"));
    EXPECT_THAT(ir, Not(HasSubstr("select <16 x i1>")));
}

TEST(GangArithmetic, TakesNoQuotientOfARoot) {
    const std::string code = assembly(R"(
        __global__ void k(float* x) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            x[i] = 1.0f / sqrtf(x[i]);
        })",
                                      "x86-64-v4");
    EXPECT_THAT(code, HasSubstr("vrcp14ps"));
    EXPECT_THAT(code, Not(HasSubstr("vdivps")));
}

TEST(GangArithmetic, TakesNoQuotientOfARootOfADouble) {
    const std::string code = assembly(R"(
        __global__ void k(double* x) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            x[i] = 1.0 / sqrt(x[i]);
        })",
                                      "x86-64-v4");
    EXPECT_THAT(code, HasSubstr("vrcp14pd"));
    EXPECT_THAT(code, Not(HasSubstr("vdivpd")));
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
                sum = 2 * sum + value;
                if (value < 1) continue;
                stack[top++] = value - 1;
            }
            x[threadIdx.x] = sum;
        })");
    std::vector<int> x(20);
    module.run("k", {1, 1, 1}, {20, 1, 1}, x.data());
    for (int thread = 0; thread < 20; ++thread) {
        int sum = 0;
        for (int value = thread; value >= 0; --value) sum = 2 * sum + value;
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

// What wraps an index that was read counts for neither way.
TEST(GangControl, ALoopOfIndicesFromEitherEndRunsLaneByLane) {
    const std::string ir = text_of(compile(R"(
        __global__ void k(const int* starts, const int* columns, const double* x, const int* counts,
                          long long n, double* out) {
            int i = threadIdx.x;
            double total = 0;
            for (long long e = starts[i]; e < starts[i + 1]; ++e) {
                long long at = columns[e];
                total += x[at < 0 ? at + n : at] / counts[at < 0 ? at + n : at];
            }
            out[i] = total;
        })",
                                           "llvm", "x86-64-v4", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, HasSubstr("@llvm.cttz.i64"));
    EXPECT_THAT(ir, Not(HasSubstr("masked.gather")));
}

// Rows of a sparse matrix: sixteen of them side by side would gather every operand.
TEST(GangControl, ALoopThatMostlyGathersRunsLaneByLane) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const int* starts, const int* columns, const float* a, const float* x,
                          float* y) {
            int row = blockIdx.x * blockDim.x + threadIdx.x;
            float sum = 0;
            for (int i = starts[row]; i < starts[row + 1]; ++i) sum += a[i] * x[columns[i]];
            y[row] = sum;
        })");
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.load.v16i32"));
    EXPECT_THAT(ir, HasSubstr("@llvm.cttz.i64"));
    EXPECT_THAT(ir, HasSubstr("call float @llvm.fma.f32"));
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
}

// Each step waits for the one before: sixteen searches at once wait together.
TEST(GangControl, ASearchStaysInVectors) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* sorted, int n, float* x) {
            float wanted = x[threadIdx.x];
            int low = 0, high = n;
            while (low < high) {
                int middle = (low + high) / 2;
                if (sorted[middle] < wanted) low = middle + 1; else high = middle;
            }
            x[threadIdx.x] = low;
        })");
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.gather.v16f32"));
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

TEST(GangChoice, TakesKernelsWithBarriers) {
    EXPECT_EQ(executor_of("__global__ void k() { __syncthreads(); }"), "regions");
    EXPECT_EQ(executor_of(R"(__global__ void k() { asm volatile("bar.sync 1, 64;"); })"), "gang");
}

TEST(GangChoice, TakesThreadsThatWaitForAnotherBlock) {
    EXPECT_EQ(executor_of(R"(
        __global__ void k(volatile int* ready, float* x) {
            if (threadIdx.x == 0) {
                if (blockIdx.x > 0) while (ready[blockIdx.x - 1] == 0) {}
                ready[blockIdx.x] = 1;
            }
            __syncthreads();
            x[threadIdx.x] += 1;
        })"),
              "gang");
}

// Each for the one before it: lanes that went on would have to, while others are in the loop.
TEST(GangChoice, LeavesThreadsThatWaitForEachOther) {
    EXPECT_EQ(executor_of(R"(
        __global__ void k(volatile int* flag) {
            while (flag[threadIdx.x] == 0) {}
            flag[threadIdx.x + 1] = 1;
        })"),
              "reference");
}

TEST(GangChoice, TakesLocksThatAreLetGoInTheSameTurn) {
    EXPECT_EQ(executor_of(R"(
        __global__ void k(int* lock, int* sum) {
            for (bool done = false; !done;) {
                if (atomicCAS(lock, 0, 1) == 0) {
                    *sum += threadIdx.x;
                    __threadfence();
                    atomicExch(lock, 0);
                    done = true;
                }
            }
        })"),
              "gang");
}

TEST(GangChoice, LeavesLocksThatAreLetGoBehindTheLoop) {
    EXPECT_EQ(executor_of(R"(
        __global__ void k(int* lock, int* sum) {
            while (atomicCAS(lock, 0, 1) != 0) {}
            *sum += threadIdx.x;
            __threadfence();
            atomicExch(lock, 0);
        })"),
              "reference");
}

// Each attempt expects a version computed from what was read, which a writer may be changing.
TEST(GangChoice, LeavesVersionedLocks) {
    EXPECT_EQ(executor_of(R"(
        __global__ void k(unsigned* version, int* sum) {
            unsigned seen = 0, free;
            do {
                free = seen & ~1u;
                seen = atomicCAS(version, free, free | 1);
            } while (seen != free);
            *sum += threadIdx.x;
            __threadfence();
            atomicExch(version, free + 2);
        })"),
              "reference");
}

TEST(GangChoice, TakesAtomicUpdatesByCompareAndSwap) {
    EXPECT_EQ(executor_of(R"(
        __device__ void add(float* place, float value) {
            int* bits = (int*)place;
            int before = *bits, expected;
            do {
                expected = before;
                before = atomicCAS(bits, expected,
                                   __float_as_int(value + __int_as_float(expected)));
            } while (before != expected);
        }
        __global__ void k(float* x, const int* to) {
            add(&x[to[threadIdx.x]], 1);
            add(&x[to[threadIdx.x + 1]], 2);
        })"),
              "gang");
}

TEST(GangChoice, LeavesBarriersInFunctionsThatStayCalls) {
    EXPECT_EQ(executor_of(R"(
        __device__ void meet(int n) { if (n > 0) meet(n - 1); __syncthreads(); }
        __global__ void k(int n) { meet(n); })"),
              "reference");
}

TEST(GangChoice, SaysWhatItCannotDo) {
    EXPECT_THAT(
        [] {
            gang_ir("__global__ void k(int* lock) { while (atomicCAS(lock, 0, 1)); *lock = 0; }");
        },
        testing::ThrowsMessage<UnsupportedError>(HasSubstr("wait for each other")));
}

TEST(GangOfAKnownBlock, IsTheWholeBlockWhereItsThreadsMeet) {
    const char* source = R"(
        __global__ void k(const float* x, float* y) {
            __shared__ float s[256];
            s[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
            __syncthreads();
            y[blockIdx.x * blockDim.x + threadIdx.x] = s[255 - threadIdx.x];
        })";
    const compiler::Program program =
        compile(source, "llvm", "x86-64-v4", {"--warpwise-executor=auto", "--warpwise-block=256"});
    EXPECT_EQ(record(program, "k").executor, Executor::Regions);
    EXPECT_EQ(record(program, "k").flags & cpu::kKernelNeedsFibers, 0U);
    EXPECT_THAT(text_of(program), Not(HasSubstr("warpwise-service")));
}

TEST(GangOfAKnownBlock, HasNoMasksWhenVectorsAreFull) {
    const char* source = R"(
        __global__ void k(float* x) {
            __shared__ float s[16][16];
            int i = threadIdx.y * blockDim.x + threadIdx.x;
            s[threadIdx.y][threadIdx.x] = x[i];
            __syncthreads();
            x[i] += s[threadIdx.x][threadIdx.y] * blockDim.x;
        })";
    EXPECT_THAT(block_ir(source, "16,16"), Not(HasSubstr("masked.load")));
    EXPECT_THAT(block_ir(source, "12,16"), HasSubstr("masked.load"));
}

TEST(GangOfAKnownBlock, UnrollsWhatTheShapeCounts) {
    const std::string ir = block_ir(R"(
        __global__ void k(float* x) {
            for (int half = blockDim.x / 2; half > 0; half >>= 1) {
                if (threadIdx.x < half) x[threadIdx.x] += x[threadIdx.x + half];
                __syncthreads();
            }
        })",
                                    "256");
    EXPECT_EQ(count(ir, "phi "), 1) << "of the loop over blocks";
}

constexpr const char* kTreeSum = R"(
    __global__ void k(const float* x, float* y) {
        __shared__ float s[1024];
        s[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
        for (int half = blockDim.x / 2; half > 0; half >>= 1) {
            __syncthreads();
            if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        }
        if (threadIdx.x == 0) y[blockIdx.x] = s[0];
    })";

TEST(Regions, KeepLittleOverABarrier) {
    const compiler::Program program =
        compile(kTreeSum, "llvm", "x86-64-v4", {"--warpwise-executor=auto"});
    EXPECT_EQ(record(program, "k").executor, Executor::Regions);
    EXPECT_EQ(record(program, "k").flags & (cpu::kKernelNeedsFibers | cpu::kKernelStops),
              cpu::kKernelStops);
    EXPECT_GT(record(program, "k").frame_bytes, 0U);
    EXPECT_LT(record(program, "k").frame_bytes, 700U) << "128 threads: five vectors and a bit";
}

TEST(Regions, ComputeIndicesAgainRatherThanKeepThem) {
    const compiler::Program program = compile(R"(
        __global__ void k(float* x) {
            x[threadIdx.x] = 1;
            __syncthreads();
            x[blockDim.x] = 2;
        })",
                                              "llvm", "x86-64-v4", {"--warpwise-executor=regions"});
    EXPECT_EQ(record(program, "k").flags & cpu::kKernelStops, cpu::kKernelStops);
    EXPECT_LE(record(program, "k").frame_bytes, 128U);
}

TEST(Regions, AreNotForForcedGangs) {
    const compiler::Program program =
        compile(kTreeSum, "llvm", "x86-64-v4", {"--warpwise-executor=gang"});
    EXPECT_EQ(record(program, "k").executor, Executor::Gang);
    EXPECT_EQ(record(program, "k").flags & (cpu::kKernelNeedsFibers | cpu::kKernelStops),
              cpu::kKernelNeedsFibers);
}

constexpr std::string_view kGuarded = R"(
    __global__ void k(float* x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] += 1;
    })";

TEST(GangOfAKnownBlock, MarksItsPlaceWithAValueThatLivesAsLongAsTheGang) {
    const std::string ir = block_ir(kGuarded, "256");
    EXPECT_EQ(count(ir, "asm sideeffect \"\", \"=r,0\""), 1);
    EXPECT_EQ(count(ir, "asm sideeffect \"\", \"r\""), 1);
    // Before and after the one call of the form with masks, and at the end.
    EXPECT_EQ(count(ir, "store volatile"), 7);
}

TEST(GangOfAKnownBlock, KeepsItsPlaceInMemoryForServices) {
    const std::string ir = block_ir(R"(
        __global__ void k(float* x) {
            x[threadIdx.x] = 1;
            if (x[0] == 2) printf("%d", threadIdx.x);
        })",
                                    "256");
    EXPECT_THAT(ir, Not(HasSubstr("asm sideeffect")));
    EXPECT_THAT(ir, HasSubstr("store volatile i32"));
}

TEST(GangOfAKnownBlock, WithMissingThreadsIsLeftToTheRunTime) {
    EXPECT_EQ(count(block_ir(kGuarded, "100"), "i32 %2)"), 0);
}

// Eight neighbours a thread, one vector of threads: 3 steps of 8 shuffles to take them apart, as
// many to put them together.
constexpr std::string_view kGrey = R"(
    __global__ void k(const unsigned char* rgb, unsigned char* out, int n) {
        int start = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
        for (int k = 0; k < 4; ++k)
            if (start + k < n) {
                const unsigned char* p = rgb + 3 * (start + k);
                out[start + k] = (77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8;
            }
    })";

// What threads compute alike of four elements each is stored as vectors of neighbours.
TEST(GangOfAKnownBlock, SharesElementsOutSoThatLanesAreNeighbours) {
    auto stores = [](std::vector<std::string> options) {
        options.insert(options.end(), {"--warpwise-executor=auto", "--warpwise-block=256"});
        return count(text_of(compile(kGrey, "llvm", "x86-64-v4", options)), "store <32 x i8>");
    };
    EXPECT_GE(stores({}), 4U);
    EXPECT_EQ(stores({"--warpwise-skip-pass=regroup-elements"}), 0U);
}

TEST(GangCopies, HaveNoMasksWhereTheGuardHoldsForAll) {
    const std::string ir = gang_ir(R"(
        __global__ void k(float* x, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[i] *= 2;
        })");
    EXPECT_THAT(ir, HasSubstr("load <16 x float>"));
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.load"));  // the last gang
}

// A division by a parameter freezes it, since C++ leaves open what a division by 0 does.
TEST(GangCopies, KnowABoundThatIsADivisorToo) {
    const std::string ir = text_of(compile(R"(
        __global__ void k(float* x, int w, int h) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < w * h) x[i] = i / w;
        })",
                                           "llvm", "x86-64-v4", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, HasSubstr("store <16 x float>"));
}

TEST(GangCopies, TestEachBoundOnce) {
    const std::string ir = gang_ir(R"(
        __global__ void k(float* x, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i > 0 && i < n - 1) x[i] *= 2;
        })");
    EXPECT_THAT(ir, HasSubstr("icmp sgt i64"));
    EXPECT_THAT(ir, HasSubstr("icmp slt i64"));
}

// A sum that counts in `type` to n.
std::string ir_of_counted_sum(const std::string& type) {
    return gang_ir("typedef " + type + R"( Count;
        __global__ void k(const float* x, float* y, Count n) {
            float total = 0;
            for (Count i = threadIdx.x; i < n; i += blockDim.x) total += x[i];
            y[threadIdx.x] = total;
        })");
}

TEST(GangCopies, OfCountedLoopsRunWithoutMasksWhileAllLanesStay) {
    const std::string ir = ir_of_counted_sum("int");
    EXPECT_THAT(ir, HasSubstr(".full:"));
    EXPECT_THAT(ir, HasSubstr("load <16 x float>"));
    EXPECT_THAT(ir, Not(HasSubstr("warpwise.all.below(")));
}

TEST(GangCopies, OfLoopsOf64BitCountsRunWithoutMasksToo) {
    const std::string ir = ir_of_counted_sum("size_t");
    EXPECT_THAT(ir, HasSubstr(".full:"));
    EXPECT_THAT(ir, HasSubstr("load <16 x float>"));
    EXPECT_THAT(ir, HasSubstr("llvm.usub.sat"));  // no sum of the last lane's may wrap
}

TEST(GangCopies, MayCountIn32AndIn64Bits) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* y, int m, size_t n) {
            float total = 0;
            for (int i = threadIdx.x; i < m; i += blockDim.x) total += x[i];
            for (size_t i = threadIdx.x; i < n; i += blockDim.x) total += x[i];
            y[threadIdx.x] = total;
        })");
    EXPECT_THAT(ir, HasSubstr("llvm.usub.sat"));
    EXPECT_THAT(ir, Not(HasSubstr("warpwise.all.below")));
}

// One warp a row: as a gang of its own it leaves the loop without asking seven others.
TEST(GangOfAKnownBlock, IsAWarpWhereWarpsNeverMeet) {
    constexpr std::string_view kRow = R"(
        __global__ void k(const float* x, float* y, int n) {
            float sum = 0;
            for (int i = threadIdx.x % 32; i < n; i += 32) sum += x[threadIdx.x / 32 * n + i];
            sum += __shfl_xor_sync(~0u, sum, 16);
            BARRIER
            y[threadIdx.x] = sum;
        })";
    auto vectors = [&](std::string_view barrier) {
        std::string source(kRow);
        source.replace(source.find("BARRIER"), 7, barrier);
        const std::string ir = block_ir(source, "256,1,1");
        std::size_t count = 0, at = 0;
        while ((at = ir.find("fadd <16 x float>", at)) != ir.npos) ++count, ++at;
        return count;
    };
    EXPECT_LT(vectors(""), vectors("__syncthreads();"));
}

TEST(GangOfAKnownBlock, StoresOfOneThreadAsOneThread) {
    const std::string ir = block_ir(R"(
        __global__ void k(const float* x, float* y) {
            __shared__ float s[8][33];
            if (threadIdx.x == 0) s[threadIdx.y][0] = x[threadIdx.y];
            s[threadIdx.y][threadIdx.x + 1] = x[threadIdx.x];
            __syncthreads();
            y[threadIdx.x] = s[threadIdx.y][threadIdx.x];
        })",
                                    "32,8");
    EXPECT_THAT(ir, Not(HasSubstr("scatter")));
}

TEST(GangOfAKnownBlock, ReadsItsNeighboursFromRegisters) {
    const std::string ir = block_ir(R"(
        __global__ void k(const float* x, float* y) {
            __shared__ float s[34];
            s[threadIdx.x + 1] = x[threadIdx.x];
            if (threadIdx.x == 0) s[0] = x[40];
            if (threadIdx.x == 31) s[33] = x[41];
            __syncthreads();
            y[threadIdx.x] = s[threadIdx.x] - s[threadIdx.x + 2];
        })",
                                    "32");
    EXPECT_EQ(count(ir, "load <16 x float>"), 2U);  // x only
    EXPECT_THAT(ir, HasSubstr("shufflevector"));
}

TEST(GangLoops, AskWhatAllLanesShareByAScalarBranch) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, int* y, int limit) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            float v = x[i];
            int step = 0;
            while (step < limit && v > 1.0f) v *= 0.5f, ++step;
            y[i] = step;
        })");
    EXPECT_THAT(ir, HasSubstr("icmp slt i32 %step"));
    EXPECT_THAT(ir, Not(HasSubstr("sext i1")));  // which would make a mask of it
}

// Lanes leave at different times, and each with a bit: what was counted is a scalar in the loop.
TEST(GangLoops, CompareWhatTheyHaveCountedWhereLanesLeave) {
    const std::string source = R"(
        __global__ void k(const char* text, const char* key, int size, unsigned char* found) {
            int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
            while (k < size && text[i + k] == key[k]) ++k;
            found[i] = k == size;
        })";
    EXPECT_THAT(block_ir(source, "256"), Not(HasSubstr("phi <64 x i32>")));
    const std::string skipping =
        text_of(compile(source, "llvm", "x86-64-v4",
                        {"--warpwise-executor=auto", "--warpwise-block=256",
                         "--warpwise-skip-pass=compare-at-exits"}));
    EXPECT_THAT(skipping, HasSubstr("phi <64 x i32>"));
}

// Another use needs the number; and what each lane compares with is a vector anyway.
TEST(GangLoops, KeepACountThatIsUsedOrComparedWithWhatDiffers) {
    for (const char* use : {"found[i] = k == size ? 7 : k;", "found[i] = k == found[i];"}) {
        const std::string ir = gang_ir(fmt::format(R"(
            __global__ void k(const float* x, float key, int size, int* found) {{
                int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
                while (k < size && x[i + k] < key) ++k;
                {}
            }})",
                                                   use));
        EXPECT_THAT(ir, testing::ContainsRegex("phi <16 x i32>"));
    }
}

TEST(GangTier, QuickHasOneVectorPerValueAndNoCopies) {
    const std::string source = R"(
        __global__ void k(const float* x, float* y, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] = 2 * x[i];
        })";
    const std::string ir = text_of(compile(source, "llvm", "x86-64-v4",
                                           {"--warpwise-executor=gang", "--warpwise-tier=quick"}));
    std::size_t stores = 0;
    for (std::size_t at = 0; (at = ir.find("call void @llvm.masked.store", at)) != ir.npos; ++at) {
        ++stores;
    }
    EXPECT_EQ(stores, 1);
}

TEST(GangTier, AnUnknownOneIsRefused) {
    EXPECT_THROW(compile("__global__ void k() {}", "llvm", "x86-64-v4", {"--warpwise-tier=slow"}),
                 ArgumentError);
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
