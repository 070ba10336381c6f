// Executor gang: bytes and short integers, which C++ promotes to int, in lanes of 8 and 16 bits.
#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string ir_for_block(const char* source, const std::string& block,
                         const std::vector<std::string>& also = {}) {
    std::vector<std::string> options = {"--warpwise-executor=auto", "--warpwise-block=" + block};
    options.insert(options.end(), also.begin(), also.end());
    return text_of(compile(source, "llvm", "x86-64-v4", options));
}

constexpr const char* kSmallest = R"(
    __global__ void k(const unsigned char* x, unsigned char* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        int least = x[i];
        for (int j = 1; j < 4; ++j) if (x[i + j] < least) least = x[i + j];
        y[i] = least;
    })";

TEST(GangOfBytes, HasSixtyFourInAVector) {
    EXPECT_THAT(ir_for_block(kSmallest, "256"), HasSubstr("@llvm.umin.v64i8"));
    EXPECT_THAT(ir_for_block(kSmallest, "256"), Not(HasSubstr("x i32>")));
}

TEST(GangOfBytes, HasAsManyAsTheBlocksRow) {
    EXPECT_THAT(ir_for_block(kSmallest, "32,8"), HasSubstr("@llvm.umin.v32i8"));
    EXPECT_THAT(ir_for_block(kSmallest, "48"), HasSubstr("@llvm.umin.v16i8"));
}

// Without mask registers, masks are lanes: of the values' width.
TEST(GangOfBytes, HasMasksOfBytes) {
    const std::string ir =
        text_of(compile(R"(
            __global__ void k(const unsigned char* x, unsigned char* y) {
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                unsigned char v = x[i];
                while (v > 3) v /= 2;
                y[i] = v;
            })",
                        "llvm", "x86-64-v3", {"--warpwise-executor=auto", "--warpwise-block=256"}));
    EXPECT_THAT(ir, HasSubstr("phi <32 x i8>"));
    EXPECT_THAT(ir, Not(HasSubstr("x i32>")));
}

constexpr const char* kDifference = R"(
    __global__ void k(const unsigned char* x, const unsigned char* y, unsigned char* z) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        z[i] = abs(x[i] - y[i]);
    })";

// More lanes than bits of the count.
TEST(GangOfBytes, CountsThreadsInVectorsOfSixtyFour) {
    const std::string ir = ir_for_block(R"(
        __global__ void k(const unsigned char* x, const unsigned char* y, unsigned char* z, int* n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            unsigned char v = x[i];
            while (v > 3 && v != y[0]) v /= 2;
            if (__syncthreads_count(v == 3) > 9) *n = 1;
            z[i] = v;
        })",
                                        "512");
    EXPECT_THAT(ir, HasSubstr("@llvm.ctpop.i64"));
}

TEST(GangOfBytes, TakesDifferencesWithoutASign) {
    EXPECT_THAT(ir_for_block(kDifference, "256"), HasSubstr("@llvm.umax.v64i8"));
}

TEST(GangOfBytes, StaysInWordsWithoutThePass) {
    EXPECT_THAT(ir_for_block(kDifference, "256", {"--warpwise-skip-pass=narrow-integers"}),
                ContainsRegex("@llvm.abs.v[0-9]+i32"));
}

// What does not fit: the product of two bytes and a word, and its upper bits.
TEST(GangOfBytes, LeavesWhatNeedsMoreBits) {
    EXPECT_THAT(ir_for_block(R"(
        __global__ void k(const unsigned char* x, const int* y, unsigned char* z) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            z[i] = (x[i] * y[i]) >> 24;
        })",
                             "256"),
                ContainsRegex("mul (nsw )?<[0-9]+ x i32>"));
}

}  // namespace
// What int(x) is in Python, and how it is used: `if 0 <= at < 64: bins[at]`.
TEST(GangOfConversions, Has32BitsBehindAComparison) {
    const auto ir_with = [](const std::string& condition, const std::string& index) {
        const std::string source = R"(
            __global__ void k(const double* x, int* bins) {
                long long at = (long long)x[blockIdx.x * blockDim.x + threadIdx.x];
                if ()" + condition +
                                   ") bins[" + index + "] = 1; }";
        return ir_for_block(source.c_str(), "256");
    };
    const std::string narrow = ir_with("0 <= at && at < 64", "at");
    EXPECT_THAT(narrow, ContainsRegex("fptosi <[0-9]+ x double> %[a-z0-9.]+ to <[0-9]+ x i32>"));
    EXPECT_THAT(narrow,
                Not(ContainsRegex("fptosi <[0-9]+ x double> %[a-z0-9.]+ to <[0-9]+ x i64>")));
    // No comparison bounds it, or not enough.
    EXPECT_THAT(ir_with("at < 64", "at"),
                ContainsRegex("fptosi <[0-9]+ x double> %[a-z0-9.]+ to <[0-9]+ x i64>"));
    EXPECT_THAT(ir_with("0 <= at && at < (1LL << 40)", "at"),
                ContainsRegex("fptosi <[0-9]+ x double> %[a-z0-9.]+ to <[0-9]+ x i64>"));
}

constexpr const char* kLeastSum = R"(
    __global__ void k(const int* x, const int* y, int* z) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        z[i] = min((long long)x[i] + 1, (long long)y[i] + 2);
    })";

