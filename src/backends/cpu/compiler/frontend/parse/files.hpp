// The files a compile sees: built-in headers and headers of the request in memory, the real disk
// below them.
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/backends/cpu/compiler/translation.hpp"
#include "src/compiler/compiler.hpp"

namespace clang {
class SourceManager;
}

namespace warpwise::cpu_compiler {

// Headers of the request (CompileRequest::headers) seem to lie here; diagnostics leave it out.
inline constexpr std::string_view kRequestFolder = "/__request__";

// Below kHeaderFolder.
inline constexpr std::string_view kPreludeFile = "/__warpwise__/warpwise_device.cuh";
inline constexpr std::string_view kPreludePch = "/__warpwise__/prelude.pch";
inline constexpr std::string_view kOptionsFile = "/__warpwise__/options.h";
inline constexpr std::string_view kExpressionsFile = "/__warpwise__/expressions.h";
inline constexpr std::string_view kIncludeFolder = "/__warpwise__/include";
// Headers that many programs bring along: only for those that do not.
inline constexpr std::string_view kFallbackFolder = "/__warpwise__/fallback";

// A file made up for one compile, at an absolute path. `text` must outlive the file system.
struct ExtraFile {
    std::string_view path;
    std::string_view text;
};

// `include_dirs` come from options, beside the request's own. Thrust, CUB and libcu++ in any of
// them are hidden: they need a host compiler's library underneath, and ours replace
// them. So does our CUB for copies of its headers in folders of the program's own.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> make_file_system(
    const compiler::CompileRequest& request, const std::vector<ExtraFile>& extra,
    const std::vector<std::string>& include_dirs = {});

// Whether a path names one of our own files, whose insides are no business of the user's.
bool is_built_in(std::string_view path) noexcept;
// The path as the user knows it: without kRequestFolder.
std::string_view user_path(std::string_view path) noexcept;

// What was read from the real disk, as absolute paths with the hashes of what was compiled.
std::vector<compiler::Dependency> read_dependencies(const clang::SourceManager& sources);

// The names under which built-in headers can be included, sorted.
std::vector<std::string> built_in_header_names();

}  // namespace warpwise::cpu_compiler
