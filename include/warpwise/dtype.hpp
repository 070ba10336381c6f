// Element types: what a kernel's parameter points to, and what a buffer or array holds.
//
// A DType is a cheap value: a scalar kind, a number of lanes (CUDA vector types float2, float4,
// ...) or a struct with named fields. Sizes and alignments are those of CUDA C++ on the device,
// which are the host's (x86-64, AArch64 Linux): float3 is 12 bytes aligned to 4, float4 16 to 16,
// double4 32 to 16.
//
// Threading: immutable; safe to share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/export.hpp"

namespace warpwise {

enum class Kind : std::uint8_t {
    Void,  // unknown or any: the element of void*
    Bool,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Float16,
    BFloat16,
    Float32,
    Float64,
    Complex64,
    Complex128,
    Struct,
    Pointer,  // the element of a pointer to pointers (float**): one device address
};

struct StructType;

class WARPWISE_API DType {
  public:
    constexpr DType() noexcept = default;  // Void
    constexpr DType(Kind kind, std::uint8_t lanes = 1) noexcept : kind_(kind), lanes_(lanes) {}
    // A struct type. Equal descriptions, names included, are shared and live as long as the
    // process. Throws ArgumentError if fields overlap or leave its size.
    static DType structure(const StructType& type);

    Kind kind() const noexcept { return kind_; }
    int lanes() const noexcept { return lanes_; }                  // 1, or 2-4 for a vector type
    std::size_t size() const noexcept;                             // bytes; 0 for Void
    std::size_t alignment() const noexcept;                        // bytes; 1 for Void
    const StructType* fields() const noexcept { return struct_; }  // nullptr unless Struct

    // "float32", "int64", "float32x4", "complex64", "bool", "void"; a struct gives its own name.
    std::string name() const;
    // The CUDA C++ spelling: "float", "long long", "float4", "cuFloatComplex", "bool".
    std::string cuda_name() const;
    // From either spelling. Throws ArgumentError for an unknown name.
    static DType parse(std::string_view name);

    // Same kind, lanes and, for structs, the same layout field by field (names of structs aside).
    friend WARPWISE_API bool operator==(const DType& a, const DType& b) noexcept;

  private:
    Kind kind_ = Kind::Void;
    std::uint8_t lanes_ = 1;
    const StructType* struct_ = nullptr;
};

struct StructField {
    std::string name;
    DType dtype;
    std::size_t offset = 0;  // bytes from the start of the struct
    std::size_t count = 1;   // elements, for a field that is an array; multi-dimensional ones flat
};

struct StructType {
    std::string name;
    std::vector<StructField> fields;
    std::size_t size = 0;       // bytes, padding included
    std::size_t alignment = 1;  // bytes
};

// The layout CUDA C++ gives these fields in this order; offsets in `fields` are ignored.
WARPWISE_API StructType lay_out_struct(std::string name, std::vector<StructField> fields);

// Empty when `host` has the layout of `device`, else a sentence that names
// the first field that differs and how.
WARPWISE_API std::string struct_difference(const StructType& host, const StructType& device);

// NumPy's names, not the house's for constants.
// NOLINTBEGIN(readability-identifier-naming)
inline constexpr DType bool_{Kind::Bool}, int8{Kind::Int8}, uint8{Kind::UInt8}, int16{Kind::Int16},
    uint16{Kind::UInt16}, int32{Kind::Int32}, uint32{Kind::UInt32}, int64{Kind::Int64},
    uint64{Kind::UInt64}, float16{Kind::Float16}, bfloat16{Kind::BFloat16}, float32{Kind::Float32},
    float64{Kind::Float64}, complex64{Kind::Complex64}, complex128{Kind::Complex128};
// NOLINTEND(readability-identifier-naming)

}  // namespace warpwise
