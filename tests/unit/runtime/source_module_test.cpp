// Modules from source, with a compiler made by hand: what is asked of it, instances, globals.
#include <atomic>
#include <latch>
#include <thread>

#include "tests/unit/runtime/null_device.hpp"
#include "tests/unit/runtime/programs.hpp"

namespace warpwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// Answers with one kernel "plain", one template "scale" and one variable; remembers the requests.
class SourceModuleTest : public testing::Test {
  protected:
    SourceModuleTest() {
        null::set_compile([this](const compiler::CompileRequest& request) {
            const std::lock_guard lock(mutex);
            requests.push_back(request);
            compiler::Program program{.target = request.target, .format = "signatures"};
            program.log = "a warning";
            program.templates = {"scale"};
            program.globals = {{.name = "table", .symbol = "table", .size = 64}};
            if (request.name_expressions.empty()) {
                program.kernels = {kernel_info("plain", {})};
            }
            for (const auto& expression : request.name_expressions) {
                if (expression == "scale<none>") continue;
                program.kernels.push_back(kernel_info(expression, {}));
            }
            return program;
        });
    }
    ~SourceModuleTest() override { null::set_compile({}); }

    // The cache of compiled programs outlives a test: each has sources of its own.
    std::string source() {
        static int count = 0;
        return "source " + std::to_string(++count);
    }
    std::mutex mutex;
    std::vector<compiler::CompileRequest> requests;
};

// What the device calls while it loads, for as long as it lives.
struct LoadHook {
    explicit LoadHook(null::Load load) { null::set_load(std::move(load)); }
    ~LoadHook() { null::set_load({}); }
    LoadHook(const LoadHook&) = delete;
    LoadHook& operator=(const LoadHook&) = delete;
};

TEST_F(SourceModuleTest, PassesOptionsOn) {
    const std::string text = source();
    const SourceModule module(text, {.options = {"-DN=4"},
                                     .include_dirs = {"inc"},
                                     .headers = {{"a.h", "int a;"}},
                                     .name = "a.cu"});
    ASSERT_EQ(requests.size(), 1u);
    EXPECT_EQ(requests[0].source, text);
    EXPECT_EQ(requests[0].name, "a.cu");
    EXPECT_THAT(requests[0].options, ElementsAre("-DN=4"));
    EXPECT_THAT(requests[0].include_dirs, ElementsAre("inc"));
    EXPECT_EQ(requests[0].target, "null");
    EXPECT_EQ(requests[0].format, "object");
}

TEST_F(SourceModuleTest, TellsWhatItHas) {
    const SourceModule module(source());
    EXPECT_THAT(module.functions(), ElementsAre("plain", "scale<...>"));
    EXPECT_THAT(module.globals(), ElementsAre("table"));
    EXPECT_EQ(module.log(), "a warning");
    EXPECT_EQ(module.device().name(), "null");
}

TEST_F(SourceModuleTest, LoadsOnTheDeviceItIsGiven) {
    const SourceModule module(source(), {}, Device("null:1"));
    EXPECT_EQ(module.get_function("plain").device().name(), "null:1");
}

TEST_F(SourceModuleTest, CompilesAnInstanceOnce) {
    const SourceModule module(source());
    EXPECT_EQ(module.get_function("scale<float>").name(), "scale<float>");
    EXPECT_EQ(module.get_function(" scale < float >").name(), "scale<float>");
    ASSERT_EQ(requests.size(), 2u);
    EXPECT_THAT(requests[1].name_expressions, ElementsAre("scale<float>"));
    EXPECT_THAT(module.functions(), ElementsAre("plain", "scale<float>", "scale<...>"));
}

TEST_F(SourceModuleTest, CompilesInstancesInManyThreads) {
    const SourceModule module(source());
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back(
            [&] { right += module.get_function("scale<int>").name() == "scale<int>"; });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(right, 8);
    EXPECT_THAT(module.functions(), ElementsAre("plain", "scale<int>", "scale<...>"));
}

// A thread that loads while it is called from the loading of another would wait for ever if that
// held a lock.
TEST_F(SourceModuleTest, LoadsInSeveralThreadsAtOnce) {
    const SourceModule module(source());
    std::latch both_load(2);
    const LoadHook hook([&](const compiler::Program&) { both_load.arrive_and_wait(); });
    std::thread other([&] { module.get_function("scale<int>"); });
    module.get_function("scale<float>");
    other.join();
    EXPECT_THAT(module.functions(),
                UnorderedElementsAre("plain", "scale<float>", "scale<int>", "scale<...>"));
}

TEST_F(SourceModuleTest, TwoThreadsMayLoadTheSameInstanceAtOnce) {
    const SourceModule module(source());
    std::latch both_load(2);
    const LoadHook hook([&](const compiler::Program&) { both_load.arrive_and_wait(); });
    std::string name;
    std::thread other([&] { name = module.get_function("scale<int>").name(); });
    EXPECT_EQ(module.get_function("scale<int>").name(), "scale<int>");
    other.join();
    EXPECT_EQ(name, "scale<int>");
    EXPECT_THAT(module.functions(), ElementsAre("plain", "scale<int>", "scale<...>"));
}

