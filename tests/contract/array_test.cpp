// CUDA arrays and copies of boxes, on every device that has textures; and the refusal of the
// others.
#include <algorithm>
#include <optional>

#include "tests/contract/contract.hpp"

namespace warpwise::contract {
namespace {

class ArrayTest : public ContractTest {
  protected:
    void SetUp() override {
        try {
            const CudaArray array({.width = 1}, uint8);
        } catch (const UnsupportedError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("has no textures"));
            GTEST_SKIP() << error.what();
        }
    }
};
WARPWISE_CONTRACT(ArrayTest);

std::vector<std::uint8_t> contents(const CudaArray& array) {
    std::vector<std::uint8_t> values(array.size());
    array.copy_to(values.data(), values.size());
    return values;
}

CudaArray array_of(const CudaArrayShape& shape, const DType& format,
                   const std::vector<std::uint8_t>& values) {
    CudaArray array(shape, format);
    array.copy_from(values.data(), values.size());
    return array;
}

// The words of the ArgumentError that `action` throws.
template <class Action>
std::string refusal(Action action) {
    try {
        action();
    } catch (const ArgumentError& error) {
        return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
}

TEST_P(ArrayTest, KeepsWhatIsCopiedIn) {
    const CudaArrayShape shapes[] = {{.width = 37},
                                     {.width = 37, .height = 5},
                                     {.width = 37, .height = 5, .depth = 3},
                                     {.width = 37, .layers = 4},
                                     {.width = 37, .height = 5, .layers = 4},
                                     {.width = 8, .height = 8, .cubemap = true},
                                     {.width = 8, .height = 8, .layers = 2, .cubemap = true}};
    const DType formats[] = {uint8, DType(Kind::Int16, 2), DType(Kind::Float32, 4), float16};
    for (const CudaArrayShape& shape : shapes) {
        for (const DType& format : formats) {
            const auto values = bytes(CudaArray(shape, format).size());
            EXPECT_EQ(contents(array_of(shape, format, values)), values);
        }
    }
}

TEST_P(ArrayTest, SizeCountsTexelsWithoutPadding) {
    EXPECT_EQ(CudaArray({.width = 37, .height = 5, .depth = 3}, DType(Kind::UInt8, 4)).size(),
              37u * 5 * 3 * 4);
    EXPECT_EQ(CudaArray({.width = 8, .height = 8, .layers = 2, .cubemap = true}, uint8).size(),
              8u * 8 * 12);
}

TEST_P(ArrayTest, BoxesAreCopiedIntoTheMiddle) {
    CudaArray array = array_of({.width = 20, .height = 6, .depth = 4}, uint8,
                               std::vector<std::uint8_t>(20 * 6 * 4, 0));
    // Rows of 7 bytes, 10 apart; slices of 5 rows.
    const auto host = bytes(3 * 5 * 10);
    CopyPlace inside{.array = &array, .x_bytes = 2, .y = 1, .z = 1};
    CopyPlace outside{.host = const_cast<std::uint8_t*>(host.data()),
                      .row_bytes = 10,
                      .slice_rows = 5,
                      .x_bytes = 1,
                      .y = 1};
    copy_box(inside, outside, 7, 3, 2, Stream::current());
    Stream::current().synchronize();
    const auto got = contents(array);
    for (std::size_t z = 0; z < 4; ++z) {
        for (std::size_t y = 0; y < 6; ++y) {
            for (std::size_t x = 0; x < 20; ++x) {
                const bool is_in = x >= 2 && x < 9 && y >= 1 && y < 4 && z >= 1 && z < 3;
                const std::size_t source = is_in ? ((z - 1) * 5 + y) * 10 + x - 1 : 0;
                EXPECT_EQ(got[(z * 6 + y) * 20 + x], is_in ? host[source] : 0);
            }
        }
    }
}

TEST_P(ArrayTest, CopiesGoThroughBuffersInStreamOrder) {
    const Stream stream;
    const auto values = bytes(16 * 9);
    const CudaArray from = array_of({.width = 16, .height = 9}, uint8, values);
    const CudaArray to({.width = 16, .height = 9}, uint8);
    const Buffer between = mem_alloc(32 * 9, stream);
    const CopyPlace buffer{.buffer = &between, .row_bytes = 32};
    copy_box(buffer, {.array = &from}, 16, 9, 1, stream);
    copy_box({.array = &to}, buffer, 16, 9, 1, stream);
    stream.synchronize();
    EXPECT_EQ(contents(to), values);
}

TEST_P(ArrayTest, CopiesArePartsOfGraphs) {
    const CudaArrayShape shape{.width = 24, .height = 6, .depth = 3};
    const CudaArray from(shape, uint8), to(shape, uint8);
    std::vector<std::uint8_t> in(from.size()), out(to.size());
    const Stream stream;
    CopyPlace host, array, other, result;
    host.host = in.data();
    array.array = &from;
    other.array = &to;
    result.host = out.data();
    stream.begin_capture();
    copy_box(array, host, 24, 6, 3, stream);
    copy_box(other, array, 24, 6, 3, stream);
    copy_box(result, other, 24, 6, 3, stream);
    const Graph graph = stream.end_capture();
    for (unsigned turn = 1; turn < 4; ++turn) {
        std::ranges::copy(bytes(in.size(), turn), in.begin());
        std::ranges::fill(out, 0);
        graph.launch(stream);
        stream.synchronize();
        EXPECT_EQ(out, in);
    }
}

TEST_P(ArrayTest, LevelsAreArraysOfHalfTheExtents) {
    const MipmappedArray images({.width = 20, .height = 7}, uint8);
    EXPECT_EQ(images.levels(), 5u);
    const CudaArrayShape expected[] = {{.width = 20, .height = 7},
                                       {.width = 10, .height = 3},
                                       {.width = 5, .height = 1},
                                       {.width = 2, .height = 1},
                                       {.width = 1, .height = 1}};
    std::size_t texels = 0;
    for (std::uint32_t i = 0; i < 5; ++i) {
        EXPECT_EQ(images.level(i).shape(), expected[i]);
        texels += images.level(i).size();
    }
    EXPECT_EQ(images.size(), texels);
    const MipmappedArray layered({.width = 8, .height = 8, .layers = 3}, float32, 2);
    EXPECT_EQ(layered.level(1).shape(), (CudaArrayShape{.width = 4, .height = 4, .layers = 3}));
}

TEST_P(ArrayTest, LevelsKeepWhatIsCopiedInAndTheirMemory) {
    std::vector<CudaArray> levels;
    {
        const MipmappedArray images({.width = 37, .height = 21}, DType(Kind::UInt8, 4));
        for (std::uint32_t i = 0; i < images.levels(); ++i) levels.push_back(images.level(i));
    }
    for (unsigned i = 0; i < levels.size(); ++i) {
        const auto values = bytes(levels[i].size(), i + 1);
        levels[i].copy_from(values.data(), values.size());
    }
    for (unsigned i = 0; i < levels.size(); ++i) {
        EXPECT_EQ(contents(levels[i]), bytes(levels[i].size(), i + 1));
    }
}

TEST_P(ArrayTest, LevelsThatCannotBeAreRefused) {
    EXPECT_THAT(refusal([] { MipmappedArray({.width = 8}, uint8, 5); }),
                testing::HasSubstr("4 levels at most, not 5"));
    EXPECT_THAT(refusal([] { MipmappedArray({.width = 0}, uint8, 1); }),
                testing::HasSubstr("the width is 0"));
    const MipmappedArray images({.width = 8, .height = 8}, uint8, 2);
    EXPECT_THAT(refusal([&] { images.level(2); }), testing::HasSubstr("no level 2"));
    EXPECT_THAT(refusal([&] { Texture{images}; }), testing::HasSubstr("normalized coordinates"));
}

TEST_P(ArrayTest, ACopyKeepsItsArray) {
    const auto values = bytes(5000);
    std::vector<std::uint8_t> got(values.size());
    std::optional<CudaArray> array = array_of({.width = 5000}, uint8, values);
    Gate gate;
    const Stream stream;
    gate.hold(stream);
    copy_box({.host = got.data()}, {.array = &*array}, got.size(), 1, 1, stream);
    array.reset();
    gate.open();
    stream.synchronize();
    EXPECT_EQ(got, values);
}

TEST_P(ArrayTest, WhatCannotBeIsRefused) {
    EXPECT_THAT(refusal([] { CudaArray({.width = 0}, uint8); }), testing::HasSubstr("width is 0"));
    EXPECT_THAT(refusal([] { CudaArray({.width = 4}, float64); }),
                testing::HasSubstr("float64 is no format of texels"));
    EXPECT_THAT(refusal([] { CudaArray({.width = 4, .height = 5, .cubemap = true}, uint8); }),
                testing::HasSubstr("squares"));
    EXPECT_THAT(refusal([] { CudaArray({.width = 1 << 16, .height = 1 << 16}, uint8); }),
                testing::HasSubstr("too large"));
}

TEST_P(ArrayTest, CopiesPastTheEndAreRefused) {
    const CudaArray array({.width = 8, .height = 4}, uint8);
    std::vector<std::uint8_t> host(64);
    const auto copy = [&](const CopyPlace& place, std::size_t width, std::size_t height) {
        return refusal(
            [&] { copy_box(place, {.host = host.data()}, width, height, 1, Stream::current()); });
    };
    EXPECT_THAT(copy({.array = &array, .x_bytes = 2}, 7, 1), testing::HasSubstr("bytes 2 to 9"));
    EXPECT_THAT(copy({.array = &array, .y = 3}, 8, 2), testing::HasSubstr("rows 3 to 5"));
    EXPECT_THAT(copy({.array = &array, .z = 1}, 8, 1), testing::HasSubstr("slices 1 to 2"));
    const Buffer buffer = mem_alloc(31);
    EXPECT_THAT(copy({.buffer = &buffer}, 8, 4), testing::HasSubstr("past the end of a buffer"));
    EXPECT_THAT(copy({}, 8, 4), testing::HasSubstr("one array, buffer or host address"));
}

TEST_P(ArrayTest, SettingsOfLevelsThatContradictAreRefused) {
    const MipmappedArray images({.width = 8, .height = 8}, uint8);
    const auto with = [&](auto change) {
        TextureSettings settings{.read = ReadMode::NormalizedFloat, .normalized_coordinates = true};
        change(settings);
        return refusal([&] { const Texture texture(images, settings); });
    };
    EXPECT_THAT(with([](TextureSettings& s) {
                    s.read = ReadMode::Element;
                    s.mip_filter = FilterMode::Linear;
                }),
                testing::HasSubstr("levels of a texture of uint8 cannot be filtered"));
    EXPECT_THAT(with([](TextureSettings& s) { s.max_anisotropy = 17; }),
                testing::HasSubstr("1 to 16, not 17"));
    EXPECT_THAT(with([](TextureSettings& s) { s.lowest_level = -1.0f; }),
                testing::HasSubstr("levels from -1"));
    EXPECT_THAT(with([](TextureSettings& s) {
                    s.lowest_level = 2.0f;
                    s.highest_level = 1.0f;
                }),
                testing::HasSubstr("highest is not below"));
    EXPECT_THAT(with([](TextureSettings& s) {
                    s.read = ReadMode::Element;
                    s.srgb = true;
                }),
                testing::HasSubstr("cannot be read as sRGB"));
    const Buffer row = mem_alloc(256);
    EXPECT_THAT(refusal([&] {
                    const Texture texture(row, uint8,
                                          {.read = ReadMode::NormalizedFloat, .srgb = true});
                }),
                testing::HasSubstr("one row cannot be read as sRGB"));
}

TEST_P(ArrayTest, TexturesTellTheirSettings) {
    const Buffer buffer = mem_alloc(128);  // rows as far apart as every device takes
    const CudaArray array({.width = 4, .height = 4}, float32);
    const MipmappedArray images({.width = 4, .height = 4}, float32);
    const TextureSettings settings{.filter = FilterMode::Linear, .normalized_coordinates = true};
    for (const Texture& texture : {Texture(buffer, float32, 4, 4, 32, settings),
                                   Texture(array, settings), Texture(images, settings)}) {
        EXPECT_EQ(texture.settings().filter, FilterMode::Linear);
        EXPECT_TRUE(texture.settings().normalized_coordinates);
    }
}

TEST_P(ArrayTest, SettingsThatContradictAreRefused) {
    const CudaArray array({.width = 8}, int32);
    EXPECT_THAT(refusal([&] { Texture(array, {.filter = FilterMode::Linear}); }),
                testing::HasSubstr("cannot be filtered linearly"));
    EXPECT_THAT(refusal([&] { Texture(array, {.read = ReadMode::NormalizedFloat}); }),
                testing::HasSubstr("cannot be read as normalized floats"));
    const Buffer buffer = mem_alloc(100);
    EXPECT_THAT(refusal([&] { Texture(buffer.slice(4, 64), float32); }),
                testing::HasSubstr("multiple of 16 bytes"));
    EXPECT_THAT(refusal([&] { Texture(buffer, float32, 5, 6, 20); }),
                testing::HasSubstr("needs 120 bytes, the buffer has 100"));
    EXPECT_THAT(refusal([&] { Texture(buffer, float32, 5, 2, 18); }),
                testing::HasSubstr("no multiple of 4"));
}

}  // namespace
}  // namespace warpwise::contract
