// Profiles of GPUs, by a fake CUPTI and by events: what is recorded, and what refuses.
#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "src/backends/cuda/profile/cupti_abi.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "tests/unit/backends/cuda/fake_cupti.hpp"
#include "tests/unit/runtime/programs.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Kind = ProfileRecord::Kind;

template <class Function>
Function fake_cupti(const char* name) {
    static void* const library = ::dlopen(FAKE_CUPTI, RTLD_NOW);
    return reinterpret_cast<Function>(::dlsym(library, name));
}

bool cupti_is_in_use() {
    return fake_cupti<IsInUse>(kIsInUse)();
}
void fail_cupti(const char* name, cupti::Result result) {
    fake_cupti<FailCupti>(kFailCupti)(name, static_cast<int>(result));
}

Kernel load(const char* symbol) {
    auto program = std::make_shared<compiler::Program>();
    program->format = "cubin";
    program->binary.resize(16);
    program->kernels.push_back(kernel_info("scale<float>", {}, symbol));
    const auto module = runtime::ModuleState::load(Device().context().shared(), program);
    return Kernel(module->kernel(program->kernels.front()));
}

const ProfileRecord* find(const std::vector<ProfileRecord>& records, Kind kind) {
    const auto found = std::ranges::find(records, kind, &ProfileRecord::kind);
    return found == records.end() ? nullptr : &*found;
}

class ProfiledFake : public OnFakeCuda {
  protected:
    ProfiledFake() {
        static const bool is_announced = [] {
            // The numbers of devices that the fake gives are in the order of its first calls.
            for (const char* name : {"cuda:0", "cuda:1"}) Profile(Device(name), "cupti").stop();
            return true;
        }();
        (void)is_announced;
    }
    ~ProfiledFake() override { EXPECT_FALSE(cupti_is_in_use()); }

    const DeviceScope scope_{Device("cuda:0")};
    const Kernel kernel_ = load("_Z5scaleIfEvPT_S0_i");
};

class CudaProfiles : public ProfiledFake, public testing::WithParamInterface<const char*> {};

TEST_P(CudaProfiles, HaveKernelsCopiesAndFills) {
    Buffer buffer = mem_alloc(1 << 20);
    std::vector<std::byte> host(1 << 20);
    Profile profile(GetParam());
    EXPECT_EQ(profile.source(), GetParam());
    kernel_({.grid = {3, 2}, .block = 64, .shared = 128});
    buffer.copy_from(host.data(), host.size());
    buffer.copy_to(host.data(), host.size());
    buffer.fill(1, 1, host.size(), Stream::current());
    profile.stop();
    const auto& records = profile.records();
    ASSERT_EQ(records.size(), 4u);
    const ProfileRecord* const kernel = find(records, Kind::Kernel);
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->name, "scale<float>");
    EXPECT_EQ(kernel->grid, (std::array<std::uint32_t, 3>{3, 2, 1}));
    EXPECT_EQ(kernel->block, (std::array<std::uint32_t, 3>{64, 1, 1}));
    EXPECT_EQ(kernel->dynamic_shared_bytes, 128u);
    EXPECT_GT(kernel->registers, 0u);
    const ProfileRecord* const copy = find(records, Kind::Copy);
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(copy->bytes, 1u << 20);
    EXPECT_EQ(copy->direction, ProfileRecord::Direction::HostToDevice);
    EXPECT_GT(copy->bytes_per_second(), 0);
    const ProfileRecord* const fill = find(records, Kind::Fill);
    ASSERT_NE(fill, nullptr);
    EXPECT_EQ(fill->bytes, 1u << 20);
    for (const ProfileRecord& record : records) {
        EXPECT_EQ(record.device, "cuda:0");
        EXPECT_GE(record.duration, 0);
    }
}

// Whatever clock the source has, the records lie on the program's own time line.
TEST_P(CudaProfiles, KeepTheTimeOfTheHost) {
    using namespace std::chrono_literals;
    Profile profile(GetParam());
    std::this_thread::sleep_for(100ms);
    {
        const Range range("launch");
        kernel_({.grid = 1, .block = 1});
        Device().synchronize();
    }
    std::this_thread::sleep_for(100ms);
    profile.stop();
    const ProfileRecord* const kernel = find(profile.records(), Kind::Kernel);
    const ProfileRecord* const range = find(profile.records(), Kind::Range);
    ASSERT_NE(kernel, nullptr);
    ASSERT_NE(range, nullptr);
    // Nanoseconds: two readings of two clocks, between which a busy machine may run others.
    constexpr std::int64_t kSlack = 50'000'000;
    EXPECT_GE(kernel->start, range->start - kSlack);
    EXPECT_LE(kernel->start + kernel->duration, range->start + range->duration + kSlack);
}

