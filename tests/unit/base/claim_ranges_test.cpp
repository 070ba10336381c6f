// Ranges of pieces: every piece is claimed once, by its range's owner as far as that comes to it.
#include "src/base/workers/claim_ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace warpwise {
namespace {

using Chunk = ClaimRanges::Chunk;

std::uint64_t length(const Chunk& chunk) {
    return chunk.end - chunk.begin;
}

TEST(ClaimRanges, GiveAnOwnerItsPartFromTheStartUpwards) {
    ClaimRanges ranges(4);
    ranges.split(100, 500, 4);
    ASSERT_EQ(ranges.own(2), 2u);
    std::uint64_t next = 300;
    while (next < 400) {
        const Chunk chunk = ranges.claim(2, {2, 10, 1000});
        EXPECT_EQ(chunk.begin, next);
        const std::uint64_t left = 400 - next;
        // A quarter; from 40 on the usual, from 20 on half, the least, and what is left.
        EXPECT_EQ(length(chunk), left >= 40   ? left / 4
                                 : left >= 20 ? 10
                                 : left >= 4  ? left / 2
                                              : std::min<std::uint64_t>(2, left));
        next = chunk.end;
    }
    EXPECT_EQ(next, 400u);
}

TEST(ClaimRanges, TakeFromTheEndOfTheFullestOtherRange) {
    ClaimRanges ranges(3);
    ranges.split(0, 300, 3);
    ASSERT_EQ(ranges.own(0), 0u);
    ASSERT_EQ(ranges.own(1), 1u);
    EXPECT_EQ(ranges.claim(0, {100, 100, 100}).end, 100u);
    EXPECT_EQ(ranges.claim(1, {33, 33, 33}).end, 133u);
    // As large a part of it as there are ranges, with 67 and 100 left.
    const Chunk taken = ranges.claim(0, {1, 1000, 1000});
    EXPECT_EQ(taken.begin, 267u);
    EXPECT_EQ(taken.end, 300u);
    // Range 1 has as many left as range 2, and comes first.
    EXPECT_EQ(ranges.claim(ClaimRanges::kNone, {10, 10, 10}).begin, 190u);
    EXPECT_EQ(ranges.claim(ClaimRanges::kNone, {10, 10, 10}).begin, 257u);
}

TEST(ClaimRanges, KeepClaimsWithinTheirSize) {
    ClaimRanges ranges(1);
    ranges.split(0, 1000, 1);
    ASSERT_EQ(ranges.own(0), 0u);
    EXPECT_EQ(length(ranges.claim(0, {30, 100, 200})), 200u);
    std::uint64_t left = 800;
    for (Chunk chunk = ranges.claim(0, {30, 100, 200}); !chunk.is_empty();
         chunk = ranges.claim(0, {30, 100, 200})) {
        EXPECT_LE(length(chunk), 200u);
        EXPECT_GE(length(chunk), std::min<std::uint64_t>(30, left));
        left -= length(chunk);
    }
    EXPECT_EQ(left, 0u);
}

TEST(ClaimRanges, HaveOneOwnerEach) {
    ClaimRanges ranges(4);
    ranges.split(0, 4, 4);
    EXPECT_EQ(ranges.own(1), 1u);
    EXPECT_EQ(ranges.own(1), 3u);  // that one has an owner
    EXPECT_EQ(ranges.own(9), 2u);  // there is none of that number
    EXPECT_EQ(ranges.own(ClaimRanges::kNone), 0u);
    EXPECT_EQ(ranges.own(0), ClaimRanges::kNone);
    ranges.split(0, 4, 2);
    EXPECT_EQ(ranges.own(3), 1u);
}

TEST(ClaimRanges, BelongToOneJobAtATime) {
    ClaimRanges ranges(2);
    EXPECT_TRUE(ranges.try_acquire());
    EXPECT_TRUE(ranges.is_taken());
    EXPECT_FALSE(ranges.try_acquire());
    ranges.release();
    EXPECT_TRUE(ranges.try_acquire());
}

TEST(ClaimRanges, HoldAsManyPiecesAsTheirEndsHaveBits) {
    const std::uint64_t most = ~std::uint32_t{0};
    EXPECT_TRUE(ClaimRanges::can_split(most));
    EXPECT_FALSE(ClaimRanges::can_split(most + 1));
    ClaimRanges ranges(3);
    ranges.split(7, 7 + most, 3);
    std::uint64_t sum = 0;
    for (Chunk chunk = ranges.claim(ranges.own(0), {most, most, most}); !chunk.is_empty();
         chunk = ranges.claim(0, {most, most, most})) {
        EXPECT_GE(chunk.begin, 7u);
        EXPECT_LE(chunk.end, 7 + most);
        sum += length(chunk);
    }
    EXPECT_EQ(sum, most);
}

// Of one job: some threads own a range, some come late, some leave before all is claimed.
struct Round {
    std::uint64_t begin, pieces;
    unsigned ranges, threads;
    ClaimRanges::ChunkSize size;
};

Round random_round(std::mt19937& random) {
    Round round{};
    round.begin = random() % 3 == 0 ? random() % 1000 : 0;
    round.pieces = 1 + random() % (random() % 2 == 0 ? 20 : 20'000);
    round.ranges = 1 + random() % 8;
    round.threads = 1 + random() % 8;
    round.size.least = 1 + random() % (random() % 2 == 0 ? 2 : 100);
    round.size.usual = 1 + random() % 1000;
    round.size.most = round.size.least + random() % 1000;
    return round;
}

void claim_all(ClaimRanges& ranges, const Round& round, unsigned worker,
               std::vector<std::atomic<int>>& claims) {
    for (unsigned i = 0; i < worker; ++i) std::this_thread::yield();
    const unsigned own = worker % 5 == 4 ? ClaimRanges::kNone : ranges.own(worker);
    for (std::uint64_t count = 0; worker == 0 || count < round.pieces; ++count) {
        const Chunk chunk = ranges.claim(own, round.size);
        if (chunk.is_empty()) return;
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) ++claims[i - round.begin];
        if (worker % 3 == 2 && count > 2) return;
    }
}

TEST(ClaimRanges, AreClaimedOnceByManyThreads) {
    std::mt19937 random(std::random_device{}());
    ClaimRanges ranges(8);
    for (int i = 0; i < 400; ++i) {
        const Round round = random_round(random);
        ranges.split(round.begin, round.begin + round.pieces, round.ranges);
        std::vector<std::atomic<int>> claims(round.pieces);
        std::vector<std::thread> threads;
        for (unsigned worker = 1; worker < round.threads; ++worker) {
            threads.emplace_back([&, worker] { claim_all(ranges, round, worker, claims); });
        }
        claim_all(ranges, round, 0, claims);
        for (std::thread& thread : threads) thread.join();
        EXPECT_TRUE(ranges.claim(ClaimRanges::kNone, round.size).is_empty());
        for (const auto& count : claims) {
            ASSERT_EQ(count, 1) << round.pieces << " pieces, " << round.ranges << " ranges, "
                                << round.threads << " threads, chunks of " << round.size.least
                                << " to " << round.size.most;
        }
    }
}

TEST(ClaimRanges, AreOwnedByOneOfManyThreads) {
    ClaimRanges ranges(6);
    for (int i = 0; i < 200; ++i) {
        ranges.split(0, 6, 6);
        std::vector<unsigned> owned(8);
        std::vector<std::thread> threads;
        for (unsigned worker = 0; worker < owned.size(); ++worker) {
            threads.emplace_back([&, worker] { owned[worker] = ranges.own(worker % 3); });
        }
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(std::count(owned.begin(), owned.end(), ClaimRanges::kNone), 2);
        EXPECT_EQ(std::set<unsigned>(owned.begin(), owned.end()).size(), 7u);
    }
}

}  // namespace
}  // namespace warpwise
