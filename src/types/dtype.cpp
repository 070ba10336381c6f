// Sizes, alignments and names of element types. The tables are those of CUDA C++ for 64-bit Linux
// (CUDA C++ Programming Guide, "Built-in Vector Types").
#include "warpwise/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise {
namespace {

struct KindRow {
    Kind kind;
    std::uint8_t size;        // bytes
    const char* name;         // ours
    const char* cuda_name;    // the scalar's
    const char* cuda_vector;  // what a vector's lane count is appended to; nullptr: has no vectors
    std::uint8_t vector_lanes;  // the most lanes a vector of it has
};

constexpr std::array kKinds{
    KindRow{Kind::Void, 0, "void", "void", nullptr, 1},
    KindRow{Kind::Bool, 1, "bool", "bool", nullptr, 1},
    KindRow{Kind::Int8, 1, "int8", "signed char", "char", 4},
    KindRow{Kind::UInt8, 1, "uint8", "unsigned char", "uchar", 4},
    KindRow{Kind::Int16, 2, "int16", "short", "short", 4},
    KindRow{Kind::UInt16, 2, "uint16", "unsigned short", "ushort", 4},
    KindRow{Kind::Int32, 4, "int32", "int", "int", 4},
    KindRow{Kind::UInt32, 4, "uint32", "unsigned int", "uint", 4},
    KindRow{Kind::Int64, 8, "int64", "long long", "longlong", 4},
    KindRow{Kind::UInt64, 8, "uint64", "unsigned long long", "ulonglong", 4},
    KindRow{Kind::Float16, 2, "float16", "__half", "__half", 2},
    KindRow{Kind::BFloat16, 2, "bfloat16", "__nv_bfloat16", "__nv_bfloat16", 2},
    KindRow{Kind::Float32, 4, "float32", "float", "float", 4},
    KindRow{Kind::Float64, 8, "float64", "double", "double", 4},
    KindRow{Kind::Complex64, 8, "complex64", "cuFloatComplex", nullptr, 1},
    KindRow{Kind::Complex128, 16, "complex128", "cuDoubleComplex", nullptr, 1},
    KindRow{Kind::Struct, 0, "struct", "struct", nullptr, 1},
    KindRow{Kind::Pointer, 8, "pointer", "void *", nullptr, 1},
};

struct Alias {
    std::string_view name;
    Kind kind;
};

// Spellings that parse() takes besides those of kKinds; LP64, where long has 64 bits.
constexpr std::array kAliases{
    Alias{"char", Kind::Int8},
    Alias{"uchar", Kind::UInt8},
    Alias{"ushort", Kind::UInt16},
    Alias{"uint", Kind::UInt32},
    Alias{"unsigned", Kind::UInt32},
    Alias{"long", Kind::Int64},
    Alias{"unsigned long", Kind::UInt64},
    Alias{"ulong", Kind::UInt64},
    Alias{"longlong", Kind::Int64},
    Alias{"ulonglong", Kind::UInt64},
    Alias{"size_t", Kind::UInt64},
    Alias{"ptrdiff_t", Kind::Int64},
    Alias{"int8_t", Kind::Int8},
    Alias{"uint8_t", Kind::UInt8},
    Alias{"int16_t", Kind::Int16},
    Alias{"uint16_t", Kind::UInt16},
    Alias{"int32_t", Kind::Int32},
    Alias{"uint32_t", Kind::UInt32},
    Alias{"int64_t", Kind::Int64},
    Alias{"uint64_t", Kind::UInt64},
    Alias{"half", Kind::Float16},
    Alias{"nv_bfloat16", Kind::BFloat16},
    Alias{"cuComplex", Kind::Complex64},
    Alias{"void*", Kind::Pointer},
};

// Prefixes of vector types besides those of kKinds.
constexpr std::array kVectorAliases{
    Alias{"long", Kind::Int64},
    Alias{"ulong", Kind::UInt64},
    Alias{"half", Kind::Float16},
    Alias{"nv_bfloat16", Kind::BFloat16},
};

constexpr const KindRow& row_of(Kind kind) {
    return kKinds[static_cast<std::size_t>(kind)];
}

constexpr bool rows_are_in_order() {
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (static_cast<std::size_t>(kKinds[i].kind) != i) return false;
    }
    return true;
}
static_assert(rows_are_in_order());

