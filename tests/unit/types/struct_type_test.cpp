// Structs: the layout C++ gives them, what is no layout, and how a host's record may differ.
#include <gmock/gmock.h>

#include <cstddef>
#include <limits>
#include <string>

#include "warpwise/dtype.hpp"
#include "warpwise/error.hpp"

namespace warpwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const DType kFloat2(Kind::Float32, 2);
const DType kFloat3(Kind::Float32, 3);
const DType kFloat4(Kind::Float32, 4);

StructType particle(const std::string& name = "Particle") {
    return lay_out_struct(name, {{"position", kFloat3}, {"mass", float64}, {"id", int32}});
}

template <class Function>
std::string message_of(const Function& function) {
    try {
        function();
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(LayOutStruct, AlignsEachField) {
    struct Host {
        float position[3];
        double mass;
        int id;
    };
    const StructType type = particle();
    EXPECT_EQ(type.fields[1].offset, offsetof(Host, mass));
    EXPECT_EQ(type.fields[2].offset, offsetof(Host, id));
    EXPECT_EQ(type.size, sizeof(Host));
    EXPECT_EQ(type.alignment, alignof(Host));
}

TEST(LayOutStruct, KnowsCudasVectorAlignment) {
    const StructType type = lay_out_struct("S", {{"flag", int8}, {"color", kFloat4}});
    EXPECT_EQ(type.fields[1].offset, 16u);
    EXPECT_EQ(type.size, 32u);
    EXPECT_EQ(type.alignment, 16u);
}

TEST(LayOutStruct, CountsArrays) {
    const StructType type =
        lay_out_struct("S", {{"tag", int8, 0, 3}, {"values", float32, 0, 5}, {"last", int8}});
    EXPECT_EQ(type.fields[1].offset, 4u);
    EXPECT_EQ(type.fields[2].offset, 24u);
    EXPECT_EQ(type.size, 28u);
}

TEST(LayOutStruct, NestsStructs) {
    const StructType outer =
        lay_out_struct("Outer", {{"flag", int8}, {"inner", DType::structure(particle())}});
    EXPECT_EQ(outer.fields[1].offset, 8u);
    EXPECT_EQ(outer.size, 8u + particle().size);
}

TEST(LayOutStruct, GivesAnEmptyStructOneByte) {
    EXPECT_EQ(lay_out_struct("E", {}).size, 1u);
}

TEST(LayOutStruct, RefusesWhatHasNoSize) {
    EXPECT_THAT(message_of([] { lay_out_struct("S", {{"p", DType()}}); }),
                AllOf(HasSubstr("'S'"), HasSubstr("'p' has no type")));
    EXPECT_THAT(message_of([] { lay_out_struct("S", {{"p", int8, 0, 0}}); }),
                HasSubstr("'p' has no elements"));
}

TEST(LayOutStruct, RefusesWhatIsTooLarge) {
    const std::size_t huge = std::numeric_limits<std::size_t>::max() / 2;
    EXPECT_THAT(message_of([&] { lay_out_struct("S", {{"p", float64, 0, huge}}); }),
                HasSubstr("too large"));
    EXPECT_THAT(message_of([&] {
                    lay_out_struct(
                        "S", {{"a", int8, 0, huge}, {"b", int8, 0, huge}, {"c", int8, 0, huge}});
                }),
                HasSubstr("too large"));
}

TEST(Structure, HasSizeAlignmentAndName) {
    const DType dtype = DType::structure(particle());
    EXPECT_EQ(dtype.kind(), Kind::Struct);
    EXPECT_EQ(dtype.size(), 32u);
    EXPECT_EQ(dtype.alignment(), 8u);
    EXPECT_EQ(dtype.name(), "Particle");
    EXPECT_EQ(dtype.cuda_name(), "Particle");
}

TEST(Structure, SharesEqualDescriptions) {
    EXPECT_EQ(DType::structure(particle()).fields(), DType::structure(particle()).fields());
}

TEST(Structure, OutlivesWhatItWasMadeFrom) {
    DType dtype;
    {
        StructType type = particle("Temporary");
        dtype = DType::structure(type);
        type.fields.clear();
    }
    EXPECT_EQ(dtype.fields()->fields.size(), 3u);
}

TEST(Structure, EqualityLooksAtTheLayoutNotTheName) {
    const DType one = DType::structure(particle("One"));
    const DType two = DType::structure(particle("Two"));
    EXPECT_EQ(one, two);
    EXPECT_EQ(two.name(), "Two");
}

TEST(Structure, EqualityLooksAtEveryField) {
    StructType other = particle();
    other.fields[2].dtype = uint32;
    EXPECT_NE(DType::structure(particle()), DType::structure(other));
}

TEST(Structure, RefusesOverlappingFields) {
    const StructType type{"S", {{"a", int32, 0}, {"b", int32, 2}}, 8, 4};
    EXPECT_THAT(message_of([&] { DType::structure(type); }),
                HasSubstr("fields 'a' and 'b' overlap at byte 2"));
}

TEST(Structure, RefusesFieldsPastItsEnd) {
    const StructType type{"S", {{"a", int32, 0}, {"b", int32, 4, 2}}, 8, 4};
    EXPECT_THAT(message_of([&] { DType::structure(type); }),
                HasSubstr("'b' at byte 4 leaves its size of 8 bytes"));
}

TEST(Structure, RefusesAnOddAlignment) {
    const StructType type{"S", {}, 12, 3};
    EXPECT_THAT(message_of([&] { DType::structure(type); }), HasSubstr("alignment 3"));
}

TEST(Structure, TakesFieldsInAnyOrder) {
    const StructType type{"S", {{"b", int32, 4}, {"a", int32, 0}}, 8, 4};
    EXPECT_EQ(DType::structure(type).size(), 8u);
}

// A NumPy record without align=True: fields one after the other.
StructType packed(const StructType& aligned) {
    StructType type = aligned;
    type.size = 0;
    for (StructField& field : type.fields) {
        field.offset = type.size;
        type.size += field.dtype.size() * field.count;
    }
    type.alignment = 1;
    return type;
}

TEST(StructDifference, IsEmptyForTheSameLayout) {
    EXPECT_EQ(struct_difference(particle("host"), particle("device")), "");
}

TEST(StructDifference, NamesTheFirstFieldThatIsElsewhere) {
    EXPECT_THAT(struct_difference(packed(particle()), particle()),
                AllOf(HasSubstr("'mass' begins at byte 12 on the host"),
                      HasSubstr("byte 16 on the device")));
}

TEST(StructDifference, CountsFieldsFromOne) {
    StructType host = particle();
    host.fields[1].name = "weight";
    EXPECT_THAT(struct_difference(host, particle()),
                HasSubstr("field 2 is called 'weight' on the host, but 'mass' on the device"));
}

TEST(StructDifference, SeesMissingPaddingAtTheEnd) {
    const StructType device = lay_out_struct("S", {{"x", float64}, {"id", int32}});
    EXPECT_THAT(struct_difference(packed(device), device),
                AllOf(HasSubstr("12 bytes on the host"), HasSubstr("16 bytes on the device")));
}

TEST(StructDifference, NamesAnotherType) {
    StructType host = particle();
    host.fields[2].dtype = float32;
    EXPECT_THAT(struct_difference(host, particle()),
                HasSubstr("'id' is float32 on the host, but int32 on the device"));
}

TEST(StructDifference, NamesAnotherCount) {
    const StructType host = lay_out_struct("S", {{"v", float32, 0, 4}});
    const StructType device = lay_out_struct("S", {{"v", float32, 0, 3}});
    EXPECT_THAT(struct_difference(host, device), HasSubstr("float32[4] on the host"));
}

TEST(StructDifference, NamesAnotherName) {
    StructType host = particle();
    host.fields[0].name = "place";
    EXPECT_THAT(struct_difference(host, particle()),
                HasSubstr("'place' on the host, but 'position' on the device"));
}

TEST(StructDifference, NamesMissingAndExtraFields) {
    StructType less = particle();
    less.fields.pop_back();
    EXPECT_THAT(struct_difference(less, particle()), HasSubstr("lacks field 'id'"));
    EXPECT_THAT(struct_difference(particle(), less), HasSubstr("has no field 'id'"));
}

TEST(StructDifference, GoesIntoNestedStructs) {
    StructType inner = particle();
    inner.fields[1].dtype = int64;
    const StructType host = lay_out_struct("O", {{"p", DType::structure(inner)}});
    const StructType device = lay_out_struct("O", {{"p", DType::structure(particle())}});
    EXPECT_THAT(struct_difference(host, device), HasSubstr("'p.mass' is int64 on the host"));
}

TEST(StructDifference, TakesAnArrayForAVector) {
    const StructType host = lay_out_struct("S", {{"v", float32, 0, 3}});
    EXPECT_EQ(struct_difference(host, lay_out_struct("S", {{"v", kFloat3}})), "");
}

TEST(StructDifference, TakesARecordForAVectorAndAComplexForAPair) {
    const DType pair = DType::structure(lay_out_struct("Pair", {{"x", float32}, {"y", float32}}));
    const StructType device = lay_out_struct("S", {{"v", kFloat2}});
    EXPECT_EQ(struct_difference(lay_out_struct("S", {{"v", pair}}), device), "");
    EXPECT_EQ(struct_difference(lay_out_struct("S", {{"v", complex64}}), device), "");
    const StructType doubles = lay_out_struct("S", {{"v", DType(Kind::Float64, 2)}});
    EXPECT_EQ(struct_difference(lay_out_struct("S", {{"v", complex128}}), doubles), "");
}

TEST(StructDifference, TakesAnIntegerForAPointer) {
    const StructType device = lay_out_struct("S", {{"p", DType(Kind::Pointer)}});
    EXPECT_EQ(struct_difference(lay_out_struct("S", {{"p", uint64}}), device), "");
    EXPECT_NE(struct_difference(lay_out_struct("S", {{"p", float64}}), device), "");
}

}  // namespace
}  // namespace warpwise
