// Builds the layered file system of one compile and reads back what it took from disk. Invariant:
// texts are referred to, never copied, and nothing is shared between compiles.
#include "src/backends/cpu/compiler/frontend/files.hpp"

#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <algorithm>

#include "src/base/hash.hpp"
#include "src/codegen/device_headers.hpp"

namespace warpwise::cpu_compiler {

namespace {

constexpr std::string_view kIncludable = "include/";

llvm::StringRef ref(std::string_view text) {
    return {text.data(), text.size()};
}

void add(llvm::vfs::InMemoryFileSystem& files, std::string_view path, std::string_view text) {
    files.addFile(ref(path), 0,
                  llvm::MemoryBuffer::getMemBuffer(ref(text), ref(path),
                                                   /*RequiresNullTerminator=*/false));
}

}  // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> make_file_system(
    const compiler::CompileRequest& request, const std::vector<ExtraFile>& extra) {
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (const codegen::DeviceHeader& header : codegen::device_headers()) {
        add(*memory, fmt::format("{}/{}", kHeaderFolder, header.name), header.text);
    }
    for (const auto& [name, text] : request.headers) {
        add(*memory, fmt::format("{}/{}", kRequestFolder, name), text);
    }
    // In a layer above: it may replace a header of the request.
    auto above = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (const ExtraFile& file : extra) add(*above, file.path, file.text);
    auto layers =
        llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
    layers->pushOverlay(std::move(memory));
    layers->pushOverlay(std::move(above));
    return layers;
}

bool is_built_in(std::string_view path) noexcept {
    return path.starts_with(kHeaderFolder);
}

std::string_view user_path(std::string_view path) noexcept {
    if (!path.starts_with(kRequestFolder)) return path;
    path.remove_prefix(kRequestFolder.size());
    while (path.starts_with('/')) path.remove_prefix(1);
    return path;
}

std::vector<compiler::Dependency> read_dependencies(const clang::SourceManager& sources) {
    std::vector<compiler::Dependency> result;
    for (auto it = sources.fileinfo_begin(); it != sources.fileinfo_end(); ++it) {
        const llvm::StringRef name = it->first.getName();
        if (is_built_in(name) || name.starts_with(ref(kRequestFolder))) continue;
        const auto buffer = it->second->getBufferIfLoaded();
        if (!buffer) continue;
        llvm::SmallString<256> path = name;
        sources.getFileManager().makeAbsolutePath(path);
        const llvm::StringRef text = buffer->getBuffer();
        result.push_back({path.str().str(), hash64(std::string_view(text.data(), text.size()))});
    }
    std::sort(result.begin(), result.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    const auto end = std::unique(result.begin(), result.end(),
                                 [](const auto& a, const auto& b) { return a.path == b.path; });
    result.erase(end, result.end());
    return result;
}

std::vector<std::string> built_in_header_names() {
    std::vector<std::string> names;
    for (const codegen::DeviceHeader& header : codegen::device_headers()) {
        if (header.name.starts_with(kIncludable)) {
            names.emplace_back(header.name.substr(kIncludable.size()));
        }
    }
    return names;
}

}  // namespace warpwise::cpu_compiler
