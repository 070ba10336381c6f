// CUPTI's binary interface as it is written out here, against NVIDIA's own header where one is
// installed: any of CUDA 12.0 to 13.
#include "src/backends/cuda/profile/cupti_abi.hpp"

#include <gtest/gtest.h>

#if __has_include(<cupti.h>) && __has_include(<cuda.h>)
#include <cupti.h>

namespace warpwise::cuda {
namespace {

// The newest records that this header knows. CUPTI 12.9 calls itself 28, CUPTI 13.0 130001.
#if CUPTI_API_VERSION >= 130000
using RealKernel = CUpti_ActivityKernel10;
using RealMemcpy = CUpti_ActivityMemcpy6;
#else
using RealKernel = CUpti_ActivityKernel9;
using RealMemcpy = CUpti_ActivityMemcpy5;
#endif
using RealPeer = CUpti_ActivityMemcpyPtoP4;
using RealMemset = CUpti_ActivityMemset4;

#define SAME_PLACE(own, member, real, its)                       \
    static_assert(offsetof(own, member) == offsetof(real, its)); \
    static_assert(sizeof(own::member) == sizeof(real::its))

SAME_PLACE(cupti::KernelActivity, kind, RealKernel, kind);
SAME_PLACE(cupti::KernelActivity, registers, RealKernel, registersPerThread);
SAME_PLACE(cupti::KernelActivity, start, RealKernel, start);
SAME_PLACE(cupti::KernelActivity, end, RealKernel, end);
SAME_PLACE(cupti::KernelActivity, device, RealKernel, deviceId);
SAME_PLACE(cupti::KernelActivity, context, RealKernel, contextId);
SAME_PLACE(cupti::KernelActivity, stream, RealKernel, streamId);
static_assert(offsetof(cupti::KernelActivity, grid) == offsetof(RealKernel, gridX));
static_assert(offsetof(cupti::KernelActivity, block) == offsetof(RealKernel, blockX));
SAME_PLACE(cupti::KernelActivity, static_shared_bytes, RealKernel, staticSharedMemory);
SAME_PLACE(cupti::KernelActivity, dynamic_shared_bytes, RealKernel, dynamicSharedMemory);
SAME_PLACE(cupti::KernelActivity, local_bytes_per_thread, RealKernel, localMemoryPerThread);
SAME_PLACE(cupti::KernelActivity, correlation, RealKernel, correlationId);
SAME_PLACE(cupti::KernelActivity, name, RealKernel, name);

SAME_PLACE(cupti::MemcpyActivity, copy_kind, RealMemcpy, copyKind);
SAME_PLACE(cupti::MemcpyActivity, bytes, RealMemcpy, bytes);
SAME_PLACE(cupti::MemcpyActivity, start, RealMemcpy, start);
SAME_PLACE(cupti::MemcpyActivity, end, RealMemcpy, end);
SAME_PLACE(cupti::MemcpyActivity, device, RealMemcpy, deviceId);
SAME_PLACE(cupti::MemcpyActivity, stream, RealMemcpy, streamId);

SAME_PLACE(cupti::PeerActivity, bytes, RealPeer, bytes);
SAME_PLACE(cupti::PeerActivity, start, RealPeer, start);
SAME_PLACE(cupti::PeerActivity, end, RealPeer, end);
SAME_PLACE(cupti::PeerActivity, stream, RealPeer, streamId);
SAME_PLACE(cupti::PeerActivity, source_device, RealPeer, srcDeviceId);
SAME_PLACE(cupti::PeerActivity, destination_device, RealPeer, dstDeviceId);

SAME_PLACE(cupti::MemsetActivity, bytes, RealMemset, bytes);
SAME_PLACE(cupti::MemsetActivity, start, RealMemset, start);
SAME_PLACE(cupti::MemsetActivity, end, RealMemset, end);
SAME_PLACE(cupti::MemsetActivity, device, RealMemset, deviceId);
SAME_PLACE(cupti::MemsetActivity, stream, RealMemset, streamId);

template <class Own, class Real>
void expect_same(Own own, Real real) {
    EXPECT_EQ(static_cast<int>(own), static_cast<int>(real));
}

TEST(CuptiAbi, HasTheNumbersOfTheHeader) {
    expect_same(cupti::Kind::Memcpy, CUPTI_ACTIVITY_KIND_MEMCPY);
    expect_same(cupti::Kind::Memset, CUPTI_ACTIVITY_KIND_MEMSET);
    expect_same(cupti::Kind::Kernel, CUPTI_ACTIVITY_KIND_KERNEL);
    expect_same(cupti::Kind::ConcurrentKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    expect_same(cupti::Kind::Memcpy2, CUPTI_ACTIVITY_KIND_MEMCPY2);
    expect_same(cupti::CopyKind::HtoD, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
    expect_same(cupti::CopyKind::DtoH, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
    expect_same(cupti::CopyKind::PtoP, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
    expect_same(cupti::Result::MaxLimitReached, CUPTI_ERROR_MAX_LIMIT_REACHED);
    expect_same(cupti::Result::InsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
    expect_same(cupti::Result::MultipleSubscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    expect_same(cupti::kFlushForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

}  // namespace
}  // namespace warpwise::cuda
#else
TEST(CuptiAbi, HasTheNumbersOfTheHeader) {
    GTEST_SKIP() << "NVIDIA's CUPTI header is not installed";
}
#endif
