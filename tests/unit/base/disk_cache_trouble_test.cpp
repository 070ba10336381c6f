// The disk cache in trouble: damaged, unsafe, full, read-only and vanishing folders make misses, a
// reason, and never an error.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/disk_cache.hpp"
#include "src/base/file.hpp"
#include "src/base/log.hpp"
#include "tests/unit/base/temporary_folder.hpp"

namespace warpwise {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::uint64_t kMegabyte = 1 << 20;
const Hash128 kKey = hash128(std::string_view("key"));
const Hash128 kOtherKey = hash128(std::string_view("other"));

std::vector<std::byte> block() {
    return std::vector<std::byte>(3'000, std::byte{42});
}

class DiskCacheTrouble : public ::testing::Test {
  protected:
    void SetUp() override {
        log::set_sink([this](log::Level level, std::string_view text) {
            if (level <= log::Level::Warning) warnings_.emplace_back(text);
        });
    }
    void TearDown() override { log::set_sink({}); }

    std::string entry_file(const Hash128& key) const {
        return folder_ / (key.hex().substr(0, 2) + "/" + key.hex().substr(2));
    }

    const TemporaryFolder folder_;
    std::vector<std::string> warnings_;
};

TEST_F(DiskCacheTrouble, AFlippedBitIsAMissAndDeleted) {
    DiskCache cache(folder_.path(), kMegabyte);
    cache.put(kKey, block());
    std::string contents = read_file(entry_file(kKey));
    for (const std::size_t place :
         {std::size_t{0}, std::size_t{9}, std::size_t{30}, std::size_t{36}, contents.size() - 1}) {
        std::string damaged = contents;
        damaged[place] ^= 1;
        std::ofstream(entry_file(kKey), std::ios::binary) << damaged;
        EXPECT_EQ(cache.get(kKey), std::nullopt) << place;
        EXPECT_FALSE(fs::exists(entry_file(kKey))) << place;
    }
}

TEST_F(DiskCacheTrouble, ACutEntryIsAMissAndDeleted) {
    DiskCache cache(folder_.path(), kMegabyte);
    for (const std::uintmax_t size : {0, 20, 40, 1'000}) {
        cache.put(kKey, block());
        fs::resize_file(entry_file(kKey), size);
        EXPECT_EQ(cache.get(kKey), std::nullopt) << size;
        EXPECT_FALSE(fs::exists(entry_file(kKey))) << size;
    }
}

TEST_F(DiskCacheTrouble, ADamagedEntryIsWrittenAgain) {
    DiskCache cache(folder_.path(), kMegabyte);
    cache.put(kKey, block());
    fs::resize_file(entry_file(kKey), 100);
    cache.get(kKey);
    EXPECT_TRUE(cache.put(kKey, block()));
    EXPECT_EQ(cache.get(kKey), block());
}

TEST_F(DiskCacheTrouble, AnEntryUnderAnotherNameIsAMiss) {
    DiskCache cache(folder_.path(), kMegabyte);
    cache.put(kKey, block());
    fs::create_directories(fs::path(entry_file(kOtherKey)).parent_path());
    fs::copy_file(entry_file(kKey), entry_file(kOtherKey));
    EXPECT_EQ(cache.get(kOtherKey), std::nullopt);
}

TEST_F(DiskCacheTrouble, ALinkInPlaceOfAnEntryIsNotFollowed) {
    DiskCache cache(folder_.path(), kMegabyte);
    cache.put(kKey, block());
    fs::rename(entry_file(kKey), folder_ / "elsewhere");
    fs::create_symlink(folder_ / "elsewhere", entry_file(kKey));
    EXPECT_EQ(cache.get(kKey), std::nullopt);
}

TEST_F(DiskCacheTrouble, AFolderOthersMayWriteToIsRefused) {
    DiskCache(folder_.path(), kMegabyte).put(kKey, block());
    for (const mode_t mode : {0720u, 0702u, 0777u}) {
        ASSERT_EQ(::chmod(folder_.path().c_str(), mode), 0);
        DiskCache cache(folder_.path(), kMegabyte);
        EXPECT_EQ(cache.get(kKey), std::nullopt);
        EXPECT_FALSE(cache.put(kKey, block()));
        EXPECT_FALSE(cache.info().usable);
        EXPECT_THAT(cache.info().reason,
                    AllOf(HasSubstr("others may write to '" + folder_.path() + "'"),
                          HasSubstr("chmod 700")));
    }
}

TEST_F(DiskCacheTrouble, AFolderOthersMayReadIsTaken) {
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
    EXPECT_TRUE(DiskCache(folder_.path(), kMegabyte).info().usable);
}

TEST_F(DiskCacheTrouble, AnotherUsersFolderIsRefused) {
    // Root can give a folder away; other users find root's.
    std::string folder = "/usr";
    if (::geteuid() == 0) {
        folder = folder_ / "given";
        ASSERT_TRUE(fs::create_directory(folder));
        ASSERT_EQ(::chown(folder.c_str(), 12'345, 12'345), 0);
    }
    DiskCache cache(folder, kMegabyte);
    EXPECT_FALSE(cache.info().usable);
    EXPECT_THAT(cache.info().reason,
                AllOf(HasSubstr("belongs to user"), HasSubstr("WARPWISE_CACHE_DIR")));
}

TEST_F(DiskCacheTrouble, AFolderThatCannotBeMadeIsNoError) {
    folder_.write("file", "");
    DiskCache cache(folder_ / "file/cache", kMegabyte);
    EXPECT_EQ(cache.get(kKey), std::nullopt);
    EXPECT_FALSE(cache.put(kKey, block()));
    EXPECT_THAT(cache.info().reason, HasSubstr("Not a directory"));
    EXPECT_EQ(cache.clear(), 0u);
}

TEST_F(DiskCacheTrouble, IsReportedOnce) {
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
    DiskCache cache(folder_.path(), kMegabyte);
    for (int i = 0; i < 3; ++i) cache.put(kKey, block());
    ASSERT_THAT(warnings_, SizeIs(1));
    EXPECT_THAT(warnings_[0], HasSubstr("programs are compiled each time"));
}

TEST_F(DiskCacheTrouble, AFolderDeletedMeanwhileIsMadeAgain) {
    DiskCache cache(folder_ / "cache", kMegabyte);
    cache.put(kKey, block());
    fs::remove_all(folder_ / "cache");
    EXPECT_EQ(cache.get(kKey), std::nullopt);
    EXPECT_TRUE(cache.put(kKey, block()));
    EXPECT_EQ(cache.get(kKey), block());
}

// What went wrong in a child process: bits of its exit status.
enum Finding { kStored = 1, kFound = 2, kLeftovers = 4, kNoWarning = 8 };

template <class Work>
int run_child(const Work& work) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work());
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(DiskCacheTrouble, AFullDiskIsNoError) {
    DiskCache cache(folder_.path(), kMegabyte);
    // Files that may not grow behave like a disk without room: a write ends short, then fails.
    const int findings = run_child([&] {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1'000, 1'000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        int found = 0;
        if (cache.put(kKey, block())) found |= kStored;
        if (cache.get(kKey)) found |= kFound;
        if (cache.info().bytes != 0) found |= kLeftovers;
        if (warnings_.size() != 1) found |= kNoWarning;
        return found;
    });
    EXPECT_EQ(findings, 0);
}

TEST_F(DiskCacheTrouble, AnEstimateThatAnotherProcessLocksHoldsNothingUp) {
    const int estimate = ::open((folder_ / "size").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::flock(estimate, LOCK_EX | LOCK_NB), 0);
    DiskCache cache(folder_.path(), kMegabyte);
    EXPECT_TRUE(cache.put(kKey, block()));
    EXPECT_EQ(cache.get(kKey), block());
    ::close(estimate);
}

TEST_F(DiskCacheTrouble, AReadOnlyFolderStillGivesHits) {
    DiskCache(folder_.path(), kMegabyte).put(kKey, block());
    // Root may write everywhere, so the child becomes another user, the owner of the folder.
    const bool is_root = ::geteuid() == 0;
    const uid_t user = is_root ? 12'345 : ::geteuid();
    for (const fs::path& path : fs::recursive_directory_iterator(folder_.path())) {
        if (is_root) {
            ASSERT_EQ(::chown(path.c_str(), user, user), 0);
        }
        if (fs::is_directory(path)) {
            ASSERT_EQ(::chmod(path.c_str(), 0500), 0);
        }
    }
    if (is_root) {
        ASSERT_EQ(::chown(folder_.path().c_str(), user, user), 0);
    }
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0500), 0);
    const int findings = run_child([&] {
        if (is_root && ::setresuid(user, user, user) != 0) return 64;
        DiskCache cache(folder_.path(), kMegabyte);
        int found = 0;
        if (cache.put(kOtherKey, block())) found |= kStored;
        if (cache.get(kKey) != block()) found |= kFound;
        if (warnings_.size() != 1) found |= kNoWarning;
        return found;
    });
    for (const fs::path& path : fs::recursive_directory_iterator(folder_.path())) {
        if (fs::is_directory(path)) ::chmod(path.c_str(), 0700);
    }
    ::chmod(folder_.path().c_str(), 0700);
    EXPECT_EQ(findings, 0);
}

}  // namespace
}  // namespace warpwise
