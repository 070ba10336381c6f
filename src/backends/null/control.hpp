// What tests switch, as the parts of the back end see it.
#pragma once

#include <exception>

#include "src/backends/null/null_backend.hpp"

namespace warpwise::null {

// Records the call, then fails it if its turn has come. Every function of the contract that may
// throw begins with it.
void enter(Call call);
void record_only(Call call) noexcept;

std::exception_ptr take_launch_error() noexcept;
compiler::Program compile(const compiler::CompileRequest& request);
void load(const compiler::Program& program);

}  // namespace warpwise::null
