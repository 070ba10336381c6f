// The disk cache at work: what is put is found, the least recently used goes, many share.
#include "src/base/disk_cache.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/base/temporary_folder.hpp"

namespace warpwise {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMegabyte = 1 << 20;

std::vector<std::byte> block_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    return {bytes.begin(), bytes.end()};
}

Hash128 key_of(std::string_view name) {
    return hash128(name);
}

std::string entry_file(const TemporaryFolder& folder, const Hash128& key) {
    return folder / (key.hex().substr(0, 2) + "/" + key.hex().substr(2));
}

// As if the entry had last been used so many seconds ago.
void age(const std::string& file, std::int64_t seconds) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
}

TEST(DiskCache, FindsWhatWasPut) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), kMegabyte);
    EXPECT_TRUE(cache.put(key_of("a"), block_of("program")));
    EXPECT_EQ(cache.get(key_of("a")), block_of("program"));
}

TEST(DiskCache, MissesWhatWasNotPut) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), kMegabyte);
    EXPECT_EQ(cache.get(key_of("a")), std::nullopt);
}

TEST(DiskCache, IsSharedByWhoeverOpensTheFolder) {
    const TemporaryFolder folder;
    DiskCache(folder.path(), kMegabyte).put(key_of("a"), block_of("program"));
    EXPECT_EQ(DiskCache(folder.path(), kMegabyte).get(key_of("a")), block_of("program"));
}

TEST(DiskCache, TakesAnEmptyBlock) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), kMegabyte);
    EXPECT_TRUE(cache.put(key_of("a"), {}));
    EXPECT_EQ(cache.get(key_of("a")), block_of(""));
}

TEST(DiskCache, ReplacesAnEntry) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), kMegabyte);
    cache.put(key_of("a"), block_of("old"));
    cache.put(key_of("a"), block_of("new"));
    EXPECT_EQ(cache.get(key_of("a")), block_of("new"));
}

TEST(DiskCache, ForgetsADroppedEntry) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), kMegabyte);
    cache.put(key_of("a"), block_of("program"));
    cache.drop(key_of("a"));
    EXPECT_EQ(cache.get(key_of("a")), std::nullopt);
}

TEST(DiskCache, MakesItsFolderPrivate) {
    const TemporaryFolder folder;
    DiskCache(folder / "new/cache", kMegabyte).put(key_of("a"), block_of("program"));
    struct stat status{};
    ASSERT_EQ(::stat((folder / "new/cache").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777u, 0700u);
}

TEST(DiskCache, TellsBackupProgramsToPassBy) {
    const TemporaryFolder folder;
    DiskCache(folder.path(), kMegabyte).put(key_of("a"), block_of("program"));
    EXPECT_TRUE(fs::exists(folder / "CACHEDIR.TAG"));
}

TEST(DiskCache, InfoCounts) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), kMegabyte);
    cache.put(key_of("a"), block_of("program"));
    cache.put(key_of("b"), block_of("program"));
    cache.count_lookup(true);
    cache.count_lookup(true);
    cache.count_lookup(false);
    const CacheInfo info = cache.info();
    EXPECT_EQ(info.folder, folder.path());
    EXPECT_TRUE(info.usable);
    EXPECT_EQ(info.entries, 2u);
    EXPECT_EQ(info.bytes, 2 * (40 + 7u));
    EXPECT_EQ(info.limit, kMegabyte);
    EXPECT_EQ(info.hits, 2u);
    EXPECT_EQ(info.misses, 1u);
}

TEST(DiskCache, ClearFreesAllEntries) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), kMegabyte);
    cache.put(key_of("a"), block_of("program"));
    const std::uint64_t bytes = cache.info().bytes;
    EXPECT_EQ(cache.clear(), bytes);
    EXPECT_EQ(cache.info().entries, 0u);
}

TEST(DiskCache, ClearSparesWhatIsNotItsOwn) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), kMegabyte);
    cache.put(key_of("a"), block_of("program"));
    folder.write("thesis.tex", "years of work");
    folder.write("ab/notes.txt", "more of it");
    cache.clear();
    EXPECT_TRUE(fs::exists(folder / "thesis.tex"));
    EXPECT_TRUE(fs::exists(folder / "ab/notes.txt"));
}

TEST(DiskCacheLimit, IsKept) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), 10'000);
    for (int i = 0; i < 100; ++i) {
        cache.put(key_of(std::to_string(i)), block_of(std::string(960, 'x')));
        ASSERT_LE(cache.info().bytes, 10'000u) << "after entry " << i;
    }
    EXPECT_GE(cache.info().entries, 8u) << "eviction went too far";
}

TEST(DiskCacheLimit, EvictsTheLeastRecentlyUsed) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), 3'500);
    for (const char* name : {"a", "b", "c"}) {
        cache.put(key_of(name), block_of(std::string(960, 'x')));
    }
    age(entry_file(folder, key_of("a")), 100);
    age(entry_file(folder, key_of("b")), 300);
    age(entry_file(folder, key_of("c")), 200);
    cache.put(key_of("d"), block_of(std::string(960, 'x')));
    EXPECT_EQ(cache.get(key_of("b")), std::nullopt);
    EXPECT_NE(cache.get(key_of("a")), std::nullopt);
    EXPECT_NE(cache.get(key_of("d")), std::nullopt);
}