TEST_P(CudaProfiles, TellStreamsApart) {
    const Stream one, other;
    Profile profile(GetParam());
    kernel_({.grid = 1, .block = 1, .stream = one});
    kernel_({.grid = 1, .block = 1, .stream = other});
    kernel_({.grid = 1, .block = 1, .stream = one});
    profile.stop();
    std::multiset<std::uint64_t> streams;
    for (const ProfileRecord& record : profile.records()) streams.insert(record.stream);
    ASSERT_EQ(streams.size(), 3u);
    EXPECT_EQ(std::set(streams.begin(), streams.end()).size(), 2u);
}

TEST_P(CudaProfiles, HaveOnlyWhatWasGivenInside) {
    kernel_({.grid = 1, .block = 1});
    Profile profile(GetParam());
    kernel_({.grid = 2, .block = 1});
    profile.stop();
    kernel_({.grid = 3, .block = 1});
    Device().synchronize();
    ASSERT_EQ(profile.records().size(), 1u);
    EXPECT_EQ(profile.records()[0].grid[0], 2u);
}

TEST_P(CudaProfiles, OfOneDeviceExcludeEachOtherAndNoOtherDevice) {
    Profile profile(GetParam());
    EXPECT_THAT(message_of<ArgumentError>([] { Profile second("events"); }),
                AllOf(HasSubstr("a profile of cuda:0 runs already"), HasSubstr("stop that one")));
    Profile elsewhere(Device("cuda:1"), GetParam());
    kernel_({.grid = 1, .block = 1});
    elsewhere.stop();
    profile.stop();
    EXPECT_EQ(elsewhere.records().size(), 0u);
    EXPECT_EQ(profile.records().size(), 1u);
    Profile(GetParam()).stop();
}

TEST_P(CudaProfiles, HaveGraphs) {
    const Stream stream;
    stream.begin_capture();
    for (int i = 0; i < 3; ++i) kernel_({.grid = 1, .block = 1, .stream = stream});
    const Graph graph = stream.end_capture();
    Profile profile(GetParam());
    graph.launch(stream);
    profile.stop();
    const bool sees_inside = GetParam() == std::string("cupti");
    ASSERT_EQ(profile.records().size(), sees_inside ? 3u : 1u);
    EXPECT_EQ(profile.records()[0].kind, sees_inside ? Kind::Kernel : Kind::Graph);
    EXPECT_EQ(profile.records()[0].name, sees_inside ? "scale<float>" : "graph of scale<float>");
}

TEST_P(CudaProfiles, TakeMoreThanABufferHolds) {
    constexpr int kLaunches = 6000;
    Profile profile(GetParam());
    for (int i = 0; i < kLaunches; ++i) kernel_({.grid = 1, .block = 1});
    profile.stop();
    EXPECT_EQ(profile.records().size(), static_cast<std::size_t>(kLaunches));
    EXPECT_EQ(profile.note(), "");
}

TEST_P(CudaProfiles, MayBeFedByManyThreads) {
    Profile profile(GetParam());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([this] {
            const DeviceScope scope(Device("cuda:0"));
            const Stream stream;
            for (int j = 0; j < 200; ++j) {
                const Range range("launch");
                kernel_({.grid = 1, .block = 1, .stream = stream});
            }
            stream.synchronize();
        });
    }
    for (std::thread& thread : threads) thread.join();
    profile.stop();
    const auto count = [&](Kind kind) {
        return std::ranges::count(profile.records(), kind, &ProfileRecord::kind);
    };
    EXPECT_EQ(count(Kind::Kernel), 800);
    EXPECT_EQ(count(Kind::Range), 800);
}

TEST_P(CudaProfiles, MayEndWithoutBeingStopped) {
    {
        const Profile profile(GetParam());
        kernel_({.grid = 1, .block = 1});
    }
    Profile next(GetParam());
    next.stop_at_once();
    EXPECT_FALSE(next.is_running());
}

INSTANTIATE_TEST_SUITE_P(Sources, CudaProfiles, testing::Values("cupti", "events"),
                         [](const auto& info) { return std::string(info.param); });

class Cupti : public ProfiledFake {
  protected:
    static std::string refusal() {
        return message_of<DeviceError>([] { Profile profile("cupti"); });
    }
};

