// Type equivalences between the host and CUDA C++, as the public interface promises them.
#include "src/runtime/launch/element_match.hpp"

#include <fmt/format.h>

namespace warpwise::runtime {
namespace {

// float2 for complex64: the same two numbers.
DType pair_of(const DType& dtype) {
    if (dtype.kind() == Kind::Complex64) return {Kind::Float32, 2};
    if (dtype.kind() == Kind::Complex128) return {Kind::Float64, 2};
    return dtype;
}

// A record of x, y, z, w for float4.
bool is_vector_record(const StructType& record, const DType& vector) {
    if (record.size != vector.size()) return false;
    std::size_t lanes = 0;
    std::size_t offset = 0;
    for (const StructField& field : record.fields) {
        if (field.offset != offset || !(field.dtype == DType(vector.kind()))) return false;
        lanes += field.count;
        offset += field.count * field.dtype.size();
    }
    return lanes == static_cast<std::size_t>(vector.lanes());
}

}  // namespace

bool same_bytes(const DType& host, const DType& device) {
    if (host == device || pair_of(host) == pair_of(device)) return true;
    if (host.kind() != Kind::Struct) return false;
    if (device.kind() == Kind::Struct) {
        return struct_difference(*host.fields(), *device.fields()).empty();
    }
    return device.lanes() > 1 && is_vector_record(*host.fields(), device);
}

std::string element_mismatch(const DType& host, std::int64_t inner_extent, const DType& device) {
    if (device.kind() == Kind::Void || host.kind() == Kind::Void) return {};
    if (same_bytes(host, device)) return {};
    const bool is_address = host == DType(Kind::UInt64) || host == DType(Kind::Int64);
    if (device.kind() == Kind::Pointer && is_address) return {};
    const DType pair = pair_of(device);
    if (pair.lanes() > 1 && host == DType(pair.kind())) {
        if (inner_extent == pair.lanes()) return {};
        return fmt::format("it holds {} with {} to the last axis, which must be {}", host.name(),
                           inner_extent, pair.lanes());
    }
    if (host.kind() == Kind::Struct && device.kind() == Kind::Struct) {
        return struct_difference(*host.fields(), *device.fields());
    }
    return fmt::format("its elements are not {}", device.name());
}

}  // namespace warpwise::runtime
