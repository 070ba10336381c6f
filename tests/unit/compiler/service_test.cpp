// Opening the compiler library: the right one, and every wrong one with its name in the message.
#include "src/compiler/service_library.hpp"

#include <gmock/gmock.h>

#include "tests/unit/base/temporary_folder.hpp"
#include "warpwise/error.hpp"

namespace warpwise::compiler {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string message_for(const std::string& path) {
    try {
        open_service_library(path);
    } catch (const DeviceError& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(ServiceLibrary, GivesTheService) {
    CompileRequest request;
    request.target = "x86-64-v3";
    EXPECT_EQ(open_service_library(FAKE_SERVICE).compile(request).target, "x86-64-v3");
}

TEST(ServiceLibrary, MayBeMissing) {
    EXPECT_THAT(message_for("/nowhere/libwarpwise_compiler.so"),
                AllOf(HasSubstr("'/nowhere/libwarpwise_compiler.so'"), HasSubstr("missing"),
                      HasSubstr("install")));
}

TEST(ServiceLibrary, MayBeNoLibrary) {
    const TemporaryFolder folder;
    const std::string file = folder.write("text.so", "not a library");
    EXPECT_THAT(message_for(file), AllOf(HasSubstr(file), HasSubstr("cannot open")));
}

TEST(ServiceLibrary, MayBeOfAnotherVersion) {
    EXPECT_THAT(message_for(FAKE_OLD_SERVICE),
                AllOf(HasSubstr(FAKE_OLD_SERVICE), HasSubstr("another version")));
}

TEST(ServiceLibrary, MayLackTheDoor) {
    EXPECT_THAT(message_for(FAKE_NO_SERVICE),
                AllOf(HasSubstr(FAKE_NO_SERVICE), HasSubstr("has no warpwise_compiler_service()")));
}

TEST(ServiceLibrary, LiesBesideTheLibrary) {
    EXPECT_THAT(service_library_path(), EndsWith("/libwarpwise_compiler.so"));
}

TEST(Service, IsClosedUntilItIsAskedFor) {
    EXPECT_FALSE(service_is_open());
}

}  // namespace
}  // namespace warpwise::compiler
