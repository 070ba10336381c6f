// Programs that are installed with the library: which are found, and what is not used.
#include "src/compiler/prebuilt.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "src/base/file.hpp"
#include "tests/unit/base/temporary_folder.hpp"
#include "tests/unit/compiler/fake_compiler.hpp"

namespace warpwise::compiler {
namespace {

class PortableCompiler : public FakeCompiler {
  public:
    explicit PortableCompiler(std::string portable = "any 1") : portable_(std::move(portable)) {}
    std::string portable_fingerprint() const override { return portable_; }
    std::string portable_target(const std::string& target) const override {
        return target == "x86-64-v3.1" ? "x86-64-v3" : target;
    }
    bool is_loadable(const Program&) const override { return loads; }

    bool loads = true;

  private:
    std::string portable_;
};

CompileRequest request_for(const std::string& source) {
    CompileRequest request;
    request.source = source;
    request.target = "x86-64-v3";
    return request;
}

class PrebuiltTest : public ::testing::Test {
  protected:
    PrebuiltTest() {
        writer_.add(compiler_, request_for("void f();"));
        writer_.add(compiler_, request_for("void g();"));
    }

    std::optional<Program> found(const std::vector<std::byte>& file, const CompileRequest& request,
                                 const Compiler& compiler) const {
        const std::string path = folder_ / "programs";
        EXPECT_FALSE(write_file_at(AT_FDCWD, path, file));
        return PrebuiltPrograms(path).find(compiler, request);
    }
    std::optional<Program> found(const std::vector<std::byte>& file) const {
        return found(file, request_for("void f();"), compiler_);
    }

    const TemporaryFolder folder_;
    PortableCompiler compiler_;
    PrebuiltWriter writer_;
};

TEST_F(PrebuiltTest, FindsEachProgram) {
    for (const std::string source : {"void f();", "void g();"}) {
        const auto program = found(writer_.file(), request_for(source), compiler_);
        ASSERT_TRUE(program) << source;
        EXPECT_EQ(binary_text(*program), source);
    }
}

TEST_F(PrebuiltTest, CompilesARequestOnce) {
    writer_.add(compiler_, request_for("void f();"));
    EXPECT_EQ(compiler_.calls, 2);
}

TEST_F(PrebuiltTest, HasNoProgramOfAnotherSource) {
    EXPECT_FALSE(found(writer_.file(), request_for("void h();"), compiler_));
}

TEST_F(PrebuiltTest, HasNoProgramOfAnotherCompiler) {
    EXPECT_FALSE(found(writer_.file(), request_for("void f();"), PortableCompiler("any 2")));
}

TEST_F(PrebuiltTest, FindsTheProgramOfTheKindOfProcessor) {
    CompileRequest request = request_for("void f();");
    request.target = "x86-64-v3.1";
    EXPECT_TRUE(found(writer_.file(), request, compiler_));
}

TEST_F(PrebuiltTest, HasNoProgramOfAnotherProcessor) {
    CompileRequest request = request_for("void f();");
    request.target = "x86-64-v4";
    EXPECT_FALSE(found(writer_.file(), request, compiler_));
}

TEST_F(PrebuiltTest, HasNoProgramWithOtherOptions) {
    CompileRequest request = request_for("void f();");
    request.options = {"-g"};
    EXPECT_FALSE(found(writer_.file(), request, compiler_));
}

TEST_F(PrebuiltTest, HasNoProgramOfAnotherMode) {
    CompileRequest request = request_for("void f();");
    request.mode.contraction = false;
    EXPECT_FALSE(found(writer_.file(), request, compiler_));
}

TEST_F(PrebuiltTest, DoesNotGiveWhatCannotBeLoaded) {
    compiler_.loads = false;
    EXPECT_FALSE(found(writer_.file()));
}

TEST_F(PrebuiltTest, IsNotAskedByACompilerWithoutPortablePrograms) {
    EXPECT_FALSE(found(writer_.file(), request_for("void f();"), PortableCompiler("")));
}

TEST_F(PrebuiltTest, NeedsNoFile) {
    EXPECT_FALSE(PrebuiltPrograms(folder_ / "missing").find(compiler_, request_for("void f();")));
}

TEST_F(PrebuiltTest, IgnoresAFileOfAnotherBuild) {
    std::vector<std::byte> file = writer_.file();
    const auto end = std::ranges::find(file, std::byte{'\n'});
    ASSERT_NE(end, file.end());
    *(end - 1) ^= std::byte{1};  // the mark's last letter
    EXPECT_FALSE(found(file));
}

TEST_F(PrebuiltTest, IgnoresAFileThatWasCutOff) {
    const std::vector<std::byte> file = writer_.file();
    std::size_t found_in = 0;
    for (std::size_t bytes = 0; bytes < file.size(); bytes += 7) {
        found_in += found({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes)}) &&
                    found({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes)},
                          request_for("void g();"), compiler_);
    }
    EXPECT_EQ(found_in, 0u) << "one of both lies at the end";
    EXPECT_TRUE(found(file));
}

TEST_F(PrebuiltTest, IgnoresADamagedNumberOfPrograms) {
    std::vector<std::byte> file = writer_.file();
    const auto end = std::ranges::find(file, std::byte{'\n'});
    ASSERT_GT(file.end() - end, 8);
    for (int byte = 1; byte <= 8; ++byte) {
        std::vector<std::byte> damaged = file;
        damaged[static_cast<std::size_t>(end - file.begin() + byte)] ^= std::byte{0x80};
        EXPECT_FALSE(found(damaged)) << byte;
    }
}

TEST_F(PrebuiltTest, IgnoresADamagedProgram) {
    std::vector<std::byte> file = writer_.file();
    file.back() ^= std::byte{1};
    const bool has_f = found(file).has_value();
    const bool has_g = found(file, request_for("void g();"), compiler_).has_value();
    EXPECT_NE(has_f, has_g) << "the last one alone is damaged";
}

TEST_F(PrebuiltTest, RefusesARequestThatReadsFiles) {
    EXPECT_FALSE(write_file_at(AT_FDCWD, folder_ / "header.h", {}));
    CompileRequest request = request_for("#include \"header.h\"\nvoid f();");
    request.include_dirs = {folder_ / ""};
    EXPECT_THROW(writer_.add(compiler_, request), ArgumentError);
}

TEST_F(PrebuiltTest, RefusesACompilerWithoutPortablePrograms) {
    PortableCompiler other("");
    EXPECT_THROW(writer_.add(other, request_for("void f();")), ArgumentError);
}

}  // namespace
}  // namespace warpwise::compiler
