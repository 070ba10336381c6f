// The forms of a kernel, compiled from the same source, with the same bits for results: the one its
// module came with, quick to compile and for blocks of any shape; one for each shape that is
// launched often or long enough; and one for any shape where these are too many.
//
// Threading: a launch looks its form up without a lock; forms are made by one thread in the
// background, or with WARPWISE_TIER=full by the launching one. The module lives as long as its
// kernels: what is in the making for a module that has gone is thrown away.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "src/backends/cpu/module/compiler.hpp"
#include "src/backends/cpu/module/kernel.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cpu {

class LoadedModule;

// What it takes to compile the kernels of a program again.
struct ProgramOrigin {
    std::weak_ptr<LoadedModule> module;
    CpuCompiler* compiler = nullptr;
    std::shared_ptr<const compiler::CompileRequest> request;
    std::shared_ptr<const compiler::Program> program;
};

class KernelForms {
  public:
    using Shape = compiler::BlockShape;

    // Its key is the mode it is compiled in. The modes of one kernel's forms differ in the block.
    struct Form {
        compiler::CompileMode mode;
        std::atomic<const CpuKernel*> kernel = nullptr;
        std::atomic<std::uint64_t> threads = 0;  // launched so far
        std::atomic<bool> is_requested = false;
        Form* next = nullptr;
    };

    KernelForms(const CpuKernel& generic, std::shared_ptr<const ProgramOrigin> origin);
    ~KernelForms();
    KernelForms(const KernelForms&) = delete;
    KernelForms& operator=(const KernelForms&) = delete;

    struct Choice {
        const CpuKernel* kernel;
        Form* better;  // that is not made yet; or null
    };
    // For a launch of so many threads in blocks of this shape.
    Choice choose(const Shape& shape, std::uint64_t threads);
    // Once for each form: in the background.
    void request_form(Form& form) noexcept;
    // On this thread, unless the form for this shape is there.
    void compile_fully(const Shape& shape);
    // The forms that launches use by now, after the generic one.
    std::vector<KernelForm> reported() const;
    // The form made last, or null.
    const CpuKernel* newest() const noexcept { return newest_.load(std::memory_order_acquire); }
    // Makes it usable; `kernel` belongs to the module.
    void install(Form& form, const CpuKernel& kernel) noexcept;

    const CpuKernel& generic() const noexcept { return generic_; }
    const ProgramOrigin& origin() const noexcept { return *origin_; }

  private:
    enum class Tier : std::uint8_t { Auto, Quick, Full };

    compiler::CompileMode mode_for(std::optional<Shape> shape) const;
    Form* find(const Shape& shape) const noexcept;
    Form* add(const Shape& shape);
    Form* form_for(const Shape& shape);

    const CpuKernel& generic_;
    const std::shared_ptr<const ProgramOrigin> origin_;
    Tier tier_ = Tier::Auto;  // WARPWISE_TIER
    Form any_;
    std::atomic<Form*> first_ = nullptr;  // of a list that only grows, at its head
    std::atomic<const CpuKernel*> newest_ = nullptr;
    Mutex mutex_;
    unsigned count_ WARPWISE_GUARDED_BY(mutex_) = 0;
};

// The kernel that runs the blocks of one launch. A better form that is ready before the last block
// starts is taken up; a launch that takes long requests it.
//
// Threading: next() from all threads that run blocks of the launch.
class LaunchForm {
  public:
    LaunchForm(const CpuKernel& kernel, const KernelForms::Shape& shape, std::uint64_t threads);

    // As the launch began.
    const CpuKernel& first() const noexcept { return *first_; }
    // For blocks that start now.
    const CpuKernel& next() noexcept;

  private:
    using Clock = std::chrono::steady_clock;

    bool is_long() noexcept;

    const CpuKernel* first_;
    KernelForms* forms_ = nullptr;
    KernelForms::Form* better_ = nullptr;
    std::atomic<Clock::rep> started_ = 0;  // when the first blocks did
};

}  // namespace warpwise::cpu
