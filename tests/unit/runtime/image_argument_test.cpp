// Textures and surfaces as arguments: a parameter takes the kind of object that its type stands
// for, whatever the source calls that type.
#include "tests/unit/runtime/full_device.hpp"
#include "tests/unit/runtime/programs.hpp"

namespace warpwise {
namespace {

using Handle = Parameter::Handle;
using testing::HasSubstr;

class ImageArgumentTest : public testing::Test {
  protected:
    static void TearDownTestSuite() { empty_full_devices(); }

    // A kernel whose only parameter is a 64-bit number under a name of the source's own.
    static Kernel kernel(Handle handle) {
        Parameter parameter = value_of("image", "Image", uint64);
        parameter.handle = handle;
        return load_kernel(kernel_info("k", {parameter}), full_device());
    }
    template <class Image>
    static std::string refusal(Handle handle, const Image& image) {
        return message_of<ArgumentError>([&] { kernel(handle)({}, image); });
    }

    const Device device = full_device();
    const DeviceScope scope{device};
    const CudaArray array{{.width = 4}, float32};
    const Texture texture{array};
    const Surface surface{array};
};

TEST_F(ImageArgumentTest, AParameterTakesItsKindOfObject) {
    EXPECT_NO_THROW(kernel(Handle::Texture)({}, texture));
    EXPECT_NO_THROW(kernel(Handle::Surface)({}, surface));
}

TEST_F(ImageArgumentTest, APlainNumberTakesBoth) {
    EXPECT_NO_THROW(kernel(Handle::None)({}, texture));
    EXPECT_NO_THROW(kernel(Handle::None)({}, surface));
}

TEST_F(ImageArgumentTest, TheOtherKindIsRefused) {
    EXPECT_THAT(refusal(Handle::Texture, surface),
                HasSubstr("a surface goes to a parameter of type cudaSurfaceObject_t"));
    EXPECT_THAT(refusal(Handle::Surface, texture),
                HasSubstr("a texture goes to a parameter of type cudaTextureObject_t"));
}

TEST_F(ImageArgumentTest, MemoryThatWasFreedIsNotRead) {
    Buffer memory = mem_alloc(64);
    const Texture linear(memory, float32);
    EXPECT_NO_THROW(kernel(Handle::Texture)({}, linear));
    memory.free();
    EXPECT_THAT(refusal(Handle::Texture, linear),
                HasSubstr("a texture over a buffer of 64 bytes that was freed before"));
}

}  // namespace
}  // namespace warpwise
