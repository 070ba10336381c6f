// What the run time knows about a kernel, and how kernels reach their parameters and variables.
#include "src/backends/cpu/abi.hpp"
#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::uint32_t flags_of(std::string_view source) {
    return record(compile(source, "llvm"), "k").flags;
}

TEST(LowerFlags, PlainKernelNeedsNothing) {
    EXPECT_EQ(flags_of("__global__ void k(int* x) { x[threadIdx.x] = 1; }"), 0u);
}

TEST(LowerFlags, BarrierNeedsFibers) {
    EXPECT_EQ(flags_of("__global__ void k() { __syncthreads(); }"), cpu::kKernelNeedsFibers);
}

TEST(LowerFlags, WarpOperationNeedsFibers) {
    EXPECT_EQ(flags_of("__global__ void k(int* x) { x[0] = __shfl_sync(~0u, x[0], 3); }"),
              cpu::kKernelNeedsFibers);
}

TEST(LowerFlags, OutputCallsTheRuntime) {
    EXPECT_EQ(flags_of("#include <stdio.h>\n__global__ void k() { printf(\"hello\\n\"); }"),
              cpu::kKernelCallsRuntime | cpu::kKernelPrints);
}

TEST(LowerFlags, NothingButPrintfPrints) {
    EXPECT_EQ(flags_of("#include <assert.h>\n__global__ void k(int* x) { assert(*x == 0); }"),
              cpu::kKernelCallsRuntime);
}

TEST(LowerFlags, CountWhatCalleesDo) {
    EXPECT_EQ(flags_of(R"(
        __device__ __noinline__ void meet() { __syncthreads(); }
        __global__ void k() { meet(); })"),
              cpu::kKernelNeedsFibers);
}

TEST(LowerFlags, CountWhatPointersMayReach) {
    EXPECT_EQ(flags_of(R"(
        __device__ void meet(int*) { __syncthreads(); }
        __device__ void set(int* x) { *x = 1; }
        __device__ void (*const table[])(int*) = {meet, set};
        __global__ void k(int* x) { table[*x](x); })"),
              cpu::kKernelNeedsFibers);
}

TEST(LowerFlags, IgnoreWhatIsNeverCalled) {
    EXPECT_EQ(flags_of(R"(
        __device__ __noinline__ void meet() { __syncthreads(); }
        __global__ void other() { meet(); }
        __global__ void k() {})"),
              0u);
}

TEST(LowerYield, SpinningOnAFlagYields) {
    EXPECT_EQ(flags_of("__global__ void k(volatile int* flag) { while (*flag == 0) {} }"),
              cpu::kKernelNeedsFibers);
}

TEST(LowerYield, TakingALockYields) {
    EXPECT_EQ(flags_of(R"(
        __global__ void k(int* lock, int* x) {
            bool done = false;
            while (!done) {
                if (atomicCAS(lock, 0, 1) == 0) {
                    ++*x; __threadfence(); atomicExch(lock, 0); done = true;
                }
            }
        })"),
              cpu::kKernelNeedsFibers);
}

TEST(LowerYield, AtomicUpdateByCompareAndSwapRunsThrough) {
    EXPECT_EQ(flags_of(R"(
        __global__ void k(unsigned* x) {
            unsigned old = *x, expected;
            do { expected = old; old = atomicCAS(x, expected, expected * 3); }
            while (old != expected);
        })"),
              0u);
}

TEST(LowerYield, HashInsertionRunsThrough) {
    EXPECT_EQ(flags_of(R"(
        __global__ void k(int* table, int key) {
            for (int slot = key;; ++slot) {
                int old = atomicCAS(&table[slot & 255], -1, key);
                if (old == -1 || old == key) break;
            }
        })"),
              0u);
}

TEST(LowerYield, WorkQueueRunsThrough) {
    EXPECT_EQ(flags_of(R"(
        __global__ void k(int* next, int* x, int n) {
            for (int i; (i = atomicAdd(next, 1)) < n;) x[i] = i;
        })"),
              0u);
}

