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

// How many numbers of one type follow each other in it without padding: 4 of float32 in a float4,
// or in a struct of x, y, z and w. None: 0 of Void.
struct NumberRow {
    Kind kind = Kind::Void;
    std::int64_t count = 0;
};

NumberRow number_row(const DType& dtype) {
    if (dtype.kind() != Kind::Struct) {
        const DType pair = pair_of(dtype);
        return {pair.kind(), pair.lanes()};
    }
    NumberRow row;
    std::size_t end = 0;
    for (const StructField& field : dtype.fields()->fields) {
        const NumberRow part = number_row(field.dtype);
        const bool is_next = field.offset == end && (end == 0 || part.kind == row.kind);
        if (!is_next || part.kind == Kind::Void) return {};
        row = {part.kind, row.count + part.count * static_cast<std::int64_t>(field.count)};
        end += field.dtype.size() * field.count;
    }
    return end == dtype.size() ? row : NumberRow();
}

bool same_row(const DType& record, const DType& vector) {
    const NumberRow row = number_row(record);
    return row.kind == vector.kind() && row.count == vector.lanes();
}

}  // namespace

bool same_bytes(const DType& host, const DType& device) {
    if (host == device || pair_of(host) == pair_of(device)) return true;
    if (host.kind() != Kind::Struct) return false;
    if (device.kind() == Kind::Struct) {
        return struct_difference(*host.fields(), *device.fields()).empty();
    }
    return device.lanes() > 1 && same_row(host, device);
}

namespace {

std::string conversion_to(const DType& device) {
    if (device.lanes() == 1) return fmt::format("; convert it to {} first", device.name());
    return fmt::format("; pass {} with a last axis of {}", DType(device.kind()).name(),
                       device.lanes());
}

}  // namespace

std::string element_mismatch(const DType& host, const ElementShape& shape, const DType& device) {
    if (device.kind() == Kind::Void || host.kind() == Kind::Void) return {};
    if (same_bytes(host, device)) return {};
    const bool is_address = host == DType(Kind::UInt64) || host == DType(Kind::Int64);
    if (device.kind() == Kind::Pointer && is_address) return {};
    const NumberRow row = number_row(device);
    if (row.count > 1 && host == DType(row.kind)) {
        const bool is_flat = shape.count == static_cast<std::size_t>(shape.inner_extent);
        if (shape.inner_extent == row.count) return {};
        if (is_flat && shape.count > 0 && shape.inner_extent % row.count == 0) return {};
        return fmt::format("it holds {} with {} to the last axis, which must be {}{}", host.name(),
                           shape.inner_extent, row.count,
                           is_flat ? " or, in a single row, a multiple of it" : "");
    }
    if (host.kind() == Kind::Struct && device.kind() == Kind::Struct) {
        const std::string difference = struct_difference(*host.fields(), *device.fields());
        return difference.empty() ? "" : difference + conversion_to(device);
    }
    return fmt::format("its elements are not {}{}", device.name(), conversion_to(device));
}

}  // namespace warpwise::runtime