TEST_F(Cupti, IsTheFirstChoice) {
    Profile profile;
    EXPECT_EQ(profile.source(), "cupti");
    EXPECT_EQ(profile.note(), "");
    profile.stop();
}

TEST_F(Cupti, ThatAnotherProfilerHoldsSaysSo) {
    fail_cupti("cuptiSubscribe", cupti::Result::MultipleSubscribers);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"),
                                 HasSubstr("another profiler"), HasSubstr("\"events\"")));
}

TEST_F(Cupti, ThatIsNotPermittedSaysSo) {
    fail_cupti("cuptiActivityEnable", cupti::Result::InsufficientPrivileges);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"),
                                 HasSubstr("administrators")));
}

TEST_F(Cupti, LeavesNothingBehindWhateverFails) {
    for (const char* name : {"cuptiSubscribe", "cuptiActivityRegisterCallbacks",
                             "cuptiActivityEnable", "cuptiGetTimestamp"}) {
        fail_cupti(name, static_cast<cupti::Result>(7));
        EXPECT_THAT(refusal(), HasSubstr("CUPTI_ERROR_OF_THE_FAKE")) << name;
        EXPECT_FALSE(cupti_is_in_use()) << name;
    }
    Profile("cupti").stop();
}

TEST_F(Cupti, GivesWayToEventsWhereNobodyAskedForIt) {
    fail_cupti("cuptiSubscribe", cupti::Result::MultipleSubscribers);
    Profile profile;
    kernel_({.grid = 1, .block = 1});
    profile.stop();
    EXPECT_EQ(profile.source(), "events");
    EXPECT_EQ(profile.records().size(), 1u);
    EXPECT_THAT(profile.note(), HasSubstr("another profiler"));
    EXPECT_THAT(profile.table(), HasSubstr("times by events"));
}

TEST_F(Cupti, SeesKernelsOfOthers) {
    Profile profile("cupti");
    const auto add = fake_cupti<AddKernel>(kAddKernel);
    add("_ZN6theirs6kernelEv", 0, true);
    add("_Z4wild", 1, true);   // of another device
    add("_Z4late", 0, false);  // has not ended
    profile.stop();
    ASSERT_EQ(profile.records().size(), 1u);
    EXPECT_EQ(profile.records()[0].name, "theirs::kernel");
    EXPECT_EQ(profile.records()[0].duration, 5000);
}

TEST_F(Cupti, SaysWhatItLost) {
    Profile profile("cupti");
    fake_cupti<DropRecords>(kDropRecords)(12);
    profile.stop();
    EXPECT_THAT(profile.note(), HasSubstr("12 records were lost"));
    Profile next("cupti");
    fail_cupti("cuptiActivityFlushAll", static_cast<cupti::Result>(7));
    next.stop();
    EXPECT_THAT(next.note(), HasSubstr("only a part"));
}

class EventTimes : public ProfiledFake {};

TEST_F(EventTimes, NeverFailALaunch) {
    Profile profile("events");
    fail("cuEventRecord", Status::InvalidValue, 1);
    kernel_({.grid = 1, .block = 1});
    kernel_({.grid = 1, .block = 1});
    profile.stop();
    EXPECT_EQ(calls("cuLaunchKernel"), 2);
    EXPECT_EQ(profile.records().size(), 1u);
    EXPECT_THAT(profile.note(), HasSubstr("1 operations could not be timed"));
}

TEST_F(EventTimes, AreRefusedBeforeALaunchWhereThereAreNoEvents) {
    Profile profile("events");
    fail("cuEventCreate", Status::OutOfMemory);
    EXPECT_THROW(kernel_({.grid = 1, .block = 1}), OutOfMemoryError);
    EXPECT_EQ(calls("cuLaunchKernel"), 0);
    profile.stop();
}

TEST_F(EventTimes, CostNothingWhenNoProfileRuns) {
    Profile("events").stop();
    const int before = calls("cuEventRecord");
    kernel_({.grid = 1, .block = 1});
    EXPECT_EQ(calls("cuEventRecord"), before);
    EXPECT_EQ(calls("cuEventCreate"), calls("cuEventDestroy"));
}

TEST_F(EventTimes, AndCuptiAreAllSourcesOfAGpu) {
    EXPECT_THAT(message_of<ArgumentError>([] { Profile profile("clock"); }),
                AllOf(HasSubstr("cuda:0 has no source 'clock'"), HasSubstr("cupti, events")));
}

}  // namespace
}  // namespace warpwise::cuda
