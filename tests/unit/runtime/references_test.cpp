// Texture references over streams and threads, without a device that has textures: when variables
// are written, and that no lock is held then.
#include "src/runtime/image/references.hpp"

#include <future>

#include "tests/unit/runtime/full_device.hpp"

namespace warpwise {
namespace {

using null::Call;
using runtime::References;

class ReferencesTest : public testing::Test {
  protected:
    ~ReferencesTest() override { full_backend().on_fill = nullptr; }
    static void TearDownTestSuite() { empty_full_devices(); }

    void bind(const Stream& on) { references.bind(*on.state()); }
    // How often variables were written by `work`.
    template <class Work>
    static std::size_t writes(Work&& work) {
        const null::Recorder recorder;
        work();
        return recorder.calls(Call::Kind::Fill).size();
    }

    const Device device = full_device();
    const DeviceScope scope{device};
    const Stream first{{.non_blocking = true}}, second{{.non_blocking = true}};
    const Buffer image = mem_alloc(256), variable = mem_alloc(64);
    References references{device.context()};
    TextureReference texture{references.get("image", variable.address())};
};

TEST_F(ReferencesTest, ABindingIsWrittenOnce) {
    texture.set_address(image);
    EXPECT_EQ(writes([&] { bind(first); }), 1u);
    EXPECT_EQ(writes([&] { bind(first); }), 0u);
    EXPECT_EQ(writes([&] { bind(second); }), 0u);
}

TEST_F(ReferencesTest, AnotherStreamWaitsForTheWriteOnce) {
    texture.set_address(image);
    bind(first);
    const null::Recorder recorder;
    bind(second);
    bind(second);
    EXPECT_EQ(recorder.calls(Call::Kind::Wait).size(), 1u);
}

TEST_F(ReferencesTest, AWriteThatFailsIsDoneByTheNextLaunch) {
    texture.set_address(image);
    full_backend().on_fill = [] { throw DeviceError("the fill failed"); };
    EXPECT_THROW(bind(first), DeviceError);
    full_backend().on_fill = nullptr;
    EXPECT_EQ(writes([&] { bind(first); }), 1u);
}

TEST_F(ReferencesTest, SettingsThatDoNotGoTogetherAreRefusedUntilTheyDo) {
    texture.set_address(image);
    texture.set_flags(kReadSrgb);
    EXPECT_THAT(message_of<ArgumentError>([&] { bind(first); }),
                testing::HasSubstr("reference 'image'"));
    EXPECT_THROW(bind(first), ArgumentError);
    texture.set_flags(0);
    EXPECT_EQ(writes([&] { bind(first); }), 1u);
}

// What a queue releases while it takes a write may launch from the same module.
TEST_F(ReferencesTest, ALaunchFromInsideAWriteIsTaken) {
    texture.set_address(image);
    full_backend().on_fill = [&] {
        full_backend().on_fill = nullptr;
        bind(second);
    };
    auto done = std::async(std::launch::async, [&] { bind(first); });
    ASSERT_EQ(done.wait_for(std::chrono::seconds(60)), std::future_status::ready);
    EXPECT_NO_THROW(done.get());
}

TEST_F(ReferencesTest, AnotherThreadLaunchesWhileAWriteIsQueued) {
    texture.set_address(image);
    full_backend().on_fill = [&] {
        full_backend().on_fill = nullptr;
        auto other = std::async(std::launch::async, [&] { bind(second); });
        ASSERT_EQ(other.wait_for(std::chrono::seconds(60)), std::future_status::ready);
        other.get();
    };
    // The other launch may not rely on a write that is not queued yet, and makes its own.
    EXPECT_EQ(writes([&] { bind(first); }), 2u);
}

TEST_F(ReferencesTest, OnceCapturedEveryLaunchWritesItsBinding) {
    texture.set_address(image);
    first.begin_capture();
    bind(first);
    EXPECT_EQ(first.end_capture().size(), 1u);
    EXPECT_EQ(writes([&] { bind(second); }), 1u);
    EXPECT_EQ(writes([&] { bind(second); }), 1u);
}

}  // namespace
}  // namespace warpwise
