// Reserved ranges in the map of pieces: which runs are taken, what is mapped, what goes back.
#include <random>
#include <set>

#include "src/runtime/context.hpp"
#include "src/runtime/pool/pool_pieces.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "tests/unit/runtime/null_device.hpp"

namespace warpwise::runtime {
namespace {

constexpr DeviceAddress kBase = 1 << 20;
constexpr std::size_t kGranule = 1024;
constexpr std::size_t kRange = 1024 * kGranule;
constexpr GrowthStep kStep{.granule = kGranule, .at_least = 0, .most_chunk = 4 * kGranule};

const auto kAny = [](const Piece&) { return true; };

// What is mapped, as the device would know it: addresses of granules.
class PieceRanges : public testing::Test {
  protected:
    PieceRanges() { map.add_range({kBase, kRange, false, true}); }

    void note_mapped(const Claim& claim) {
        for (const Extent& gap : claim.gaps) {
            ASSERT_EQ(gap.bytes % kGranule, 0u);
            for (std::size_t i = 0; i < gap.bytes; i += kGranule) {
                ASSERT_TRUE(mapped.insert(gap.address + i).second) << "is mapped already";
            }
        }
    }
    Piece* take(std::size_t bytes, const GrowthStep& step = kStep) {
        if (Piece* const kept = map.fit(bytes, false, false, kAny)) {
            Piece& taken = map.take(*kept, bytes);
            taken.uses.clear();
            return &taken;
        }
        const auto claim = map.claim(bytes, false, step, kAny);
        if (!claim) return nullptr;
        note_mapped(*claim);
        Piece& piece = map.commit(*claim);
        piece.uses.clear();
        return &piece;
    }
    std::size_t vacate(std::uint64_t bytes) {
        const auto vacated = map.vacate(bytes);
        std::size_t sum = 0;
        for (const Extent& extent : vacated) {
            for (std::size_t i = 0; i < extent.bytes; i += kGranule) {
                EXPECT_EQ(mapped.erase(extent.address + i), 1u) << "was not mapped";
            }
            sum += extent.bytes;
        }
        map.note_unmapped(vacated);
        return sum;
    }
    // What the header promises, looked at from outside.
    void check() {
        DeviceAddress end = kBase;
        const Piece* previous = nullptr;
        map.for_each([&](const Piece& piece) {
            ASSERT_EQ(piece.address, end);
            end += piece.bytes;
            const bool is_hole = piece.state == Piece::State::Hole;
            for (DeviceAddress at = piece.address / kGranule * kGranule; at < end; at += kGranule) {
                ASSERT_EQ(mapped.contains(at), !is_hole);
            }
            if (previous != nullptr && previous->state == piece.state) {
                ASSERT_FALSE(is_hole);
                ASSERT_FALSE(piece.state == Piece::State::Free &&
                             previous->uses.has_same_streams(piece.uses));
            }
            previous = &piece;
        });
        ASSERT_EQ(end, kBase + kRange);
    }

