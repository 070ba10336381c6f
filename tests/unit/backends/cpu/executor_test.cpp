// The reference executor: indices, barriers, warp operations, deadlocks, cooperative grids.
#include <xmmintrin.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "tests/unit/backends/cpu/device_test.hpp"

namespace warpwise::cpu::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Launches on a new queue and waits.
void run(HandKernel& kernel, Extent grid, Extent block, const std::vector<std::byte>& arguments,
         bool cooperative = false) {
    const auto queue = new_queue();
    launch(*queue, kernel, grid, block, arguments, cooperative);
    finish(*queue);
}

std::string error_message(HandKernel& kernel, Extent grid, Extent block,
                          const std::vector<std::byte>& arguments, bool cooperative = false) {
    const auto queue = new_queue();
    launch(*queue, kernel, grid, block, arguments, cooperative);
    return error_of(*queue).what();
}

void count_visit(ThreadState* thread, const std::byte* arguments) {
    const BlockState& b = *thread->block;
    const std::uint32_t blocks =
        b.block_index[0] + b.grid_dim[0] * (b.block_index[1] + b.grid_dim[1] * b.block_index[2]);
    const std::uint32_t linear =
        thread->thread_index[0] +
        b.block_dim[0] * (thread->thread_index[1] + b.block_dim[1] * thread->thread_index[2]);
    if (linear != thread->linear_index) return;
    auto* visits = argument<int*>(arguments, 0);
    ++visits[std::size_t{blocks} * b.thread_count + linear];
}

TEST(Executor, VisitsEveryThreadOfAThreeDimensionalGridOnce) {
    for (std::uint32_t flags : {kPlain, kFibers}) {
        HandKernel kernel("count_visit", count_visit, flags);
        std::vector<int> visits(3 * 2 * 2 * 5 * 3 * 2);
        run(kernel, {3, 2, 2}, {5, 3, 2}, pack(visits.data()));
        EXPECT_EQ(std::count(visits.begin(), visits.end(), 1),
                  static_cast<std::ptrdiff_t>(visits.size()));
    }
}

