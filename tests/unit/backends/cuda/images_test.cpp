// Textures, surfaces and copies of boxes on the fake driver.
#include "src/runtime/images.hpp"

#include <future>
#include <numeric>
#include <vector>

#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/cuda_array.hpp"
#include "warpwise/device.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using runtime::BoxCopy;
using runtime::ImageSource;
using runtime::MemoryKind;
using runtime::Wait;
using ::testing::AllOf;
using ::testing::HasSubstr;

template <class Action>
std::string refusal(Action&& action) {
    try {
        action();
    } catch (const ArgumentError& error) {
        return error.what();
    }
    return "nothing was refused";
}

class CudaImages : public OnFakeCuda {
  protected:
    runtime::TextureSupport& textures = *backend.textures();
    std::unique_ptr<runtime::Queue> queue = backend.make_queue(0, {});
};

BoxCopy to_array(runtime::ArrayImpl& array, std::vector<char>& host, std::size_t width,
                 std::size_t height, std::size_t depth) {
    BoxCopy copy{.width_bytes = width, .height = height, .depth = depth};
    copy.destination.array = &array;
    copy.source.address = reinterpret_cast<runtime::DeviceAddress>(host.data());
    copy.source.is_host = true;
    copy.source.row_bytes = width;
    copy.source.slice_bytes = width * height;
    return copy;
}

BoxCopy reversed(BoxCopy copy, std::vector<char>& host) {
    std::swap(copy.destination, copy.source);
    copy.destination.address = reinterpret_cast<runtime::DeviceAddress>(host.data());
    return copy;
}

struct Extents {
    std::size_t width, height, depth;
};
class CudaBoxes : public CudaImages, public testing::WithParamInterface<Extents> {};

// Through chunks: slices together, a slice in parts, a row in parts.
TEST_P(CudaBoxes, AreCopiedBehindWorkThatWaits) {
    const auto [width, height, depth] = GetParam();
    const CudaArrayShape shape{.width = static_cast<std::uint32_t>(width / 16),
                               .height = static_cast<std::uint32_t>(height),
                               .depth = static_cast<std::uint32_t>(depth)};
    const auto array = textures.make_array(0, shape, DType(Kind::Float32, 4));
    std::vector<char> up(width * height * depth);
    std::vector<char> down(up.size());
    for (std::size_t i = 0; i < up.size(); ++i) up[i] = static_cast<char>(i * 7 / 3);
    std::promise<void> gate;
    queue->call_host([opened = gate.get_future().share()] { opened.wait(); });
    const BoxCopy copy = to_array(*array, up, width, height, depth);
    textures.copy(*queue, copy);
    textures.copy(*queue, reversed(copy, down));
    gate.set_value();
    queue->is_done(Wait::Yes);
    EXPECT_EQ(down, up);
}

INSTANTIATE_TEST_SUITE_P(Sizes, CudaBoxes,
                         testing::Values(Extents{48, 5, 7}, Extents{4096, 100, 9},
                                         Extents{32768, 100, 2}, Extents{2000000, 1, 1}),
                         [](const auto& info) { return std::to_string(info.param.width); });

TEST_F(CudaImages, KeepACopysOwnersUntilItIsDone) {
    const auto array = textures.make_array(0, {.width = 16}, DType(Kind::UInt8));
    std::vector<char> host(16);
    std::promise<void> gate;
    queue->call_host([opened = gate.get_future().share()] { opened.wait(); });
    BoxCopy copy = to_array(*array, host, 16, 1, 1);
    auto owner = std::make_shared<int>(0);
    const std::weak_ptr<int> witness = owner;
    copy.keep_alive = std::move(owner);
    textures.copy(*queue, std::exchange(copy, {}));
    const bool was_kept = !witness.expired();
    gate.set_value();
    queue->is_done(Wait::Yes);
    EXPECT_TRUE(was_kept);
    EXPECT_TRUE(witness.expired());
}

TEST_F(CudaImages, RefusePartsOfTexels) {
    const auto array = textures.make_array(0, {.width = 16}, DType(Kind::Float32));
    std::vector<char> host(16);
    EXPECT_THAT(refusal([&] { textures.copy(*queue, to_array(*array, host, 6, 1, 1)); }),
                HasSubstr("no whole texels of 4 bytes"));
}

TEST_F(CudaImages, RefuseArraysThatAreTooLarge) {
    EXPECT_THAT(refusal([&] { textures.make_array(0, {.width = 1 << 20}, DType(Kind::UInt8)); }),
                AllOf(HasSubstr("cuda:0"), HasSubstr("1048576")));
}

TEST_F(CudaImages, TakeWhatThePoolHoldsForArrays) {
    const Device device("cuda:0");
    fail("cuArray3DCreate", Status::OutOfMemory);
    EXPECT_NO_THROW(CudaArray({.width = 16}, DType(Kind::UInt8), device));
    EXPECT_EQ(calls("cuArray3DCreate"), 2);
}

