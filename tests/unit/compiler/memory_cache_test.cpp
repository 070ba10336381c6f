// The records in memory: bounded, least recently used first to go.
#include "src/compiler/memory_cache.hpp"

#include <gtest/gtest.h>

namespace warpwise::compiler {
namespace {

Hash128 key(std::uint64_t number) {
    return {0, number};
}
auto record() {
    return std::make_shared<const CacheRecord>();
}

TEST(MemoryCache, GivesBackTheSameRecord) {
    MemoryCache cache(100);
    const auto kept = record();
    cache.put(key(1), kept, 10);
    EXPECT_EQ(cache.get(key(1)), kept);
}

TEST(MemoryCache, MissesOtherKeys) {
    EXPECT_EQ(MemoryCache(100).get(key(1)), nullptr);
}

TEST(MemoryCache, ReplacesARecord) {
    MemoryCache cache(100);
    cache.put(key(1), record(), 90);
    const auto second = record();
    cache.put(key(1), second, 90);
    EXPECT_EQ(cache.get(key(1)), second);
}

TEST(MemoryCache, DropsTheLeastRecentlyUsed) {
    MemoryCache cache(100);
    cache.put(key(1), record(), 40);
    cache.put(key(2), record(), 40);
    cache.get(key(1));
    cache.put(key(3), record(), 40);
    EXPECT_NE(cache.get(key(1)), nullptr);
    EXPECT_EQ(cache.get(key(2)), nullptr);
    EXPECT_NE(cache.get(key(3)), nullptr);
}

TEST(MemoryCache, DoesNotKeepWhatIsOverTheLimit) {
    MemoryCache cache(100);
    cache.put(key(1), record(), 40);
    cache.put(key(2), record(), 101);
    EXPECT_NE(cache.get(key(1)), nullptr);
    EXPECT_EQ(cache.get(key(2)), nullptr);
}

TEST(MemoryCache, AReaderKeepsADroppedRecord) {
    MemoryCache cache(100);
    cache.put(key(1), record(), 100);
    const auto held = cache.get(key(1));
    cache.put(key(2), record(), 100);
    EXPECT_FALSE(held->program.has_value());
}

}  // namespace
}  // namespace warpwise::compiler
