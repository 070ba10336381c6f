// One launch of a kernel of the library's own, with arrays among its arguments.
//
//   LibraryStep(kernel, context).read(x).write(y).number(n).run(blocks, threads);
//
// Queued in the current stream of the device; what is pending on the arrays comes before.
//
// Threading: any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "src/array/parts.hpp"

namespace warpwise::runtime {
class KernelState;
}

namespace warpwise::array {

class LibraryStep {
  public:
    LibraryStep(std::shared_ptr<runtime::KernelState> kernel, runtime::Context& context)
        : kernel_(std::move(kernel)), context_(&context) {}

    LibraryStep& read(const Array& array) { return add(array, false); }
    LibraryStep& write(const Array& array) { return add(array, true); }
    LibraryStep& number(std::int64_t value) {
        arguments_.push_back({-1, value});
        return *this;
    }
    // Written; its first `bytes` are zero when the kernel begins.
    LibraryStep& zeroed(const Array& array, std::int64_t bytes) {
        zeroed_.push_back({uses_.size(), bytes});
        return add(array, true);
    }
    void run(std::int64_t blocks, int threads = 256);

  private:
    struct Argument {
        int use = -1;
        std::int64_t number = 0;
    };
    struct Zeroed {
        std::size_t use = 0;
        std::int64_t bytes = 0;
    };
    LibraryStep& add(const Array& array, bool writes) {
        arguments_.push_back({static_cast<int>(uses_.size()), 0});
        uses_.push_back({&array.value(), writes});
        return *this;
    }

    std::shared_ptr<runtime::KernelState> kernel_;
    runtime::Context* context_;
    std::vector<graph::Use> uses_;  // refer to the caller's arrays
    std::vector<Argument> arguments_;
    std::vector<Zeroed> zeroed_;
};

// Memory for one call, private to it.
Array scratch(std::int64_t bytes, runtime::Context& context);

}  // namespace warpwise::array
