// Programs go to bytes and come back; damaged bytes never do harm.
#include "src/compiler/program.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "tests/unit/compiler/example_program.hpp"
#include "warpwise/error.hpp"

namespace warpwise::compiler {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

using Bytes = std::vector<std::byte>;

std::string message_for(const Bytes& bytes) {
    try {
        deserialise(bytes);
    } catch (const DeviceError& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(Program, ComesBackWhole) {
    const Bytes bytes = serialise(example_program());
    EXPECT_EQ(serialise(deserialise(bytes)), bytes);
}

TEST(Program, KeepsItsTexts) {
    const Program program = deserialise(serialise(example_program()));
    EXPECT_EQ(program.target, "x86-64-v3");
    EXPECT_EQ(program.format, "object");
    EXPECT_EQ(program.log, "k.cu:3: warning: unused variable");
    EXPECT_THAT(program.binary, SizeIs(12));
    EXPECT_EQ(program.templates, (std::vector<std::string>{"scale", "ns::copy"}));
    EXPECT_EQ(program.dependencies[0].hash, 0x1234567890abcdefu);
}

TEST(Program, KeepsItsKernels) {
    const Program program = deserialise(serialise(example_program()));
    ASSERT_THAT(program.kernels, SizeIs(2));
    const KernelInfo& kernel = program.kernels[1];
    EXPECT_EQ(kernel.signature.name, "ns::scale<float>");
    EXPECT_EQ(kernel.signature.max_threads_per_block, 256u);
    EXPECT_EQ(kernel.signature.min_blocks, 2u);
    EXPECT_EQ(kernel.static_shared_bytes, 1024u);
    EXPECT_EQ(kernel.local_bytes, 64u);
    EXPECT_EQ(kernel.backend_data, (Bytes{std::byte{1}, std::byte{0}, std::byte{3}}));
}

TEST(Program, KeepsParameterTypes) {
    const Program program = deserialise(serialise(example_program()));
    const Parameter& parameter = program.kernels[0].signature.parameters[1];
    EXPECT_EQ(parameter.passing, Parameter::Passing::Struct);
    EXPECT_TRUE(parameter.is_const);
    EXPECT_EQ(parameter.dtype, example_program().kernels[0].signature.parameters[1].dtype);
    EXPECT_EQ(parameter.dtype.fields()->fields[1].dtype.name(), "Inner");
}

TEST(Program, KeepsWhichParametersAreHandles) {
    Program program = example_program();
    program.kernels[0].signature.parameters[0].handle = Parameter::Handle::Surface;
    const Program read = deserialise(serialise(program));
    EXPECT_EQ(read.kernels[0].signature.parameters[0].handle, Parameter::Handle::Surface);
    EXPECT_EQ(read.kernels[0].signature.parameters[1].handle, Parameter::Handle::None);
}

TEST(Program, KeepsItsGlobals) {
    const Program program = deserialise(serialise(example_program()));
    ASSERT_THAT(program.globals, SizeIs(2));
    EXPECT_EQ(program.globals[0].name, "ns::table");
    EXPECT_EQ(program.globals[0].size, 4096u);
    EXPECT_TRUE(program.globals[0].is_constant);
    EXPECT_EQ(program.globals[0].dtype, float64);
    EXPECT_FALSE(program.globals[1].is_constant);
}

TEST(Program, KeepsWhichGlobalsAreReferences) {
    Program program = example_program();
    program.globals[0].role = GlobalInfo::Role::Texture;
    program.globals[1].role = GlobalInfo::Role::Surface;
    const Program read = deserialise(serialise(program));
    EXPECT_EQ(read.globals[0].role, GlobalInfo::Role::Texture);
    EXPECT_EQ(read.globals[1].role, GlobalInfo::Role::Surface);
}

TEST(Program, MayBeEmpty) {
    const Bytes bytes = serialise(Program());
    EXPECT_EQ(serialise(deserialise(bytes)), bytes);
}

TEST(DamagedProgram, OfNoBytesIsRefused) {
    EXPECT_THAT(message_for({}), HasSubstr("ends too early"));
}

TEST(DamagedProgram, OfOtherBytesIsRefused) {
    EXPECT_THAT(message_for(Bytes(100, std::byte{'x'})), HasSubstr("is none"));
}

TEST(DamagedProgram, OfAnotherVersionIsRefused) {
    Bytes bytes = serialise(example_program());
    bytes[4] ^= std::byte{0x40};
    EXPECT_THAT(message_for(bytes), HasSubstr("another version"));
}

TEST(DamagedProgram, IsRefusedAtEveryLength) {
    const Bytes bytes = serialise(example_program());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_THROW(deserialise(std::span(bytes).first(size)), DeviceError) << size;
    }
}

TEST(DamagedProgram, WithBytesAfterItsEndIsRefused) {
    Bytes bytes = serialise(example_program());
    bytes.push_back(std::byte{0});
    EXPECT_THAT(message_for(bytes), HasSubstr("after its end"));
}

TEST(DamagedProgram, WithAParameterOutsideItsBufferIsRefused) {
    Program program = example_program();
    program.kernels[0].signature.argument_bytes = 8;
    EXPECT_THAT(message_for(serialise(program)), HasSubstr("outside its argument buffer"));
}

TEST(DamagedProgram, WithAHugeCountAllocatesNothing) {
    Bytes bytes = serialise(Program());
    const std::uint64_t huge = ~std::uint64_t{0} / 16;
    // The number of kernels follows magic, version and four empty texts and blocks.
    std::memcpy(bytes.data() + 8 + 4 * 8, &huge, sizeof huge);
    EXPECT_THAT(message_for(bytes), HasSubstr("ends too early"));
}

// Whatever the damage: a DeviceError, or a Program that can be written and read again.
TEST(DamagedProgram, IsRefusedOrWhole) {
    const Bytes whole = serialise(example_program());
    std::mt19937 random(12345);
    int refused = 0;
    for (int round = 0; round < 20'000; ++round) {
        Bytes bytes = whole;
        const int flips = 1 + static_cast<int>(random() % 4);
        for (int flip = 0; flip < flips; ++flip) {
            bytes[random() % bytes.size()] ^= static_cast<std::byte>(1u << (random() % 8));
        }
        if (random() % 4 == 0) bytes.resize(random() % bytes.size());
        try {
            const Program program = deserialise(bytes);
            EXPECT_NO_THROW(deserialise(serialise(program)));
        } catch (const DeviceError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 5'000);
}

}  // namespace
}  // namespace warpwise::compiler
