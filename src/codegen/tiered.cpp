// When a group is compiled: after its third run, or when interpreting takes long.
#include "src/codegen/tiered.hpp"

#include <utility>

#include "src/base/hooks/work_at_exit.hpp"
#include "src/base/log.hpp"
#include "src/codegen/background.hpp"
#include "src/codegen/compiled.hpp"
#include "src/codegen/geometry.hpp"
#include "src/codegen/interpret/gpu_interpreter.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::codegen {
namespace {

constexpr unsigned kRuns = 3;
constexpr std::chrono::milliseconds kLong{1};

class OnHost final : public Interpreted {
  public:
    explicit OnHost(std::shared_ptr<const interpret::Interpreter> interpreter)
        : interpreter_(std::move(interpreter)) {
        at_points_.add(group().body);
        at_results_.add(group().epilogue);
    }
    const Group& group() const noexcept override { return interpreter_->group(); }
    // A launch of a kernel takes 0.4 us more. Measured on Zen 4, AVX-512 and AVX2: x + y of 4,096
    // elements takes 1.54 us beside 1.96, five operations are equal at 2,048; of 256 elements sin
    // takes 1.46 beside 1.41, exp of doubles 1.21 beside 1.57.
    bool is_faster(const Shape& extents) const noexcept override {
        const std::int64_t points = count_of(extents);
        const std::int64_t results = kept_points(group(), extents);
        return points * at_points_.cheap + results * at_results_.cheap <= kMostCheap &&
               points * at_points_.costly + results * at_results_.costly <= kMostCostly;
    }
    bool launch(runtime::StreamState& stream, const Binding& binding,
                interpret::Listener* listener) override {
        runtime::HostSupport& host = *stream.context().backend().host();
        runtime::Queue& queue = stream.core()->queue();
        const auto run = [&](runtime::HostLoop& loop) { return host.try_to_run(queue, loop); };
        const bool runs_here = count_of(binding.extents) <= kRunsHere;
        if (runs_here && interpreter_->run_here(binding, listener, run)) return true;
        auto loop = interpreter_->bind(binding, listener);
        if (!loop) return false;
        host.run(queue, std::move(loop));
        return true;
    }

  private:
    static constexpr std::int64_t kMostCheap = 20480;
    static constexpr std::int64_t kMostCostly = 256;

    // Instructions, by what they cost.
    struct Costs {
        void add(const ir::Body& body) noexcept {
            for (const ir::Instruction& one : body.instructions) {
                (is_costly(one) ? costly : cheap) += 1;
            }
        }
        // x[indices] of 1,000 elements takes 3 us more than its kernel, by three loops over its
        // indices and one over the elements.
        static bool is_costly(const ir::Instruction& one) noexcept {
            using Form = ir::Instruction::Form;
            if (one.form == Form::Bound || one.form == Form::Gather) return true;
            return one.form == Form::Apply && ir::row_of(one.op).cost == ir::Cost::Expensive;
        }
        std::int64_t cheap = 1;  // one for the loads and stores
        std::int64_t costly = 0;
    };

    const std::shared_ptr<const interpret::Interpreter> interpreter_;
    Costs at_points_;
    Costs at_results_;
};

class OnGpu final : public Interpreted {
  public:
    OnGpu(std::shared_ptr<const interpret::GpuProgram> program,
          std::shared_ptr<const interpret::GpuInterpreter> interpreter)
        : program_(std::move(program)), interpreter_(std::move(interpreter)) {}
    const Group& group() const noexcept override { return program_->group(); }
    bool launch(runtime::StreamState& stream, const Binding& binding,
                interpret::Listener* listener) override {
        const double time = interpreter_->launch(*program_, stream, binding);
        if (listener != nullptr)
            listener->note_run(std::chrono::nanoseconds(static_cast<std::int64_t>(time)));
        return time > 0;
    }

