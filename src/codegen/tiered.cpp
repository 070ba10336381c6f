// When a group is compiled: after its third run, or when interpreting takes long.
#include "src/codegen/tiered.hpp"

#include <utility>

#include "src/base/log.hpp"
#include "src/codegen/compiled.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/device/context.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::codegen {
namespace {

constexpr unsigned kRuns = 3;
constexpr std::chrono::milliseconds kLong{1};

}  // namespace

std::shared_ptr<Tiered> Tiered::make(const Group& group, runtime::Context& context) {
    if (context.backend().host() == nullptr || settings().tier == "full") return nullptr;
    auto interpreter = interpret::Interpreter::make(group);
    if (!interpreter) return nullptr;
    return std::make_shared<Tiered>(std::move(interpreter), context);
}

Tiered::Tiered(std::shared_ptr<const interpret::Interpreter> interpreter, runtime::Context& context)
    : interpreter_(std::move(interpreter)),
      context_(context.shared()),
      is_requested_(settings().tier == "quick") {}

void Tiered::launch(runtime::StreamState& stream, const Binding& binding) {
    if (Fused* const kernel = compiled()) return kernel->launch(stream, binding);
    auto loop = interpreter_->bind(binding, shared_from_this());
    if (!loop) return;
    const bool runs_here = count_of(binding.extents) <= kRunsHere;
    stream.context().backend().host()->run(stream.core()->queue(), std::move(loop), runs_here);
    if (runs_.fetch_add(1, std::memory_order_relaxed) + 1 == kRuns) request();
}

void Tiered::note_run(std::chrono::nanoseconds time) noexcept {
    if (time > kLong) request();
}

void Tiered::request() noexcept {
    if (is_requested_.exchange(true)) return;
    const std::shared_ptr<runtime::Context> context = context_.lock();
    if (!context) return;
    context->backend().host()->compile_in_background(
        [self = weak_from_this(), weak = context_](compiler::Compiler& compiler) {
            const auto tiered = self.lock();
            const auto context = weak.lock();
            if (!tiered || !context || tiered->is_compiled()) return;
            try {
                tiered->install(compile_kernel(tiered->interpreter_->group(), *context, compiler));
            } catch (const DeviceError& error) {
                static std::atomic<bool> has_warned{false};
                if (has_warned.exchange(true)) return;
                log::warning("array kernels stay interpreted: {}", error.what());
            } catch (const std::exception& error) {
                log::info("an array kernel is not compiled: {}", error.what());
            }
        });
}

void Tiered::install(std::shared_ptr<Fused> kernel) noexcept {
    MutexLock lock(mutex_);
    if (kernel_) return;
    kernel_ = std::move(kernel);
    compiled_.store(kernel_.get(), std::memory_order_release);
}

}  // namespace warpwise::codegen
