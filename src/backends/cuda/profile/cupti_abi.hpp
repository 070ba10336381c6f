// The types and numbers of CUPTI's binary interface that this component uses, written out so that
// building needs no toolkit.
//
// A record begins with its kind; what follows has grown with the versions, always at its end
// (CUpti_ActivityKernel4 to 10, Memcpy to Memcpy6). The fields below lie at the same places in the
// records that CUPTI 12.0 to 13.0 write: read from cupti_activity.h of 12.9 and 13.0, and checked
// in tests/unit/backends/cuda/cupti_abi_test.cpp against the header that is installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwise::cuda::cupti {

// CUptiResult: those that are distinguished.
enum class Result : int {
    Success = 0,
    MaxLimitReached = 12,
    InsufficientPrivileges = 35,
    MultipleSubscribers = 39,
};

// CUpti_ActivityKind.
enum class Kind : int { Memcpy = 1, Memset = 2, Kernel = 3, ConcurrentKernel = 10, Memcpy2 = 22 };

// CUpti_ActivityMemcpyKind: H host, D device, A array, P peer.
enum class CopyKind : std::uint8_t {
    HtoD = 1,
    DtoH = 2,
    HtoA = 3,
    AtoH = 4,
    AtoA = 5,
    AtoD = 6,
    DtoA = 7,
    DtoD = 8,
    HtoH = 9,
    PtoP = 10,
};

inline constexpr std::uint32_t kFlushForced = 1;  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

struct Activity {
    Kind kind;
};

// The beginning of CUpti_ActivityKernel4 and later.
struct KernelActivity {
    Kind kind;
    std::uint8_t cache;
    std::uint8_t shared_memory;
    std::uint16_t registers;
    std::uint32_t global_cache[2];
    std::uint64_t start, end, completed;  // nanoseconds; 0: unknown
    std::uint32_t device, context, stream;
    std::int32_t grid[3], block[3];
    std::int32_t static_shared_bytes, dynamic_shared_bytes;
    std::uint32_t local_bytes_per_thread, local_bytes;
    std::uint32_t correlation;
    std::int64_t grid_id;
    const char* name;  // mangled; lives as long as CUPTI
};
static_assert(offsetof(KernelActivity, start) == 16 && offsetof(KernelActivity, device) == 40);
static_assert(offsetof(KernelActivity, block) == 64 && offsetof(KernelActivity, name) == 104);

// The beginning of CUpti_ActivityMemcpy and later.
struct MemcpyActivity {
    Kind kind;
    CopyKind copy_kind;
    std::uint8_t source_kind, destination_kind, flags;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream;
};
static_assert(offsetof(MemcpyActivity, bytes) == 8 && offsetof(MemcpyActivity, stream) == 40);

// The beginning of CUpti_ActivityMemcpyPtoP and later.
struct PeerActivity {
    Kind kind;
    CopyKind copy_kind;
    std::uint8_t source_kind, destination_kind, flags;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream;
    std::uint32_t source_device, source_context, destination_device, destination_context;
};
static_assert(offsetof(PeerActivity, source_device) == 44);

// The beginning of CUpti_ActivityMemset and later.
struct MemsetActivity {
    Kind kind;
    std::uint32_t value;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream;
};
static_assert(offsetof(MemsetActivity, bytes) == 8 && offsetof(MemsetActivity, stream) == 40);

using Subscriber = struct SubscriberTag*;
using Callback = void (*)(void* data, int domain, std::uint32_t id, const void* call);
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t bytes, std::size_t valid_bytes);

}  // namespace warpwise::cuda::cupti
