// When a form is worth while.
#include "src/backends/cpu/kernel_forms.hpp"

#include "src/backends/cpu/form_compiler.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu {
namespace {

// A kernel launched with more shapes than this, by a tuner say, keeps to the form for any shape.
constexpr unsigned kMostShapes = 8;
// A form costs some 20 ms of one core: what ran less in all is not worth it.
constexpr std::uint64_t kLeastThreads = std::uint64_t{1} << 16;

}  // namespace

CpuKernel::CpuKernel() = default;
CpuKernel::~CpuKernel() = default;

std::string CpuKernel::executor() const {
    const CpuKernel* form = forms ? forms->newest() : nullptr;
    return form != nullptr ? form->info->executor : info->executor;
}

KernelForms::KernelForms(const CpuKernel& generic, std::shared_ptr<const ProgramOrigin> origin)
    : generic_(generic), origin_(std::move(origin)) {
    const std::string& name = settings().tier;
    tier_ = name == "full" ? Tier::Full : name == "quick" ? Tier::Quick : Tier::Auto;
}

KernelForms::~KernelForms() {
    for (Form* form = first_.load(); form != nullptr;) delete std::exchange(form, form->next);
}

KernelForms::Form* KernelForms::find(const Shape& shape) const noexcept {
    for (Form* form = first_.load(std::memory_order_acquire); form; form = form->next) {
        if (form->shape == shape) return form;
    }
    return nullptr;
}

KernelForms::Form* KernelForms::add(const Shape& shape) {
    MutexLock lock(mutex_);
    if (Form* form = find(shape)) return form;
    if (count_ == kMostShapes) return nullptr;
    ++count_;
    auto* form = new Form;
    form->shape = shape;
    form->next = first_.load(std::memory_order_relaxed);
    first_.store(form, std::memory_order_release);
    return form;
}

const CpuKernel& KernelForms::choose(const Shape& shape, std::uint64_t threads) {
    if (tier_ == Tier::Quick) return generic_;
    Form* form = find(shape);
    if (form == nullptr) form = add(shape);
    if (form == nullptr) return generic_;
    if (const CpuKernel* kernel = form->kernel.load(std::memory_order_acquire)) return *kernel;
    const std::uint64_t before = form->threads.fetch_add(threads, std::memory_order_relaxed);
    const bool is_often = before != 0 && before + threads >= kLeastThreads;
    if (tier_ == Tier::Auto && !is_often) return generic_;
    if (form->is_asked_for.load(std::memory_order_relaxed)) return generic_;
    if (form->is_asked_for.exchange(true)) return generic_;
    if (tier_ == Tier::Auto) {
        FormCompiler::instance().ask_for(*this, *form);
        return generic_;
    }
    make_form(*this, *form);
    const CpuKernel* kernel = form->kernel.load(std::memory_order_acquire);
    return kernel != nullptr ? *kernel : generic_;
}

void KernelForms::install(Form& form, const CpuKernel& kernel) noexcept {
    form.kernel.store(&kernel, std::memory_order_release);
    newest_.store(&kernel, std::memory_order_release);
}

}  // namespace warpwise::cpu