TEST(LowerShared, StaticVariablesAreAlignedAndCounted) {
    const compiler::Program program = compile(R"(
        __global__ void k(double* x) {
            __shared__ char a[3]; __shared__ double b[4];
            a[threadIdx.x] = 1; b[threadIdx.x] = x[0]; __syncthreads(); x[0] = b[a[1]];
        })",
                                              "llvm");
    EXPECT_GE(kernel(program, "k").static_shared_bytes, 40u);
    EXPECT_LE(kernel(program, "k").static_shared_bytes, 64u);
}

TEST(LowerShared, KernelsDoNotPayForEachOther) {
    const compiler::Program program = compile(R"(
        __global__ void a(int* x) { __shared__ int s[8000]; s[threadIdx.x] = 1; __syncthreads(); *x = s[9]; }
        __global__ void b(int* x) { __shared__ int s[8]; s[threadIdx.x] = 1; __syncthreads(); *x = s[7]; })",
                                              "llvm");
    EXPECT_EQ(kernel(program, "a").static_shared_bytes, 32000u);
    EXPECT_EQ(kernel(program, "b").static_shared_bytes, 32u);
}

TEST(LowerShared, VariablesOfASharedFunctionHaveOnePlace) {
    Loaded module(R"(
        __device__ __noinline__ long long* cell() { __shared__ long long c; return &c; }
        __global__ void a(long long* x) { *cell() = 5; *x = *cell(); }
        __global__ void b(long long* x) {
            __shared__ long long big[100];
            for (int i = 0; i < 100; ++i) big[i] = 1;
            *cell() = 7;
            *x = 0;
            for (int i = 0; i < 100; ++i) *x += big[i];
        })");
    long long x = 0;
    module.run("a", {1, 1, 1}, {1, 1, 1}, &x);
    EXPECT_EQ(x, 5);
    module.run("b", {1, 1, 1}, {1, 1, 1}, &x);
    EXPECT_EQ(x, 100);
}

TEST(LowerShared, DynamicMemoryLiesBehindStaticEverywhere) {
    Loaded module(R"(
        extern __shared__ long long cells[];
        __device__ __noinline__ long long read(int i) { return cells[i]; }
        __global__ void a(long long* x) { cells[1] = 3; *x = read(1); }
        __global__ void b(long long* x) {
            __shared__ long long s[10];
            for (int i = 0; i < 10; ++i) s[i] = 100;
            cells[1] = 4;
            *x = read(1) + s[9];
        })");
    long long x = 0;
    module.launch("a", {1, 1, 1}, {1, 1, 1}, 64, &x);
    EXPECT_EQ(x, 3);
    module.launch("b", {1, 1, 1}, {1, 1, 1}, 64, &x);
    EXPECT_EQ(x, 104);
}

TEST(LowerShared, AtomicsBecomePlain) {
    const std::string ir = ir_of(R"(
        __global__ void k(unsigned* x) {
            __shared__ unsigned s[32];
            s[threadIdx.x] = 0;
            __syncthreads();
            atomicAdd(&s[x[threadIdx.x] & 31], 1u);
            __syncthreads();
            x[threadIdx.x] = s[threadIdx.x];
        })");
    EXPECT_THAT(ir, Not(HasSubstr("atomicrmw")));
}

TEST(LowerGlobals, StayAddressableAndUnfolded) {
    Loaded module(R"(
        __device__ long long counter = 40;
        __constant__ long long step = 2;
        static __device__ long long hidden = 1;
        __global__ void k(long long* x) { *x = counter + step + hidden; })");
    long long x = 0;
    module.run("k", {1, 1, 1}, {1, 1, 1}, &x);
    EXPECT_EQ(x, 43);
    for (const compiler::GlobalInfo& global : module.program().globals) {
        ASSERT_TRUE(module.object().symbol(global.symbol)) << global.name;
        *reinterpret_cast<long long*>(*module.object().symbol(global.symbol)) += 100;
    }
    module.run("k", {1, 1, 1}, {1, 1, 1}, &x);
    EXPECT_EQ(x, 343);
}