TEST(Executor, RunsLargeGrids) {
    HandKernel kernel("count_visit", count_visit, kPlain);
    std::vector<int> visits(100'000 * 4);
    run(kernel, {100'000, 1, 1}, {4, 1, 1}, pack(visits.data()));
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 400'000);
}

TEST(Executor, UsesAStackAgainAndAgain) {
    HandKernel kernel("count_visit", count_visit, kFibers);
    std::vector<int> visits(200'000 * 2);
    run(kernel, {200'000, 1, 1}, {2, 1, 1}, pack(visits.data()));
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 400'000);
}

void many_arguments(ThreadState*, const std::byte* arguments) {
    std::uint64_t sum = 0;
    for (std::size_t i = 1; i < 201; ++i) sum += argument<std::uint64_t>(arguments, i);
    *argument<std::uint64_t*>(arguments, 0) = sum;
}

TEST(Executor, PassesTwoHundredArguments) {
    std::uint64_t sum = 0;
    auto arguments = pack(&sum);
    for (std::uint64_t i = 1; i <= 200; ++i) {
        const auto one = pack(i);
        arguments.insert(arguments.end(), one.begin(), one.end());
    }
    HandKernel kernel("many_arguments", many_arguments, kPlain);
    run(kernel, {1, 1, 1}, {1, 1, 1}, arguments);
    EXPECT_EQ(sum, 200u * 201 / 2);
}

void halve_denormal(ThreadState*, const std::byte* arguments) {
    volatile float smallest = 1e-44f;  // a denormal: a flushing thread makes it 0
    *argument<volatile float*>(arguments, 0) = smallest / 2;
}

TEST(Executor, KeepsDenormalsOnThreadsThatFlushThem) {
    HandKernel kernel("halve_denormal", halve_denormal, kPlain);
    constexpr unsigned kFlushAll = 0x8040;
    const unsigned mode = _mm_getcsr();
    _mm_setcsr(mode | kFlushAll);
    float half = 0;
    for (int i = 0; i < 20; ++i) {  // until this thread has run one of them
        run(kernel, {1, 1, 1}, {1, 1, 1}, pack(&half));
        EXPECT_EQ(std::bit_cast<std::uint32_t>(half), 4u);
    }
    EXPECT_EQ(_mm_getcsr() & kFlushAll, kFlushAll) << "the thread keeps its own mode";
    _mm_setcsr(mode);
}

// A tree sum in shared memory, as in every introduction to CUDA.
void tree_sum(ThreadState* thread, const std::byte* arguments) {
    auto* shared = reinterpret_cast<int*>(thread->block->shared);
    const std::uint32_t i = thread->linear_index;
    shared[i] = argument<const int*>(arguments, 0)[global_index(thread)];
    for (std::uint32_t half = thread->block->thread_count / 2; half > 0; half /= 2) {
        runtime(thread).barrier(thread, 0, 0);
        if (i < half) shared[i] += shared[i + half];
    }
    if (i == 0) argument<int*>(arguments, 1)[thread->block->block_index[0]] = shared[0];
}

TEST(Barriers, OrderSharedMemory) {
    HandKernel kernel("tree_sum", tree_sum, kFibers, 1024 * sizeof(int));
    std::vector<int> input(16 * 1024);
    std::iota(input.begin(), input.end(), 0);
    std::vector<int> sums(16);
    run(kernel, {16, 1, 1}, {1024, 1, 1}, pack(input.data(), sums.data()));
    for (int b = 0; b < 16; ++b) {
        EXPECT_EQ(sums[b], 1024 * (b * 1024) + 1023 * 512) << "block " << b;
    }
}

void leave_before_barrier(ThreadState* thread, const std::byte* arguments) {
    if (thread->linear_index % 3 == 0) return;
    auto* shared = reinterpret_cast<int*>(thread->block->shared);
    if (thread->linear_index == 1) *shared = 42;
    runtime(thread).barrier(thread, 0, 0);
    argument<int*>(arguments, 0)[thread->linear_index] = *shared;
}

TEST(Barriers, CountExitedThreadsAsArrived) {
    HandKernel kernel("leave_before_barrier", leave_before_barrier, kFibers, 16);
    std::vector<int> seen(100);
    run(kernel, {1, 1, 1}, {100, 1, 1}, pack(seen.data()));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[i], i % 3 == 0 ? 0 : 42);
}

void barriers_in_loops(ThreadState* thread, const std::byte* arguments) {
    auto* counter = argument<int*>(arguments, 0);
    for (int outer = 0; outer < 5; ++outer) {
        for (int inner = 0; inner < outer; ++inner) {
            if (thread->linear_index == 0) ++*counter;
            runtime(thread).barrier(thread, 0, 0);
            if (*counter % 1000 != 10 * 0 + outer * (outer - 1) / 2 + inner + 1) *counter += 1000;
            runtime(thread).barrier(thread, 0, 0);
        }
    }
}

TEST(Barriers, WorkInNestedLoops) {
    HandKernel kernel("barriers_in_loops", barriers_in_loops, kFibers);
    int counter = 0;
    run(kernel, {1, 1, 1}, {64, 1, 1}, pack(&counter));
    EXPECT_EQ(counter, 10);
}

void different_barriers(ThreadState* thread, const std::byte* arguments) {
    // Textually different calls are the same barrier.
    if (thread->linear_index % 2 == 0) {
        runtime(thread).barrier(thread, 0, 0);
    } else {
        runtime(thread).barrier(thread, 0, 0);
    }
    ++argument<int*>(arguments, 0)[thread->linear_index];
}

TEST(Barriers, MeetFromDifferentPlaces) {
    HandKernel kernel("different_barriers", different_barriers, kFibers);
    std::vector<int> seen(10);
    run(kernel, {1, 1, 1}, {10, 1, 1}, pack(seen.data()));
    EXPECT_EQ(seen, std::vector<int>(10, 1));
}

void reduce_at_barrier(ThreadState* thread, const std::byte* arguments) {
    const auto op = static_cast<std::uint32_t>(argument<std::uint64_t>(arguments, 1));
    const auto limit = static_cast<std::uint32_t>(argument<std::uint64_t>(arguments, 2));
    const int predicate = thread->linear_index < limit ? 7 : 0;  // any non-zero value counts once
    argument<int*>(arguments, 0)[thread->linear_index] =
        runtime(thread).barrier_reduce(thread, op, predicate);
}

TEST(Barriers, CountAndAndOrPredicates) {
    HandKernel kernel("reduce_at_barrier", reduce_at_barrier, kFibers);
    const auto result = [&](std::uint64_t op, std::uint64_t limit) {
        std::vector<int> seen(50, -1);
        run(kernel, {1, 1, 1}, {50, 1, 1}, pack(seen.data(), op, limit));
        EXPECT_EQ(std::count(seen.begin(), seen.end(), seen[0]), 50);
        return seen[0];
    };
    EXPECT_EQ(result(kBarrierCount, 20), 20);
    EXPECT_EQ(result(kBarrierAnd, 50), 1);
    EXPECT_EQ(result(kBarrierAnd, 49), 0);
    EXPECT_EQ(result(kBarrierOr, 1), 1);
    EXPECT_EQ(result(kBarrierOr, 0), 0);
}

// Warp 0 produces, warp 1 consumes, over two named barriers.
void producer_consumer(ThreadState* thread, const std::byte* arguments) {
    auto* shared = reinterpret_cast<int*>(thread->block->shared);
    auto* out = argument<int*>(arguments, 0);
    const std::uint32_t lane = thread->linear_index % 32;
    for (int round = 0; round < 4; ++round) {
        if (thread->linear_index < 32) {
            shared[lane] = round * 100 + static_cast<int>(lane);
            runtime(thread).barrier_arrive(thread, 1, 64);
            runtime(thread).barrier(thread, 2, 64);
        } else {
            runtime(thread).barrier(thread, 1, 64);
            out[round * 32 + static_cast<int>(lane)] = shared[lane];
            runtime(thread).barrier(thread, 2, 64);
        }
    }
}

TEST(Barriers, NamedOnesPairProducersWithConsumers) {
    HandKernel kernel("producer_consumer", producer_consumer, kFibers, 32 * sizeof(int));
    std::vector<int> out(4 * 32);
    run(kernel, {1, 1, 1}, {64, 1, 1}, pack(out.data()));
    for (int i = 0; i < 128; ++i) EXPECT_EQ(out[i], i / 32 * 100 + i % 32);
}

struct ShuffleCase {
    std::uint32_t mode, mask, operand, width;
};

void shuffle(ThreadState* thread, const std::byte* arguments) {
    const auto& test = *argument<const ShuffleCase*>(arguments, 0);
    if ((test.mask >> thread->linear_index & 1) == 0) return;
    const std::uint32_t value = 100 + thread->linear_index;
    argument<std::uint32_t*>(arguments, 1)[thread->linear_index] =
        runtime(thread).shuffle32(thread, test.mode, test.mask, value, test.operand, test.width);
    const std::uint64_t wide = (std::uint64_t{value} << 40) + 1;
    argument<std::uint64_t*>(arguments, 2)[thread->linear_index] =
        runtime(thread).shuffle64(thread, test.mode, test.mask, wide, test.operand, test.width);
}

// The lane each lane reads, by CUDA's description of the four modes.
std::uint32_t expected_source(const ShuffleCase& c, std::uint32_t lane) {
    const std::uint32_t segment = lane / c.width * c.width;
    const int place = static_cast<int>(lane - segment);
    const int width = static_cast<int>(c.width);
    int source = place;
    if (c.mode == kShuffleIndex) source = static_cast<int>(c.operand % c.width);
    if (c.mode == kShuffleUp) source = place - static_cast<int>(c.operand);
    if (c.mode == kShuffleDown) source = place + static_cast<int>(c.operand);
    if (c.mode == kShuffleXor) {
        const std::uint32_t absolute = lane ^ c.operand;
        return absolute >= segment + c.width ? lane : absolute;
    }
    return source < 0 || source >= width ? lane : segment + static_cast<std::uint32_t>(source);
}

TEST(WarpOperations, ShuffleInAllModesAndWidths) {
    HandKernel kernel("shuffle", shuffle, kFibers);
    for (std::uint32_t mode : {kShuffleIndex, kShuffleUp, kShuffleDown, kShuffleXor}) {
        for (std::uint32_t width : {1u, 2u, 4u, 8u, 16u, 32u}) {
            for (std::uint32_t operand : {0u, 1u, 3u, 8u, 31u}) {
                const ShuffleCase test{mode, ~0u, operand, width};
                std::vector<std::uint32_t> narrow(32);
                std::vector<std::uint64_t> wide(32);
                run(kernel, {1, 1, 1}, {32, 1, 1}, pack(&test, narrow.data(), wide.data()));
                for (std::uint32_t lane = 0; lane < 32; ++lane) {
                    const std::uint32_t value = 100 + expected_source(test, lane);
                    ASSERT_EQ(narrow[lane], value) << "mode " << mode << " width " << width
                                                   << " operand " << operand << " lane " << lane;
                    ASSERT_EQ(wide[lane], (std::uint64_t{value} << 40) + 1);
                }
            }
        }
    }
}

TEST(WarpOperations, ShuffleAmongTheLanesOfAMaskOnly) {
    HandKernel kernel("shuffle", shuffle, kFibers);
    const ShuffleCase test{kShuffleDown, 0x0000ff00u, 1, 32};
    std::vector<std::uint32_t> narrow(32);
    std::vector<std::uint64_t> wide(32);
    run(kernel, {1, 1, 1}, {32, 1, 1}, pack(&test, narrow.data(), wide.data()));
    for (std::uint32_t lane = 8; lane < 15; ++lane) EXPECT_EQ(narrow[lane], 101 + lane);
    EXPECT_EQ(narrow[15], 115u) << "the source takes no part: the own value";
}

struct VoteResults {
    std::uint32_t ballot[64], any[64], all_same[64], all_differ[64], reduced[8][64];
};

void vote(ThreadState* thread, const std::byte* arguments) {
    auto& r = *argument<VoteResults*>(arguments, 0);
    const std::uint32_t i = thread->linear_index;
    const std::uint32_t full = ~0u;
    r.ballot[i] = runtime(thread).ballot(thread, full, i % 3 == 0);
    r.any[i] = runtime(thread).match_any(thread, full, i / 4);
    r.all_same[i] = runtime(thread).match_all(thread, full, 5);
    r.all_differ[i] = runtime(thread).match_all(thread, full, i);
    for (std::uint32_t op = 0; op < 8; ++op) {
        r.reduced[op][i] = runtime(thread).reduce(thread, op, full, i - 3);
    }
    runtime(thread).syncwarp(thread, full);
}

TEST(WarpOperations, VoteMatchAndReduce) {
    HandKernel kernel("vote", vote, kFibers);
    const auto results = std::make_unique<VoteResults>();
    run(kernel, {1, 1, 1}, {64, 1, 1}, pack(results.get()));
    const VoteResults& r = *results;
    for (std::uint32_t i = 0; i < 64; ++i) {
        const std::uint32_t first = i / 32 * 32;
        std::uint32_t ballot = 0;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            if ((first + lane) % 3 == 0) ballot |= 1u << lane;
        }
        EXPECT_EQ(r.ballot[i], ballot);
        EXPECT_EQ(r.any[i], 0xfu << (i % 32 / 4 * 4));
        EXPECT_EQ(r.all_same[i], ~0u);
        EXPECT_EQ(r.all_differ[i], 0u);
    }
    // Lanes that do not exist take no part, though the mask names them.
    HandKernel partial("vote", vote, kFibers);
    run(partial, {1, 1, 1}, {10, 1, 1}, pack(results.get()));
    EXPECT_EQ(r.all_same[9], 0x3ffu);
    EXPECT_EQ(r.all_differ[9], 0u);
    run(kernel, {1, 1, 1}, {64, 1, 1}, pack(results.get()));
    // Lanes 0 to 31 reduce the values -3 to 28.
    EXPECT_EQ(r.reduced[kReduceAdd][0], 400u);
    EXPECT_EQ(r.reduced[kReduceMinS][0], static_cast<std::uint32_t>(-3));
    EXPECT_EQ(r.reduced[kReduceMaxS][0], 28u);
    EXPECT_EQ(r.reduced[kReduceMinU][0], 0u);
    EXPECT_EQ(r.reduced[kReduceMaxU][0], static_cast<std::uint32_t>(-1));
    EXPECT_EQ(r.reduced[kReduceAnd][32], 0u);
    EXPECT_EQ(r.reduced[kReduceOr][32], 63u);
    EXPECT_EQ(r.reduced[kReduceXor][32], 32u);  // of 29 to 60
}

void ballot_with_exits(ThreadState* thread, const std::byte* arguments) {
    if (thread->linear_index >= 10) return;
    argument<std::uint32_t*>(arguments, 0)[thread->linear_index] =
        runtime(thread).ballot(thread, ~0u, 1);
}

TEST(WarpOperations, IgnoreExitedAndMissingLanes) {
    HandKernel kernel("ballot_with_exits", ballot_with_exits, kFibers);
    std::vector<std::uint32_t> seen(10);
    run(kernel, {1, 1, 1}, {40, 1, 1}, pack(seen.data()));
    EXPECT_EQ(seen, std::vector<std::uint32_t>(10, 0x3ff));
}

void divergent_activemask(ThreadState* thread, const std::byte* arguments) {
    auto* seen = argument<std::uint32_t*>(arguments, 0);
    if (thread->linear_index < 12) {
        asm volatile("# one place");  // or the host's compiler makes one call of the two
        seen[thread->linear_index] = runtime(thread).activemask(thread);
        seen[thread->linear_index] += runtime(thread).reduce(thread, kReduceAdd, 0xfff, 0);
    } else {
        asm volatile("# another place");
        seen[thread->linear_index] = runtime(thread).activemask(thread);
    }
    runtime(thread).barrier(thread, 0, 0);
}

TEST(WarpOperations, ActiveMaskNamesTheLanesAtTheSamePlace) {
    HandKernel kernel("divergent_activemask", divergent_activemask, kFibers);
    std::vector<std::uint32_t> seen(32);
    run(kernel, {1, 1, 1}, {32, 1, 1}, pack(seen.data()));
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(seen[lane], lane < 12 ? 0x00000fffu : 0xfffff000u);
    }
}

void outside_its_mask(ThreadState* thread, const std::byte*) {
    runtime(thread).ballot(thread, 0x7, 1);
}

TEST(WarpOperations, RefuseALaneOutsideItsMask) {
    HandKernel kernel("outside_its_mask", outside_its_mask, kFibers);
    EXPECT_THAT(error_message(kernel, {1, 1, 1}, {32, 1, 1}, {}),
                AllOf(HasSubstr("kernel 'outside_its_mask'"), HasSubstr("lane 3 "),
                      HasSubstr("0x00000007"), HasSubstr("thread (3, 0, 0)")));
}

void stuck(ThreadState* thread, const std::byte*) {
    if (thread->linear_index < 4) return;
    if (thread->linear_index < 32) {
        runtime(thread).barrier(thread, 0, 0);
    } else {
        runtime(thread).ballot(thread, thread->linear_index == 32 ? ~0u : 0xfffffffeu, 1);
        runtime(thread).barrier(thread, 3, 128);
    }
}

TEST(Deadlocks, NameWhoWaitsWhereAndWhoHasExited) {
    HandKernel kernel("stuck", stuck, kFibers);
    EXPECT_THAT(error_message(kernel, {1, 1, 1}, {64, 1, 1}, {}),
                AllOf(HasSubstr("kernel 'stuck': deadlock"), HasSubstr("threads 0-3: exited"),
                      HasSubstr("threads 4-31: waiting at __syncthreads"),
                      HasSubstr("thread 32: waiting in a warp vote with mask 0xffffffff"),
                      HasSubstr("threads 33-63: waiting at barrier 3 for 128 threads"),
                      HasSubstr("block (0, 0, 0)")));
}

void spin_lock(ThreadState* thread, const std::byte* arguments) {
    auto* lock = argument<int*>(arguments, 0);
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0)
        runtime(thread).yield(thread, nullptr);
    runtime(thread).yield(thread, nullptr);  // inside the critical section: others must spin
    ++*argument<int*>(arguments, 1);
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

TEST(Yield, LetsLanesWaitForEachOtherThroughMemory) {
    HandKernel kernel("spin_lock", spin_lock, kFibers);
    int lock = 0;
    int count = 0;
    run(kernel, {4, 1, 1}, {96, 1, 1}, pack(&lock, &count));
    EXPECT_EQ(count, 4 * 96);
}

// Each block adds its neighbour's value of the round before.
void grid_rounds(ThreadState* thread, const std::byte* arguments) {
    auto* values = argument<std::uint64_t*>(arguments, 0);
    const std::uint32_t blocks = thread->block->grid_dim[0];
    const std::uint32_t own = thread->block->block_index[0];
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t neighbour = values[(own + 1) % blocks];
        runtime(thread).grid_sync(thread);
        if (thread->linear_index == 0) values[own] += neighbour;
        runtime(thread).grid_sync(thread);
    }
}

TEST(CooperativeLaunch, SynchronisesAllBlocks) {
    HandKernel kernel("grid_rounds", grid_rounds, kFibers | kKernelSyncsGrid);
    std::vector<std::uint64_t> values(20, 1);
    run(kernel, {20, 1, 1}, {8, 1, 1}, pack(values.data()), true);
    EXPECT_EQ(values, std::vector<std::uint64_t>(20, 1024));
}

// The same with a barrier made by hand: each block counts itself in and waits for the others.
void counted_rounds(ThreadState* thread, const std::byte* arguments) {
    auto* values = argument<std::uint64_t*>(arguments, 0);
    auto* arrived = argument<std::uint32_t*>(arguments, 1);
    const std::uint32_t blocks = thread->block->grid_dim[0];
    const std::uint32_t own = thread->block->block_index[0];
    std::uint32_t goal = 0;
    const auto meet = [&] {
        goal += blocks;
        runtime(thread).barrier(thread, 0, 0);
        if (thread->linear_index == 0) {
            __atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL);
            while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < goal)
                runtime(thread).yield(thread, nullptr);
        }
        runtime(thread).barrier(thread, 0, 0);
    };
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t neighbour = values[(own + 1) % blocks];
        meet();
        if (thread->linear_index == 0) values[own] += neighbour;
        meet();
    }
}

