// Faults in kernels become errors that name kernel, block and thread; the process, and the fault
// handlers of others, live on.
#include "src/backends/cpu/host/faults.hpp"

#include <atomic>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <thread>

#include "tests/unit/backends/cpu/device_test.hpp"

namespace warpwise::cpu::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

constexpr Extent kGrid{4, 1, 1};
constexpr Extent kBlock{8, 2, 1};

void add_one(ThreadState* thread, const std::byte* arguments) {
    __atomic_fetch_add(argument<int*>(arguments, 0), thread != nullptr, __ATOMIC_RELAXED);
}

// Launches, expects the error, and sees that the next launch on the same stream works.
LaunchError fault_of(KernelEntry entry, std::uint32_t flags,
                     const std::vector<std::byte>& arguments = {}) {
    const auto queue = new_queue();
    HandKernel kernel("faulty", entry, flags);
    launch(*queue, kernel, kGrid, kBlock, arguments);
    const LaunchError error = error_of(*queue);
    int count = 0;
    HandKernel healthy("add_one", add_one, flags);
    launch(*queue, healthy, kGrid, kBlock, pack(&count));
    finish(*queue);
    EXPECT_EQ(count, 64);
    return error;
}

class Faults : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(PlainAndFibers, Faults, testing::Values(kPlain, kFibers),
                         [](const auto& info) {
                             return info.param == kPlain ? "Plain" : "Fibers";
                         });

bool is_chosen(const ThreadState* thread) {
    return thread->block->block_index[0] == 2 && thread->thread_index[0] == 5 &&
           thread->thread_index[1] == 1;
}

void write_through(ThreadState* thread, const std::byte* arguments) {
    if (is_chosen(thread)) *argument<volatile int*>(arguments, 0) = 1;
}

TEST_P(Faults, NameAddressKernelBlockAndThreadOfAWrite) {
    const LaunchError error = fault_of(write_through, GetParam(), pack(std::uint64_t{0x40}));
    EXPECT_STREQ(error.what(),
                 "kernel 'faulty': write of invalid address 0x40, in block (2, 0, 0), thread (5, "
                 "1, 0)");
    EXPECT_EQ(error.kernel(), "faulty");
    EXPECT_EQ(error.block(), (LaunchError::Index{2, 0, 0}));
    EXPECT_EQ(error.thread(), (LaunchError::Index{5, 1, 0}));
}

void read_through(ThreadState* thread, const std::byte* arguments) {
    if (is_chosen(thread)) static_cast<void>(*argument<const volatile int*>(arguments, 0));
}

TEST_P(Faults, NameTheAddressOfARead) {
    const LaunchError error = fault_of(read_through, GetParam(), pack(std::uint64_t{0x1000}));
    EXPECT_THAT(error.what(), HasSubstr("read of invalid address 0x1000"));
}

TEST_P(Faults, KnowWildAddressesTheProcessorDoesNotTell) {
    const std::uint64_t wild = 0xdead'beef'0000'0000;  // not canonical: no page fault
    const LaunchError error = fault_of(read_through, GetParam(), pack(wild));
    EXPECT_THAT(error.what(), HasSubstr("access to an invalid address"));
}

void call_through(ThreadState* thread, const std::byte* arguments) {
    if (is_chosen(thread)) argument<void (*)()>(arguments, 0)();
}

TEST_P(Faults, CatchCallsThroughWildPointers) {
    const LaunchError error = fault_of(call_through, GetParam(), pack(std::uint64_t{0x10}));
    EXPECT_THAT(error.what(), HasSubstr("invalid address 0x10"));
}

void copy_from(ThreadState* thread, const std::byte* arguments) {
    char local[64];
    if (is_chosen(thread)) std::memcpy(local, argument<const char*>(arguments, 0), sizeof(local));
    asm volatile("" : : "r"(local) : "memory");
}

TEST_P(Faults, CatchFaultsInLeafFunctions) {
    const LaunchError error = fault_of(copy_from, GetParam(), pack(std::uint64_t{0x80}));
    EXPECT_THAT(error.what(), HasSubstr("read of invalid address"));
}

void call_trap(ThreadState* thread, const std::byte*) {
    if (is_chosen(thread)) runtime(thread).trap(thread);
}

TEST_P(Faults, ReportTraps) {
    EXPECT_THAT(fault_of(call_trap, GetParam()).what(),
                AllOf(HasSubstr("__trap() was called"), HasSubstr("thread (5, 1, 0)")));
}

void illegal_instruction(ThreadState* thread, const std::byte*) {
    if (is_chosen(thread)) asm volatile("ud2");
}

TEST_P(Faults, ReportCodeThatCannotBeReached) {
    EXPECT_THAT(fault_of(illegal_instruction, GetParam()).what(), HasSubstr("trap"));
}

