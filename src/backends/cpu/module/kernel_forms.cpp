// When a form pays for itself.
#include "src/backends/cpu/module/kernel_forms.hpp"

#include "src/backends/cpu/module/form_compiler.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu {
namespace {

// A kernel launched with more shapes than this, by a tuner for example, keeps to the form for any
// shape.
constexpr unsigned kMostShapes = 8;
// A form costs some 50 ms of one core: what ran less in all is not worth it.
constexpr std::uint64_t kLeastThreads = std::uint64_t{1} << 16;
constexpr auto kLongLaunch = std::chrono::milliseconds(10);

KernelForm report_of(const KernelRecord& record, const std::optional<KernelForms::Shape>& block) {
    KernelForm form{.executor = std::string(compiler::name_of(record.executor)),
                    .columns = record.gang_columns(),
                    .rows = record.gang_rows(),
                    .lane_by_lane = record.lane_by_lane / 1000.0};
    if (block) form.block = *block;
    for (const AccessRow& row : record.accesses) {
        const auto& [vectors, strided, gathers, scatters, single] = row.counts;
        form.lines.push_back({row.file, row.line, vectors, strided, gathers, scatters, single});
    }
    return form;
}

}  // namespace

CpuKernel::CpuKernel() = default;
CpuKernel::~CpuKernel() = default;

std::string CpuKernel::executor() const {
    const CpuKernel* form = forms ? forms->newest() : nullptr;
    const KernelRecord& newest = form != nullptr ? form->record : record;
    return std::string(compiler::name_of(newest.executor));
}

std::vector<KernelForm> CpuKernel::reported_forms() const {
    if (forms != nullptr) return forms->reported();
    const KernelForms::Shape& block = info->block;
    return {report_of(record, block[0] == 0 ? std::nullopt : std::optional(block))};
}

void CpuKernel::compile_fully(const std::array<std::uint32_t, 3>& block) {
    if (forms != nullptr) forms->compile_fully(block);
}

KernelForms::KernelForms(const CpuKernel& generic, std::shared_ptr<const ProgramOrigin> origin)
    : generic_(generic), origin_(std::move(origin)) {
    any_.mode = mode_for(std::nullopt);
    const std::string& name = settings().tier;
    tier_ = name == "full" ? Tier::Full : name == "quick" ? Tier::Quick : Tier::Auto;
}

KernelForms::~KernelForms() {
    for (Form* form = first_.load(); form != nullptr;) delete std::exchange(form, form->next);
}

// The module's own mode, but for this kernel alone, in full.
compiler::CompileMode KernelForms::mode_for(std::optional<Shape> shape) const {
    compiler::CompileMode mode = origin_->request->mode;
    mode.tier = compiler::Tier::Full;
    mode.block = shape;
    mode.kernel = generic_.info->signature.symbol;
    return mode;
}

KernelForms::Form* KernelForms::find(const Shape& shape) const noexcept {
    for (Form* form = first_.load(std::memory_order_acquire); form; form = form->next) {
        if (form->mode.block == shape) return form;
    }
    return nullptr;
}

KernelForms::Form* KernelForms::add(const Shape& shape) {
    MutexLock lock(mutex_);
    if (Form* form = find(shape)) return form;
    if (count_ == kMostShapes) return nullptr;
    ++count_;
    auto* form = new Form;
    form->mode = mode_for(shape);
    form->next = first_.load(std::memory_order_relaxed);
    first_.store(form, std::memory_order_release);
    return form;
}

// Beyond so many shapes one form is for all of them.
KernelForms::Form* KernelForms::form_for(const Shape& shape) {
    if (Form* form = find(shape)) return form;
    if (Form* form = add(shape)) return form;
    return &any_;
}

KernelForms::Choice KernelForms::choose(const Shape& shape, std::uint64_t threads) {
    if (tier_ == Tier::Quick) return {&generic_, nullptr};
    Form& form = *form_for(shape);
    if (const CpuKernel* kernel = form.kernel.load(std::memory_order_acquire)) {
        return {kernel, nullptr};
    }
    const std::uint64_t before = form.threads.fetch_add(threads, std::memory_order_relaxed);
    if (tier_ == Tier::Full) {
        const bool is_made = &form == &any_ || form.is_requested.exchange(true);
        if (!is_made) make_form(*this, form, *origin_->compiler);
        const CpuKernel* kernel = form.kernel.load(std::memory_order_acquire);
        return {kernel != nullptr ? kernel : &generic_, nullptr};
    }
    const bool is_often = before != 0 && before + threads >= kLeastThreads;
    if (is_often) request_form(form);
    return {&generic_, &form};
}

void KernelForms::request_form(Form& form) noexcept {
    if (form.is_requested.load(std::memory_order_relaxed)) return;
    if (!form.is_requested.exchange(true)) FormCompiler::instance().request_form(*this, form);
}

void KernelForms::compile_fully(const Shape& shape) {
    if (tier_ == Tier::Quick) return;
    Form& form = *form_for(shape);
    if (form.kernel.load(std::memory_order_acquire) != nullptr) return;
    // One that the background thread compiles at this moment comes a second time, from the cache or
    // compiled twice: both are the same.
    form.is_requested.store(true, std::memory_order_relaxed);
    make_form(*this, form, *origin_->compiler);
}

std::vector<KernelForm> KernelForms::reported() const {
    std::vector<KernelForm> forms{report_of(generic_.record, std::nullopt)};
    for (Form* form = first_.load(std::memory_order_acquire); form; form = form->next) {
        const CpuKernel* kernel = form->kernel.load(std::memory_order_acquire);
        if (kernel != nullptr) forms.push_back(report_of(kernel->record, form->mode.block));
    }
    if (const CpuKernel* kernel = any_.kernel.load(std::memory_order_acquire)) {
        forms.push_back(report_of(kernel->record, std::nullopt));
    }
    return forms;
}

void KernelForms::install(Form& form, const CpuKernel& kernel) noexcept {
    form.kernel.store(&kernel, std::memory_order_release);
    newest_.store(&kernel, std::memory_order_release);
}

// Blocks of one launch that synchronise or wait for each other stay in one form.
LaunchForm::LaunchForm(const CpuKernel& kernel, const KernelForms::Shape& shape,
                       std::uint64_t threads)
    : first_(&kernel), forms_(kernel.forms.get()) {
    if (forms_ == nullptr) return;
    const KernelForms::Choice choice = forms_->choose(shape, threads);
    first_ = choice.kernel;
    if (!first_->needs_fibers()) better_ = choice.better;
}

const CpuKernel& LaunchForm::next() noexcept {
    if (better_ == nullptr) return *first_;
    if (const CpuKernel* kernel = better_->kernel.load(std::memory_order_acquire)) return *kernel;
    if (is_long()) forms_->request_form(*better_);
    return *first_;
}

bool LaunchForm::is_long() noexcept {
    const Clock::rep now = Clock::now().time_since_epoch().count();
    Clock::rep started = 0;
    if (started_.compare_exchange_strong(started, now, std::memory_order_relaxed)) return false;
    return Clock::duration(now - started) > kLongLaunch;
}

}  // namespace warpwise::cpu
