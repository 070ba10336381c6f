// The cached compile: when it compiles, when it need not, and what makes a program stale.
#include "src/compiler/program_cache.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "tests/unit/base/temporary_folder.hpp"
#include "tests/unit/compiler/fake_compiler.hpp"

namespace warpwise::compiler {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kDiskLimit = 1 << 20;
constexpr std::size_t kMemoryLimit = 1 << 20;

class ProgramCacheTest : public ::testing::Test {
  protected:
    // As a process that starts now would: nothing in memory.
    Program compile_anew(const CompileRequest& request) {
        DiskCache disk(folder_ / "cache", kDiskLimit);
        return ProgramCache(disk, kMemoryLimit).compile(compiler_, request);
    }

    CompileRequest including(const std::string& text) const {
        CompileRequest request;
        request.source = text;
        request.include_dirs = {folder_ / "first", folder_ / "second"};
        return request;
    }

    const TemporaryFolder folder_;
    FakeCompiler compiler_;
};

CompileRequest request_for(const std::string& source) {
    CompileRequest request;
    request.source = source;
    request.target = "x86-64-v3";
    return request;
}

TEST_F(ProgramCacheTest, CompilesWhatItDoesNotKnow) {
    EXPECT_EQ(binary_text(compile_anew(request_for("void f();"))), "void f();");
    EXPECT_EQ(compiler_.calls, 1);
}

TEST_F(ProgramCacheTest, DoesNotCompileTwice) {
    const Program first = compile_anew(request_for("void f();"));
    EXPECT_EQ(serialise(compile_anew(request_for("void f();"))), serialise(first));
    EXPECT_EQ(compiler_.calls, 1);
}

TEST_F(ProgramCacheTest, NeedsNoDiskWithinAProcess) {
    DiskCache off(folder_ / "cache", 0);
    ProgramCache cache(off, kMemoryLimit);
    cache.compile(compiler_, request_for("void f();"));
    EXPECT_EQ(binary_text(cache.compile(compiler_, request_for("void f();"))), "void f();");
    EXPECT_EQ(compiler_.calls, 1);
}

TEST_F(ProgramCacheTest, CountsHitsAndMisses) {
    DiskCache disk(folder_ / "cache", kDiskLimit);
    ProgramCache cache(disk, kMemoryLimit);
    for (int i = 0; i < 3; ++i) cache.compile(compiler_, request_for("void f();"));
    EXPECT_EQ(disk.info().misses, 1u);
    EXPECT_EQ(disk.info().hits, 2u);
}

TEST_F(ProgramCacheTest, LooksUpWithoutCompiling) {
    DiskCache disk(folder_ / "cache", kDiskLimit);
    ProgramCache cache(disk, kMemoryLimit);
    EXPECT_FALSE(cache.look_up(compiler_, request_for("void f();")));
    cache.compile(compiler_, request_for("void f();"));
    const std::optional<Program> found =
        ProgramCache(disk, kMemoryLimit).look_up(compiler_, request_for("void f();"));
    ASSERT_TRUE(found);
    EXPECT_EQ(binary_text(*found), "void f();");
    EXPECT_EQ(compiler_.calls, 1);
}

TEST_F(ProgramCacheTest, DoesNotKeepErrors) {
    for (int i = 0; i < 2; ++i) {
        EXPECT_THROW(compile_anew(request_for("#error")), CompileError);
    }
    EXPECT_EQ(compiler_.calls, 2);
}

// Whatever differs in a request, or in the compiler, makes another program.
using Change = std::function<void(CompileRequest&)>;
class ProgramCacheKey : public ProgramCacheTest, public ::testing::WithParamInterface<Change> {};

TEST_P(ProgramCacheKey, CoversTheWholeRequest) {
    CompileRequest request = request_for("void f();");
    request.headers = {{"a.h", "text"}};
    request.options = {"-DA", "-DB"};
    compile_anew(request);
    GetParam()(request);
    compile_anew(request);
    EXPECT_EQ(compiler_.calls, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Each, ProgramCacheKey,
    ::testing::Values([](CompileRequest& r) { r.source += " "; },
                      [](CompileRequest& r) { r.name = "other.cu"; },
                      [](CompileRequest& r) { r.options = {"-DB", "-DA"}; },
                      [](CompileRequest& r) { r.options = {"-DA-DB"}; },
                      [](CompileRequest& r) { r.include_dirs = {"/usr/include"}; },
                      [](CompileRequest& r) { r.headers[0].second = "other text"; },
                      [](CompileRequest& r) { r.headers[0] = {"a.ht", "ext"}; },
                      [](CompileRequest& r) { r.headers.clear(); },
                      [](CompileRequest& r) { r.name_expressions = {"f<int>"}; },
                      [](CompileRequest& r) { r.target = "x86-64-v4"; },
                      [](CompileRequest& r) { r.format = "asm"; },
                      [](CompileRequest& r) { r.mode.contraction = false; }));

TEST_F(ProgramCacheTest, RefusesChecksBeforeItLooks) {
    CompileRequest request = request_for("void f();");
    compile_anew(request);
    request.mode.checks = Checks::Bounds;
    EXPECT_THROW(compile_anew(request), UnsupportedError);
    EXPECT_EQ(compiler_.calls, 1);
}

TEST_F(ProgramCacheTest, CompilesAgainForAnotherCompiler) {
    compile_anew(request_for("void f();"));
    FakeCompiler other("fake 2");
    DiskCache disk(folder_ / "cache", kDiskLimit);
    ProgramCache(disk, kMemoryLimit).compile(other, request_for("void f();"));
    EXPECT_EQ(other.calls, 1);
}

TEST_F(ProgramCacheTest, AHeaderThatStaysIsAHit) {
    folder_.write("first/a.h", "int a;");
    const CompileRequest request = including("#include \"a.h\"");
    compile_anew(request);
    EXPECT_EQ(binary_text(compile_anew(request)), "int a;");
    EXPECT_EQ(compiler_.calls, 1);
}

TEST_F(ProgramCacheTest, AHeaderThatChangesIsCompiledAgain) {
    folder_.write("first/a.h", "int a;");
    const CompileRequest request = including("#include \"a.h\"");
    compile_anew(request);
    folder_.write("first/a.h", "int b;");
    EXPECT_EQ(binary_text(compile_anew(request)), "int b;");
}

TEST_F(ProgramCacheTest, AHeaderThatChangesIsNoticedWithinAProcess) {
    DiskCache disk(folder_ / "cache", kDiskLimit);
    ProgramCache cache(disk, kMemoryLimit);
    const CompileRequest request = including("#include \"a.h\"");
    folder_.write("first/a.h", "int a;");
    cache.compile(compiler_, request);
    folder_.write("first/a.h", "int b;");
    EXPECT_EQ(binary_text(cache.compile(compiler_, request)), "int b;");
    EXPECT_EQ(compiler_.calls, 2);
}

TEST_F(ProgramCacheTest, AHeaderThatChangesBackIsAHit) {
    const CompileRequest request = including("#include \"a.h\"");
    for (const char* text : {"int a;", "int b;", "int a;", "int b;"}) {
        folder_.write("first/a.h", text);
        EXPECT_EQ(binary_text(compile_anew(request)), text);
    }
    EXPECT_EQ(compiler_.calls, 2);
}

TEST_F(ProgramCacheTest, ProgramsOfForgottenVariantsAreCompiledAgain) {
    const CompileRequest request = including("#include \"a.h\"");
    for (std::size_t i = 0; i <= kMaxVariants; ++i) {
        folder_.write("first/a.h", std::to_string(i));
        compile_anew(request);
    }
    folder_.write("first/a.h", "0");
    EXPECT_EQ(binary_text(compile_anew(request)), "0");
    EXPECT_EQ(compiler_.calls, static_cast<int>(kMaxVariants) + 2);
}

TEST_F(ProgramCacheTest, AHeaderThatAppearsEarlierInTheSearchIsNoticed) {
    folder_.write("second/a.h", "second");
    const CompileRequest request = including("#include \"a.h\"");
    compile_anew(request);
    folder_.write("first/a.h", "first");
    EXPECT_EQ(binary_text(compile_anew(request)), "first");
}

TEST_F(ProgramCacheTest, AHeaderThatIsDeletedIsNoticed) {
    folder_.write("first/a.h", "first");
    folder_.write("second/a.h", "second");
    const CompileRequest request = including("#include \"a.h\"");
    compile_anew(request);
    fs::remove(folder_ / "first/a.h");
    EXPECT_EQ(binary_text(compile_anew(request)), "second");
}

TEST_F(ProgramCacheTest, AHeaderInPlaceOfABuiltInOneIsNoticed) {
    const CompileRequest request = including("#include <math.h>\nvoid f();");
    compile_anew(request);
    compile_anew(request);
    EXPECT_EQ(compiler_.calls, 1);
    folder_.write("first/math.h", "mine");
    compile_anew(request);
    EXPECT_EQ(compiler_.calls, 2);
}

TEST_F(ProgramCacheTest, AnEvictedProgramIsCompiledAgain) {
    folder_.write("first/a.h", "int a;");
    const CompileRequest request = including("#include \"a.h\"");
    compile_anew(request);
    // Of manifest and program, the program is the larger file.
    fs::path largest;
    for (const auto& file : fs::recursive_directory_iterator(folder_ / "cache")) {
        if (!file.is_regular_file() || file.path().parent_path() == folder_ / "cache") continue;
        if (largest.empty() || file.file_size() > fs::file_size(largest)) largest = file.path();
    }
    fs::remove(largest);
    EXPECT_EQ(binary_text(compile_anew(request)), "int a;");
    EXPECT_EQ(compiler_.calls, 2);
}

TEST_F(ProgramCacheTest, AnEntryThatIsNoProgramIsReplaced) {
    const CompileRequest request = request_for("void f();");
    const std::string nonsense = "nonsense";
    DiskCache disk(folder_ / "cache", kDiskLimit);
    disk.put(request_key(request, compiler_.fingerprint()), std::as_bytes(std::span(nonsense)));
    EXPECT_EQ(binary_text(compile_anew(request)), "void f();");
    compile_anew(request);
    EXPECT_EQ(compiler_.calls, 1);
}

TEST_F(ProgramCacheTest, AFolderOfItsOwnIsUsedWhileItIsChosen) {
    // The usual folder is the user's, and keeps what earlier runs have compiled.
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const CompileRequest request = request_for(fmt::format("{} {}", getpid(), now));
    const fs::path folder = fs::path(folder_ / "own");
    {
        const CacheFolder chosen(folder);
        compile_cached(compiler_, request);
        compile_cached(compiler_, request);
        EXPECT_EQ(compiler_.calls, 1);
        EXPECT_FALSE(fs::is_empty(folder));
    }
    compile_cached(compiler_, request);
    EXPECT_EQ(compiler_.calls, 2) << "the usual folder did not have it";
}

TEST_F(ProgramCacheTest, WithoutAFolderNothingIsKept) {
    const CompileRequest request = request_for("kept nowhere");
    const CacheFolder chosen("");
    compile_cached(compiler_, request);
    compile_cached(compiler_, request);
    EXPECT_EQ(compiler_.calls, 2);
}

TEST_F(ProgramCacheTest, WorksWhereTheFolderIsRefused) {
    fs::create_directory(folder_ / "cache");
    ASSERT_EQ(::chmod((folder_ / "cache").c_str(), 0777), 0);
    EXPECT_EQ(binary_text(compile_anew(request_for("void f();"))), "void f();");
    compile_anew(request_for("void f();"));
    EXPECT_EQ(compiler_.calls, 2);
}

TEST_F(ProgramCacheTest, ManyThreadsGetTheSameProgram) {
    DiskCache disk(folder_ / "cache", kDiskLimit);
    ProgramCache cache(disk, kMemoryLimit);
    std::atomic<int> right{0};
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; ++i) {
                const std::string source = "kernel " + std::to_string((i + t) % 5);
                if (binary_text(cache.compile(compiler_, request_for(source))) == source) ++right;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(right, 400);
}

TEST_F(ProgramCacheTest, SixtyFourProcessesMayRaceOnOneColdCache) {
    folder_.write("first/a.h", std::string(20'000, 'x'));
    const CompileRequest request = including("#include \"a.h\"");
    std::vector<pid_t> children;
    for (int i = 0; i < 64; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            const bool is_whole = binary_text(compile_anew(request)).size() == 20'000;
            ::_exit(is_whole ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    compile_anew(request);
    EXPECT_EQ(compiler_.calls, 0) << "the children left no program behind";
}

}  // namespace
}  // namespace warpwise::compiler
