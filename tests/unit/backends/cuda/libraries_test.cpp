// NVIDIA's libraries: what is said of them, found or not.
#include "src/backends/cuda/driver/libraries.hpp"

#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/error.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CudaLibraries : public OnFakeCuda {};

TEST_F(CudaLibraries, TellTheirVersionsOrWhyThereIsNone) {
    const std::vector<warpwise::CudaLibrary> all = cuda_libraries();
    ASSERT_EQ(all.size(), 8u);
    for (const auto& library : all) {
        EXPECT_NE(library.version.empty(), library.reason.empty()) << library.name;
        if (!library.reason.empty()) {
            EXPECT_THAT(library.reason, HasSubstr("`pip install nvidia-"));
        }
    }
}

TEST_F(CudaLibraries, AreTheOnesThatSettingsName) {
    const warpwise::CudaLibrary cupti = cuda_library("cupti");
    EXPECT_EQ(cupti.path, FAKE_CUPTI);
    EXPECT_EQ(cupti.version, "13.0.1");
    EXPECT_EQ(cupti.title, "CUPTI");
}

TEST_F(CudaLibraries, AreRefusedWhereTheyAreNotKnown) {
    EXPECT_THAT(message_of<ArgumentError>([] { cuda_library("cublass"); }),
                AllOf(HasSubstr("'cublass' is no library of NVIDIA's"), HasSubstr("cusparse"),
                      HasSubstr("did you mean 'cublas'?")));
}

TEST_F(CudaLibraries, StandBesideTheDriver) {
    const CudaDriver driver = cuda_driver();
    EXPECT_TRUE(driver.is_usable);
    EXPECT_EQ(driver.cuda, "12.8");
    EXPECT_EQ(driver.path, FAKE_CUDA);
    EXPECT_EQ(driver.reason, "");
}

}  // namespace
}  // namespace warpwise::cuda