// In 64 bits they are what a branch leads to.
TEST(GangOfWideSums, ComparesThemIn32Bits) {
    const std::string ir = ir_for_block(kLeastSum, "256");
    EXPECT_THAT(ir, ContainsRegex("@llvm.smin.v[0-9]+i32"));
    EXPECT_THAT(ir, ContainsRegex("br i1 .*!prof"));
}

// All lanes take the branch where one has to, so that neither side is masked or blended.
TEST(GangOfWideSums, AsksAllLanesAtOnce) {
    EXPECT_THAT(ir_for_block(kLeastSum, "256"), Not(HasSubstr("select <")));
}

TEST(GangOfWideSums, LeavesNoMarkerInAKernelThatStaysScalar) {
    const std::string ir = ir_for_block(R"(
        __global__ void k(volatile int* flag, const int* x, const int* y, int* z) {
            int i = threadIdx.x;
            z[i] = min((long long)x[i] + 1, (long long)y[i] + 2);
            while (flag[i] == 0) {}
            flag[i + 1] = 1;
        })",
                                        "256");
    EXPECT_THAT(ir, HasSubstr("@llvm.smin.i32"));
    EXPECT_THAT(ir, Not(HasSubstr("warpwise.any.bits(")));
}

TEST(GangOfWideSums, ComparesThemIn64BitsWithoutThePass) {
    EXPECT_THAT(ir_for_block(kLeastSum, "256", {"--warpwise-skip-pass=narrow-sums"}),
                Not(ContainsRegex("@llvm.smin.v[0-9]+i32")));
}

// Of bytes 32 bits are always enough.
TEST(GangOfWideSums, HasNoBranchWhereIntegersAreSmall) {
    const std::string ir = ir_for_block(R"(
        __global__ void k(const unsigned char* x, const short* y, float* z) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            z[i] = (long long)x[i] * 300 + y[i];
        })",
                                        "256");
    EXPECT_THAT(ir, ContainsRegex("sitofp <[0-9]+ x i32>"));
    EXPECT_THAT(ir, Not(HasSubstr("x i64>")));
}

// A selection by the sum of what its last bits are: that stays behind, the comparison does not.
TEST(GangOfWideSums, ComparesWhatASelectionOfItsBitsAsks) {
    const std::string ir = ir_for_block(R"(
        __global__ void k(const int* x, int* y, int number) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            long long places = (long long)x[i] * 4 + x[i + 1];
            unsigned last = places >= 64 ? 63 : places & 63;
            y[i] = number >> min(last, 31u);
        })",
                                        "256");
    EXPECT_THAT(ir, ContainsRegex("icmp sgt <[0-9]+ x i32>.*i32 63"));
    EXPECT_THAT(ir, ContainsRegex("br i1 .*!prof"));
}

// Numbers of 64 bits in memory.
TEST(GangOfWideSums, LeavesWhatIsReadIn64Bits) {
    const std::string ir = ir_for_block(R"(
        __global__ void k(const long long* x, const int* y, int* z) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            z[i] = min(x[i] + 1, (long long)y[i] + 2);
        })",
                                        "256");
    EXPECT_THAT(ir, Not(ContainsRegex("@llvm.smin.v[0-9]+i32")));
}

}  // namespace warpwise::cpu_compiler::test
