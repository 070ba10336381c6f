// The rounds of a block.
#include "src/backends/cpu/execute/region_block.hpp"

#include <new>
#include <utility>

#include "src/backends/cpu/execute/deadlock.hpp"

namespace warpwise::cpu {
namespace {

// An odd number of lines: gangs whose frames lay a power of two apart would compete for the same
// places of the cache.
std::size_t frame_stride(const CpuKernel& kernel) noexcept {
    const std::size_t bytes = kernel.record.frame_bytes;
    if (bytes == 0) return 0;
    const std::size_t units = (bytes + kFrameAlignment - 1) / kFrameAlignment;
    return (units | 1) * kFrameAlignment;
}

}  // namespace

void RegionBlock::prepare(BlockRun& run) {
    run_ = &run;
    walk_ = GangWalk(*run.kernel, *run.grid);
    const std::size_t stride = frame_stride(*run.kernel);
    const std::size_t size = stride * walk_.count();
    if (size > frames_size_) {
        frames_.reset();
        frames_size_ = 0;
        frames_.reset(static_cast<std::byte*>(std::aligned_alloc(kFrameAlignment, size)));
        if (frames_ == nullptr) throw std::bad_alloc();
        frames_size_ = size;
    }
    gangs_.assign(walk_.count(), ThreadState{});
    GangWalk gangs = walk_;
    for (std::size_t i = 0; i < gangs_.size(); ++i, gangs.advance()) {
        gangs.describe(gangs_[i]);
        gangs_[i].block = &run;
        gangs_[i].frame = frames_.get() + i * stride;
    }
}

void RegionBlock::run() {
    Round round = run_from_the_start();
    while (round.waiting != 0) {
        if (round.elsewhere != 0) return fail_for_ever();
        if (round.votes_how != 0) count_votes();
        if (run_->grid->is_stopped(linear_block(*run_))) return;
        round = go_on();
    }
}

void RegionBlock::note(Round& round, const ThreadState& gang) noexcept {
    if (gang.resume_at == 0) return;
    ++round.waiting;
    round.elsewhere |= gang.elsewhere;
    round.votes_how |= gang.votes_how;
}

RegionBlock::Round RegionBlock::run_from_the_start() {
    const KernelEntry entry = run_->kernel->entry;
    const std::byte* arguments = run_->grid->arguments;
    Round round;
    GangWalk gangs = walk_;
    run_->frame->in_kernel = 1;
    for (ThreadState& gang : gangs_) {
        gangs.describe_again(gang);
        gangs.advance();
        gang.resume_at = 0;
        run_->thread = &gang;
        entry(&gang, arguments);
        note(round, gang);
    }
    run_->frame->in_kernel = 0;
    return round;
}

RegionBlock::Round RegionBlock::go_on() {
    const std::byte* arguments = run_->grid->arguments;
    Round round;
    run_->frame->in_kernel = 1;
    for (ThreadState& gang : gangs_) {
        if (gang.resume_at == 0) continue;
        run_->thread = &gang;
        gang.resume(&gang, arguments);
        note(round, gang);
    }
    run_->frame->in_kernel = 0;
    return round;
}

// Of the gangs that vote; others may wait at a barrier without a vote.
void RegionBlock::count_votes() {
    std::int32_t count = 0;
    std::uint32_t how = 0;
    bool all = true;
    for (const ThreadState& gang : gangs_) {
        if (gang.resume_at == 0 || gang.votes_how == 0) continue;
        how = gang.votes_how - 1;
        count += gang.votes;
        all &= static_cast<std::uint32_t>(gang.votes) == gang.arrived;
    }
    const std::int32_t result = how == kBarrierCount ? count
                                : how == kBarrierAnd ? all
                                                     : count != 0;
    for (ThreadState& gang : gangs_) gang.votes = result;
}

void RegionBlock::fail_for_ever() {
    Deadlock deadlock;
    for (const ThreadState& gang : gangs_) {
        deadlock.add(gang, gang.resume_at == 0 ? "exited" : describe_wait_for_block(gang));
    }
    fail_block(*run_, nullptr, std::move(deadlock).text());
}

}  // namespace warpwise::cpu
