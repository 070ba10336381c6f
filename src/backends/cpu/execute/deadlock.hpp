// The error of a block whose threads wait for each other for ever, for every executor.
//
// Threading: a plain value.
#pragma once

#include <cstdint>
#include <string>

#include "src/backends/cpu/abi.hpp"

namespace warpwise::cpu {

class Deadlock {
  public:
    // What the threads of a gang do, gangs in ascending order. Those in a row that do the same are
    // named together.
    void add(const ThreadState& gang, const std::string& what);
    // After the last one.
    std::string text() &&;

  private:
    void name_range();

    std::string text_ = "deadlock, its threads wait for each other: ";
    std::string what_;
    std::uint32_t first_ = 0;
    std::uint32_t last_ = 0;
    int ranges_ = 0;
};

// Of a gang that waits at __syncthreads().
std::string describe_wait_for_block(const ThreadState& gang);

}  // namespace warpwise::cpu