std::optional<DType> find_scalar(std::string_view name) {
    for (const KindRow& row : kKinds) {
        if (row.kind != Kind::Struct && (name == row.name || name == row.cuda_name)) {
            return DType(row.kind);
        }
    }
    for (const Alias& alias : kAliases) {
        if (name == alias.name) return DType(alias.kind);
    }
    return std::nullopt;
}

// "float4", "float32x4".
std::optional<DType> find_vector(std::string_view name) {
    if (name.size() < 2 || name.back() < '1' || name.back() > '4') return std::nullopt;
    const auto lanes = static_cast<std::uint8_t>(name.back() - '0');
    name.remove_suffix(1);
    const bool is_ours = name.ends_with('x');
    const std::string_view own_name = is_ours ? name.substr(0, name.size() - 1) : name;
    for (const KindRow& row : kKinds) {
        if (row.cuda_vector == nullptr || lanes > row.vector_lanes) continue;
        if (is_ours ? own_name == row.name : name == row.cuda_vector) return DType(row.kind, lanes);
    }
    for (const Alias& alias : kVectorAliases) {
        if (name == alias.name && lanes <= row_of(alias.kind).vector_lanes) {
            return DType(alias.kind, lanes);
        }
    }
    return std::nullopt;
}

std::vector<std::string> names_to_suggest() {
    std::vector<std::string> names;
    for (const KindRow& row : kKinds) {
        if (row.kind == Kind::Struct) continue;
        names.emplace_back(row.name);
        names.emplace_back(row.cuda_name);
        for (int lanes = 2; lanes <= row.vector_lanes; ++lanes) {
            names.push_back(fmt::format("{}{}", row.cuda_vector, lanes));
            names.push_back(fmt::format("{}x{}", row.name, lanes));
        }
    }
    for (const Alias& alias : kAliases) names.emplace_back(alias.name);
    return names;
}

}  // namespace

std::size_t DType::size() const noexcept {
    if (kind_ == Kind::Struct) return struct_ != nullptr ? struct_->size : 0;
    return std::size_t{row_of(kind_).size} * lanes_;
}

std::size_t DType::alignment() const noexcept {
    constexpr std::size_t kMaxAlignment = 16;  // of double4 and longlong4, too
    if (kind_ == Kind::Struct) return struct_ != nullptr ? struct_->alignment : 1;
    const std::size_t scalar = std::max<std::size_t>(row_of(kind_).size, 1);
    return lanes_ == 3 ? scalar : std::min(scalar * lanes_, kMaxAlignment);
}

std::string DType::name() const {
    if (kind_ == Kind::Struct) return struct_ != nullptr ? struct_->name : "struct";
    if (lanes_ == 1) return row_of(kind_).name;
    return fmt::format("{}x{}", row_of(kind_).name, lanes_);
}

std::string DType::cuda_name() const {
    if (kind_ == Kind::Struct) return name();
    const KindRow& row = row_of(kind_);
    if (lanes_ == 1 || row.cuda_vector == nullptr) return row.cuda_name;
    return fmt::format("{}{}", row.cuda_vector, lanes_);
}

DType DType::parse(std::string_view name) {
    if (const auto scalar = find_scalar(name)) return *scalar;
    if (const auto vector = find_vector(name)) return *vector;
    throw ArgumentError(
        ArgumentError::Kind::Value,
        fmt::format("{} is not the name of an element type{}; use one like 'float32', 'int', "
                    "'float4' or 'float32x4'",
                    quote(name), suggestion(name, names_to_suggest())));
}

bool operator==(const DType& a, const DType& b) noexcept {
    if (a.kind_ != b.kind_ || a.lanes_ != b.lanes_) return false;
    if (a.struct_ == b.struct_) return true;
    if (a.struct_ == nullptr || b.struct_ == nullptr) return false;
    const auto same_field = [](const StructField& x, const StructField& y) {
        return x.name == y.name && x.dtype == y.dtype && x.offset == y.offset && x.count == y.count;
    };
    return a.struct_->size == b.struct_->size && a.struct_->alignment == b.struct_->alignment &&
           std::ranges::equal(a.struct_->fields, b.struct_->fields, same_field);
}

}  // namespace warpwise
