// What is taken out dies after the lock is released. A program that launches one kernel in a loop
// holds one entry.
#include "src/backends/cuda/device/in_flight.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace warpwise::cuda {
namespace {

constexpr std::size_t kGroup = 64;

}  // namespace

bool InFlight::keep(const Kernels& kernels, const std::shared_ptr<const void>* keep_alive) {
    const void* const kept = keep_alive != nullptr ? keep_alive->get() : nullptr;
    write_last_number();
    if (!open_.empty() && open_.back().keep_alive.get() == kept &&
        open_.back().kernels == kernels) {
        ++added_;
        return false;
    }
    open_.push_back(
        {added_ + 1, kernels, keep_alive != nullptr ? *keep_alive : std::shared_ptr<const void>()});
    last_kept_ = kept;
    last_kernels_ = kernels;
    ++added_;
    return open_.size() >= kGroup;
}

void InFlight::seal(std::unique_ptr<CudaEvent> event, std::uint64_t group) {
    InlineLock lock(mutex_);
    Group sealed{std::move(event), take_until(group)};
    if (!sealed.launches.empty()) sealed_.push_back(std::move(sealed));
}

std::vector<InFlight::Launched> InFlight::take_until(std::uint64_t mark) {
    write_last_number();
    const auto rest = std::ranges::find_if(
        open_, [mark](const Launched& launched) { return launched.number > mark; });
    std::vector<Launched> taken(std::move_iterator(open_.begin()), std::move_iterator(rest));
    open_.erase(open_.begin(), rest);
    if (open_.empty()) last_kept_ = nullptr;
    return taken;
}

void InFlight::collect() {
    for (;;) {
        Group done;
        InlineLock lock(mutex_);
        if (sealed_.empty() || !sealed_.front().end->has_passed()) return;
        done = std::move(sealed_.front());
        sealed_.pop_front();
    }
}

std::uint64_t InFlight::mark() {
    InlineLock lock(mutex_);
    return added_;
}

void InFlight::clear(std::uint64_t mark) {
    std::vector<Launched> done;
    std::deque<Group> groups;
    InlineLock lock(mutex_);
    while (!sealed_.empty() && sealed_.front().launches.back().number <= mark) {
        groups.push_back(std::move(sealed_.front()));
        sealed_.pop_front();
    }
    done = take_until(mark);
}

void InFlight::keep_for_ever() noexcept {
    InlineLock lock(mutex_);
    new (std::nothrow) auto(std::move(open_));
    new (std::nothrow) auto(std::move(sealed_));
    last_kept_ = nullptr;
}

bool InFlight::has_any() {
    InlineLock lock(mutex_);
    return !open_.empty() || !sealed_.empty();
}

std::vector<std::string> InFlight::kernel_names() {
    std::vector<std::string> names;
    const auto note_kernel = [&names](const runtime::KernelImpl& kernel) {
        const std::string& name = kernel.info->signature.name;
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    const auto note = [&note_kernel](const std::vector<Launched>& launches) {
        for (const Launched& launched : launches) {
            const auto& [kernel, graph] = launched.kernels;
            if (kernel != nullptr) note_kernel(*kernel);
            if (graph == nullptr) continue;
            for (const runtime::KernelImpl* one : *graph) note_kernel(*one);
        }
    };
    InlineLock lock(mutex_);
    for (const Group& group : sealed_) note(group.launches);
    note(open_);
    return names;
}

}  // namespace warpwise::cuda
