// Compiles kernels for blocks of one shape, one after the other: a thread of its own waits for
// child processes that do it. Not in this process: at its end, what clang and LLVM keep is
// destroyed under a compile that has not ended, in whatever order it was made, and that is a crash
// or worse.
//
// Threading: request_form() from any thread. The end of the process and fork() wait while something
// that has been compiled is installed, not while it is compiled.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "src/backends/cpu/module/kernel_forms.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cpu {

// On this thread. A kernel that cannot be compiled so keeps its form for any shape.
void make_form(KernelForms& forms, KernelForms::Form& form, compiler::Compiler& compiler) noexcept;

class FormCompiler {
  public:
    static FormCompiler& instance();

    // Never throws: without a thread to spare the form is not made.
    void request_form(KernelForms& forms, KernelForms::Form& form) noexcept;
    // Calls `work` with a compiler that compiles in child processes. Never throws, as above.
    void request(CpuCompiler& compiler, std::function<void(compiler::Compiler&)> work) noexcept;

    void before_fork() WARPWISE_NO_THREAD_SAFETY_ANALYSIS;
    void after_fork_in_parent() WARPWISE_NO_THREAD_SAFETY_ANALYSIS;
    void after_fork_in_child() WARPWISE_NO_THREAD_SAFETY_ANALYSIS;

  private:
    class InChild;
    struct Task {
        std::weak_ptr<LoadedModule> module;  // while it lives, so do the two below
        KernelForms* forms = nullptr;
        KernelForms::Form* form = nullptr;
        // Or, where these are null:
        CpuCompiler* compiler = nullptr;
        std::function<void(compiler::Compiler&)> work{};
    };

    void add(Task task) noexcept;
    void start() WARPWISE_REQUIRES(mutex_);
    void work();
    void make(const Task& task);
    compiler::Program compile(CpuCompiler& compiler, const compiler::CompileRequest& request)
        WARPWISE_NO_THREAD_SAFETY_ANALYSIS;
    void stop_at_end() WARPWISE_NO_THREAD_SAFETY_ANALYSIS;
    void close() noexcept;

    Mutex mutex_;
    Condition wake_;
    std::deque<Task> tasks_ WARPWISE_GUARDED_BY(mutex_);
    bool is_started_ WARPWISE_GUARDED_BY(mutex_) = false;
    bool is_closed_ WARPWISE_GUARDED_BY(mutex_) = false;  // the process ends
    Mutex installing_;  // held by the thread but while it waits for a task or a child
};

}  // namespace warpwise::cpu
