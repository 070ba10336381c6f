// Files: whole reads, atomic writes, private folders.
#include "src/base/file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/unit/base/temporary_folder.hpp"
#include "warpwise/error.hpp"

namespace warpwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

mode_t mode_of(const std::string& path) {
    struct stat status{};
    ::stat(path.c_str(), &status);
    return status.st_mode & 07777u;
}

TEST(ReadFile, GivesTheContents) {
    const TemporaryFolder folder;
    EXPECT_EQ(read_file(folder.write("a", std::string("x\0y", 3))), std::string("x\0y", 3));
}

TEST(ReadFile, GivesFilesThatDoNotTellTheirSize) {
    EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("VmRSS"));
    EXPECT_THAT(read_file("/proc/self/smaps").size(), ::testing::Gt(4096u));
}

TEST(ReadFile, GivesAnEmptyFile) {
    const TemporaryFolder folder;
    EXPECT_EQ(read_file(folder.write("a", "")), "");
}

TEST(ReadFile, NamesAMissingFile) {
    try {
        read_file("/nowhere/at/all");
        FAIL() << "nothing was thrown";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("'/nowhere/at/all'"), HasSubstr("No such file")));
    }
}

TEST(ReadFile, RefusesFoldersAndPipes) {
    const TemporaryFolder folder;
    EXPECT_THROW(read_file(folder.path()), DeviceError);
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_THROW(read_file(folder / "pipe"), DeviceError);
}

TEST(ReadFileIfThere, GivesTheContentsOrNothing) {
    const TemporaryFolder folder;
    EXPECT_EQ(read_file_if_there(folder.write("a", "x")), "x");
    EXPECT_EQ(read_file_if_there(folder.write("b", "")), "");
    EXPECT_EQ(read_file_if_there("/nowhere/at/all"), std::nullopt);
    EXPECT_EQ(read_file_if_there(folder.path()), std::nullopt);
}

TEST(ReadFileAt, FollowsLinksOnlyWhenAsked) {
    const TemporaryFolder folder;
    std::filesystem::create_symlink(folder.write("a", "x"), folder / "link");
    std::vector<std::byte> contents;
    EXPECT_FALSE(read_file_at(AT_FDCWD, (folder / "link").c_str(), &contents));
    EXPECT_TRUE(read_file_at(AT_FDCWD, (folder / "link").c_str(), &contents, false));
}

TEST(WriteFile, ReplacesTheContents) {
    const TemporaryFolder folder;
    const std::string path = folder.write("a", "a longer old text");
    ASSERT_FALSE(write_file_at(AT_FDCWD, path, bytes_of("new")));
    EXPECT_EQ(read_file(path), "new");
}

TEST(WriteFile, IsPrivate) {
    const TemporaryFolder folder;
    ASSERT_FALSE(write_file_at(AT_FDCWD, folder / "a", bytes_of("new")));
    EXPECT_EQ(mode_of(folder / "a"), 0600u);
}

TEST(WriteFile, LeavesNothingBehindWhenItFails) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "a");  // cannot be replaced by a file
    EXPECT_TRUE(write_file_at(AT_FDCWD, folder / "a", bytes_of("new")));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(WriteFile, NeedsItsFolder) {
    const TemporaryFolder folder;
    EXPECT_EQ(write_file_at(AT_FDCWD, folder / "missing/a", bytes_of("new")),
              std::errc::no_such_file_or_directory);
}

TEST(PrivateFolder, IsMadeWithItsParents) {
    const TemporaryFolder folder;
    ASSERT_FALSE(make_private_folder(folder / "a/b/c"));
    EXPECT_EQ(mode_of(folder / "a/b/c"), 0700u);
    EXPECT_EQ(mode_of(folder / "a"), 0700u);
}

TEST(PrivateFolder, MayExist) {
    const TemporaryFolder folder;
    EXPECT_FALSE(make_private_folder(folder.path()));
}

TEST(PrivateFolder, CannotBeAFile) {
    const TemporaryFolder folder;
    folder.write("a", "");
    EXPECT_EQ(make_private_folder(folder / "a"), std::errc::not_a_directory);
    EXPECT_EQ(make_private_folder(folder / "a/b"), std::errc::not_a_directory);
}

}  // namespace
}  // namespace warpwise
