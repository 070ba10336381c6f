// Pool: the public face of PoolState.
#include "warpwise/pool.hpp"

#include <utility>

#include "src/runtime/pool/pool_state.hpp"

namespace warpwise {

Pool::Pool(std::shared_ptr<runtime::PoolState> state) noexcept : state_(std::move(state)) {}

std::uint64_t Pool::held_bytes() const {
    return state_->statistics().held_bytes;
}

std::uint64_t Pool::active_bytes() const {
    return state_->statistics().active_bytes;
}

std::uint64_t Pool::held_blocks() const {
    return state_->statistics().held_blocks;
}

std::uint64_t Pool::active_blocks() const {
    return state_->statistics().active_blocks;
}

PoolStatistics Pool::statistics() const {
    return state_->statistics();
}

void Pool::reset_peak() {
    state_->reset_peak();
}

std::string Pool::report() const {
    return state_->report();
}

void Pool::free_held() {
    state_->context().settle(runtime::FlushReason::Memory);
    state_->free_held();
}

std::optional<std::uint64_t> Pool::limit() const {
    return state_->limit();
}

void Pool::set_limit(std::optional<std::uint64_t> bytes) {
    state_->set_limit(bytes);
}

PoolGrowth Pool::growth() const {
    return state_->growth();
}

void Pool::set_growth(PoolGrowth growth) {
    state_->set_growth(growth);
}

}  // namespace warpwise
