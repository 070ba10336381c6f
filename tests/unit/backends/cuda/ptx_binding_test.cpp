// Variables of a PTX text become addresses.
#include "src/backends/cuda/link/ptx_binding.hpp"

#include <gmock/gmock.h>

namespace warpwise::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kText = R"(.version 9.0
.global .align 4 .u32 counter = 3;
.global .align 8 .u64 where = generic(counter);
.global .align 4 .u32 counter2;
.const .align 4 .b8 table[16] = {1, 0, 0, 0};

.visible .entry put(
	.param .u64 put_param_0
)
{
	.reg .b32 	%r<2>;

	ld.global.u32 	%r2, [counter];
	ld.global.u32 	%r3, [counter2+4];
	mov.u64 	%rd5, table;
	ld.const.u32 	%r6, [%rd5];
	ld.const.u32 	%r7, [table+8];
	ret;

}
)";

TEST(BindVariables, TakesDefinitionsOut) {
    EXPECT_THAT(bind_variables(kText, {{"counter", 4096}}), Not(HasSubstr("counter = 3")));
}

TEST(BindVariables, LeavesOthersAsTheyAre) {
    EXPECT_THAT(bind_variables(kText, {{"counter", 4096}}),
                AllOf(HasSubstr(".u32 counter2;"), HasSubstr("[counter2+4]")));
}

TEST(BindVariables, PutsAddressesOfOperandsIntoRegisters) {
    EXPECT_THAT(bind_variables(kText, {{"counter", 4096}}),
                AllOf(HasSubstr("{\n\t.reg .b64 %ww0;\n\tmov.u64 %ww0, 4096;\n"),
                      HasSubstr("ld.global.u32 \t%r2, [%ww0];")));
}

TEST(BindVariables, WritesAddressesOfInitialisersOut) {
    EXPECT_THAT(bind_variables(kText, {{"counter", 4096}}), HasSubstr(".u64 where = (4096);"));
}

TEST(BindVariables, ReadsConstantsAsGlobalMemory) {
    EXPECT_THAT(bind_variables(kText, {{"table", 512}}),
                AllOf(HasSubstr("mov.u64 \t%rd5, 512;"), HasSubstr("ld.global.u32 \t%r6, [%rd5];"),
                      HasSubstr("ld.global.u32 \t%r7, [%ww0+8];"), Not(HasSubstr(".const"))));
}

TEST(BindVariables, MakesUnboundConstantsGlobalToo) {
    EXPECT_THAT(bind_variables(kText, {{"counter", 4096}}),
                AllOf(HasSubstr(".global .align 4 .b8 table[16]"),
                      HasSubstr("ld.global.u32 \t%r7, [table+8];")));
}

}  // namespace
}  // namespace warpwise::cuda
