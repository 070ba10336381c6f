// The types and numbers of the CUDA driver's binary interface that this component uses. They are
// part of the driver's ABI and do not change; written out so that building needs no toolkit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwise::cuda {

// CUresult: those that are distinguished.
enum class Status : int {
    Success = 0,
    InvalidValue = 1,
    OutOfMemory = 2,
    NotInitialized = 3,
    DeviceUnavailable = 46,
    NoDevice = 100,
    InvalidImage = 200,
    InvalidContext = 201,
    MapFailed = 205,
    NoBinaryForGpu = 209,
    EccUncorrectable = 214,
    PeerAccessUnsupported = 217,
    InvalidPtx = 218,
    NvlinkUncorrectable = 220,
    JitCompilerNotFound = 221,
    UnsupportedPtxVersion = 222,
    Contained = 226,
    InvalidHandle = 400,
    NotFound = 500,
    NotReady = 600,
    IllegalAddress = 700,
    LaunchOutOfResources = 701,
    LaunchTimeout = 702,
    PeerAccessAlreadyEnabled = 704,
    PeerAccessNotEnabled = 705,
    ContextIsDestroyed = 709,
    Assert = 710,
    HardwareStackError = 714,
    IllegalInstruction = 715,
    MisalignedAddress = 716,
    InvalidAddressSpace = 717,
    InvalidPc = 718,
    LaunchFailed = 719,
    SystemNotReady = 802,
    MpsClientTerminated = 810,
    ExternalDevice = 911,
};

using DeviceHandle = int;
using ContextHandle = struct ContextTag*;
using StreamHandle = struct StreamTag*;
using EventHandle = struct EventTag*;
using ModuleHandle = struct ModuleTag*;
using FunctionHandle = struct FunctionTag*;
using ArrayHandle = struct ArrayTag*;
using MipmapHandle = struct MipmapTag*;
using GraphHandle = struct GraphTag*;
using GraphNode = struct GraphNodeTag*;
using GraphExec = struct GraphExecTag*;
using DevicePointer = std::uint64_t;

// CU_STREAM_LEGACY: the default stream that all blocking streams are ordered with.
inline const StreamHandle kLegacyStream = reinterpret_cast<StreamHandle>(1);

// CU_STREAM_PER_THREAD: another stream in every thread.
inline const StreamHandle kPerThreadStream = reinterpret_cast<StreamHandle>(2);

enum class DeviceAttribute : int {
    MaxThreadsPerBlock = 1,
    MaxBlockDimX = 2,  // Y, Z follow
    MaxGridDimX = 5,   // Y, Z follow
    WarpSize = 10,
    ClockRate = 13,         // kHz
    TextureAlignment = 14,  // bytes
    MultiprocessorCount = 16,
    TexturePitchAlignment = 51,   // bytes
    MaxLinearTextureWidth = 69,   // texels, of one row
    MaxPitchedTextureWidth = 70,  // texels; height (rows) and pitch (bytes) follow
    ComputeCapabilityMajor = 75,
    ComputeCapabilityMinor = 76,
    MemoryClockRate = 36,       // kHz
    GlobalMemoryBusWidth = 37,  // bits
    L2CacheSize = 38,
    MaxThreadsPerMultiprocessor = 39,
    MaxSharedMemoryPerMultiprocessor = 81,
    MaxRegistersPerMultiprocessor = 82,
    MaxSharedMemoryPerBlockOptin = 97,
    VirtualMemoryManagement = 102,
    MaxBlocksPerMultiprocessor = 106,
    ClusterLaunch = 120,
};

enum class FunctionAttribute : int {
    MaxThreadsPerBlock = 0,
    SharedSizeBytes = 1,
    ConstSizeBytes = 2,
    LocalSizeBytes = 3,
    NumRegs = 4,
    PtxVersion = 5,
    BinaryVersion = 6,
    CacheModeCa = 7,
    MaxDynamicSharedSizeBytes = 8,
    PreferredSharedMemoryCarveout = 9,
    RequiredClusterWidth = 11,  // height, depth follow
    NonPortableClusterSizeAllowed = 14,
};

// CUfunc_cache.
enum class FunctionCache : int { None = 0, Shared = 1, L1 = 2, Equal = 3 };

enum class LoadOption : int { ErrorLog = 5, ErrorLogBytes = 6 };

enum class PointerAttribute : int { MemoryType = 2, DeviceOrdinal = 9 };

inline constexpr unsigned kStreamNonBlocking = 1;

// CUstreamCaptureMode.
enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kEventInterprocess = 4;
inline constexpr unsigned kIpcLazyPeerAccess = 1;
inline constexpr unsigned kHostPortable = 1;
inline constexpr unsigned kHostDeviceMap = 2;
inline constexpr unsigned kHostWriteCombined = 4;
inline constexpr unsigned kRegisterReadOnly = 8;
inline constexpr unsigned kAttachGlobal = 1;
inline constexpr DeviceHandle kHostDevice = -1;     // CU_DEVICE_CPU
inline constexpr std::uint64_t kLegacyStreams = 1;  // of cuGetProcAddress

// CUipcMemHandle and CUipcEventHandle, which are passed by value.
struct IpcHandle {
    std::byte bytes[64];
};
static_assert(sizeof(IpcHandle) == 64);

// CUmemGenericAllocationHandle: memory without an address.
using ChunkHandle = std::uint64_t;

// CUmemLocation.
struct ChunkPlace {
    enum class Type : int { Device = 1 };
    Type type;
    DeviceHandle device;
};

