// Element types: the sizes and alignments of CUDA C++, and names both ways.
#include "warpwise/dtype.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "warpwise/error.hpp"

namespace warpwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Layout {
    const char* name;
    std::size_t size;
    std::size_t alignment;
};

class DTypeLayout : public ::testing::TestWithParam<Layout> {};

TEST_P(DTypeLayout, IsThatOfCuda) {
    const DType dtype = DType::parse(GetParam().name);
    EXPECT_EQ(dtype.size(), GetParam().size) << GetParam().name;
    EXPECT_EQ(dtype.alignment(), GetParam().alignment) << GetParam().name;
}

// The table "Alignment Requirements" of the CUDA C++ Programming Guide.
INSTANTIATE_TEST_SUITE_P(
    Scalars, DTypeLayout,
    ::testing::Values(Layout{"void", 0, 1}, Layout{"bool", 1, 1}, Layout{"char", 1, 1},
                      Layout{"unsigned char", 1, 1}, Layout{"short", 2, 2},
                      Layout{"unsigned short", 2, 2}, Layout{"int", 4, 4}, Layout{"unsigned", 4, 4},
                      Layout{"long", 8, 8}, Layout{"unsigned long long", 8, 8},
                      Layout{"__half", 2, 2}, Layout{"__nv_bfloat16", 2, 2}, Layout{"float", 4, 4},
                      Layout{"double", 8, 8}, Layout{"cuFloatComplex", 8, 8},
                      Layout{"cuDoubleComplex", 16, 16}, Layout{"void *", 8, 8}));

INSTANTIATE_TEST_SUITE_P(
    Vectors, DTypeLayout,
    ::testing::Values(Layout{"char1", 1, 1}, Layout{"char2", 2, 2}, Layout{"char3", 3, 1},
                      Layout{"uchar4", 4, 4}, Layout{"short2", 4, 4}, Layout{"ushort3", 6, 2},
                      Layout{"short4", 8, 8}, Layout{"int2", 8, 8}, Layout{"uint3", 12, 4},
                      Layout{"int4", 16, 16}, Layout{"long2", 16, 16}, Layout{"longlong2", 16, 16},
                      Layout{"ulonglong3", 24, 8}, Layout{"longlong4", 32, 16},
                      Layout{"float1", 4, 4}, Layout{"float2", 8, 8}, Layout{"float3", 12, 4},
                      Layout{"float4", 16, 16}, Layout{"double1", 8, 8}, Layout{"double2", 16, 16},
                      Layout{"double3", 24, 8}, Layout{"double4", 32, 16}, Layout{"half2", 4, 4},
                      Layout{"__nv_bfloat162", 4, 4}));

std::vector<DType> all_types() {
    std::vector<DType> types;
    for (int kind = 0; kind <= static_cast<int>(Kind::Pointer); ++kind) {
        if (static_cast<Kind>(kind) != Kind::Struct) types.emplace_back(static_cast<Kind>(kind));
    }
    for (const Kind kind :
         {Kind::Int8, Kind::UInt8, Kind::Int16, Kind::UInt16, Kind::Int32, Kind::UInt32,
          Kind::Int64, Kind::UInt64, Kind::Float32, Kind::Float64}) {
        for (const std::uint8_t lanes : {2, 3, 4}) types.emplace_back(kind, lanes);
    }
    types.emplace_back(Kind::Float16, std::uint8_t{2});
    types.emplace_back(Kind::BFloat16, std::uint8_t{2});
    return types;
}

TEST(DTypeName, ComesBackFromItsName) {
    for (const DType& dtype : all_types()) EXPECT_EQ(DType::parse(dtype.name()), dtype);
}

TEST(DTypeName, ComesBackFromItsCudaName) {
    for (const DType& dtype : all_types()) EXPECT_EQ(DType::parse(dtype.cuda_name()), dtype);
}

TEST(DTypeName, IsNumpysOwn) {
    EXPECT_EQ(float32.name(), "float32");
    EXPECT_EQ(complex64.name(), "complex64");
    EXPECT_EQ(bool_.name(), "bool");
    EXPECT_EQ(DType(Kind::Float32, 4).name(), "float32x4");
}

TEST(DTypeName, InCudaIsWhatASourceSpells) {
    EXPECT_EQ(int64.cuda_name(), "long long");
    EXPECT_EQ(uint8.cuda_name(), "unsigned char");
    EXPECT_EQ(complex64.cuda_name(), "cuFloatComplex");
    EXPECT_EQ(DType(Kind::Float32, 4).cuda_name(), "float4");
    EXPECT_EQ(DType(Kind::UInt8, 3).cuda_name(), "uchar3");
    EXPECT_EQ(DType(Kind::UInt64, 2).cuda_name(), "ulonglong2");
}

TEST(DTypeParse, TakesFixedWidthNames) {
    EXPECT_EQ(DType::parse("int32_t"), int32);
    EXPECT_EQ(DType::parse("uint64_t"), uint64);
    EXPECT_EQ(DType::parse("size_t"), uint64);
}

std::string message_for(const char* name) {
    try {
        DType::parse(name);
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(DTypeParse, RefusesOtherNamesWithAGuess) {
    EXPECT_THAT(message_for("flaot32"), AllOf(HasSubstr("'flaot32'"), HasSubstr("'float32'?")));
}

TEST(DTypeParse, RefusesWhatLooksLikeAVector) {
    for (const char* name :
         {"char5",      "uchar5",  "short5", "ushort5",  "int5",    "uint5", "longlong5",
          "ulonglong5", "double5", "float5", "float0",   "bool2",   "half3", "complex64x2",
          "x4",         "4",       "",       "float32x", "floatx4", "struct"}) {
        EXPECT_THAT(message_for(name), HasSubstr("is not the name of an element type")) << name;
    }
}

TEST(DTypeParse, DoesNotGuessAVectorThatThereIsNot) {
    EXPECT_THAT(message_for("double5"), Not(HasSubstr("'double5'?")));
    EXPECT_THAT(message_for("float5"), Not(HasSubstr("'float5'?")));
}

TEST(DType, IsVoidByDefault) {
    EXPECT_EQ(DType().kind(), Kind::Void);
}

TEST(DType, DiffersByKindAndLanes) {
    EXPECT_NE(float32, float64);
    EXPECT_NE(float32, DType(Kind::Float32, 2));
    EXPECT_EQ(float32, DType(Kind::Float32, 1));
}

TEST(DType, OnlyStructsHaveFields) {
    EXPECT_EQ(float32.fields(), nullptr);
}

}  // namespace
}  // namespace warpwise