TEST(Yield, LetsBlocksThatHaveNotStartedComeAlive) {
    HandKernel kernel("counted_rounds", counted_rounds, kFibers);
    std::vector<std::uint64_t> values(150, 1);
    std::uint32_t arrived = 0;
    run(kernel, {150, 1, 1}, {8, 1, 1}, pack(values.data(), &arrived));
    EXPECT_EQ(values, std::vector<std::uint64_t>(150, 1024));
}

TEST(CooperativeLaunch, LetsBlocksWaitForEachOtherThroughMemory) {
    HandKernel kernel("counted_rounds", counted_rounds, kFibers);
    std::vector<std::uint64_t> values(20, 1);
    std::uint32_t arrived = 0;
    run(kernel, {20, 1, 1}, {8, 1, 1}, pack(values.data(), &arrived), true);
    EXPECT_EQ(values, std::vector<std::uint64_t>(20, 1024));
}

TEST(CooperativeLaunch, IsNeededForGridSynchronisation) {
    HandKernel kernel("grid_rounds", grid_rounds, kFibers | kKernelSyncsGrid);
    std::vector<std::uint64_t> values(20, 1);
    EXPECT_THAT(error_message(kernel, {20, 1, 1}, {8, 1, 1}, pack(values.data())),
                HasSubstr("needs a cooperative launch"));
}

