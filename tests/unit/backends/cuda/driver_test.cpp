// Opening a driver: a good one, and every bad one with the reason it gives.
#include <cstdlib>

#include "tests/unit/backends/cuda/fake_cuda.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string reason(const std::string& path) {
    const auto result = open_driver(path);
    const auto* const text = std::get_if<std::string>(&result);
    return text != nullptr ? *text : "a good driver";
}

class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
    ~Variable() { ::unsetenv(name_); }

  private:
    const char* name_;
};

class OpenDriver : public OnFakeCuda {};

TEST_F(OpenDriver, FillsItsTable) {
    const auto result = open_driver(FAKE_CUDA);
    ASSERT_TRUE(std::holds_alternative<Driver>(result));
    EXPECT_NE(std::get<Driver>(result).launch, nullptr);
}

TEST_F(OpenDriver, SaysThatThereIsNone) {
    EXPECT_THAT(reason("/nowhere/libcuda.so.1"),
                AllOf(HasSubstr("/nowhere/libcuda.so.1"), HasSubstr("install")));
}

TEST_F(OpenDriver, SaysThatALibraryIsNoDriver) {
    EXPECT_THAT(reason("libm.so.6"), HasSubstr("'libm.so.6' is not a CUDA driver"));
}

TEST_F(OpenDriver, SaysThatTheDriverIsTooOld) {
    const Variable old("FAKE_CUDA_VERSION", "11080");
    EXPECT_THAT(reason(FAKE_CUDA),
                AllOf(HasSubstr("CUDA 11.8"), HasSubstr("12.0"), HasSubstr("update")));
}

TEST_F(OpenDriver, SaysWhichFunctionIsMissing) {
    const Variable without("FAKE_CUDA_WITHOUT", "cuLaunchKernelEx");
    EXPECT_THAT(reason(FAKE_CUDA), HasSubstr("cuLaunchKernelEx"));
}

TEST_F(OpenDriver, SaysWhyItDoesNotStart) {
    fail("cuInit", Status::NoDevice);
    EXPECT_THAT(reason(FAKE_CUDA), HasSubstr("CUDA_ERROR_NO_DEVICE"));
}

}  // namespace
}  // namespace warpwise::cuda
