// Executor gang: stores of several branches to one place are one store.
#include <fmt/format.h>

#include "tests/unit/backends/cpu_compiler/lower_support.hpp"

namespace warpwise::cpu_compiler::test {
namespace {

std::string ir_of(std::string_view body, std::string_view option = "--warpwise-tier=quick") {
    const std::string source = fmt::format(
        "__global__ void k(const float* x, float* y, float* z, float low) {{"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;"
        "    {}"
        "}}",
        body);
    return text_of(
        compile(source, "llvm", "x86-64-v4",
                {"--warpwise-executor=gang", "--warpwise-tier=quick", std::string(option)}));
}

std::size_t stores(const std::string& ir) {
    return count(ir, "call void @llvm.masked.store.v16f32");
}

TEST(GangStores, OfBranchesToOnePlaceAreOne) {
    const char* body = "if (x[i] > 1) y[i] = 2; else if (x[i] > low) y[i] = 3;";
    EXPECT_EQ(2 * stores(ir_of(body)), stores(ir_of(body, "--warpwise-skip-pass=join-stores")));
}

TEST(GangStores, OfAllBranchesAreOneOfAllLanes) {
    EXPECT_EQ(stores(ir_of("if (x[i] > 1) y[i] = 2; else if (x[i] > low) y[i] = 3;"
                           "else y[i] = x[i];")),
              stores(ir_of("y[i] = x[i];")));
}

TEST(GangStores, ToTwoPlacesAreJoinedOneAfterTheOther) {
    EXPECT_EQ(stores(ir_of("if (x[i] > low) { y[i] = 2; z[i] = 3; }"
                           "else { y[i] = x[i]; z[i] = 4; }")),
              stores(ir_of("y[i] = x[i]; z[i] = 4;")));
}

TEST(GangStores, ToOtherPlacesStayWhereTheyAre) {
    const char* body = "if (x[i] > 1) y[i] = 2; else if (x[i] > low) z[i] = 3;";
    EXPECT_EQ(ir_of(body), ir_of(body, "--warpwise-skip-pass=join-stores"));
}

TEST(GangStores, ThatAreVolatileStayWhereTheyAre) {
    const char* body = "volatile float* v = y; if (x[i] > 1) v[i] = 2; else v[i] = 3;";
    EXPECT_EQ(ir_of(body), ir_of(body, "--warpwise-skip-pass=join-stores"));
}

}  // namespace
}  // namespace warpwise::cpu_compiler::test