TEST(CooperativeLaunch, RefusesMoreThreadsThanCanBeAlive) {
    HandKernel kernel("grid_rounds", grid_rounds, kFibers | kKernelSyncsGrid);
    EXPECT_THAT(error_message(kernel, {1'000'000, 1, 1}, {1024, 1, 1}, pack(nullptr), true),
                AllOf(HasSubstr("alive at once"), HasSubstr("at most")));
}

void barrier_without_fibers(ThreadState* thread, const std::byte*) {
    runtime(thread).barrier(thread, 0, 0);
}

TEST(Executor, RefusesABarrierInAKernelCompiledWithoutAny) {
    HandKernel kernel("barrier_without_fibers", barrier_without_fibers, kPlain);
    EXPECT_THAT(error_message(kernel, {1, 1, 1}, {4, 1, 1}, {}), HasSubstr("compiled without any"));
}

void big_frame(ThreadState* thread, const std::byte* arguments) {
    volatile char local[400 * 1024];
    for (std::size_t i = 0; i < sizeof(local); i += 512) local[i] = static_cast<char>(i);
    runtime(thread).barrier(thread, 0, 0);
    const std::uint32_t index = 64 * thread->block->block_index[0] + thread->linear_index;
    argument<int*>(arguments, 0)[index] = local[1024] == 0 && local[512] == 0;
}

