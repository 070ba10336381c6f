// The thread, and what it does for each form.
#include "src/backends/cpu/module/form_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include "src/backends/cpu/module/module.hpp"
#include "src/base/log.hpp"
#include "src/base/text.hpp"
#include "src/base/thread_pool.hpp"
#include "src/compiler/service.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

// Files that have changed since the module was compiled must not change its kernels.
bool is_same_source(const compiler::Program& a, const compiler::Program& b) {
    return std::ranges::equal(a.dependencies, b.dependencies, [](const auto& one, const auto& two) {
        return one.path == two.path && one.hash == two.hash;
    });
}

void compile_and_install(LoadedModule& module, KernelForms& forms, KernelForms::Form& form,
                         compiler::Compiler& compiler) {
    const ProgramOrigin& origin = forms.origin();
    const KernelSignature& signature = forms.generic().info->signature;
    compiler::CompileRequest request = *origin.request;
    request.mode = form.mode;
    auto program =
        std::make_shared<const compiler::Program>(compiler::compile_cached(compiler, request));
    if (!is_same_source(*origin.program, *program)) {
        log::info("kernel {} is not compiled again: a file that it includes has changed",
                  quote(signature.name));
        return;
    }
    const CpuKernel& kernel = module.add_form(std::move(program), signature.symbol);
    const std::string shape =
        form.mode.block ? fmt::format("{}", fmt::join(*form.mode.block, "x")) : "any shape";
    log::info("kernel {} is compiled for blocks of {}, executor {}", quote(signature.name), shape,
              compiler::name_of(kernel.record.executor));
    forms.install(form, kernel);
}

}  // namespace

void make_form(KernelForms& forms, KernelForms::Form& form, compiler::Compiler& compiler) noexcept {
    const std::shared_ptr<LoadedModule> module = forms.origin().module.lock();
    if (module == nullptr) return;
    try {
        compile_and_install(*module, forms, form, compiler);
    } catch (const DeviceError& error) {
        // Not this kernel's own matter, and what keeps all of them slow.
        static std::atomic<bool> has_warned{false};
        if (has_warned.exchange(true)) return;
        log::warning("kernels are not compiled for their blocks: {}", error.what());
    } catch (const std::exception& error) {
        log::info("kernel {} is not compiled for its blocks: {}",
                  quote(forms.generic().info->signature.name), error.what());
    }
}

// What the cache does not have.
class FormCompiler::InChild final : public compiler::Compiler {
  public:
    InChild(FormCompiler& owner, CpuCompiler& compiler) : owner_(owner), compiler_(compiler) {}
    compiler::Program compile(const compiler::CompileRequest& request) override {
        return owner_.compile(compiler_, request);
    }
    std::string fingerprint() const override { return compiler_.fingerprint(); }

  private:
    FormCompiler& owner_;
    CpuCompiler& compiler_;
};

FormCompiler& FormCompiler::instance() {
    // Never destroyed: its thread may still wait for work while the process ends.
    static auto* const compiler = new FormCompiler;
    return *compiler;
}

void FormCompiler::request_form(KernelForms& forms, KernelForms::Form& form) noexcept {
    add({.module = forms.origin().module, .forms = &forms, .form = &form});
}

void FormCompiler::request(CpuCompiler& compiler,
                           std::function<void(compiler::Compiler&)> work) noexcept {
    add({.compiler = &compiler, .work = std::move(work)});
}

void FormCompiler::add(Task task) noexcept {
    try {
        MutexLock lock(mutex_);
        if (is_closed_) return;
        if (!is_started_) start();
        tasks_.push_back(std::move(task));
        wake_.notify_one();
    } catch (const std::exception& error) {
        log::info("no thread to compile kernels in the background: {}", error.what());
    }
}

void FormCompiler::start() {
    static const int registered = std::atexit([] { instance().close(); });
    static_cast<void>(registered);  // one that cannot be is as after quick_exit()
    start_thread_with_signals_blocked([this] { work(); });
    is_started_ = true;
}

void FormCompiler::work() {
    for (;;) {
        Task task{};
        {
            MutexLock lock(mutex_);
            while (tasks_.empty()) wake_.wait(lock);
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        MutexLock installing(installing_);
        stop_at_end();
        make(task);
    }
}

void FormCompiler::make(const Task& task) {
    if (task.work) {
        InChild compiler(*this, *task.compiler);
        return task.work(compiler);
    }
    const std::shared_ptr<LoadedModule> module = task.module.lock();
    if (module == nullptr) return;
    InChild compiler(*this, *task.forms->origin().compiler);
    make_form(*task.forms, *task.form, compiler);
}

compiler::Program FormCompiler::compile(CpuCompiler& compiler,
                                        const compiler::CompileRequest& request) {
    installing_.unlock();
    std::exception_ptr error;
    compiler::Program program;
    try {
        program = compiler.compile_in_child(request);
    } catch (...) {
        error = std::current_exception();
    }
    installing_.lock();
    stop_at_end();
    if (error) std::rethrow_exception(error);
    return program;
}

// The process ends: its statics are being destroyed, so this thread touches nothing any more.
void FormCompiler::stop_at_end() {
    MutexLock lock(mutex_);
    if (!is_closed_) return;
    installing_.unlock();
    for (;;) wake_.wait(lock);
}

void FormCompiler::close() noexcept {
    {
        MutexLock lock(mutex_);
        is_closed_ = true;
    }
    MutexLock installing(installing_);
}

void FormCompiler::before_fork() {
    installing_.lock();
    mutex_.lock();
}

void FormCompiler::after_fork_in_parent() {
    mutex_.unlock();
    installing_.unlock();
}

void FormCompiler::after_fork_in_child() {
    tasks_.clear();
    is_started_ = false;
    new (&wake_) Condition;
    mutex_.unlock();
    installing_.unlock();
}

}  // namespace warpwise::cpu
