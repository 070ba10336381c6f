// The thread, and what it does for each form.
#include "src/backends/cpu/form_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <system_error>

#include "src/backends/cpu/module.hpp"
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

void compile_and_install(LoadedModule& module, KernelForms& forms, KernelForms::Form& form) {
    const ProgramOrigin& origin = forms.origin();
    const KernelSignature& signature = forms.generic().info->signature;
    compiler::CompileRequest request = *origin.request;
    const bool is_for_any_shape = form.shape[0] == 0;
    if (!is_for_any_shape) {
        request.options.push_back(fmt::format("--warpwise-block={}", fmt::join(form.shape, ",")));
    }
    request.options.emplace_back("--warpwise-tier=full");
    request.options.push_back("--warpwise-kernel=" + signature.symbol);
    auto program = std::make_shared<const compiler::Program>(
        compiler::compile_cached(*origin.compiler, request));
    if (!is_same_source(*origin.program, *program)) {
        log::info("kernel {} is not compiled again: a file that it includes has changed",
                  quote(signature.name));
        return;
    }
    const CpuKernel& kernel = module.add_form(std::move(program), signature.symbol);
    const std::string shape =
        is_for_any_shape ? "any shape" : fmt::format("{}", fmt::join(form.shape, "x"));
    log::info("kernel {} is compiled for blocks of {}, executor {}", quote(signature.name), shape,
              kernel.info->executor);
    forms.install(form, kernel);
}

}  // namespace

void make_form(KernelForms& forms, KernelForms::Form& form) noexcept {
    const std::shared_ptr<LoadedModule> module = forms.origin().module.lock();
    if (module == nullptr) return;
    try {
        compile_and_install(*module, forms, form);
    } catch (const std::exception& error) {
        log::info("kernel {} is not compiled for its blocks: {}",
                  quote(forms.generic().info->signature.name), error.what());
    }
}

FormCompiler& FormCompiler::instance() {
    // Never destroyed: its thread may still wait for work while the process ends.
    static auto* const compiler = new FormCompiler;
    return *compiler;
}

void FormCompiler::ask_for(KernelForms& forms, KernelForms::Form& form) noexcept {
    try {
        MutexLock lock(mutex_);
        if (is_closed_) return;
        if (!is_started_) start();
        tasks_.push_back({forms.origin().module, &forms, &form});
        wake_.notify_one();
    } catch (const std::exception& error) {
        log::info("no thread to compile kernels in the background: {}", error.what());
    }
}

void FormCompiler::start() {
    static const int registered = std::atexit([] { instance().close(); });
    static_cast<void>(registered);  // one that cannot be is as after quick_exit()
    start_quiet_thread([this] { work(); });
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
        MutexLock working(working_);
        {
            MutexLock lock(mutex_);
            if (is_closed_) return;
        }
        const std::shared_ptr<LoadedModule> module = task.module.lock();
        if (module != nullptr) make_form(*task.forms, *task.form);
    }
}

void FormCompiler::close() noexcept {
    {
        MutexLock lock(mutex_);
        is_closed_ = true;
    }
    MutexLock working(working_);
}

void FormCompiler::before_fork() {
    working_.lock();
    mutex_.lock();
}

void FormCompiler::after_fork_in_parent() {
    mutex_.unlock();
    working_.unlock();
}

void FormCompiler::after_fork_in_child() {
    tasks_.clear();
    is_started_ = false;
    new (&wake_) Condition;
    mutex_.unlock();
    working_.unlock();
}

}  // namespace warpwise::cpu
