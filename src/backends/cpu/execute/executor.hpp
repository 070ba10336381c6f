// Runs the blocks of a grid on the calling thread, each gang of a block (one thread in executor
// *reference*) in a plain loop; when the kernel has a rendezvous, in rounds from barrier to barrier
// if it is compiled for that, else in a fiber of its own.
//
// Order is fixed: blocks ascending, gangs ascending with x fastest, each until it ends or must
// wait. Kernel code always runs on a guarded stack, so that endless recursion is caught.
//
// Threading: one Executor per thread; it lives until the thread ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/backends/cpu/execute/block.hpp"
#include "src/backends/cpu/execute/pauses.hpp"
#include "src/backends/cpu/execute/region_block.hpp"
#include "src/backends/cpu/execute/resident_blocks.hpp"

namespace warpwise::cpu {

class Executor {
  public:
    static Executor& of_this_thread();

    // While it lives, a fresh executor is this thread's: another is in the middle of a block.
    class Nested {
      public:
        Nested();
        ~Nested();
        Nested(const Nested&) = delete;
        Nested& operator=(const Nested&) = delete;

      private:
        Executor& outer_;
        std::unique_ptr<Executor> inner_;
    };

    Executor();
    ~Executor();
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    // Runs blocks [begin, end) in one form of the kernel. What goes wrong, and the output, is
    // reported to the grid.
    void run(Grid& grid, const CpuKernel& kernel, std::uint64_t begin, std::uint64_t end) noexcept;
    // The calling thread is the program's, which may have changed how signals reach it.
    static void arrive_from_program() noexcept { forget_fault_handler(); }

  private:
    struct PlainRange;
    struct RegionRange;

    static void run_plain_range(void* range);
    static void run_region_range(void* range);
    void run_plain(Grid& grid, const CpuKernel& kernel, std::uint64_t begin, std::uint64_t end);
    void run_regions(Grid& grid, const CpuKernel& kernel, std::uint64_t begin, std::uint64_t end);
    void run_on_plain_stack(const Grid& grid, Fiber::Body body, void* argument);
    void run_form(Grid& grid, const CpuKernel& kernel, std::uint64_t begin, std::uint64_t end);
    std::byte* shared_memory(std::size_t bytes);
    void prepare_plain_stack(std::size_t local_bytes);

    KernelFrame frame_;
    KernelThread thread_{frame_};
    std::vector<Stack> plain_stack_;  // one, or none yet
    SharedMemory shared_;
    std::size_t shared_size_ = 0;
    RegionBlock regions_;
};

}  // namespace warpwise::cpu
