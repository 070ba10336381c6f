// A compile worker that is not there. What a worker does is tested with the compiler library.
#include "src/compiler/worker/child.hpp"

#include <gmock/gmock.h>

#include "warpwise/error.hpp"

namespace warpwise::compiler {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CompileInChild, NamesTheWorkerThatIsMissing) {
    try {
        run_in_child(Job::Compile, {});  // none lies beside this test
        FAIL() << "nothing was thrown";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("warpwise-compile-worker"), HasSubstr("install"),
                                        HasSubstr("No such file")));
    }
}

}  // namespace
}  // namespace warpwise::compiler
