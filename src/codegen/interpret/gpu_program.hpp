// A group as the program that the interpreter on a GPU runs (device/interpreter/program.cuh).
//
// Threading: constant once made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/codegen/device/interpreter/program.cuh"
#include "src/codegen/geometry.hpp"
#include "src/codegen/group.hpp"

namespace warpwise::codegen::interpret {

class GpuProgram {
  public:
    // Null where the group holds something that is not interpreted, or more than a launch takes.
    static std::shared_ptr<const GpuProgram> make(const Group& group);

    const Group& group() const noexcept { return group_; }
    // Whether every op of it is the same bits whoever compiles it (device/interpreter/rules.cuh).
    bool is_exact() const noexcept { return is_exact_; }
    std::size_t shared_bytes() const noexcept { return shared_bytes_; }
    std::size_t steps() const noexcept { return static_cast<std::size_t>(form_.end - form_.body); }
    // `states`, `counters`: memory for partial results, as of a compiled kernel.
    __ww_program pack(const Binding& binding, const Geometry& geometry, std::uint64_t states,
                      std::uint64_t counters) const;

  private:
    friend class GpuProgramWriter;

    Group group_;
    __ww_program form_{};  // what is the same at each launch
    std::size_t operands_ = 0;
    std::size_t scalars_ = 0;
    std::size_t shared_bytes_ = 0;
    bool is_exact_ = true;
};

}  // namespace warpwise::codegen::interpret