TEST_F(CudaImages, HaveArraysThatAreTooLargeForSurfaces) {
    const CudaArrayShape shape{.width = 65536};
    const auto array = textures.make_array(0, shape, DType(Kind::UInt8));
    const ImageSource source{.array = array.get(), .shape = shape, .format = DType(Kind::UInt8)};
    EXPECT_NO_THROW(textures.make_texture(0, source, {}));
    EXPECT_THAT(refusal([&] { textures.make_surface(0, source); }), HasSubstr("no surface"));
}

TEST_F(CudaImages, SayWhatPitchTheDeviceTakes) {
    const auto address = backend.allocator(0).allocate(4096, MemoryKind::Device);
    const ImageSource source{.address = address,
                             .row_bytes = 40,
                             .shape = {.width = 10, .height = 4},
                             .format = DType(Kind::Float32)};
    EXPECT_THAT(refusal([&] { textures.make_texture(0, source, {}); }),
                AllOf(HasSubstr("rows 40 bytes apart"), HasSubstr("multiple of 32 bytes")));
    backend.allocator(0).release(address, 4096, MemoryKind::Device);
}

TEST_F(CudaImages, HaveLevelsThatAreArrays) {
    const CudaArrayShape shape{.width = 64, .height = 32};
    const DType format(Kind::UInt8, 4);
    const auto mipmaps = textures.make_mipmaps(0, shape, format, 3);
    const auto level = mipmaps->level(1);
    std::vector<char> up(32 * 16 * 4, 'x'), down(up.size());
    const BoxCopy copy = to_array(*level, up, 128, 16, 1);
    textures.copy(*queue, copy);
    textures.copy(*queue, reversed(copy, down));
    queue->is_done(Wait::Yes);
    EXPECT_EQ(down, up);
    const ImageSource source{
        .array = level.get(), .shape = {.width = 32, .height = 16}, .format = format};
    EXPECT_NO_THROW(textures.make_surface(0, source));
}

TEST_F(CudaImages, TellTheDriverOfLevels) {
    const CudaArrayShape shape{.width = 64, .height = 32};
    const auto mipmaps = textures.make_mipmaps(0, shape, DType(Kind::UInt8, 4), 3);
    const ImageSource source{
        .mipmaps = mipmaps.get(), .levels = 3, .shape = shape, .format = DType(Kind::UInt8, 4)};
    textures.make_texture(0, source,
                          {.filter = FilterMode::Linear,
                           .read = ReadMode::NormalizedFloat,
                           .normalized_coordinates = true,
                           .srgb = true,
                           .mip_filter = FilterMode::Linear,
                           .level_bias = 0.5f,
                           .lowest_level = 1.0f,
                           .highest_level = 2.0f,
                           .max_anisotropy = 8});
    const TextureDescriptor made = fake<LastTexture>(kLastTexture)();
    EXPECT_EQ(made.flags, kTextureNormalized | kTextureSrgb | kTextureExactLevels);
    EXPECT_EQ(made.level_filter, 1);
    EXPECT_EQ(made.level_bias, 0.5f);
    EXPECT_EQ(made.lowest_level, 1.0f);
    EXPECT_EQ(made.highest_level, 2.0f);
    EXPECT_EQ(made.anisotropy, 8u);
}

TEST_F(CudaImages, RefuseMipmappedArraysThatAreTooLarge) {
    EXPECT_THAT(
        refusal([&] { textures.make_mipmaps(0, {.width = 1 << 20}, DType(Kind::UInt8), 2); }),
        AllOf(HasSubstr("no mipmapped arrays"), HasSubstr("1048576")));
}

TEST_F(CudaImages, ReadWhatADeclarationLeft) {
    const auto address = backend.allocator(0).allocate(64, MemoryKind::Device);
    // texture<uchar4, 2, cudaReadModeNormalizedFloat>(1, cudaFilterModeLinear, cudaAddressModeWrap)
    runtime::ReferenceRecord record{
        .object = 0, .type = 2, .format = 0x140, .normalized = 1, .filter = 1, .address = {}};
    queue->copy(address, reinterpret_cast<runtime::DeviceAddress>(&record), sizeof record,
                runtime::CopyKind::HostToDevice);
    queue->is_done(Wait::Yes);
    const runtime::ReferenceDeclaration declaration = textures.declaration(0, address);
    backend.allocator(0).release(address, 64, MemoryKind::Device);
    EXPECT_EQ(declaration.format, DType(Kind::UInt8, 4));
    EXPECT_EQ(declaration.settings.address[1], AddressMode::Wrap);
    EXPECT_EQ(declaration.settings.filter, FilterMode::Linear);
    EXPECT_EQ(declaration.settings.read, ReadMode::NormalizedFloat);
}

}  // namespace
}  // namespace warpwise::cuda