TEST_F(SourceModuleTest, ALoaderMayCallItsModule) {
    const SourceModule module(source());
    std::vector<std::string> seen;
    const LoadHook hook([&](const compiler::Program& program) {
        if (program.kernels.front().signature.name != "scale<float>") return;
        seen = module.functions();
        seen.push_back(module.get_function("scale<int>").name());
    });
    module.get_function("scale<float>");
    EXPECT_THAT(seen, ElementsAre("plain", "scale<...>", "scale<int>"));
    EXPECT_THAT(module.functions(),
                ElementsAre("plain", "scale<int>", "scale<float>", "scale<...>"));
}

TEST_F(SourceModuleTest, WhatDoesNotLoadLeavesTheModuleAsItWas) {
    const SourceModule module(source());
    {
        const LoadHook hook([](const compiler::Program&) { throw DeviceError("no memory"); });
        EXPECT_EQ(message_of<DeviceError>([&] { module.get_function("scale<int>"); }), "no memory");
    }
    EXPECT_THAT(module.functions(), ElementsAre("plain", "scale<...>"));
    EXPECT_EQ(module.get_function("scale<int>").name(), "scale<int>");
}

TEST_F(SourceModuleTest, RefusesExpressionsThatNameNoKernel) {
    const SourceModule module(source());
    EXPECT_THAT(message_of<ArgumentError>([&] { module.get_function("scale<none>"); }),
                HasSubstr("'scale<none>' names 0 kernels"));
}

TEST_F(SourceModuleTest, RefusesUnknownNames) {
    const SourceModule module(source());
    EXPECT_THAT(message_of<ArgumentError>([&] { module.get_function("plan"); }),
                HasSubstr("did you mean 'plain'?"));
    EXPECT_THAT(message_of<ArgumentError>([&] { module.get_global("tabel"); }),
                HasSubstr("did you mean 'table'?"));
}

TEST_F(SourceModuleTest, GivesItsVariablesAsBuffers) {
    const Buffer table = [&] { return SourceModule(source()).get_global("table"); }();
    EXPECT_EQ(table.size(), 64u);
    Buffer part = table.slice(8, 4);
    const int value = 5;
    part.copy_from(&value, 4);
    int seen = 0;
    table.copy_to(&seen, 4, 8);
    EXPECT_EQ(seen, 5);
}

TEST_F(SourceModuleTest, SharesItsVariablesWithItsInstances) {
    const SourceModule module(source());
    const auto before = module.get_global("table").address();
    module.get_function("scale<float>");
    EXPECT_EQ(module.get_global("table").address(), before);
}

TEST_F(SourceModuleTest, ThatFailsToLoadLeavesNothing) {
    for (int n = 1; n <= 2; ++n) {
        null::fail_call(n, std::make_exception_ptr(DeviceError("made to fail")));
        EXPECT_THROW(SourceModule(source(), {}), DeviceError);
        EXPECT_FALSE(null::failure_is_pending());
    }
    EXPECT_NO_THROW(SourceModule(source(), {}));
}

TEST_F(SourceModuleTest, IsWholeWhenAnInstanceFailsToLoad) {
    const SourceModule module(source());
    null::fail_call(1, std::make_exception_ptr(DeviceError("made to fail")));
    EXPECT_THROW(module.get_function("scale<float>"), DeviceError);
    EXPECT_THAT(module.functions(), ElementsAre("plain", "scale<...>"));
    EXPECT_NO_THROW(module.get_function("scale<float>"));
}

TEST(Compile, RefusesUnknownTargets) {
    EXPECT_THAT(message_of<ArgumentError>([] { compile("", {}, "arm", "asm"); }),
                testing::AllOf(HasSubstr("there is no target 'arm'"), HasSubstr("x86-64-v3")));
    EXPECT_THROW(compile("", {}, "sm_x", "ptx"), ArgumentError);
}

TEST(Compile, RefusesFormatsATargetDoesNotHave) {
    EXPECT_THAT(message_of<ArgumentError>([] { compile("", {}, "cpu", "ptx"); }),
                HasSubstr("PTX is for a GPU: target \"sm_80\""));
    EXPECT_THAT(message_of<ArgumentError>([] { compile("", {}, "x86-64-v3", "exe"); }),
                HasSubstr("it has \"llvm\", \"asm\", \"object\" and \"preprocessed\""));
    EXPECT_THAT(message_of<ArgumentError>([] { compile("", {}, "sm_80", "asm"); }),
                HasSubstr("it has \"ptx\", \"cubin\" and \"preprocessed\""));
}

}  // namespace
}  // namespace warpwise
