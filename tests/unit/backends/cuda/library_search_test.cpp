// Finding libraries: the dynamic linker's cache, folders of packages, identities.
#include "src/backends/cuda/driver/library_search.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/backends/cuda/driver/toolkit.hpp"
#include "tests/unit/base/temporary_folder.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void append(std::string& bytes, const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
}

// A cache as ldconfig writes it, whose header counts `count` entries.
std::string linker_cache(const std::vector<std::pair<std::string, std::string>>& paths,
                         std::uint32_t count) {
    std::string bytes = "glibc-ld.so.cache1.1", texts;
    const std::uint32_t header[] = {count, 0, 0, 0, 0, 0, 0};
    append(bytes, header, sizeof header);
    const std::uint32_t first = 48 + 24 * static_cast<std::uint32_t>(paths.size());
    for (const auto& [name, path] : paths) {
        const std::uint32_t at = first + static_cast<std::uint32_t>(texts.size());
        const std::uint32_t entry[] = {0x303, at, at + static_cast<std::uint32_t>(name.size()) + 1,
                                       0,     0,  0};
        append(bytes, entry, sizeof entry);
        texts += name + '\0' + path + '\0';
    }
    return bytes + texts;
}

std::string linker_cache(const std::string& name, const std::string& path, std::uint32_t count) {
    return linker_cache({{name, path}}, count);
}

TEST(LinkerCache, TellsThePath) {
    const std::string cache = linker_cache("liba.so.1", "/opt/liba.so.1", 1);
    EXPECT_EQ(in_linker_cache(cache, "liba.so.1"), "/opt/liba.so.1");
    EXPECT_EQ(in_linker_cache("an older part" + cache, "liba.so.1"), "/opt/liba.so.1");
}

TEST(LinkerCache, TellsThePathOfEachEntry) {
    const std::string cache = linker_cache({{"liba.so", "/a"}, {"libb.so", "/b"}}, 2);
    EXPECT_EQ(in_linker_cache(cache, "libb.so"), "/b");
}

TEST(LinkerCache, TellsNothingOfOthers) {
    EXPECT_EQ(in_linker_cache(linker_cache("liba.so.1", "/opt/liba.so.1", 1), "liba.so.2"), "");
}

TEST(LinkerCache, IsReadWithinItsBounds) {
    const std::string cache = linker_cache("liba.so.1", "/opt/liba.so.1", 1);
    for (std::size_t size = 0; size < cache.size(); ++size) {
        in_linker_cache(std::string_view(cache).substr(0, size), "liba.so.1");
    }
    EXPECT_EQ(in_linker_cache(linker_cache("liba.so.1", "/opt", 1000), "liba.so.1"), "");
}

TEST(LibrarySearch, FindsWhatIsLoaded) {
    EXPECT_THAT(find_library({"libc.so.6"}).string(), HasSubstr("libc.so.6"));
}

TEST(LibrarySearch, FindsNothingWhereThereIsNothing) {
    EXPECT_TRUE(find_library({"libwarpwise-nothing.so.99"}).empty());
}

class Packages : public testing::Test {
  protected:
    std::filesystem::path put(const std::string& file) { return folder.write(file, "text"); }
    std::filesystem::path place(const std::string& name) const { return folder / name; }

    TemporaryFolder folder;
};

TEST_F(Packages, OfCuda12HaveHeadersBesideTheLibrary) {
    // A toolkit of the machine goes first.
    if (std::filesystem::exists("/usr/local/cuda/include/cuda_fp16.h")) GTEST_SKIP();
    put("nvidia/cuda_runtime/include/cuda_fp16.h");
    const auto library = put("nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    EXPECT_THAT(header_folders(library), ElementsAre(place("nvidia/cuda_runtime/include")));
}

TEST_F(Packages, OfCuda13HaveThemInOneFolder) {
    put("nvidia/cu13/include/cuda_fp16.h");
    put("nvidia/cu13/include/cccl/cub/cub.cuh");
    const auto library = put("nvidia/cu13/lib/libnvrtc.so.13");
    EXPECT_THAT(header_folders(library),
                ElementsAre(place("nvidia/cu13/include"), place("nvidia/cu13/include/cccl")));
}

TEST_F(Packages, AreToldApartByTheirFiles) {
    const auto file = put("a");
    const std::string before = file_identity(file);
    folder.write("a", "another text");
    EXPECT_THAT(before, HasSubstr(file.string()));
    EXPECT_NE(file_identity(file), before);
    EXPECT_EQ(file_identity(place("b")), "");
}

}  // namespace
}  // namespace warpwise::cuda
