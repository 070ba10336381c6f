// Messages between the library and its worker survive the way there and back.
#include "src/compiler/worker/wire.hpp"

#include <gtest/gtest.h>

#include "warpwise/error.hpp"

namespace warpwise::compiler {
namespace {

template <class E>
E sent_and_received(const E& error) {
    try {
        decode_result(encode_error(std::make_exception_ptr(error)));
    } catch (const E& received) {
        return received;
    }
    throw std::logic_error("no error");
}

TEST(Wire, RequestKeepsEveryMember) {
    CompileRequest request;
    request.source = std::string("a\0b", 3);
    request.name = "n.cu";
    request.options = {"-DA", ""};
    request.include_dirs = {"d"};
    request.headers = {{"h", "text"}};
    request.name_expressions = {"k<int>"};
    request.target = "x86-64-v3";
    request.format = "llvm";
    const JobRequest result = decode_request(encode_request(Job::ReadSignatures, request));
    EXPECT_EQ(result.job, Job::ReadSignatures);
    EXPECT_EQ(result.request.source, request.source);
    EXPECT_EQ(result.request.name, request.name);
    EXPECT_EQ(result.request.options, request.options);
    EXPECT_EQ(result.request.include_dirs, request.include_dirs);
    EXPECT_EQ(result.request.headers, request.headers);
    EXPECT_EQ(result.request.name_expressions, request.name_expressions);
    EXPECT_EQ(result.request.target, request.target);
    EXPECT_EQ(result.request.format, request.format);
}

TEST(Wire, ProgramComesBack) {
    Program program;
    program.target = "x86-64-v3";
    program.log = "warning";
    EXPECT_EQ(decode_result(encode_program(program)).log, "warning");
}

TEST(Wire, CompileErrorKeepsItsPlace) {
    const CompileError result = sent_and_received(CompileError("m", "log", "f.cu", 7));
    EXPECT_STREQ(result.what(), "m");
    EXPECT_EQ(result.log(), "log");
    EXPECT_EQ(result.file(), "f.cu");
    EXPECT_EQ(result.line(), 7);
}

TEST(Wire, ArgumentErrorKeepsItsKind) {
    EXPECT_EQ(sent_and_received(ArgumentError(ArgumentError::Kind::Type, "m")).kind(),
              ArgumentError::Kind::Type);
}

TEST(Wire, OtherClassesAreKept) {
    EXPECT_STREQ(sent_and_received(UnsupportedError("u")).what(), "u");
    const UnsupportedError placed = sent_and_received(UnsupportedError("u", "log", "k.cu", 7));
    EXPECT_EQ(placed.log(), "log");
    EXPECT_EQ(placed.file(), "k.cu");
    EXPECT_EQ(placed.line(), 7);
    EXPECT_STREQ(sent_and_received(OutOfMemoryError("o")).what(), "o");
    EXPECT_STREQ(sent_and_received(DeviceError("d")).what(), "d");
}

TEST(Wire, CutMessagesAreRefused) {
    std::vector<std::byte> bytes = encode_request(Job::Compile, {});
    bytes.pop_back();
    EXPECT_THROW(decode_request(bytes), DeviceError);
    EXPECT_THROW(decode_result({}), DeviceError);
}

}  // namespace
}  // namespace warpwise::compiler