TEST(Executor, GivesThreadsTheStackTheirLocalArraysNeed) {
    HandKernel kernel("big_frame", big_frame, kFibers, 0, 400 * 1024);
    std::vector<int> seen(128);
    run(kernel, {2, 1, 1}, {64, 1, 1}, pack(seen.data()));
    EXPECT_EQ(seen, std::vector<int>(128, 1));
}

void heap_user(ThreadState* thread, const std::byte* arguments) {
    auto* block = static_cast<int*>(runtime(thread).malloc(thread, 64 * sizeof(int)));
    block[63] = static_cast<int>(thread->linear_index);
    runtime(thread).barrier(thread, 0, 0);
    argument<int*>(arguments, 0)[thread->linear_index] = block[63];
    runtime(thread).free(thread, block);
    if (runtime(thread).malloc(thread, ~std::uint64_t{0} / 2) != nullptr) {
        argument<int*>(arguments, 0)[thread->linear_index] = -1;
    }
}

TEST(DeviceHeap, ServesKernelsUpToItsBound) {
    HandKernel kernel("heap_user", heap_user, kFibers);
    std::vector<int> seen(40, -2);
    run(kernel, {1, 1, 1}, {40, 1, 1}, pack(seen.data()));
    for (int i = 0; i < 40; ++i) EXPECT_EQ(seen[i], i);
}

void wild_free(ThreadState* thread, const std::byte*) {
    runtime(thread).free(thread, reinterpret_cast<void*>(0x1234));
}

TEST(DeviceHeap, ReportsAFreeOfWhatItDidNotGive) {
    HandKernel kernel("wild_free", wild_free, kFibers);
    EXPECT_THAT(error_message(kernel, {1, 1, 1}, {1, 1, 1}, {}),
                AllOf(HasSubstr("free of 0x1234"), HasSubstr("thread (0, 0, 0)")));
}

}  // namespace
}  // namespace warpwise::cpu::test