// CUmemAllocationProp.
struct ChunkProperties {
    enum class Type : int { Pinned = 1 };
    Type type;
    int shared_as;  // kinds of handles for other processes
    ChunkPlace place;
    void* windows;
    unsigned char compression;
    unsigned char for_remote_access;
    unsigned short usage;
    unsigned char reserved[4];
};
static_assert(sizeof(ChunkProperties) == 32);

// CUmemAllocationGranularity_flags.
enum class ChunkGranularity : int { Minimum = 0 };

// CUmemAccessDesc.
struct ChunkAccess {
    enum class Rights : int { None = 0, ReadWrite = 3 };
    ChunkPlace place;
    Rights rights;
};
static_assert(sizeof(ChunkAccess) == 12);

// CUuuid.
struct DeviceUuid {
    std::byte bytes[16];
};

// The `extra` of a launch: one packed buffer.
inline void* const kArgumentBuffer = reinterpret_cast<void*>(1);
inline void* const kArgumentBytes = reinterpret_cast<void*>(2);

// CUlaunchAttribute.
struct LaunchAttribute {
    enum class Id : int { Cooperative = 2, Cluster = 4, ProgrammaticSerialization = 6 };
    Id id;
    char padding[4];
    union {
        int cooperative;
        unsigned cluster[3];
        int programmatic;
        char bytes[64];
    };
};
static_assert(sizeof(LaunchAttribute) == 72);

// CUlaunchConfig.
struct LaunchConfig {
    unsigned grid[3];
    unsigned block[3];
    unsigned dynamic_shared_bytes;
    StreamHandle stream;
    LaunchAttribute* attributes;
    unsigned attribute_count;
};
static_assert(sizeof(LaunchConfig) == 56);

// CUarray_format.
enum class ArrayFormat : int {
    UInt8 = 1,
    UInt16 = 2,
    UInt32 = 3,
    Int8 = 8,
    Int16 = 9,
    Int32 = 10,
    Half = 16,
    Float = 32,
};

// CUDA_ARRAY3D_DESCRIPTOR. Axes that are not there are 0; depth counts layers and faces too.
struct ArrayDescriptor {
    std::size_t width, height, depth;  // texels
    ArrayFormat format;
    unsigned channels;
    unsigned flags;
};
static_assert(sizeof(ArrayDescriptor) == 40);
inline constexpr unsigned kArrayLayered = 1;
inline constexpr unsigned kArraySurface = 2;
inline constexpr unsigned kArrayCubemap = 4;
inline constexpr unsigned kArrayGather = 8;

// CUDA_MEMCPY3D.
enum class MemoryType : int { Host = 1, Device = 2, Array = 3, Unified = 4 };
struct BoxSide {
    std::size_t x_bytes, y, z, level;
    MemoryType type;
    const void* host;
    DevicePointer device;
    ArrayHandle array;
    void* reserved;
    std::size_t pitch, height;  // of a slice; ignored for arrays
};
static_assert(sizeof(BoxSide) == 88);
struct BoxParameters {
    BoxSide source, destination;
    std::size_t width_bytes, height, depth;
};
static_assert(sizeof(BoxParameters) == 200);

// CUDA_RESOURCE_DESC.
struct ResourceDescriptor {
    enum class Type : int { Array = 0, Mipmaps = 1, Linear = 2, Pitched = 3 };
    struct Linear {
        DevicePointer address;
        ArrayFormat format;
        unsigned channels;
        std::size_t bytes;
    };
    struct Pitched {
        DevicePointer address;
        ArrayFormat format;
        unsigned channels;
        std::size_t width, height, pitch;  // texels, rows, bytes
    };
    Type type;
    union {
        ArrayHandle array;
        MipmapHandle mipmaps;
        Linear linear;
        Pitched pitched;
        int reserved[32];
    };
    unsigned flags;
};
static_assert(sizeof(ResourceDescriptor) == 144);

// CUDA_TEXTURE_DESC. Modes are numbered as in warpwise/texture.hpp.
struct TextureDescriptor {
    int address[3];
    int filter;
    unsigned flags;
    unsigned anisotropy;
    int level_filter;
    float level_bias, lowest_level, highest_level;
    float border[4];
    int reserved[12];
};
static_assert(sizeof(TextureDescriptor) == 104);
inline constexpr unsigned kTextureReadAsInteger = 1;
inline constexpr unsigned kTextureNormalized = 2;
inline constexpr unsigned kTextureSrgb = 0x10;
// Without it the driver may take one level where two differ little.
inline constexpr unsigned kTextureExactLevels = 0x20;

// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNode {
    FunctionHandle function;
    unsigned grid[3];
    unsigned block[3];
    unsigned dynamic_shared_bytes;
    void** arguments;  // one address a parameter
    void** extra;
    void* kernel;           // CUkernel, instead of `function`
    ContextHandle context;  // of `kernel`
};
static_assert(sizeof(KernelNode) == 72);

// CUDA_MEMSET_NODE_PARAMS.
struct FillNode {
    DevicePointer destination;
    std::size_t pitch;  // bytes between rows
    unsigned value;
    unsigned element_bytes;  // 1, 2, 4
    std::size_t width;       // elements
    std::size_t height;
};
static_assert(sizeof(FillNode) == 40);

// CUDA_HOST_NODE_PARAMS.
struct HostNode {
    void (*function)(void*);
    void* data;
};

}  // namespace warpwise::cuda