TEST(LowerGlobals, CanBeThoseOfAnotherModule) {
    long long elsewhere = 7;
    Loaded module(
        "__device__ long long shared_one = 1;"
        "__global__ void k(long long* x) { *x = shared_one++; }",
        "x86-64-v3", [&](std::string_view symbol) -> std::optional<std::uint64_t> {
            if (symbol != "shared_one") return std::nullopt;
            return reinterpret_cast<std::uint64_t>(&elsewhere);
        });
    long long x = 0;
    module.run("k", {1, 1, 1}, {1, 1, 1}, &x);
    EXPECT_EQ(x, 7);
    EXPECT_EQ(elsewhere, 8);
}

TEST(LowerGlobals, MayPointToEachOtherAndToFunctions) {
    Loaded module(R"(
        __device__ long long value = 5;
        __device__ long long* const pointers[] = {nullptr, &value};
        __device__ long long one(long long x) { return x + 1; }
        __device__ long long two(long long x) { return x * threadIdx.x; }
        __device__ long long (*functions[])(long long) = {one, two};
        __global__ void k(long long* x) {
            x[threadIdx.x] = functions[threadIdx.x & 1](*pointers[1]);
        })");
    long long x[4];
    module.run("k", {1, 1, 1}, {4, 1, 1}, x + 0);
    EXPECT_THAT(x, testing::ElementsAre(6, 5, 6, 15));
}

TEST(LowerParameters, StructsByValueArePrivateToAThread) {
    Loaded module(R"(
        struct Pair { long long a, b; };
        __global__ void k(long long* x, Pair p) { p.a += threadIdx.x; x[threadIdx.x] = p.a * p.b; })");
    long long x[4];
    module.run("k", {1, 1, 1}, {4, 1, 1}, x + 0, 10LL, 2LL);
    EXPECT_THAT(x, testing::ElementsAre(20, 22, 24, 26));
}

TEST(LowerParameters, MembersAreReadOnceWhateverIsWritten) {
    constexpr std::string_view kInvariant =
        R"(load i64, ptr %[0-9a-z.]+, align 8, !invariant.load)";
    EXPECT_THAT(ir_of(R"(
        struct Span { long long* data; long long size; };
        __global__ void k(Span s) {
            for (long long i = threadIdx.x; i < s.size; i += 7) s.data[i] += s.size;
        })"),
                testing::ContainsRegex(std::string(kInvariant)));
    EXPECT_THAT(ir_of(R"(
        struct Span { long long* data; long long size; };
        __global__ void k(Span s) {
            for (long long i = threadIdx.x; i < s.size; --s.size) s.data[i] += s.size;
        })"),
                Not(testing::ContainsRegex(std::string(kInvariant))));
    Loaded module(R"(
        struct Span { int* data; long long size; };
        __global__ void k(Span s, Span t) {
            const Span& chosen = threadIdx.x & 1 ? s : t;
            for (long long i = 0; i < chosen.size; ++i) atomicAdd(&chosen.data[i], 1);
        })");
    int x[4] = {}, y[3] = {};
    module.run("k", {1, 1, 1}, {5, 1, 1}, x + 0, 4LL, y + 0, 3LL);
    EXPECT_THAT(x, testing::Each(2));
    EXPECT_THAT(y, testing::Each(3));
}

TEST(LowerParameters, TwoHundredArrive) {
    std::string source = "__global__ void k(long long* x";
    for (int i = 1; i < 200; ++i) source += ", long long p" + std::to_string(i);
    source += ") { *x = p1 + 2 * p100 + 3 * p199; }";
    const compiler::Program program = compile(source, "object");
    EXPECT_EQ(kernel(program, "k").signature.argument_bytes, 1600u);
    EXPECT_THAT(text_of(compile(source, "llvm")), HasSubstr("i64 1592"));
}

TEST(LowerStack, CountsLocalArrays) {
    const compiler::Program program = compile(R"(
        __global__ void k(int* x) {
            int a[4096];
            for (int i = 0; i < 4096; ++i) a[i] = x[i];
            x[0] = a[x[1]];
        })",
                                              "object");
    EXPECT_GE(kernel(program, "k").local_bytes, 16384u);
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
