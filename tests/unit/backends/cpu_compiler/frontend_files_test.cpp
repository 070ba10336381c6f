// Where headers come from, and what a compile reports to have read.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "src/base/hash.hpp"
#include "tests/unit/backends/cpu_compiler/frontend_fixture.hpp"
#include "warpwise/cache.hpp"

namespace warpwise::cpu_compiler {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test.
class IncludeTest : public testing::Test {
  protected:
    IncludeTest()
        : folder_(fs::temp_directory_path() /
                  ("ww_include_" + std::to_string(::getpid()) + "_" +
                   testing::UnitTest::GetInstance()->current_test_info()->name())) {
        fs::create_directories(folder_);
    }
    ~IncludeTest() override { fs::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& text) {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << text;
        return (folder_ / name).string();
    }

    fs::path folder_;
};

TEST_F(IncludeTest, FolderOfTheRequestIsSearched) {
    write("mine.h", "#define N 3\n");
    compiler::CompileRequest asked = request("#include <mine.h>\n__device__ char x[N];");
    asked.include_dirs = {folder_.string()};
    EXPECT_EQ(run(asked).globals.at(0).size, 3u);
}

TEST_F(IncludeTest, FolderOfAnOptionIsSearched) {
    write("deep/mine.h", "#define N 3\n");
    EXPECT_EQ(run("#include \"deep/mine.h\"\n__device__ char x[N];", {"-I" + folder_.string()})
                  .globals.at(0)
                  .size,
              3u);
}

TEST_F(IncludeTest, FolderOfTheSourceIsSearchedForQuotedNames) {
    write("mine.h", "#define N 3\n");
    compiler::CompileRequest asked = request("#include \"mine.h\"\n__device__ char x[N];");
    asked.name = (folder_ / "k.cu").string();
    EXPECT_EQ(run(asked).globals.at(0).size, 3u);
}

TEST_F(IncludeTest, HeaderOfTheRequestNeedsNoFile) {
    compiler::CompileRequest asked = request("#include <a/b.h>\n__device__ char x[N];");
    asked.headers = {{"a/b.h", "#include \"c.h\"\n"}, {"a/c.h", "#define N 5\n"}};
    const Translation result = run(asked);
    EXPECT_EQ(result.globals.at(0).size, 5u);
    EXPECT_TRUE(result.dependencies.empty());
}

TEST_F(IncludeTest, DependenciesAreFilesReadWithTheirHashes) {
    const std::string inner = write("inner.h", "#define N 3\n");
    const std::string outer = write("outer.h", "#include \"inner.h\"\n");
    write("unused.h", "");
    compiler::CompileRequest asked =
        request("#include <stdio.h>\n#include \"outer.h\"\n__device__ char x[N];");
    asked.include_dirs = {folder_.string()};
    const Translation result = run(asked);
    ASSERT_EQ(result.dependencies.size(), 2u);
    EXPECT_EQ(result.dependencies[0].path, inner);
    EXPECT_EQ(result.dependencies[0].hash, hash64(std::string_view("#define N 3\n")));
    EXPECT_EQ(result.dependencies[1].path, outer);
}

TEST_F(IncludeTest, ForcedIncludeComesFirst) {
    write("first.h", "#define N 6\n");
    EXPECT_EQ(run("__device__ char x[N];", {"-I" + folder_.string(), "-include", "first.h"})
                  .globals.at(0)
                  .size,
              6u);
}

TEST_F(IncludeTest, UserHeaderHidesABuiltInOne) {
    compiler::CompileRequest asked = request("#include <cuda_runtime.h>\n__device__ char x[N];");
    asked.headers = {{"cuda_runtime.h", "#define N 9\n"}};
    EXPECT_EQ(run(asked).globals.at(0).size, 9u);
}

TEST(Prelude, NeedsNoInclude) {
    EXPECT_NO_THROW(
        run("__global__ void k(float4 *x) { x[threadIdx.x] = make_float4(1, 2, 3, 4); "
            "__syncthreads(); atomicAdd(&x->x, 1.0f); }"));
}

TEST(Prelude, IsKeptInTheDiskCache) {
    run("__global__ void k() {}");
    EXPECT_GT(cache_info().bytes, 1u << 20) << "the front end puts nothing else there";
}

}  // namespace
}  // namespace warpwise::cpu_compiler
