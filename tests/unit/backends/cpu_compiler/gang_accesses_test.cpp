// Executor gang: the form of loads and stores, by what is known of the lanes' addresses, and of
// integer division.
#include <fmt/format.h>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string gang_ir(std::string_view source) {
    return text_of(compile(source, "llvm", "x86-64-v4", {"--warpwise-executor=gang"}));
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

TEST(GangAccess, InAGridStrideLoopIsAskedForAhead) {
    EXPECT_THAT(gang_ir(R"(
        __global__ void k(const float* x, float* y, int n) {
            float sum = 0;
            for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
            y[threadIdx.x] = sum;
        })"),
                HasSubstr("@llvm.prefetch"));
}

// Both loops: the copy that runs while all lanes stay, and the one behind it.
TEST(GangAccess, InAGridStrideLoopPreparesWhatIsWritten) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* y, int n) {
            int step = blockDim.x * gridDim.x;
            for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) y[i] = 2 * x[i];
        })");
    const int pieces = count(ir, "i32 0, i32 3, i32 1)");
    EXPECT_GE(pieces, 2);
    EXPECT_EQ(count(ir, "i32 1, i32 3, i32 1)"), pieces);
    EXPECT_THAT(ir, HasSubstr("load <16 x float>"));
}

TEST(GangAccess, IsAskedForWhereTheKernelDoes) {
    EXPECT_THAT(gang_ir(R"(
        __global__ void k(const float* x, int n) { __builtin_prefetch(x + n); })"),
                HasSubstr("@llvm.prefetch"));
}

TEST(GangAccess, IsNotAskedForByEachLane) {
    EXPECT_THAT(gang_ir(R"(
        __global__ void k(const float* x, int n) { __builtin_prefetch(x + n * threadIdx.x); })"),
                Not(HasSubstr("@llvm.prefetch")));
}

TEST(GangAccess, InStepsTheHardwareSeesIsNotAskedForAhead) {
    EXPECT_THAT(gang_ir(R"(
        __global__ void k(const float* x, float* y, int n) {
            float sum = 0;
            for (int i = 0; i < n; ++i) sum += x[32 * i + threadIdx.x];
            y[threadIdx.x] = sum;
        })"),
                Not(HasSubstr("@llvm.prefetch")));
}

// A gather is for gangs in which a lane is missing.
TEST(GangAccess, InStepsIsOneLoadALane) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* y) { y[threadIdx.x] = x[8 * threadIdx.x]; })");
    EXPECT_THAT(ir, HasSubstr("lanes.all"));
    EXPECT_THAT(ir, HasSubstr("insertelement <16 x float>"));
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.gather.v16f32"));
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

// What all lanes add, k, is added to the pointer that they share.
TEST(GangAccess, OfARowOfItsOwnIsOneIndexALane) {
    constexpr std::string_view kRows = R"(
        __global__ void k(const unsigned char* x, unsigned* y, int n, int length) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            const unsigned char* row = x + i * length;
            unsigned sum = 0;
            for (int k = 0; k < length; ++k) sum = sum * 31 ^ row[k];
            y[i] = sum;
        })";
    EXPECT_THAT(gang_ir(kRows), Not(HasSubstr("<16 x ptr>")));
    EXPECT_THAT(
        text_of(compile(kRows, "llvm", "x86-64-v4",
                        {"--warpwise-executor=gang", "--warpwise-skip-pass=sink-addresses"})),
        HasSubstr("<16 x ptr>"));
}

// x[-1] is the last item: a block of its own, which gangs without such a lane jump over.
TEST(GangAccess, ThroughAnIndexFromEitherEndAsksAllLanesAtOnce) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, long long n, const int* index, float* y) {
            long long at = index[threadIdx.x];
            y[threadIdx.x] = x[at < 0 ? at + n : at];
        })");
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.gather.v16f32"));
    EXPECT_THAT(ir, ContainsRegex("phi <16 x i64>"));
}

// Threads that lie side by side stay so.
TEST(GangAccess, ThroughAComputedIndexFromEitherEndHasNoSuchBlock) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, long long n, float* y) {
            long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x - 1;
            y[threadIdx.x] = x[at < 0 ? at + n : at];
        })");
    EXPECT_THAT(ir, Not(ContainsRegex("phi <16 x i64>")));
}