void divide(ThreadState* thread, const std::byte*) {
    if (!is_chosen(thread)) return;
    asm volatile(
        "xor %%edx, %%edx\n\t"
        "mov $1, %%eax\n\t"
        "xor %%ecx, %%ecx\n\t"
        "div %%ecx"
        :
        :
        : "eax", "ecx", "edx");
}

TEST_P(Faults, ReportArithmeticFaults) {
    EXPECT_THAT(fault_of(divide, GetParam()).what(), HasSubstr("arithmetic fault"));
}

void fail_assertion(ThreadState* thread, const std::byte*) {
    if (is_chosen(thread)) {
        runtime(thread).assert_fail(thread, "n > 0", "user.cu", 17, "void k(int)");
    }
}

TEST_P(Faults, ReportAssertionsWithTheirPlace) {
    EXPECT_THAT(fault_of(fail_assertion, GetParam()).what(),
                AllOf(HasSubstr("assertion 'n > 0' failed at user.cu:17"),
                      HasSubstr("block (2, 0, 0), thread (5, 1, 0)")));
}

__attribute__((noinline)) int recurse(int depth) {
    volatile char frame[512];
    frame[depth % 512] = static_cast<char>(depth);
    return depth == -1 ? 0 : recurse(depth + 1) + frame[(depth + 1) % 512];
}

void endless_recursion(ThreadState* thread, const std::byte* arguments) {
    if (is_chosen(thread)) *argument<volatile int*>(arguments, 0) = recurse(0);
}

TEST_P(Faults, CatchEndlessRecursion) {
    int sink = 0;
    EXPECT_THAT(fault_of(endless_recursion, GetParam(), pack(&sink)).what(),
                AllOf(HasSubstr("endless recursion or too large local arrays"),
                      HasSubstr("thread (5, 1, 0)")));
}

// Runs blocks by themselves, as compiled code does; `mark` lives while a gang of one thread runs.
template <bool kMarks>
void run_blocks(ThreadState* thread, const std::byte* arguments, std::uint32_t count) {
    const BlockState& block = *thread->block;
    const std::uint32_t first = block.block_index[0];
    [[maybe_unused]] volatile std::uint64_t earlier[2] = {};  // as marks stay on the stack
    for (std::uint64_t place = std::uint64_t{first} << kPlaceBlockShift;
         place >> kPlaceBlockShift < first + count; place += std::uint64_t{1} << kPlaceBlockShift) {
        for (std::uint32_t linear = 0; linear < block.thread_count; ++linear) {
            std::uint64_t mark = kMarks ? (place + linear) ^ thread->place_key : 0;
            asm volatile("" : "+r"(mark));
            const bool is_faulty = place >> kPlaceBlockShift == 2 && linear == 13;
            if (is_faulty) *argument<volatile int*>(arguments, 0) = 1;
            asm volatile("" : : "r"(mark));
            if (linear < 2) earlier[linear] = mark;
        }
    }
}

template <bool kMarks>
LaunchError fault_of_block_runs() {
    auto entry = reinterpret_cast<KernelEntry>(reinterpret_cast<void (*)()>(&run_blocks<kMarks>));
    const auto queue = new_queue();
    HandKernel kernel("faulty", entry, kKernelRunsBlocks);
    launch(*queue, kernel, kGrid, kBlock, pack(std::uint64_t{0x40}));
    return error_of(*queue);
}

TEST(FaultsOfBlockRuns, NameTheThreadByItsMark) {
    EXPECT_STREQ(fault_of_block_runs<true>().what(),
                 "kernel 'faulty': write of invalid address 0x40, in block (2, 0, 0), thread (5, "
                 "1, 0)");
}

TEST(FaultsOfBlockRuns, NameTheRunWhereNoMarkIsFound) {
    const LaunchError error = fault_of_block_runs<false>();
    EXPECT_THAT(error.what(), HasSubstr("write of invalid address 0x40, in one of the blocks ("));
    EXPECT_FALSE(error.block().has_value());
}

void bad_format(ThreadState* thread, const std::byte* arguments) {
    if (is_chosen(thread))
        runtime(thread).printf(thread, argument<const char*>(arguments, 0), nullptr);
}

TEST_P(Faults, CatchAWildFormatOfPrintf) {
    EXPECT_THAT(
        fault_of(bad_format, GetParam() | kKernelCallsRuntime, pack(std::uint64_t{0x20})).what(),
        HasSubstr("read of invalid address 0x20"));
}

void fault_everywhere(ThreadState* thread, const std::byte* arguments) {
    __atomic_fetch_add(argument<std::uint64_t*>(arguments, 0), 1, __ATOMIC_RELAXED);
    runtime(thread).trap(thread);
}

