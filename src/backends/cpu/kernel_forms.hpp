// The forms of a kernel: one for blocks of any shape, which its module came with, and one for each
// shape that is launched often enough, compiled from the same source. All give the same bits.
//
// Threading: a launch looks its form up without a lock; forms are made by one thread in the
// background, or with WARPWISE_TIER=full by the launching one. The module lives as long as its
// kernels: what is in the making for a module that has gone is thrown away.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "src/backends/cpu/kernel.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cpu {

class LoadedModule;

// What it takes to compile the kernels of a program again.
struct ProgramOrigin {
    std::weak_ptr<LoadedModule> module;
    compiler::Compiler* compiler = nullptr;
    std::shared_ptr<const compiler::CompileRequest> request;
    std::shared_ptr<const compiler::Program> program;
};

class KernelForms {
  public:
    using Shape = std::array<std::uint32_t, 3>;

    struct Form {
        Shape shape{};
        std::atomic<const CpuKernel*> kernel = nullptr;
        std::atomic<std::uint64_t> threads = 0;  // launched so far
        std::atomic<bool> is_asked_for = false;
        Form* next = nullptr;
    };

    KernelForms(const CpuKernel& generic, std::shared_ptr<const ProgramOrigin> origin);
    ~KernelForms();
    KernelForms(const KernelForms&) = delete;
    KernelForms& operator=(const KernelForms&) = delete;

    // The kernel that runs a launch of so many threads in blocks of this shape.
    const CpuKernel& choose(const Shape& shape, std::uint64_t threads);
    // The form made last, or null.
    const CpuKernel* newest() const noexcept { return newest_.load(std::memory_order_acquire); }
    // Makes it usable; `kernel` belongs to the module.
    void install(Form& form, const CpuKernel& kernel) noexcept;

    const CpuKernel& generic() const noexcept { return generic_; }
    const ProgramOrigin& origin() const noexcept { return *origin_; }

  private:
    enum class Tier : std::uint8_t { Auto, Quick, Full };

    Form* find(const Shape& shape) const noexcept;
    Form* add(const Shape& shape);

    const CpuKernel& generic_;
    const std::shared_ptr<const ProgramOrigin> origin_;
    Tier tier_ = Tier::Auto;              // as WARPWISE_TIER says
    std::atomic<Form*> first_ = nullptr;  // of a list that only grows, at its head
    std::atomic<const CpuKernel*> newest_ = nullptr;
    Mutex mutex_;
    unsigned count_ WARPWISE_GUARDED_BY(mutex_) = 0;
};

}  // namespace warpwise::cpu
