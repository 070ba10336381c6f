// Streams of the CPU device: order, events, overlap, callbacks, errors, interrupts, many threads.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "src/backends/cpu/host/sanitizers.hpp"
#include "tests/unit/backends/cpu/device_test.hpp"
#include "warpwise/output.hpp"

namespace warpwise::cpu::test {
namespace {

using runtime::CopyKind;
using runtime::Wait;
using std::chrono::milliseconds;
using testing::HasSubstr;

runtime::DeviceAddress address(const void* pointer) {
    return reinterpret_cast<runtime::DeviceAddress>(pointer);
}

// A host call that holds its queue until the gate opens.
class Gate {
  public:
    ~Gate() { open(); }
    void open() { *is_open_ = true; }
    std::function<void()> hold() const {
        return [is_open = is_open_] {
            while (!*is_open) std::this_thread::sleep_for(milliseconds(1));
        };
    }

  private:
    std::shared_ptr<std::atomic<bool>> is_open_ = std::make_shared<std::atomic<bool>>(false);
};

// Appends a number to a list, in the order of execution.
class Trace {
  public:
    std::function<void()> add(int number) {
        return [this, number] {
            const std::lock_guard lock(mutex_);
            numbers_.push_back(number);
        };
    }
    std::vector<int> numbers() {
        const std::lock_guard lock(mutex_);
        return numbers_;
    }

