// Device and DeviceScope: the public face of Context.
#include "warpwise/device.hpp"

#include <utility>

#include "src/base/hooks/early_work.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "src/runtime/stream_handles.hpp"
#include "warpwise/pool.hpp"
#include "warpwise/stream.hpp"

namespace warpwise {

Device::Device() : context_(runtime::current_context()) {}

Device::Device(std::string_view name) : context_(runtime::find_context(name)) {}

Device::Device(std::shared_ptr<runtime::Context> context) noexcept : context_(std::move(context)) {}

const std::string& Device::name() const noexcept {
    return context_->name();
}

std::string_view Device::kind() const noexcept {
    return context_->backend().kind();
}

int Device::ordinal() const noexcept {
    return context_->ordinal();
}

const DeviceInfo& Device::info() const {
    return context_->info();
}

MemoryInfo Device::memory() const {
    return context_->pool()->memory();
}

Pool Device::pool() const {
    return Pool(context_->pool());
}

Pool Device::host_pool() const {
    return Pool(context_->host_pool());
}

Stream Device::default_stream() const {
    return Stream(context_->default_stream());
}

PriorityRange Device::stream_priorities() const {
    runtime::StreamHandles* const streams = context_->backend().stream_handles();
    return streams != nullptr ? streams->priorities(context_->ordinal()) : PriorityRange{};
}

void Device::prepare() const noexcept {
    compiler::Compiler& compiler = context_->backend().compiler();
    if (compiler.is_permanent()) begin_early(&compiler, [&compiler] { compiler.open(); });
    // Where memory can be counted, it can be used: a GPU's context is there.
    if (context_->info().shares_host_memory) return;
    begin_early(context_.get(),
                [context = context_] { context->backend().allocator(context->ordinal()).info(); });
}

void Device::synchronize() const {
    runtime::current_stream(*context_)->refuse_to_wait("waited for");
    context_->synchronize();
}

std::vector<Device> devices() {
    std::vector<Device> found;
    for (auto& context : runtime::listed_contexts()) found.emplace_back(std::move(context));
    return found;
}

DeviceScope::DeviceScope(const Device& device)
    : previous_(runtime::exchange_current_context(device.context().shared())) {}

DeviceScope::~DeviceScope() {
    runtime::exchange_current_context(std::move(previous_));
}

}  // namespace warpwise
