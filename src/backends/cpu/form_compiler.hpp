// Compiles kernels for blocks of one shape, on a thread of its own, one after the other.
//
// Threading: ask_for() from any thread. At the end of the process and around fork() the compile in
// progress is waited for: the compiler's library cannot be left half-way.
#pragma once

#include <deque>
#include <memory>

#include "src/backends/cpu/kernel_forms.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cpu {

// On this thread. A kernel that cannot be compiled so keeps its form for any shape.
void make_form(KernelForms& forms, KernelForms::Form& form) noexcept;

class FormCompiler {
  public:
    static FormCompiler& instance();

    // Never throws: without a thread to spare the form is not made.
    void ask_for(KernelForms& forms, KernelForms::Form& form) noexcept;

    void before_fork() WARPWISE_NO_THREAD_SAFETY_ANALYSIS;
    void after_fork_in_parent() WARPWISE_NO_THREAD_SAFETY_ANALYSIS;
    void after_fork_in_child() WARPWISE_NO_THREAD_SAFETY_ANALYSIS;

  private:
    struct Task {
        std::weak_ptr<LoadedModule> module;  // while it lives, so do the two below
        KernelForms* forms;
        KernelForms::Form* form;
    };

    void start() WARPWISE_REQUIRES(mutex_);
    void work();
    void close() noexcept;

    Mutex mutex_;
    Condition wake_;
    std::deque<Task> tasks_ WARPWISE_GUARDED_BY(mutex_);
    bool is_started_ WARPWISE_GUARDED_BY(mutex_) = false;
    bool is_closed_ WARPWISE_GUARDED_BY(mutex_) = false;  // the process ends
    Mutex working_;                                       // held while something is compiled
};

}  // namespace warpwise::cpu