TEST(GangAccess, ToAnIndexIsAScatter) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const int* index, float* y) { y[index[threadIdx.x]] = 1.0f; })");
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.scatter.v16f32"));
}

TEST(GangAccess, OfATilesRowIsOneLoadARow) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* y, int w) {
            int j = blockIdx.y * blockDim.y + threadIdx.y;
            y[j * w + threadIdx.x] = x[j];
        })");
    EXPECT_THAT(ir, HasSubstr("load float"));
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
}

TEST(GangAccess, OfATilesColumnIsOneLoadForAllRows) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* y, int w) {
            int j = blockIdx.y * blockDim.y + threadIdx.y;
            y[j * w + threadIdx.x] = 2 * x[threadIdx.x];
        })");
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
    const std::size_t copies = 2;  // with and without masks
    EXPECT_LE(count(ir, "= call <16 x float> @llvm.masked.load.v16f32"), copies);
}

// Masks as wide as the lanes, from comparison to blend: nothing packs them into bytes.
TEST(GangOfRuns, LoadsAndStoresWholeVectors) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* z, int n) {
            int start = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
            float item[8];
            for (int k = 0; k < 8; ++k) item[k] = start + k < n ? x[start + k] : 0.0f;
            for (int k = 0; k < 8; ++k)
                if (start + k < n) z[start + k] = item[7 - k];
        })");
    EXPECT_GE(count(ir, "shufflevector <16 x float>"), 48);
    EXPECT_GE(count(ir, " = load <16 x float>"), 8);
    EXPECT_GE(count(ir, "store <16 x float>"), 8);
}

TEST(GangOfRuns, ReadsOverGaps) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* z) {
            int start = threadIdx.x * 4;
            z[threadIdx.x] = x[start] + x[start + 1] + x[start + 3];
        })");
    EXPECT_THAT(ir, HasSubstr("shufflevector <16 x float>"));
    EXPECT_THAT(ir, Not(HasSubstr("insertelement <16 x float>")));
}

TEST(GangOfRuns, ReadsNothingBehindTheLastElement) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* z) {
            int start = threadIdx.x * 4;
            z[threadIdx.x] = x[start] + x[start + 1];
        })");
    // Of the fourth row the last two elements are no thread's.
    EXPECT_THAT(ir, HasSubstr("i1 true, i1 true, i1 false, i1 false>"));
}

TEST(GangOfRuns, LeavesGapsAloneInStores) {
    const std::string ir = gang_ir(R"(
        __global__ void k(float* x, float a, float b) {
            float* own = x + threadIdx.x * 4;
            own[0] = a * threadIdx.x;
            own[2] = b * threadIdx.x;
        })");
    EXPECT_THAT(ir, HasSubstr("<16 x i1> <i1 true, i1 false, i1 true, i1 false, "));
}

TEST(GangOfRuns, StoresGapsOfSharedMemoryAsTheyWereWithoutMaskRegisters) {
    const std::string ir = text_of(compile(R"(
        __global__ void k(char* z, float a, char b) {
            __shared__ char s[512];
            char* own = s + threadIdx.x * 4;
            own[0] = a * threadIdx.x;
            own[2] = b * threadIdx.x;
            __syncthreads();
            z[threadIdx.x] = s[threadIdx.x];
        })",
                                           "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, HasSubstr("<16 x i32> <i32 0, i32 17, i32 2, i32 19, i32 4, i32 21, "));
}

TEST(GangOfRuns, TransposesThreeColumns) {
    const std::string ir = gang_ir(R"(
        struct Point { float x, y, z; };
        __global__ void k(const Point* in, Point* out) {
            Point p = in[threadIdx.x];
            out[threadIdx.x] = {p.y * 2, p.z * 3, p.x * 4};
        })");
    EXPECT_GE(count(ir, " = load <16 x float>"), 3);
    EXPECT_GE(count(ir, "store <16 x float>"), 3);
    EXPECT_GE(count(ir, "shufflevector <16 x float>"), 12);
    EXPECT_THAT(ir, Not(HasSubstr("insertelement <16 x float>")));
}

constexpr std::string_view kSomePairs = R"(
    struct Pair { float a, b; };
    __global__ void k(Pair* x, float least) {
        Pair p = x[threadIdx.x];
        if (p.a > least) x[threadIdx.x] = {p.b, p.a};
    })";

