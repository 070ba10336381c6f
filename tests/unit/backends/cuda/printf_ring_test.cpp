// What kernels printed comes out whole and in order. The test plays the kernel: the fake driver's
// memory is the host's.
#include "src/backends/cuda/device/printf_ring.hpp"

#include <cstring>

#include "src/backends/cuda/device/printf_source.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"

namespace warpwise::cuda {
namespace {

using Words = std::vector<std::uint64_t>;

void add_text(Words& words, std::string_view text) {
    words.push_back(text.size());
    const std::size_t at = words.size();
    words.resize(at + (text.size() + 7) / 8);
    std::memcpy(words.data() + at, text.data(), text.size());
}

struct Argument {
    std::uint64_t value = 0;
    std::uint64_t kind = 0;  // 0: 4 bytes, 1: 8 bytes, 2: a text
    std::string_view text = {};
};

Words line(std::string_view format, const std::vector<Argument>& arguments = {},
           std::uint64_t grid = 1, std::uint64_t block = 0) {
    Words words{0, grid, block, 0};
    for (std::size_t i = 0; i < arguments.size(); ++i) words[3] |= arguments[i].kind << 2 * i;
    for (const Argument& argument : arguments) words.push_back(argument.value);
    add_text(words, format);
    for (const Argument& argument : arguments) {
        if (argument.kind == 2) add_text(words, argument.text);
    }
    words[0] = words.size() | std::uint64_t{arguments.size()} << 32;
    return words;
}

std::string read(const Words& words) {
    return PrintfRing::read_line(words).text;
}

TEST(PrintfLine, HoldsWordsOfBothSizes) {
    EXPECT_EQ(read(line("%d %lld %d", {{7}, {1ull << 40, 1}, {0xffffffff}})), "7 1099511627776 -1");
}

TEST(PrintfLine, BringsItsTexts) {
    EXPECT_EQ(read(line("%s|%.3s|%d", {{4096, 2, "a longer text"}, {8192, 2, "abcdef"}, {3}})),
              "a longer text|abc|3");
}

TEST(PrintfLine, TellsWhereATextLies) {
    EXPECT_EQ(read(line("%p", {{0x1000, 2, "text"}})), "0x1000");
}

TEST(PrintfLine, HasNullTexts) {
    EXPECT_EQ(read(line("%s", {{0, 2, ""}})), "(null)");
}

TEST(PrintfLine, ReadsNoTextThatIsANumber) {
    EXPECT_EQ(read(line("%s", {{4096, 1}})), "(bad pointer)");
}

TEST(PrintfLine, SurvivesFormatsThatAskForMore) {
    EXPECT_EQ(read(line("%d %d %f", {{5}})), "5 0 0.000000");
}

class PrintfRings : public OnFakeCuda {
  protected:
    PrintfRings() {
        ModuleHandle module = nullptr;
        const PrimaryContext::Scope scope(context);
        EXPECT_EQ(driver().module_load(&module, "", 0, nullptr, nullptr), Status::Success);
        ring.bind(module);
        DevicePointer variable = 0;
        std::size_t bytes = 0;
        EXPECT_EQ(driver().module_global(&variable, &bytes, module, kPrintfVariable),
                  Status::Success);
        side = *reinterpret_cast<Side**>(variable);
    }

    // As the device sees it.
    struct Side {
        std::uint64_t head, capacity;
        std::uint64_t *words, *tail, *front, *lost;
    };

    void print(const Words& words) {
        for (std::size_t i = 1; i < words.size(); ++i) {
            side->words[(side->head + i) % side->capacity] = words[i];
        }
        side->words[side->head % side->capacity] = words[0];
        side->head += words.size();
        *side->front = side->head;
    }

    PrimaryContext context{0, [] { return std::vector<std::string>(); }};
    PrintfRing ring{context};
    Side* side = nullptr;
};

TEST_F(PrintfRings, GiveEachLineOnce) {
    print(line("one\n"));
    EXPECT_EQ(ring.take(), "one\n");
    EXPECT_EQ(ring.take(), "");
}

TEST_F(PrintfRings, PutBlocksInOrderWithinTheirGrid) {
    for (const auto& [grid, block] : {std::pair{2, 1}, {1, 7}, {2, 0}, {1, 3}}) {
        print(line("%d.%d ", {{std::uint64_t(grid)}, {std::uint64_t(block)}}, grid, block));
    }
    EXPECT_EQ(ring.take(), "1.3 1.7 2.0 2.1 ");
}

TEST_F(PrintfRings, WaitForTheEndOfALine) {
    print(line("whole "));
    Words begun = line("begun");
    const std::uint64_t first = std::exchange(begun[0], 0);
    const std::uint64_t at = side->head;
    print(begun);
    print(line(" behind"));
    EXPECT_EQ(ring.take(), "whole ");
    side->words[at % side->capacity] = first;
    EXPECT_EQ(ring.take(), "begun behind");
}

TEST_F(PrintfRings, GoRoundWithoutLosingALine) {
    const Words words = line("%d;", {{4}});
    const std::uint64_t lines = side->capacity / words.size() * 3;
    std::uint64_t seen = 0;
    for (std::uint64_t i = 0; i < lines; ++i) {
        print(words);
        if (ring.is_filling()) seen += ring.take().size() / 2;
        ASSERT_LE(side->head - *side->tail, side->capacity);
    }
    EXPECT_EQ(seen + ring.take().size() / 2, lines);
}

TEST_F(PrintfRings, SayThatLinesWereLost) {
    print(line("kept"));
    *side->lost = 1;
    EXPECT_THAT(ring.take(), ::testing::StartsWith("kept\n[warpwise: kernel output dropped"));
    EXPECT_EQ(ring.take(), "");
}

}  // namespace
}  // namespace warpwise::cuda
