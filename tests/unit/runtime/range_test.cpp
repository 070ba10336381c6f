// Ranges with a tool that listens to NVTX. The numbers of the protocol are held against NVIDIA's
// header where it is installed.
#include <dlfcn.h>

#include <thread>

#include "src/base/nvtx.hpp"
#include "tests/unit/runtime/null_device.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

namespace warpwise {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

std::string heard() {
    static void* const tool = ::dlopen(FAKE_NVTX_TOOL, RTLD_NOW);
    return reinterpret_cast<const char* (*)()>(::dlsym(tool, "fake_nvtx_heard"))();
}

TEST(Ranges, ReachTheTool) {
    {
        const Range outer("outer");
        const Range inner(std::string_view("inner range").substr(0, 5));
        mark("here");
    }
    push_range("pushed");
    pop_range();
    EXPECT_THAT(heard(), EndsWith("(outer(inner!here))(pushed)"));
}

TEST(Ranges, ReachTheToolAndAProfile) {
    Profile profile;
    {
        const Range outer("outer");
        const Range inner("inner");
    }
    profile.stop();
    EXPECT_THAT(heard(), EndsWith("(outer(inner))"));
    const auto& records = profile.records();
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].name, "outer");
    EXPECT_EQ(records[1].name, "inner");
    EXPECT_GE(records[1].start, records[0].start);
    EXPECT_LE(records[1].start + records[1].duration, records[0].start + records[0].duration);
    EXPECT_EQ(records[0].thread, static_cast<std::uint64_t>(::gettid()));
}

TEST(Ranges, EndInTheirOwnThread) {
    push_range("mine");
    std::string message;
    std::thread([&] { message = message_of<ArgumentError>([] { pop_range(); }); }).join();
    EXPECT_THAT(message, HasSubstr("no range is open in this thread"));
    pop_range();
    EXPECT_THROW(pop_range(), ArgumentError);
}

TEST(Ranges, MayStayOpenOverABeginOrAnEnd) {
    push_range("before");
    Profile profile;
    pop_range();
    push_range("after");
    profile.stop();
    pop_range();
    EXPECT_TRUE(profile.records().empty());
    Profile next;
    next.stop();
    EXPECT_TRUE(next.records().empty());
}

#ifdef NVTX_VERSION
static_assert(nvtx::kMark == NVTX_CBID_CORE_MarkA);
static_assert(nvtx::kRangePush == NVTX_CBID_CORE_RangePushA);
static_assert(nvtx::kRangePop == NVTX_CBID_CORE_RangePop);
static_assert(static_cast<int>(nvtx::Module::Core) == NVTX_CB_MODULE_CORE);
static_assert(nvtx::kSlots[NVTX_CB_MODULE_CORE] == NVTX_CBID_CORE_SIZE);
static_assert(nvtx::kSlots[NVTX_CB_MODULE_CUDA] == NVTX_CBID_CUDA_SIZE);
static_assert(nvtx::kSlots[NVTX_CB_MODULE_OPENCL] == NVTX_CBID_OPENCL_SIZE);
static_assert(nvtx::kSlots[NVTX_CB_MODULE_CUDART] == NVTX_CBID_CUDART_SIZE);
static_assert(nvtx::kSlots[NVTX_CB_MODULE_CORE2] == NVTX_CBID_CORE2_SIZE);
static_assert(nvtx::kSlots[NVTX_CB_MODULE_SYNC] == NVTX_CBID_SYNC_SIZE);
static_assert(nvtx::kCallbacks == NVTX_ETID_CALLBACKS);
static_assert(nvtx::kVersionInfo == NVTX_ETID_VERSIONINFO);
static_assert(sizeof(nvtx::Callbacks) == sizeof(NvtxExportTableCallbacks));
static_assert(sizeof(nvtx::VersionInfo) == sizeof(NvtxExportTableVersionInfo));

// What NVIDIA's own header does with the same tool.
TEST(Ranges, AreHeardAsThoseOfNvidiasHeader) {
    nvtxRangePushA("theirs");
    const Range ours("ours");
    nvtxMarkA("mark");
    nvtxRangePop();
    EXPECT_THAT(heard(), EndsWith("(theirs(ours!mark)"));
}
#endif

}  // namespace
}  // namespace warpwise

int main(int count, char** words) {
    ::setenv("NVTX_INJECTION64_PATH", FAKE_NVTX_TOOL, 1);
    testing::InitGoogleMock(&count, words);
    return RUN_ALL_TESTS();
}