TEST(Fault, AbandonsTheBlocksNotYetStarted) {
    const auto queue = new_queue();
    HandKernel kernel("fault_everywhere", fault_everywhere, kPlain);
    std::uint64_t started = 0;
    launch(*queue, kernel, {1'000'000, 1, 1}, {1, 1, 1}, pack(&started));
    EXPECT_EQ(error_of(*queue).block(), (LaunchError::Index{0, 0, 0}));
    EXPECT_LT(started, 1000u);
}

void fault_late_below(ThreadState* thread, const std::byte* arguments) {
    auto& first_is_running = *argument<std::atomic<bool>*>(arguments, 0);
    auto& another_has_failed = *argument<std::atomic<bool>*>(arguments, 1);
    if (thread->block->block_index[0] == 0) {
        first_is_running = true;
        const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
        while (!another_has_failed && std::chrono::steady_clock::now() < limit)
            std::this_thread::yield();
    } else {
        another_has_failed = true;
    }
    runtime(thread).trap(thread);
}

TEST(Fault, OfTheLowestBlockIsReportedWhicheverCameFirst) {
    const auto queue = new_queue();
    HandKernel kernel("fault_late_below", fault_late_below, kPlain);
    for (int round = 0; round < 20; ++round) {
        std::atomic<bool> first_is_running = false, another_has_failed = false;
        launch(*queue, kernel, {1000, 1, 1}, {1, 1, 1},
               pack(&first_is_running, &another_has_failed));
        EXPECT_EQ(error_of(*queue).block(), (LaunchError::Index{0, 0, 0}));
        EXPECT_TRUE(first_is_running);
    }
}

TEST(Fault, SurfacesOnce) {
    const auto queue = new_queue();
    HandKernel kernel("faulty", call_trap, kPlain);
    launch(*queue, kernel, kGrid, kBlock, {});
    EXPECT_THROW(queue->is_done(runtime::Wait::Yes), LaunchError);
    EXPECT_TRUE(queue->is_done(runtime::Wait::Yes));
}

// A foreign handler, as a garbage collector or another runtime would have one.
sigjmp_buf g_escape;
volatile std::sig_atomic_t g_foreign_calls = 0;

void foreign_handler(int) {
    g_foreign_calls = g_foreign_calls + 1;
    siglongjmp(g_escape, 1);
}

// Writes to an address no process has; the compiler does not know that.
void write_to_nowhere() {
    std::uintptr_t address = 0x60;
    asm volatile("" : "+r"(address));
    *reinterpret_cast<volatile int*>(address) = 1;
}

void fault_outside_of_kernels() {
    if (sigsetjmp(g_escape, 1) == 0) write_to_nowhere();
}

class ForeignHandler {
  public:
    ForeignHandler() {
        struct sigaction action = {};
        action.sa_handler = &foreign_handler;
        sigemptyset(&action.sa_mask);
        sigaction(SIGSEGV, &action, &previous_);
        g_foreign_calls = 0;
    }
    ~ForeignHandler() { sigaction(SIGSEGV, &previous_, nullptr); }

  private:
    struct sigaction previous_ = {};
};

TEST(ForeignHandlers, GetTheFaultsThatAreNotOurs) {
    const ForeignHandler handler;
    fault_outside_of_kernels();
    EXPECT_EQ(g_foreign_calls, 1);
    // A launch puts our handler on top; theirs is still called.
    fault_of(write_through, kPlain, pack(std::uint64_t{0x40}));
    EXPECT_EQ(g_foreign_calls, 1) << "a kernel's fault is ours";
    fault_outside_of_kernels();
    EXPECT_EQ(g_foreign_calls, 2);
}

TEST(ForeignHandlers, AreFoundBeforeSmallArraysByTheNextTickOfTheClock) {
    ensure_recent_fault_handler();
    const ForeignHandler handler;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ensure_recent_fault_handler();
    struct sigaction current = {};
    sigaction(SIGSEGV, nullptr, &current);
    EXPECT_NE(current.sa_handler, &foreign_handler);
}

// Puts itself out of the way and raises again, as Python's faulthandler does.
struct sigaction g_before;
void passing_handler(int signal) {
    g_foreign_calls = g_foreign_calls + 1;
    sigaction(signal, &g_before, nullptr);
    raise(signal);
}

TEST(ForeignHandlersDeathTest, MayPassAFaultOnToTheSystem) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            ensure_fault_handler(next_launch_number());
            struct sigaction action = {};
            action.sa_handler = &passing_handler;
            action.sa_flags = SA_NODEFER;
            sigaction(SIGSEGV, &action, &g_before);
            fault_of(write_through, kPlain, pack(std::uint64_t{0x40}));
            write_to_nowhere();
        },
        testing::KilledBySignal(SIGSEGV), "");
}

TEST(ForeignHandlersDeathTest, LetTheSystemEndAProcessWithoutThem) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            fault_of(write_through, kPlain, pack(std::uint64_t{0x40}));
            write_to_nowhere();
        },
        testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace warpwise::cpu::test
