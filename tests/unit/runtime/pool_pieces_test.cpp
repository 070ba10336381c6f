// Segments and their pieces: splitting, coalescing, and random sequences against the invariants.
#include "src/runtime/pool/pool_pieces.hpp"

#include <random>

#include "src/runtime/context.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "tests/unit/runtime/null_device.hpp"

namespace warpwise::runtime {
namespace {

constexpr DeviceAddress kBase = 1 << 20;

const auto kAny = [](const Piece&) { return true; };

std::shared_ptr<StreamCore> core_of(const Stream& stream) {
    return stream.state()->core();
}

Uses used_by(const Stream& stream) {
    Uses uses(core_of(stream), {});
    uses.stamp();
    return uses;
}

std::vector<std::size_t> sizes(const PieceMap& map) {
    std::vector<std::size_t> found;
    map.for_each([&](const Piece& piece) { found.push_back(piece.bytes); });
    return found;
}

TEST(PieceMap, SplitsOffWhatIsAskedFor) {
    PieceMap map;
    Piece& taken = map.take(map.add_segment({kBase, 4096, true}), 1024);
    EXPECT_EQ(taken.address, kBase);
    EXPECT_EQ(sizes(map), (std::vector<std::size_t>{1024, 3072}));
}

TEST(PieceMap, CoalescesOnBothSides) {
    PieceMap map;
    Piece& first = map.take(map.add_segment({kBase, 4096, true}), 1024);
    Piece& second = map.take(*map.fit(1024, true, false, kAny), 1024);
    Piece& third = map.take(*map.fit(1024, true, false, kAny), 1024);
    map.put(first);
    map.put(third);
    EXPECT_EQ(sizes(map), (std::vector<std::size_t>{1024, 1024, 2048}));
    EXPECT_EQ(map.put(second).bytes, 4096u);
}

TEST(PieceMap, NeverJoinsSegmentsThatHappenToTouch) {
    PieceMap map;
    map.add_segment({kBase, 4096, true});
    map.add_segment({kBase + 4096, 4096, true});
    Piece& taken = map.take(*map.fit(4096, true, false, kAny), 4096);
    map.put(taken);
    EXPECT_EQ(sizes(map), (std::vector<std::size_t>{4096, 4096}));
}

TEST(PieceMap, TakesTheSmallestThatFits) {
    PieceMap map;
    map.add_segment({kBase, 8192, true});
    map.add_segment({kBase + (1 << 20), 2048, true});
    map.add_segment({kBase + (2 << 20), 512, true});
    EXPECT_EQ(map.fit(1024, true, false, kAny)->bytes, 2048u);
    EXPECT_EQ(map.fit(1024, true, true, kAny), nullptr);
    EXPECT_EQ(map.fit(1024, false, false, kAny), nullptr);
}

TEST(PieceMap, KeepsNeighboursOfDifferentStreamsApartUntilTheirWorkHasEnded) {
    const Stream one, two;
    PieceMap map;
    Piece& first = map.take(map.add_segment({kBase, 4096, true}), 2048);
    Piece& second = map.take(*map.fit(2048, true, false, kAny), 2048);
    first.uses = used_by(one);
    second.uses = used_by(two);
    map.put(first);
    map.put(second);
    EXPECT_EQ(sizes(map), (std::vector<std::size_t>{2048, 2048}));
    map.settle([&](const Use& use) { return use.core == core_of(one); });
    EXPECT_EQ(sizes(map), (std::vector<std::size_t>{2048, 2048}));
    map.settle([](const Use&) { return true; });
    EXPECT_EQ(sizes(map), (std::vector<std::size_t>{4096}));
}

TEST(PieceMap, JoinsNeighboursOfOneStreamAfterTheLaterWork) {
    const Stream stream;
    PieceMap map;
    Piece& first = map.take(map.add_segment({kBase, 4096, true}), 2048);
    Piece& second = map.take(*map.fit(2048, true, false, kAny), 2048);
    first.uses = used_by(stream);
    map.put(first);
    core_of(stream)->advance();
    second.uses = used_by(stream);
    Piece& whole = map.put(second);
    EXPECT_EQ(whole.bytes, 4096u);
    const std::uint64_t latest = core_of(stream)->position();
    EXPECT_TRUE(whole.uses.all_of([&](const Use& use) { return use.position == latest; }));
}

TEST(PieceMap, TheRestOfASplitPieceComesAfterTheSameWork) {
    const Stream stream;
    PieceMap map;
    Piece& piece = map.take(map.add_segment({kBase, 4096, true}), 4096);
    piece.uses = used_by(stream);
    map.take(map.put(piece), 1024);
    EXPECT_FALSE(map.find(kBase + 1024)->uses.empty());
}

TEST(PieceMap, RemovesWholeSegmentsLargestFirst) {
    PieceMap map;
    map.add_segment({kBase, 4096, true});
    map.add_segment({kBase + (1 << 20), 8192, false});
    Piece& used = map.take(map.add_segment({kBase + (2 << 20), 16384, false}), 256);
    const auto removed = map.remove_free(5000);
    ASSERT_EQ(removed.size(), 1u);
    EXPECT_EQ(removed[0].bytes, 8192u);
    map.put(used);
    EXPECT_EQ(map.remove_free(1 << 20).size(), 2u);
    EXPECT_EQ(map.piece_count(), 0u);
    EXPECT_EQ(map.find(kBase), nullptr);
}

TEST(PieceMap, FindsByAnyAddressInside) {
    PieceMap map;
    Piece& piece = map.take(map.add_segment({kBase, 4096, true}), 1024);
    EXPECT_EQ(map.find(kBase + 1023), &piece);
    EXPECT_NE(map.find(kBase + 1024), &piece);
    EXPECT_EQ(map.find(kBase + 4096), nullptr);
    EXPECT_EQ(map.find(kBase - 1), nullptr);
}

// What the header promises, looked at from outside.
void check(const PieceMap& map, std::size_t used_bytes, std::size_t segment_bytes) {
    DeviceAddress end = 0;
    const Piece* previous = nullptr;
    std::size_t all = 0, used = 0;
    map.for_each([&](const Piece& piece) {
        ASSERT_GE(piece.address, end);
        const bool is_neighbour = previous != nullptr && previous->segment == piece.segment;
        if (is_neighbour) {
            ASSERT_EQ(piece.address, end);
            ASSERT_FALSE(previous->state == Piece::State::Free &&
                         piece.state == Piece::State::Free &&
                         previous->uses.has_same_streams(piece.uses));
        }
        end = piece.address + piece.bytes;
        all += piece.bytes;
        if (piece.state == Piece::State::Used) used += piece.bytes;
        previous = &piece;
    });
    ASSERT_EQ(all, segment_bytes);
    ASSERT_EQ(used, used_bytes);
}

TEST(PieceMap, KeepsItsInvariantsInRandomSequences) {
    const Stream streams[3];
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        PieceMap map;
        std::vector<Piece*> live;
        std::size_t used = 0, held = 0, segments = 0;
        for (int step = 0; step < 500; ++step) {
            const auto dice = random() % 10;
            if (dice < 5) {
                const std::size_t bytes = 256 * (1 + random() % 20);
                Piece* piece = map.fit(bytes, true, false, kAny);
                if (piece == nullptr) {
                    piece = &map.add_segment({kBase + 65536 * segments++, 16384, true});
                    held += 16384;
                }
                Piece& taken = map.take(*piece, bytes);
                taken.uses.clear();
                live.push_back(&taken);
                used += bytes;
            } else if (dice < 9 && !live.empty()) {
                std::swap(live[random() % live.size()], live.back());
                Piece& piece = *live.back();
                live.pop_back();
                used -= piece.bytes;
                if (random() % 2 == 0) piece.uses = used_by(streams[random() % 3]);
                map.put(piece);
            } else if (dice == 9) {
                const auto passed = core_of(streams[random() % 3]);
                map.settle([&](const Use& use) { return use.core == passed; });
                for (const Segment& gone : map.remove_free(random() % 40000)) held -= gone.bytes;
            }
            ASSERT_NO_FATAL_FAILURE(check(map, used, held)) << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace warpwise::runtime