    PieceMap map;
    std::set<DeviceAddress> mapped;
};

TEST_F(PieceRanges, GrowAtTheirEndByWhatIsMissing) {
    Piece& first = *take(3 * kGranule);
    map.put(first);
    const auto claim = map.claim(5 * kGranule, false, kStep, kAny);
    ASSERT_TRUE(claim);
    EXPECT_EQ(claim->address, kBase);
    EXPECT_EQ(claim->new_bytes, 2 * kGranule);
    note_mapped(*claim);
    EXPECT_EQ(map.commit(*claim).bytes, 5 * kGranule);
    check();
}

TEST_F(PieceRanges, GrowByAStep) {
    GrowthStep step = kStep;
    step.at_least = 32 * kGranule;
    Piece* const piece = take(100, step);
    EXPECT_EQ(piece->bytes, 100u);
    EXPECT_EQ(mapped.size(), 32u);
    EXPECT_EQ(map.segment_count(), 16u);  // chunks
    check();
}

TEST_F(PieceRanges, CoalesceAcrossChunks) {
    std::vector<Piece*> parts;
    for (int i = 0; i < 8; ++i) parts.push_back(take(kGranule));
    for (Piece* part : parts) map.put(*part);
    EXPECT_NE(map.fit(8 * kGranule, false, false, kAny), nullptr);
    check();
}

TEST_F(PieceRanges, FillAHoleBetweenFreePieces) {
    Piece* parts[5];
    for (Piece*& part : parts) part = take(4 * kGranule);
    map.put(*parts[2]);
    EXPECT_EQ(vacate(~0ull), 4 * kGranule);
    map.put(*parts[1]);
    map.put(*parts[3]);
    check();
    const auto claim = map.claim(12 * kGranule, false, kStep, kAny);
    ASSERT_TRUE(claim);
    EXPECT_EQ(claim->address, kBase + 4 * kGranule);
    EXPECT_EQ(claim->new_bytes, 4 * kGranule);
    note_mapped(*claim);
    map.commit(*claim);
    check();
}

TEST_F(PieceRanges, AnAbandonedClaimChangesNothing) {
    Piece& first = *take(3 * kGranule + 100);
    take(100);
    map.put(first);
    const std::size_t pieces = map.piece_count(), chunks = map.segment_count();
    for (const std::size_t bytes : {std::size_t{100}, 20 * kGranule, 4 * kGranule}) {
        const auto claim = map.claim(bytes, false, kStep, kAny);
        ASSERT_TRUE(claim);
        map.abandon(*claim);
        EXPECT_EQ(map.piece_count(), pieces);
        EXPECT_EQ(map.segment_count(), chunks);
        check();
    }
}

TEST_F(PieceRanges, WhatIsClaimedIsOutOfReach) {
    map.put(*take(3 * kGranule));
    const auto claim = map.claim(5 * kGranule, false, kStep, kAny);
    EXPECT_EQ(map.fit(100, false, false, kAny), nullptr);
    EXPECT_TRUE(map.vacate(~0ull).empty());
    const auto other = map.claim(5 * kGranule, false, kStep, kAny);
    EXPECT_EQ(other->address, claim->address + 5 * kGranule);
    map.abandon(*claim);
    map.abandon(*other);
    check();
}

TEST_F(PieceRanges, GiveBackWholeChunksOnly) {
    Piece& first = *take(10 * kGranule);  // chunks of one granule
    Piece& second = *take(10 * kGranule);
    map.put(first);
    map.take(*map.fit(100, false, false, kAny), 100);  // in the first chunk
    EXPECT_EQ(vacate(~0ull), 9 * kGranule);
    check();
    map.put(second);
    EXPECT_EQ(vacate(3 * kGranule), 3 * kGranule);
    EXPECT_EQ(mapped.size(), 8u);
    check();
}

TEST_F(PieceRanges, KeepMemoryWhoseWorkHasNotEnded) {
    const Stream stream;
    Piece& piece = *take(4 * kGranule);
    piece.uses = Uses(stream.state()->core(), {});
    map.put(piece);
    EXPECT_EQ(vacate(~0ull), 0u);
}

TEST_F(PieceRanges, GoWhenTheyAreEmpty) {
    Piece& piece = *take(4 * kGranule);
    EXPECT_TRUE(map.remove_empty_ranges().empty());
    map.put(piece);
    vacate(~0ull);
    const auto gone = map.remove_empty_ranges();
    ASSERT_EQ(gone.size(), 1u);
    EXPECT_EQ(gone[0].bytes, kRange);
    EXPECT_EQ(map.piece_count(), 0u);
    EXPECT_FALSE(map.claim(100, false, kStep, kAny));
}

TEST_F(PieceRanges, RefuseWhatFitsNowhere) {
    EXPECT_FALSE(map.claim(kRange + 1, false, kStep, kAny));
    EXPECT_FALSE(map.claim(100, true, kStep, kAny));  // another size's range
    take(kRange);
    EXPECT_FALSE(map.claim(1, false, kStep, kAny));
}

TEST_F(PieceRanges, KeepTheirInvariantsInRandomSequences) {
    const Stream streams[3];
    std::vector<Piece*> live;
    std::mt19937 random(7);
    for (int step = 0; step < 6000; ++step) {
        const auto dice = random() % 12;
        const GrowthStep growth{kGranule, random() % 3 * 8 * kGranule, 4 * kGranule};
        if (dice < 5) {
            if (Piece* const piece = take(1 + random() % (40 * kGranule), growth)) {
                live.push_back(piece);
            }
        } else if (dice < 9 && !live.empty()) {
            std::swap(live[random() % live.size()], live.back());
            Piece& piece = *live.back();
            live.pop_back();
            if (random() % 2 == 0) {
                piece.uses = Uses(streams[random() % 3].state()->core(), {});
            }
            map.put(piece);
        } else if (dice == 9) {
            const auto claim = map.claim(1 + random() % (40 * kGranule), false, growth,
                                         [](const Piece& piece) { return piece.uses.empty(); });
            if (claim) map.abandon(*claim);
        } else if (dice == 10) {
            vacate(random() % (100 * kGranule));
        } else {
            const auto passed = streams[random() % 3].state()->core();
            map.settle([&](const Use& use) { return use.core == passed; });
        }
        ASSERT_NO_FATAL_FAILURE(check()) << "step " << step;
    }
}

}  // namespace
}  // namespace warpwise::runtime
