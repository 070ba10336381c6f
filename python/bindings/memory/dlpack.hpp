// The structures of DLPack, as its specification lays them out (versions 0 and 1).
#pragma once

#include <cstdint>

namespace warpwise::python::dlpack {

enum DeviceType : std::int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };
enum TypeCode : std::uint8_t {
    kInt = 0,
    kUInt = 1,
    kFloat = 2,
    kBfloat = 4,
    kComplex = 5,
    kBool = 6,
};

struct DeviceId {
    std::int32_t type;
    std::int32_t ordinal;
};
struct DataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};
struct Tensor {
    void* data;
    DeviceId device;
    std::int32_t ndim;
    DataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;  // in elements; null for C order
    std::uint64_t byte_offset;
};
struct ManagedTensor {
    Tensor tensor;
    void* context;
    void (*deleter)(ManagedTensor*);
};
struct Version {
    std::uint32_t major;
    std::uint32_t minor;
};
inline constexpr std::uint64_t kReadOnly = 1;
inline constexpr std::uint64_t kIsCopied = 2;
struct VersionedTensor {
    Version version;
    void* context;
    void (*deleter)(VersionedTensor*);
    std::uint64_t flags;
    Tensor tensor;
};

inline constexpr const char* kName = "dltensor";
inline constexpr const char* kUsedName = "used_dltensor";
inline constexpr const char* kVersionedName = "dltensor_versioned";
inline constexpr const char* kUsedVersionedName = "used_dltensor_versioned";

}  // namespace warpwise::python::dlpack