// Rows are whole vectors whose masks have each lane as often as it has columns.
TEST(GangOfRuns, NeedNoScatterWhereLanesAreMissing) {
    const std::string ir = gang_ir(kSomePairs);
    EXPECT_THAT(ir, HasSubstr("shufflevector <16 x i1>"));
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.store.v16f32"));
    EXPECT_THAT(ir, Not(HasSubstr("scatter")));
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
}

TEST(GangOfRuns, NeedNoLoopOverLanesWithoutMaskRegisters) {
    const std::string ir =
        text_of(compile(kSomePairs, "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.store.v16f32"));
    EXPECT_THAT(ir, Not(HasSubstr("shufflevector <16 x i1>")));
    EXPECT_THAT(ir, Not(ContainsRegex("\nlane[0-9]*:")));
}

TEST(GangOfBytes, ShufflesThemOutOfRows) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const unsigned char* x, int* z) {
            z[threadIdx.x] = x[threadIdx.x * 3 + 1];
        })");
    EXPECT_THAT(ir, HasSubstr("shufflevector <32 x i8>"));
}

TEST(GangSteps, OfTwoAreShuffled) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* z) { z[threadIdx.x * 2] = x[threadIdx.x * 2 + 1]; })");
    EXPECT_GE(count(ir, " = load <16 x float>"), 2);
    EXPECT_THAT(ir, HasSubstr("<16 x i1> <i1 true, i1 false, i1 true, i1 false, "));
    EXPECT_THAT(ir, Not(HasSubstr("insertelement <16 x float>")));
}

constexpr std::string_view kEverySecond = R"(
    __global__ void k(const float* x, float* z, int n) {
        __shared__ float s[512];
        s[threadIdx.x * 2] = x[threadIdx.x];
        __syncthreads();
        z[threadIdx.x] = s[threadIdx.x + n];
    })";

// Of a block's own memory the elements between are loaded, and stored again.
TEST(GangSteps, OfTwoInSharedMemoryAreStoredWholeWithoutMaskRegisters) {
    const std::string ir =
        text_of(compile(kEverySecond, "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, HasSubstr("<8 x i32> <i32 0, i32 9, i32 2, i32 11, i32 4, i32 13, "));
    EXPECT_THAT(ir, Not(HasSubstr("extractelement <16 x float>")));
    EXPECT_THAT(gang_ir(kEverySecond), HasSubstr("<16 x i1> <i1 true, i1 false, i1 true, "));
}

// Rows do not begin with the first lane's place, one float behind a vector's.
TEST(GangSteps, OfTwoInSharedMemoryHaveTheirRowsInCommon) {
    const std::string ir =
        text_of(compile(R"(
        __global__ void k(float* x, float* y) {
            __shared__ float s[128];
            s[2 * threadIdx.x + 1] = x[threadIdx.x];
            __syncthreads();
            y[threadIdx.x] = s[2 * threadIdx.x + 1];
        })",
                        "llvm", "x86-64-v4", {"--warpwise-executor=auto", "--warpwise-block=64"}));
    EXPECT_THAT(ir, Not(HasSubstr(", i64 68\n")));
}

constexpr std::string_view kSomeShared = R"(
    __global__ void k(const float* x, float* z, int n) {
        __shared__ float s[512];
        if (x[threadIdx.x] > n) s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        z[threadIdx.x] = s[threadIdx.x + n];
    })";

