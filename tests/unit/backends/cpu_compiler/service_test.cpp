// The library as libwarpwise sees it: through its one symbol. Tests that crash clang run last of
// their process, since later compiles of it go to a child.
#include "src/compiler/service.hpp"
#include "src/codegen/device_headers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/sanitizers.hpp"
#include "warpwise/error.hpp"

extern "C" warpwise::compiler::CompilerService* warpwise_compiler_service(std::uint32_t version);

namespace warpwise::compiler {
namespace {

using testing::HasSubstr;

constexpr const char* kKernel = "__global__ void k(float *x) { x[threadIdx.x] *= 2; }\n";
constexpr const char* kCrash = "#pragma clang __debug parser_crash\n";

CompilerService& library() {
    return *warpwise_compiler_service(kServiceVersion);
}

CompileRequest request(std::string source, std::string format = "object") {
    CompileRequest result;
    result.source = std::move(source);
    result.target = "native";
    result.format = std::move(format);
    return result;
}

TEST(CompilerLibrary, AnotherInterfaceVersionGetsNothing) {
    EXPECT_EQ(warpwise_compiler_service(kServiceVersion + 1), nullptr);
}

TEST(DeviceHeaders, LieInTheLibraryThatNeedsNoCompiler) {
    const auto headers = codegen::device_headers();
    const auto has = [&](std::string_view name) {
        return std::any_of(headers.begin(), headers.end(), [&](const auto& header) {
            return header.name == name && !header.text.empty();
        });
    };
    EXPECT_TRUE(has("warpwise_nvrtc.cuh"));
    EXPECT_TRUE(has("include/type_traits"));
    EXPECT_FALSE(has("type_traits"));
}

TEST(CompilerLibrary, NativeBecomesALevel) {
    EXPECT_THAT(library().compile(request(kKernel)).target, HasSubstr("x86-64-v"));
}

TEST(CompilerLibrary, ObjectIsAnElfFile) {
    const Program program = library().compile(request(kKernel));
    ASSERT_GT(program.binary.size(), 4u);
    EXPECT_EQ(static_cast<char>(program.binary[1]), 'E');
}

TEST(CompilerLibrary, PtxNeedsNoGpu) {
    CompileRequest asked = request(kKernel, "ptx");
    asked.target = "sm_80";
    const Program program = library().compile(asked);
    const std::string text(reinterpret_cast<const char*>(program.binary.data()),
                           program.binary.size());
    EXPECT_THAT(text, HasSubstr(".entry _Z1kPf"));
}

TEST(CompilerLibrary, UnknownTargetListsTheKnown) {
    CompileRequest asked = request(kKernel);
    asked.target = "z80";
    try {
        library().compile(asked);
        FAIL();
    } catch (const ArgumentError& error) {
        EXPECT_THAT(error.what(), HasSubstr("x86-64-v3"));
    }
}

TEST(CompilerLibrary, SignaturesHaveNoBinary) {
    const Program program = library().read_signatures(request(kKernel));
    EXPECT_EQ(program.format, "signatures");
    EXPECT_TRUE(program.binary.empty());
    EXPECT_EQ(program.kernels.at(0).signature.name, "k");
}

TEST(CompilerLibrary, SignaturesHaveTheTextForTheDeviceWhereThatIsAnother) {
    const Program program =
        library().read_signatures(request(std::string("void f() {}\n") + kKernel));
    const auto* const text = reinterpret_cast<const char*>(program.binary.data());
    EXPECT_EQ(std::string(text, program.binary.size()), std::string("           \n") + kKernel);
}

TEST(CompilerLibrary, WritesThePreludeForTheBuild) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("ww_prelude_" + std::to_string(::getpid()));
    library().write_default_prelude(file.string());
    EXPECT_GT(std::filesystem::file_size(file), 100'000u);
    std::filesystem::remove(file);
}

TEST(CompilerLibrary, NamesThePreludeItCannotWrite) {
    try {
        library().write_default_prelude("/nowhere/prelude.pch");
        FAIL();
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("/nowhere/prelude.pch"));
    }
}

TEST(CompilerLibraryCrash, IsAnErrorAndTheNextCompileWorks) {
    testing_support::abandon_memory();
    EXPECT_THROW(library().compile(request(kCrash)), CompileError);
    EXPECT_EQ(library().compile(request(kKernel)).kernels.size(), 1u);
}

TEST(CompilerLibraryCrash, InTheChildIsAnErrorToo) {
    testing_support::abandon_memory();
    EXPECT_THROW(library().compile(request(kCrash)), CompileError);
    EXPECT_THROW(library().compile(request(kCrash)), CompileError);
}

TEST(CompilerLibraryCrash, ErrorsOfTheChildKeepTheirPlace) {
    testing_support::abandon_memory();
    EXPECT_THROW(library().compile(request(kCrash)), CompileError);
    try {
        library().compile(request("\n__global__ void k() { oops; }"));
        FAIL();
    } catch (const CompileError& error) {
        EXPECT_EQ(error.line(), 2);
    }
}

}  // namespace
}  // namespace warpwise::compiler
