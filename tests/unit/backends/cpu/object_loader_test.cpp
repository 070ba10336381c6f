// Loading objects compiled by clang, and surviving damaged ones.
#include "src/backends/cpu/module/object_loader.hpp"

#include <fstream>
#include <iterator>
#include <numeric>
#include <random>

#include "src/backends/cpu/kernel_record.hpp"
#include "src/backends/cpu/module/leaf_functions.hpp"
#include "src/backends/cpu/module/module.hpp"
#include "tests/unit/backends/cpu/device_test.hpp"

namespace warpwise::cpu::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<std::byte> read_object(const std::string& name) {
    std::ifstream file(std::string(WARPWISE_TEST_OBJECTS) + "/" + name + ".o", std::ios::binary);
    std::vector<std::byte> bytes;
    for (auto i = std::istreambuf_iterator<char>(file); i != std::istreambuf_iterator<char>();
         ++i) {
        bytes.push_back(static_cast<std::byte>(*i));
    }
    EXPECT_FALSE(bytes.empty()) << name;
    return bytes;
}

std::optional<std::uint64_t> nothing_exists(std::string_view) {
    return std::nullopt;
}

std::shared_ptr<compiler::Program> program(const std::string& name,
                                           std::initializer_list<const char*> kernels,
                                           std::initializer_list<const char*> globals) {
    auto result = std::make_shared<compiler::Program>();
    result->format = "object";
    result->binary = read_object(name);
    for (const char* kernel : kernels) {
        compiler::KernelInfo info;
        info.backend_data = encode_record({});
        info.signature.name = info.signature.symbol = kernel;
        result->kernels.push_back(info);
    }
    for (const char* global : globals) result->globals.push_back({global, global, 4, false, {}});
    return result;
}

void run(runtime::KernelImpl* kernel, const std::vector<std::byte>& arguments) {
    ASSERT_NE(kernel, nullptr);
    const auto queue = new_queue();
    runtime::Launch launch;
    launch.kernel = kernel;
    launch.grid = launch.block = {1, 1, 1};
    launch.arguments = arguments;
    queue->launch(launch);
    finish(*queue);
}

TEST(Module, RunsKernelsWithGlobalsConstantsAndLeafCalls) {
    CpuModule module;
    module.extend(program("loader_kernels", {"add_to_counter", "read_back"}, {"counter", "table"}));
    const int step = 3;
    run(module.kernel("add_to_counter"), pack(&step));
    run(module.kernel("add_to_counter"), pack(&step));
    std::vector<double> source(16);
    std::iota(source.begin(), source.end(), 0.0);
    std::vector<double> out(5);
    run(module.kernel("read_back"), pack(out.data(), source.data()));
    EXPECT_EQ(out, (std::vector<double>{6, 20, 0, 3 * (5 + 3 + 6), 15}));
    EXPECT_EQ(*reinterpret_cast<int*>(module.global("counter")), 6);
    EXPECT_EQ(module.kernel("absent"), nullptr);
    EXPECT_EQ(module.global("absent"), 0u);
}

TEST(Module, KeepsTheValuesOfGlobalsWhenItIsExtended) {
    CpuModule module;
    module.extend(program("loader_kernels", {"add_to_counter"}, {"counter", "table"}));
    const int step = 4;
    run(module.kernel("add_to_counter"), pack(&step));
    const auto counter = module.global("counter");
    module.extend(program("loader_extension", {"use_shared"}, {"counter", "table", "fresh"}));
    EXPECT_EQ(module.global("counter"), counter);
    std::vector<int> out(3);
    run(module.kernel("use_shared"), pack(out.data()));
    EXPECT_EQ(out, (std::vector<int>{4, 20, 7}));
    EXPECT_EQ(reinterpret_cast<int*>(module.global("table"))[1], 99);
}

TEST(Module, RefusesAProgramThatLacksASymbol) {
    CpuModule module;
    try {
        module.extend(program("loader_kernels", {"absent"}, {}));
        ADD_FAILURE() << "it was loaded";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("the kernel 'absent'"), HasSubstr("cache")));
    }
    EXPECT_THROW(module.extend(program("loader_kernels", {}, {"missing"})), DeviceError);
    EXPECT_EQ(module.kernel("absent"), nullptr);
}

TEST(Module, RefusesOtherFormats) {
    auto text = program("loader_kernels", {}, {});
    text->format = "asm";
    CpuModule module;
    EXPECT_THROW(module.extend(text), DeviceError);
}

TEST(Loader, NamesWhatDeviceCodeCannotReach) {
    const auto object = read_object("loader_unresolved");
    try {
        const LoadedObject loaded(object, nothing_exists);
        ADD_FAILURE() << "it was loaded";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("'system', which device code cannot reach"));
    }
}

TEST(Loader, RefusesWhatIsNoObject) {
    EXPECT_THROW(LoadedObject({}, nothing_exists), DeviceError);
    const std::vector<std::byte> zeros(4096);
    EXPECT_THROW(LoadedObject(zeros, nothing_exists), DeviceError);
}

// Loads; any error must be one of ours.
void load_damaged(const std::vector<std::byte>& object) {
    try {
        const LoadedObject loaded(object, nothing_exists);
    } catch (const Error&) {
    }
}

TEST(Loader, SurvivesTruncationAtEveryLength) {
    const auto object = read_object("loader_kernels");
    for (std::size_t length = 0; length < object.size(); ++length) {
        EXPECT_THROW(LoadedObject(std::span(object).first(length), nothing_exists), DeviceError);
    }
}

TEST(Loader, SurvivesDamageToEveryByte) {
    const auto object = read_object("loader_kernels");
    for (std::size_t i = 0; i < object.size(); ++i) {
        for (unsigned flip : {0x01u, 0x80u, 0xffu}) {
            auto damaged = object;
            damaged[i] ^= static_cast<std::byte>(flip);
            load_damaged(damaged);
        }
    }
}

TEST(Loader, SurvivesRandomDamage) {
    const auto object = read_object("loader_kernels");
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        auto damaged = object;
        for (int i = 0; i < 8; ++i) {
            damaged[random() % damaged.size()] = static_cast<std::byte>(random());
        }
        load_damaged(damaged);
    }
}

TEST(LeafFunctions, RoundToBfloat16AsHardwareDoes) {
    const auto narrow = reinterpret_cast<_Float16 (*)(float)>(*leaf_function("__truncsfbf2"));
    const auto narrow_double =
        reinterpret_cast<_Float16 (*)(double)>(*leaf_function("__truncdfbf2"));
    const auto bits = [](_Float16 value) {
        std::uint16_t result;
        std::memcpy(&result, &value, 2);
        return result;
    };
    EXPECT_EQ(bits(narrow(1.0f)), 0x3f80);
    EXPECT_EQ(bits(narrow(1.00390625f)), 0x3f80) << "a tie goes to even";
    EXPECT_EQ(bits(narrow(1.01171875f)), 0x3f82) << "a tie goes to even";
    EXPECT_EQ(bits(narrow(3.4e38f)), 0x7f80) << "overflows to infinity";
    EXPECT_EQ(bits(narrow_double(1.00390625 + 1e-12)), 0x3f81) << "rounded once, not twice";
}

TEST(LeafFunctions, AreAFixedList) {
    EXPECT_TRUE(leaf_function("memcpy"));
    EXPECT_TRUE(leaf_function("__udivti3"));
    EXPECT_FALSE(leaf_function("system"));
    EXPECT_FALSE(leaf_function("malloc"));
}

}  // namespace
}  // namespace warpwise::cpu::test