TEST(GangAccess, OfSomeLanesStoresSharedMemoryWholeWithoutMaskRegisters) {
    const std::string ir =
        text_of(compile(kSomeShared, "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
    const std::string blend = "select <16 x i1> %[0-9]+, <16 x float> ";
    EXPECT_THAT(ir, ContainsRegex(blend));
    EXPECT_THAT(gang_ir(kSomeShared), Not(ContainsRegex(blend)));
}

TEST(GangSteps, OfTwoInOtherMemoryLeaveTheElementsBetweenAlone) {
    const std::string ir = text_of(compile(R"(
        __global__ void k(const float* x, float* z) { z[threadIdx.x * 2] = x[threadIdx.x]; })",
                                           "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, HasSubstr("extractelement <16 x float>"));
    EXPECT_THAT(ir, Not(HasSubstr("<8 x i32> <i32 0, i32 9, i32 2, i32 11, i32 4, i32 13, ")));
}

TEST(GangSteps, OfTwoAreMaskedWhereLanesAreMissing) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* z, int n) {
            if (threadIdx.x % 3 != n) z[threadIdx.x * 2] = x[threadIdx.x * 2 + 1];
        })");
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.load.v16f32"));
    EXPECT_THAT(ir, Not(HasSubstr("gather")));
    EXPECT_THAT(ir, Not(HasSubstr("scatter")));
}

TEST(GangSteps, BackwardsAreWholeVectorsReversed) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* z) { z[-(int)threadIdx.x] = x[-(int)threadIdx.x]; })");
    EXPECT_THAT(ir, HasSubstr(" = load <16 x float>"));
    EXPECT_THAT(ir, HasSubstr("store <16 x float>"));
    EXPECT_THAT(ir, HasSubstr("<16 x i32> <i32 15, i32 14, i32 13, "));
    EXPECT_THAT(ir, Not(HasSubstr("insertelement <16 x float>")));
}

// Full gangs access each lane's place from registers; a loop over lanes is for those that lack one.
TEST(GangSteps, NeedNoLoopOverLanesWithoutGathersAndScatters) {
    const std::string ir = text_of(compile(R"(
        __global__ void k(const float* x, float* z) { z[threadIdx.x * 9] = x[threadIdx.x * 9]; })",
                                           "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, HasSubstr("lanes.all"));
    EXPECT_THAT(ir, HasSubstr("insertelement <16 x float>"));
    EXPECT_THAT(ir, HasSubstr("extractelement <16 x float>"));
}

constexpr std::string_view kSomeRows = R"(
    __global__ void k(const float* x, float* z, int n) {
        if (threadIdx.x % 3 != n) z[threadIdx.x * 9] = x[threadIdx.x * 9];
    })";

// A dead lane reads what a living one does, and writes to a place of its own.
TEST(GangSteps, NeedNoLoopOverLanesWhereSomeAreMissing) {
    const std::string ir =
        text_of(compile(kSomeRows, "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, HasSubstr("%nowhere = alloca float"));
    EXPECT_THAT(ir, Not(ContainsRegex("\nlane[0-9]*:")));
}

constexpr std::string_view kRowsThatWrap = R"(
    __global__ void k(const float* x, float* z, unsigned width) {
        unsigned i = threadIdx.x;
        z[i] = x[(i + width - 1) % width] + x[7 + 9 * threadIdx.x];
    })";

// A gang of one piece has no other that a vector could be the same for.
TEST(GangSteps, NeedNoLoopOverLanesInGangsOfOnePiece) {
    const std::string ir = text_of(
        compile(kRowsThatWrap, "llvm", "x86-64-v3",
                {"--warpwise-executor=gang", "--warpwise-tier=quick", "--warpwise-block=256,1,1"}));
    EXPECT_GE(count(ir, "lanes.all"), 2);  // neighbours
    EXPECT_THAT(ir, HasSubstr("insertelement <16 x float>"));
}

// Three bytes a thread are one vector of all, of which the code generator knows how to take them
// apart; also of four pixels a thread, whose addresses begin at several places.
TEST(GangColumnsOfBytes, AreOneVectorOfThreeColumns) {
    constexpr std::string_view kPixel = R"(
        __global__ void k(const uchar3* x, uchar3* z) {
            uchar3 p = x[blockIdx.x * 256 + threadIdx.x];
            z[blockIdx.x * 256 + threadIdx.x] = make_uchar3(p.z, p.x + p.y, p.y);
        })";
    constexpr std::string_view kFourPixels = R"(
        __global__ void k(const unsigned char* x, unsigned char* z, int n) {
            int start = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
            for (int k = 0; k < 4; ++k)
                if (start + k < n) {
                    const unsigned char* p = x + 3 * (start + k);
                    z[start + k] = (p[0] + 2 * p[1] + p[2]) >> 2;
                }
        })";
    for (const char* level : {"x86-64-v3", "x86-64-v4"}) {
        const auto code_of = [&](std::string_view source) {
            return text_of(compile(source, "llvm", level,
                                   {"--warpwise-executor=gang", "--warpwise-block=256"}));
        };
        const std::string one = code_of(kPixel);
        EXPECT_THAT(one, ContainsRegex("load <(48|96|192) x i8>"));
        EXPECT_THAT(one, ContainsRegex("store <(48|96|192) x i8>"));
        EXPECT_THAT(code_of(kFourPixels), ContainsRegex("load <(48|96|192) x i8>"));
    }
}