  private:
    const std::shared_ptr<const interpret::GpuProgram> program_;
    const std::shared_ptr<const interpret::GpuInterpreter> interpreter_;
};

std::unique_ptr<Interpreted> on_gpu(const Group& group, runtime::Context& context, bool waits) {
    using interpret::GpuInterpreter;
    const auto all = GpuInterpreter::of(context, GpuInterpreter::Ops::All);
    if (!all) return nullptr;
    auto program = interpret::GpuProgram::make(group);
    if (!program) return nullptr;
    if (all->is_loaded()) return std::make_unique<OnGpu>(std::move(program), all);
    const auto exact =
        program->is_exact() ? GpuInterpreter::of(context, GpuInterpreter::Ops::Exact) : nullptr;
    if (exact && waits) exact->load(context);
    if (exact && exact->is_loaded()) return std::make_unique<OnGpu>(std::move(program), exact);
    if (!waits) {
        all->request(context);
        if (exact) exact->request(context);
    }
    return nullptr;
}

}  // namespace

std::shared_ptr<Tiered> Tiered::make(const Group& group, runtime::Context& context, bool waits) {
    if (settings().tier == "full") return nullptr;
    std::unique_ptr<Interpreted> interpreted;
    if (context.backend().host() == nullptr) {
        interpreted = on_gpu(group, context, waits);
    } else if (auto interpreter = interpret::Interpreter::make(group)) {
        interpreted = std::make_unique<OnHost>(std::move(interpreter));
    }
    if (!interpreted) return nullptr;
    return std::make_shared<Tiered>(std::move(interpreted), context);
}

Tiered::Tiered(std::unique_ptr<Interpreted> interpreted, runtime::Context& context)
    : interpreted_(std::move(interpreted)),
      context_(context.shared()),
      is_requested_(settings().tier == "quick") {}

void Tiered::launch(runtime::StreamState& stream, const Binding& binding) {
    Fused* const kernel = compiled();
    const bool is_small = interpreted_->is_faster(binding.extents);
    if (kernel != nullptr && (!is_small || stream.is_capturing())) {
        return kernel->launch(stream, binding);
    }
    // What stays interpreted needs no times.
    if (!interpreted_->launch(stream, binding, is_small ? nullptr : this)) return;
    if (!is_small && runs_.fetch_add(1, std::memory_order_relaxed) + 1 == kRuns) request();
}

void Tiered::note_run(std::chrono::nanoseconds time) noexcept {
    if (time > kLong) request();
}

void Tiered::request() noexcept {
    if (is_requested_.exchange(true)) return;
    const std::shared_ptr<runtime::Context> context = context_.lock();
    if (!context) return;
    const auto work = [self = weak_from_this(), weak = context_](compiler::Compiler& compiler) {
        const auto tiered = std::static_pointer_cast<Tiered>(self.lock());
        const auto context = weak.lock();
        if (!tiered || !context || tiered->is_compiled()) return;
        try {
            const bool fully = context->backend().host() != nullptr;
            tiered->install(
                compile_kernel(tiered->interpreted_->group(), *context, compiler, fully));
        } catch (const DeviceError& error) {
            static std::atomic<bool> has_warned{false};
            if (WorkAtExit::is_process_ending() || has_warned.exchange(true)) return;
            log::warning("array kernels stay interpreted: {}", error.what());
        } catch (const std::exception& error) {
            log::info("an array kernel is not compiled: {}", error.what());
        }
    };
    if (runtime::HostSupport* const host = context->backend().host()) {
        host->compile_in_background(work);
    } else {
        run_in_background([work, context] { work(context->backend().compiler()); });
    }
}

void Tiered::install(std::shared_ptr<Fused> kernel) noexcept {
    MutexLock lock(mutex_);
    if (kernel_) return;
    kernel_ = std::move(kernel);
    compiled_.store(kernel_.get(), std::memory_order_release);
}

}  // namespace warpwise::codegen