TEST(DiskCacheLimit, AHitCountsAsUse) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), kMegabyte);
    cache.put(key_of("a"), block_of("program"));
    const std::string file = entry_file(folder, key_of("a"));
    age(file, 2 * 3600);
    cache.get(key_of("a"));
    EXPECT_GT(fs::last_write_time(file),
              fs::file_time_type::clock::now() - std::chrono::minutes(10));
}

TEST(DiskCacheLimit, AUseIsNotedAtMostOnceAnHour) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), kMegabyte);
    cache.put(key_of("a"), block_of("program"));
    const std::string file = entry_file(folder, key_of("a"));
    age(file, 1800);
    const auto before = fs::last_write_time(file);
    cache.get(key_of("a"));
    EXPECT_EQ(fs::last_write_time(file), before);
}

TEST(DiskCacheLimit, AnEntryOverTheLimitIsNotStored) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), 1'000);
    EXPECT_FALSE(cache.put(key_of("a"), block_of(std::string(1'000, 'x'))));
    EXPECT_EQ(cache.info().entries, 0u);
}

TEST(DiskCacheLimit, CountsTheHeaderOfAnEntry) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), 1'000);
    EXPECT_FALSE(cache.put(key_of("a"), block_of(std::string(961, 'x'))));
    EXPECT_TRUE(cache.put(key_of("b"), block_of(std::string(960, 'x'))));
}

TEST(DiskCacheLimit, OfZeroSwitchesTheCacheOff) {
    const TemporaryFolder folder;
    DiskCache cache(folder / "never", 0);
    EXPECT_FALSE(cache.put(key_of("a"), block_of("program")));
    EXPECT_EQ(cache.get(key_of("a")), std::nullopt);
    EXPECT_FALSE(cache.info().usable);
    EXPECT_EQ(cache.info().reason, "WARPWISE_CACHE_SIZE is 0");
    EXPECT_FALSE(fs::exists(folder / "never"));
}

TEST(DiskCacheLimit, CountsAfreshWhenTheEstimateIsDamaged) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), 3'500);
    for (const char* name : {"a", "b", "c"}) {
        cache.put(key_of(name), block_of(std::string(960, 'x')));
    }
    folder.write("size", "not a number");
    cache.put(key_of("d"), block_of(std::string(960, 'x')));
    EXPECT_LE(cache.info().bytes, 3'500u);
}

TEST(DiskCacheLimit, DeletesWhatADeadWriterLeft) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), 3'500);
    const std::string old_file = folder.write("ab/.tmp-1-2-3", std::string(500, 'x'));
    const std::string new_file = folder.write("ab/.tmp-4-5-6", std::string(500, 'x'));
    age(old_file, 2 * 3600);
    for (const char* name : {"a", "b", "c", "d"}) {
        cache.put(key_of(name), block_of(std::string(960, 'x')));
    }
    EXPECT_FALSE(fs::exists(old_file));
    EXPECT_TRUE(fs::exists(new_file)) << "its writer may be alive";
}

TEST(DiskCacheSharing, ThreadsReadWholeBlocks) {
    const TemporaryFolder folder;
    DiskCache cache(folder.path(), kMegabyte);
    std::atomic<int> torn{0};
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 100; ++i) {
                const std::string name = std::to_string((i + t) % 10);
                cache.put(key_of(name), block_of(std::string(500, name[0])));
                const auto block = cache.get(key_of(name));
                if (block && *block != block_of(std::string(500, name[0]))) ++torn;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(torn, 0);
}

// Runs `work` in `count` processes at once and returns how many of them ended with 0.
template <class Work>
int run_processes(int count, const Work& work) {
    std::vector<pid_t> children;
    for (int i = 0; i < count; ++i) {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(work(i) ? 0 : 1);
        children.push_back(child);
    }
    int succeeded = 0;
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ++succeeded;
    }
    return succeeded;
}

TEST(DiskCacheSharing, SixtyFourProcessesFillAColdCache) {
    const TemporaryFolder folder;
    const auto block = block_of(std::string(5'000, 'x'));
    const int succeeded = run_processes(64, [&](int) {
        DiskCache cache(folder / "cold", kMegabyte);
        return cache.put(key_of("a"), block) && cache.get(key_of("a")) == block;
    });
    EXPECT_EQ(succeeded, 64);
    EXPECT_EQ(DiskCache(folder / "cold", kMegabyte).info().entries, 1u);
}

TEST(DiskCacheSharing, ProcessesThatEvictDoNoHarm) {
    const TemporaryFolder folder;
    const int succeeded = run_processes(16, [&](int process) {
        DiskCache cache(folder.path(), 20'000);
        bool is_whole = true;
        for (int i = 0; i < 30; ++i) {
            const Hash128 key = key_of(std::to_string(process * 7 + i));
            const auto block = block_of(std::string(1'000, 'x'));
            cache.put(key, block);
            const auto found = cache.get(key);
            is_whole = is_whole && (!found || *found == block);
        }
        return is_whole;
    });
    EXPECT_EQ(succeeded, 16);
    // Each process may be one entry ahead of the others' counting.
    EXPECT_LE(DiskCache(folder.path(), 20'000).info().bytes, 20'000u + 16 * 1'040u);
}

}  // namespace
}  // namespace warpwise