// One vector of columns for all rows, of which a row has some lanes.
TEST(GangSteps, NeedNoLoopOverLanesWhereAllRowsShareThem) {
    const std::string ir = text_of(compile(R"(
            __global__ void k(const float* x, float* z) {
                int at = threadIdx.y * 16 + threadIdx.x;
                if (x[at] > 1) z[at] = x[threadIdx.x * 12];
            })",
                                           "llvm", "x86-64-v3",
                                           {"--warpwise-executor=gang", "--warpwise-block=16,16"}));
    EXPECT_THAT(ir, HasSubstr("insertelement <16 x float>"));
    EXPECT_THAT(ir, Not(ContainsRegex("\nlane[0-9]*:")));
}

constexpr std::string_view kSomeBytes = R"(
    __global__ void k(const char* x, char* z, int n) {
        int i = threadIdx.x;
        char sum = 0;
        while (x[i] > sum) i += n, ++sum;
        z[threadIdx.x] = sum;
    })";

// Where the processor has no masked load: all of them, unless some lie in another page.
TEST(GangBytes, OfSomeLanesAreReadWholeWithinAPage) {
    const std::string ir =
        text_of(compile(kSomeBytes, "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, HasSubstr(", 4095"));
    EXPECT_THAT(ir, HasSubstr("load <16 x i8>"));
}

// Vectors that lie side by side, by one test, and as many of them as registers hold.
TEST(GangBytes, OfSeveralVectorsAreReadWholeWithinAPage) {
    const std::string ir =
        text_of(compile(R"(
        __global__ void k(const char* x, char* z, int n) {
            int i = blockIdx.x * 256 + threadIdx.x;
            char k = 0;
            while (k < n && x[i + k] == 7) ++k;
            z[i] = k;
        })",
                        "llvm", "x86-64-v3", {"--warpwise-executor=auto", "--warpwise-block=256"}));
    EXPECT_THAT(ir, ContainsRegex("icmp ul[et] i64 %[0-9]+, 39(68|69)"));  // 4,096 - 4 * 32
    EXPECT_THAT(ir, Not(HasSubstr("piece")));
}

// Of a block's own memory they are read with what dead lanes would, in any page.
TEST(GangBytes, OfSomeLanesInSharedMemoryAreReadWhole) {
    for (const char* place : {"threadIdx.x", "500 - (int)threadIdx.x", "2 * threadIdx.x"}) {
        const std::string ir = text_of(compile(fmt::format(R"(
            __global__ void k(const int* x, int* z) {{
                __shared__ short s[512];
                s[threadIdx.x] = x[threadIdx.x];
                __syncthreads();
                if (x[threadIdx.x] % 3 == 1) z[threadIdx.x] = s[{}];
            }})",
                                                           place),
                                               "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
        EXPECT_THAT(ir, Not(HasSubstr("insertelement <16 x i16>"))) << place;
        EXPECT_THAT(ir, Not(HasSubstr("@llvm.masked.load.v16i16"))) << place;
        EXPECT_THAT(ir, Not(ContainsRegex("\nlane[0-9]*:"))) << place;
    }
}

TEST(GangBytes, OfALocalArrayAreNotReadBeyondIt) {
    const std::string ir = text_of(compile(R"(
        __global__ void k(const int* x, char* z, int n) {
            char local[3] = {1, 2, 3};
            local[x[threadIdx.x] % 3] = n;
            if (threadIdx.x % 3 != n) z[threadIdx.x] = local[n % 3];
        })",
                                           "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, Not(HasSubstr(", 4095")));
}

// Lanes in pairs, four registers apart and more, and stores between them.
TEST(GangComputedPlaces, InAPatternAreInsertedAndExtractedWithoutGathersAndScatters) {
    const std::string ir = text_of(compile(R"(
        __global__ void k(const float* x, float* z) {
            int i = 8 * (2 * threadIdx.x - (threadIdx.x & 1));
            z[i] = x[i];
        })",
                                           "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
    EXPECT_GE(count(ir, "insertelement <16 x float>"), 16);
    EXPECT_GE(count(ir, "extractelement <16 x float>"), 16);
    EXPECT_THAT(ir, HasSubstr("%nowhere = alloca float"));
}

TEST(GangComputedPlaces, AreVectorAccessesWhereLanesTurnOutNeighbours) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, float* z, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            z[i] = x[(i + 1) % n];
        })");
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.load.v16f32"));
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.gather.v16f32"));
}

// One run, or two where a row ends between the lanes: a vector of each, by complementary masks.
TEST(GangComputedPlaces, AreTwoVectorsWhereRowsEnd) {
    const std::string ir = text_of(compile(R"(
        __global__ void k(const float* x, float* z, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            z[i] = x[(i + 1) % n];
        })",
                                           "llvm", "x86-64-v4",
                                           {"--warpwise-executor=gang", "--warpwise-tier=quick"}));
    EXPECT_EQ(count(ir, "= call <16 x float> @llvm.masked.load.v16f32"), 3);
}