  private:
    std::mutex mutex_;
    std::vector<int> numbers_;
};

void append_value(ThreadState*, const std::byte* arguments) {
    auto* list = argument<std::uint64_t*>(arguments, 0);
    list[++list[0]] = argument<std::uint64_t>(arguments, 1);
}

TEST(Queue, RunsItsWorkInOrder) {
    const auto queue = new_queue();
    HandKernel kernel("append_value", append_value, kPlain);
    std::vector<std::uint64_t> list(1001);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        launch(*queue, kernel, {1, 1, 1}, {1, 1, 1}, pack(list.data(), i));
    }
    finish(*queue);
    EXPECT_EQ(list[0], 1000u);
    EXPECT_TRUE(std::is_sorted(list.begin() + 1, list.end()));
}

TEST(Queue, OrdersCopiesFillsKernelsAndCalls) {
    const auto queue = new_queue();
    std::vector<int> device(3'000'000);
    std::vector<int> host(device.size());
    int seen_by_call = 0;
    queue->fill(address(device.data()), 7, 4, device.size());
    queue->call_host([&] { seen_by_call = device.back(); });
    queue->copy(address(host.data()), address(device.data()), device.size() * 4,
                CopyKind::DeviceToHost);
    queue->fill(address(device.data()), 0xffff'ffff, 4, device.size());
    finish(*queue);
    EXPECT_EQ(seen_by_call, 7);
    EXPECT_EQ(std::count(host.begin(), host.end(), 7), 3'000'000);
    EXPECT_EQ(std::count(device.begin(), device.end(), -1), 3'000'000);
}

TEST(Queue, CopiesEverySize) {
    const auto queue = new_queue();
    for (std::size_t size : {0, 1, 3, 4095, 4096, 4097, 1 << 20, (1 << 20) + 1, 5'000'001}) {
        std::vector<std::uint8_t> source(size + 1);
        std::iota(source.begin(), source.end(), std::uint8_t{1});
        std::vector<std::uint8_t> target(size + 1, 0);
        queue->copy(address(target.data()), address(source.data()), size, CopyKind::DeviceToDevice);
        finish(*queue);
        ASSERT_TRUE(std::equal(source.begin(), source.end() - 1, target.begin())) << size;
        ASSERT_EQ(target.back(), 0) << size;
    }
}

TEST(Queue, CopiesOverlappingRangesLikeMemmove) {
    const auto queue = new_queue();
    std::vector<int> data(1'000'000);
    std::iota(data.begin(), data.end(), 0);
    queue->copy(address(data.data() + 1), address(data.data()), 999'999 * sizeof(int),
                CopyKind::DeviceToDevice);
    finish(*queue);
    EXPECT_EQ(data[0], 0);
    EXPECT_EQ(data[999'999], 999'998);
    EXPECT_EQ(data[500'000], 499'999);
}

TEST(Queue, FillsWithPatternsOfAllWidths) {
    const auto queue = new_queue();
    std::vector<std::uint64_t> data(10, 0);
    const std::uint64_t pattern = 0x0102'0304'0506'0708;
    const std::uint64_t expected[] = {0x0808'0808'0808'0808, 0x0708'0708'0708'0708,
                                      0x0506'0708'0506'0708, pattern};
    for (std::size_t log = 0; log < 4; ++log) {
        const std::size_t width = std::size_t{1} << log;
        queue->fill(address(data.data()), pattern, width, 72 / width);
        finish(*queue);
        EXPECT_EQ(data[8], expected[log]) << width;
        EXPECT_EQ(data[9], 0u) << width;
    }
    queue->fill(address(data.data()), 1, 8, 0);
    finish(*queue);
}

TEST(Queue, KeepsWhatALaunchNeedsUntilItHasRun) {
    const auto queue = new_queue();
    Gate gate;
    queue->call_host(gate.hold());
    HandKernel kernel("append_value", append_value, kPlain);
    std::vector<std::uint64_t> list(2);
    std::weak_ptr<int> watch;
    {
        const auto value = std::make_shared<int>(1);
        const std::shared_ptr<const void> keep = value;
        watch = value;
        const auto arguments = pack(list.data(), std::uint64_t{5});
        runtime::Launch launch;
        launch.kernel = &kernel.get();
        launch.grid = launch.block = {1, 1, 1};
        launch.arguments = arguments;
        launch.keep_alive = &keep;
        queue->launch(launch);
    }
    EXPECT_FALSE(watch.expired());
    gate.open();
    finish(*queue);
    EXPECT_EQ(list[1], 5u) << "arguments were copied";
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!watch.expired() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    EXPECT_TRUE(watch.expired());
}

TEST(Queue, SaysWhetherItIsDone) {
    const auto queue = new_queue();
    EXPECT_TRUE(queue->is_done(Wait::No));
    Gate gate;
    queue->call_host(gate.hold());
    EXPECT_FALSE(queue->is_done(Wait::No));
    gate.open();
    EXPECT_TRUE(queue->is_done(Wait::Yes));
    EXPECT_TRUE(queue->is_done(Wait::No));
}

TEST(Queue, RunsItsWorkAfterItsHandleIsGone) {
    auto queue = new_queue();
    Gate gate;
    const auto done = std::make_shared<std::atomic<bool>>(false);
    queue->call_host(gate.hold());
    queue->call_host([done] { *done = true; });
    queue.reset();
    EXPECT_FALSE(*done);
    gate.open();
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!*done && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    EXPECT_TRUE(*done);
}

TEST(Events, OrderWorkAcrossQueues) {
    const auto first = new_queue();
    const auto second = new_queue();
    const auto event = new_event();
    Trace trace;
    Gate gate;
    first->call_host(gate.hold());
    first->call_host(trace.add(1));
    first->record(*event);
    second->wait(*event);
    second->call_host(trace.add(2));
    EXPECT_FALSE(second->is_done(Wait::No));
    EXPECT_FALSE(event->is_done(Wait::No));
    gate.open();
    finish(*second);
    EXPECT_EQ(trace.numbers(), (std::vector{1, 2}));
    EXPECT_TRUE(event->is_done(Wait::No));
}

TEST(Events, NeverRecordedAreDone) {
    const auto queue = new_queue();
    const auto event = new_event();
    EXPECT_TRUE(event->is_done(Wait::Yes));
    queue->wait(*event);
    finish(*queue);
}

TEST(Events, WaitsMeanTheRecordingThatCameBefore) {
    const auto first = new_queue();
    const auto second = new_queue();
    const auto event = new_event();
    first->record(*event);
    second->wait(*event);
    Gate gate;
    first->call_host(gate.hold());
    first->record(*event);  // moves the event, not the wait
    finish(*second);
    EXPECT_FALSE(event->is_done(Wait::No));
    gate.open();
    EXPECT_TRUE(event->is_done(Wait::Yes));
}

TEST(Events, MeasureTime) {
    const auto queue = new_queue();
    const auto start = new_event();
    const auto end = new_event();
    queue->record(*start);
    queue->call_host([] { std::this_thread::sleep_for(milliseconds(5)); });
    queue->record(*end);
    end->is_done(Wait::Yes);
    EXPECT_GE(start->milliseconds_until(*end), 5.0);
    EXPECT_LE(end->milliseconds_until(*start), -5.0);
}

TEST(DefaultQueue, WaitsForEarlierWorkOfBlockingQueues) {
    const auto ordinary = new_queue();
    const auto legacy = new_queue({.is_default = true});
    Trace trace;
    Gate gate;
    ordinary->call_host(gate.hold());
    ordinary->call_host(trace.add(1));
    legacy->call_host(trace.add(2));
    ordinary->call_host(trace.add(3));  // given later: waits for the default queue
    EXPECT_FALSE(legacy->is_done(Wait::No));
    gate.open();
    finish(*ordinary);
    EXPECT_EQ(trace.numbers(), (std::vector{1, 2, 3}));
}

TEST(DefaultQueue, LeavesNonBlockingQueuesAlone) {
    const auto free = new_queue({.non_blocking = true});
    const auto legacy = new_queue({.is_default = true});
    Gate gate;
    free->call_host(gate.hold());
    HandKernel kernel("append_value", append_value, kPlain);
    std::vector<std::uint64_t> list(2);
    launch(*legacy, kernel, {1, 1, 1}, {1, 1, 1}, pack(list.data(), std::uint64_t{1}));
    finish(*legacy);
    EXPECT_EQ(list[0], 1u);
    gate.open();
    finish(*free);
}

void wait_for_flag(ThreadState*, const std::byte* arguments) {
    const auto* flag = argument<const int*>(arguments, 0);
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
}

TEST(Overlap, CopiesRunBesideTheKernelsOfOtherQueues) {
    const auto kernels = new_queue();
    const auto copies = new_queue();
    std::vector<int> target(2'000'000, 0);
    const std::vector<int> source(target.size(), 1);
    HandKernel kernel("wait_for_flag", wait_for_flag, kPlain);
    // The kernel ends only if the copy ran meanwhile.
    launch(*kernels, kernel, {1, 1, 1}, {1, 1, 1}, pack(&target.back()));
    copies->copy(address(target.data()), address(source.data()), source.size() * sizeof(int),
                 CopyKind::HostToDevice);
    finish(*copies);
    finish(*kernels);
}

TEST(HostCalls, SurfaceWhatTheyThrow) {
    const auto queue = new_queue();
    Trace trace;
    queue->call_host([] { throw std::runtime_error("from the callback"); });
    queue->call_host(trace.add(1));
    try {
        queue->is_done(Wait::Yes);
        ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "from the callback");
    }
    EXPECT_EQ(trace.numbers(), std::vector{1}) << "later work still runs";
}

TEST(HostCalls, RunOnAThreadOfTheLibrary) {
    const auto queue = new_queue();
    std::thread::id id = std::this_thread::get_id();
    queue->call_host([&] { id = std::this_thread::get_id(); });
    finish(*queue);
    EXPECT_NE(id, std::this_thread::get_id());
}

void fail_in_block(ThreadState* thread, const std::byte*) {
    if (thread->block->block_index[0] == 3) runtime(thread).trap(thread);
}

TEST(Errors, KeepTheFirstAndRunWhatFollows) {
    const auto queue = new_queue();
    HandKernel first("first", fail_in_block, kPlain);
    HandKernel second("second", fail_in_block, kPlain);
    Trace trace;
    launch(*queue, first, {8, 1, 1}, {1, 1, 1}, {});
    launch(*queue, second, {8, 1, 1}, {1, 1, 1}, {});
    queue->call_host(trace.add(1));
    EXPECT_EQ(error_of(*queue).kernel(), "first");
    EXPECT_EQ(trace.numbers(), std::vector{1});
    EXPECT_TRUE(queue->is_done(Wait::Yes));
}

TEST(Errors, StayWithTheirQueue) {
    const auto healthy = new_queue();
    const auto failing = new_queue();
    HandKernel kernel("failing", fail_in_block, kPlain);
    launch(*failing, kernel, {8, 1, 1}, {1, 1, 1}, {});
    finish(*healthy);
    EXPECT_THROW(failing->is_done(Wait::Yes), LaunchError);
}

void slow_block(ThreadState*, const std::byte* arguments) {
    __atomic_fetch_add(argument<std::uint64_t*>(arguments, 0), 1, __ATOMIC_RELAXED);
    std::this_thread::sleep_for(milliseconds(1));
}

TEST(Interrupt, StopsBetweenBlocksAndDropsWhatIsQueued) {
    const auto queue = new_queue();
    const auto event = new_event();
    HandKernel kernel("slow_block", slow_block, kPlain);
    std::uint64_t blocks = 0;
    Trace trace;
    launch(*queue, kernel, {1'000'000, 1, 1}, {1, 1, 1}, pack(&blocks));
    queue->call_host(trace.add(1));
    queue->record(*event);
    set_interrupt_handler([] { return true; });
    EXPECT_THROW(queue->is_done(Wait::Yes), Interrupted);
    set_interrupt_handler({});
    EXPECT_TRUE(trace.numbers().empty());
    EXPECT_TRUE(event->is_done(Wait::Yes)) << "no thread waits for a dropped event";
    // The device is as good as before.
    queue->call_host(trace.add(2));
    finish(*queue);
    EXPECT_EQ(trace.numbers(), std::vector{2});
    // Blocks of other threads may have ended only now.
    EXPECT_LT(blocks, 10'000u);
}

// In the middle of a block, of workers as of the thread that waits.
void endless_block(ThreadState*, const std::byte* arguments) {
    auto* const count = argument<std::uint64_t*>(arguments, 0);
    while (true) __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

// ThreadSanitizer keeps a signal that arrives in a fiber until its next call of the system, which
// such a block never makes: now and then it runs for ever.
#if defined(WARPWISE_TSAN)
constexpr bool kStopsEndlessBlocks = false;
#else
constexpr bool kStopsEndlessBlocks = true;
#endif

TEST(Interrupt, StopsBlocksThatNeverEnd) {
    if (!kStopsEndlessBlocks) GTEST_SKIP() << "signals in fibers are kept";
    HandKernel kernel("endless_block", endless_block, kPlain);
    std::uint64_t count = 0;
    const auto first = new_queue();
    const auto second = new_queue();
    launch(*first, kernel, {100, 1, 1}, {1, 1, 1}, pack(&count));
    launch(*second, kernel, {100, 1, 1}, {1, 1, 1}, pack(&count));
    int asked = 0;
    set_interrupt_handler([&] { return ++asked == 3; });
    EXPECT_THROW(first->is_done(Wait::Yes), Interrupted);
    set_interrupt_handler({});
    finish(*first);
    finish(*second);
    EXPECT_GT(count, 0u);
}

TEST(TimeLimit, FailsAKernelThatRunsForLonger) {
    if (!kStopsEndlessBlocks) GTEST_SKIP() << "signals in fibers are kept";
    HandKernel kernel("endless_block", endless_block, kPlain);
    std::uint64_t count = 0;
    const auto queue = new_queue({.time_limit = std::chrono::duration<double>(0.1)});
    launch(*queue, kernel, {2, 1, 1}, {1, 1, 1}, pack(&count));
    const auto ask_until_done = [&] {
        while (!queue->is_done(Wait::No)) std::this_thread::sleep_for(milliseconds(1));
    };
    EXPECT_THROW(ask_until_done(), LaunchError) << "the limit holds while no thread waits";
}

TEST(Queue, TakesWorkFromManyThreads) {
    constexpr int kThreads = 8;
    constexpr int kLaunches = 200;
    const auto shared = new_queue();
    HandKernel add(
        "slow_add",
        [](ThreadState*, const std::byte* arguments) {
            __atomic_fetch_add(argument<std::uint64_t*>(arguments, 0), 1, __ATOMIC_RELAXED);
        },
        kPlain);
    std::uint64_t count = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
            const auto own = new_queue();
            for (int i = 0; i < kLaunches; ++i) {
                launch(*own, add, {3, 1, 1}, {2, 1, 1}, pack(&count));
                launch(*shared, add, {3, 1, 1}, {2, 1, 1}, pack(&count));
                if (i % 10 == 0) own->is_done(Wait::Yes);
            }
            own->is_done(Wait::Yes);
            shared->is_done(Wait::Yes);
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(count, std::uint64_t{kThreads} * kLaunches * 2 * 6);
}

void print_index(ThreadState* thread, const std::byte* arguments) {
    const struct {
        std::uint32_t block, thread;
    } values{thread->block->block_index[0], thread->linear_index};
    runtime(thread).printf(thread, argument<const char*>(arguments, 0), &values);
}

class OutputCapture {
  public:
    OutputCapture() {
        previous_ = set_output_handler([this](std::string_view text) {
            text_ += text;
            thread_ = std::this_thread::get_id();
        });
    }
    ~OutputCapture() { set_output_handler(previous_); }
    std::string text_;
    std::thread::id thread_;

  private:
    OutputHandler previous_;
};

constexpr std::uint32_t kPrints = kKernelCallsRuntime | kKernelPrints;

TEST(Output, ComesInBlockOrderOnTheThreadThatWaits) {
    for (std::uint32_t flags : {kPlain | kPrints, kFibers | kPrints}) {
        OutputCapture output;
        const auto queue = new_queue();
        HandKernel kernel("print_index", print_index, flags);
        launch(*queue, kernel, {300, 1, 1}, {3, 1, 1}, pack("%u:%u "));
        finish(*queue);
        std::string expected;
        for (int b = 0; b < 300; ++b) {
            for (int t = 0; t < 3; ++t) {
                expected += std::to_string(b) + ":" + std::to_string(t) + " ";
            }
        }
        EXPECT_EQ(output.text_, expected);
        EXPECT_EQ(output.thread_, std::this_thread::get_id());
    }
}

TEST(Output, OfAFailedLaunchIsStillDelivered) {
    OutputCapture output;
    const auto queue = new_queue();
    HandKernel kernel(
        "print_and_trap",
        [](ThreadState* thread, const std::byte*) {
            runtime(thread).printf(thread, "before\n", nullptr);
            runtime(thread).trap(thread);
        },
        kPlain | kPrints);
    launch(*queue, kernel, {1, 1, 1}, {1, 1, 1}, {});
    EXPECT_THROW(queue->is_done(Wait::Yes), LaunchError);
    EXPECT_EQ(output.text_, "before\n");
}

TEST(Output, IsBounded) {
    OutputCapture output;
    const auto queue = new_queue();
    HandKernel kernel(
        "print_much",
        [](ThreadState* thread, const std::byte*) {
            const struct {
                std::int32_t width, value;
            } values{4000, 1};
            for (int i = 0; i < 100; ++i) runtime(thread).printf(thread, "%*d", &values);
        },
        kPlain | kPrints);
    launch(*queue, kernel, {180, 1, 1}, {1, 1, 1}, {});
    while (!queue->is_done(Wait::No)) std::this_thread::yield();  // no thread fetches
    finish(*queue);
    EXPECT_LT(output.text_.size(), std::size_t{66} << 20);
    EXPECT_THAT(output.text_.substr(output.text_.size() - 100), HasSubstr("output dropped"));
}

}  // namespace
}  // namespace warpwise::cpu::test
