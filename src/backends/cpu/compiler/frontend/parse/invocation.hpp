// The one place that decides clang's flags.
#pragma once

#include <clang/Frontend/CompilerInvocation.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/backends/cpu/compiler/frontend/options.hpp"
#include "src/compiler/compiler.hpp"

namespace warpwise::cpu_compiler {

// Whether clang knows the GPU ("sm_90").
bool is_known_gpu(std::string_view target) noexcept;

// The flags that decide how the prelude is read: language, target, floating point. Two compiles
// with equal language flags can share one precompiled prelude.
std::vector<std::string> language_flags(const FrontendOptions& options,
                                        const compiler::CompileMode& mode, std::string_view target,
                                        std::string_view format);

// The user's include folders, the request's headers, the built-in headers, in this order.
std::vector<std::string> search_flags(const FrontendOptions& options,
                                      const compiler::CompileRequest& request);

// Throws CompileError when clang refuses a flag, which would be our mistake.
std::shared_ptr<clang::CompilerInvocation> make_invocation(const std::vector<std::string>& flags);

}  // namespace warpwise::cpu_compiler