// What all lanes of a row share is loaded once, and so is what that is the index of.
TEST(GangComputedPlaces, OfARowAreOneLoad) {
    const std::string ir = text_of(compile(R"(
        __global__ void k(const float* x, const int* rows, float* z, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            z[i] = x[rows[i / n] * n + i % n];
        })",
                                           "llvm", "x86-64-v4",
                                           {"--warpwise-executor=gang", "--warpwise-tier=quick"}));
    EXPECT_GE(count(ir, "= load i32, ptr"), 3);  // of one row, of two
    EXPECT_EQ(count(ir, "= call <16 x float> @llvm.masked.load.v16f32"), 3);
}

TEST(GangComputedPlaces, AreNotThoseThatWereLoaded) {
    const std::string ir = gang_ir(R"(
        __global__ void k(const float* x, const int* index, float* z) {
            z[threadIdx.x] = x[index[threadIdx.x]];
        })");
    EXPECT_THAT(ir, Not(HasSubstr("lanes.all")));
}

TEST(GangDivision, OfIntegersIsByDoubles) {
    const std::string ir = gang_ir(R"(
        __global__ void k(int* x, unsigned* y, int n, unsigned m) {
            x[threadIdx.x] /= n;
            y[threadIdx.x] %= m;
        })");
    EXPECT_THAT(ir, HasSubstr("fptosi <16 x double>"));
    EXPECT_THAT(ir, HasSubstr("fptoui <16 x double>"));
    EXPECT_THAT(ir, Not(HasSubstr("div <16 x i32>")));
    EXPECT_THAT(ir, Not(HasSubstr("rem <16 x i32>")));
}

// Masked stores are microcode on some processors without mask registers.
TEST(GangAccess, UnderAMaskStoresFullVectorsWhole) {
    constexpr std::string_view source = R"(
        __global__ void k(const int* x, int* y) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (x[i] > 0) y[i] = x[i];
        })";
    const std::string ir =
        text_of(compile(source, "llvm", "x86-64-v3", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.store.v16i32"));
    EXPECT_THAT(ir, HasSubstr("store <16 x i32>"));
    EXPECT_THAT(gang_ir(source), Not(HasSubstr("store <16 x i32>")));
}

// A loop over lanes takes three times as long where none is missing.
TEST(GangAccess, AnywhereWithoutGathersIsALoadAndAnInsertionALane) {
    const auto ir_of = [](const char* level) {
        return text_of(compile(R"(
            __global__ void k(const unsigned char* x, const int* place, int* y) {
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                y[i] = x[place[i]];
            })",
                               "llvm", level, {"--warpwise-executor=auto", "--warpwise-block=64"}));
    };
    for (const char* level : {"x86-64-v3", "x86-64-v4"}) {
        EXPECT_THAT(ir_of(level), HasSubstr("insertelement <16 x i8> %"));
        EXPECT_THAT(ir_of(level), Not(HasSubstr("cttz")));
    }
}

TEST(GangAccess, ToFieldsOfStructuresSomewhereIsOneLoadALane) {
    const auto ir_of = [](const char* type, const char* sum, const char* level) {
        return text_of(compile(fmt::format(R"(
            __global__ void k(const {}* items, const int* place, float* y) {{
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                {} item = items[place[i]];
                y[i] = {};
            }})",
                                           type, type, sum),
                               "llvm", level, {"--warpwise-executor=gang"}));
    };
    const std::string three = ir_of("float4", "item.x * item.y + item.w", "x86-64-v4");
    EXPECT_THAT(three, HasSubstr("load <4 x float>"));
    EXPECT_THAT(three, Not(HasSubstr("gather")));
    const std::string two = ir_of("float4", "item.x * item.w", "x86-64-v4");
    EXPECT_THAT(two, Not(HasSubstr("load <4 x float>")));
    const std::string pixel = ir_of("uchar4", "item.x * item.w", "x86-64-v3");
    EXPECT_THAT(pixel, HasSubstr("load <4 x i8>"));
    EXPECT_THAT(ir_of("uchar4", "item.x * item.w", "x86-64-v4"), HasSubstr("masked.gather.v16i32"));
    // What is behind the last of them may be no memory.
    EXPECT_THAT(ir_of("float3", "item.x * item.y", "x86-64-v3"),
                Not(ContainsRegex("<[24] x float>")));
}

// One lane after the other would walk through such a table from row to row.
TEST(GangAccess, ByColumnInALoopOfTheLanesOwnLengthStaysAVector) {
    const std::string ir =
        text_of(compile(R"(
        __global__ void k(const int* many, const int* place, const float* x, const float* z,
                          float* y, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            float sum = 0;
            for (int j = 0; j < many[i]; ++j) sum += x[place[j * n + i]] * z[place[j * n + i]];
            y[i] = sum;
        })",
                        "llvm", "x86-64-v4,-fast-gather", {"--warpwise-executor=gang"}));
    EXPECT_THAT(ir, HasSubstr("@llvm.masked.load.v16i32"));
}

TEST(GangDivision, OfAnIndexIsAScalarOne) {
    const std::string ir = gang_ir(R"(
        __global__ void k(int* x, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            x[i] = i / n;
        })");
    EXPECT_THAT(ir, HasSubstr("udiv i32"));
    EXPECT_THAT(ir, HasSubstr("icmp sge <16 x i32>"));
}

TEST(GangDivision, WithItsRemainderIsOne) {
    const auto divisions = [](const char* sum) {
        const std::string source = "__global__ void k(int* x, int n) { int i = threadIdx.x + n;" +
                                   std::string("x[threadIdx.x] = ") + sum + "; }";
        return count(text_of(compile(source, "llvm", "x86-64-v4",
                                     {"--warpwise-executor=gang", "--warpwise-tier=quick"})),
                     " = udiv i32");
    };
    const std::size_t one = divisions("i / 20");
    EXPECT_GE(one, 1);
    EXPECT_EQ(divisions("i / 20 * 32 + i % 20"), one);
    EXPECT_EQ(divisions("i % 20 * 32 + i / 20"), one);
    EXPECT_EQ(divisions("i / 20 * 32 + i / 21"), 2 * one);
}

TEST(GangConversions, ToIntegersClampAndConvertVectors) {
    const std::string ir = text_of(compile(R"(
        __global__ void k(const float* x, int* y, unsigned* z) {
            y[threadIdx.x] = (int)x[threadIdx.x];
            z[threadIdx.x] = (unsigned)x[threadIdx.x];
        })",
                                           "llvm", "x86-64-v4", {"--warpwise-executor=auto"}));
    EXPECT_THAT(ir, HasSubstr("fptosi <16 x float>"));
    EXPECT_THAT(ir, HasSubstr("fptoui <16 x float>"));
    EXPECT_THAT(ir, Not(HasSubstr(".sat.v16i32")));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
