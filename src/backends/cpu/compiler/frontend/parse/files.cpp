// Builds the layered file system of one compile and reads back what it took from disk. Invariant:
// texts are referred to, never copied, and nothing is shared between compiles.
#include "src/backends/cpu/compiler/frontend/parse/files.hpp"

#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <system_error>

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

// LLVM's own, taken once: that LLVM makes it before any other thread has it is not seen by
// ThreadSanitizer, which follows what is compiled with it.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> real_disk() {
    static const auto* const disk = new auto(llvm::vfs::getRealFileSystem());
    return *disk;
}

// Whether a path names a program's own copy of a header of CUB that is carried here. Such a copy
// has kernels of its own that need all of CUB, and would define what ours define.
bool is_copy_of_cub(const llvm::Twine& path) {
    llvm::SmallString<256> text;
    path.toVector(text);
    if (!llvm::StringRef(text).ends_with(".cuh")) return false;
    llvm::sys::path::remove_dots(text, /*remove_dot_dot=*/true);
    const std::size_t at = llvm::StringRef(text).rfind("cub/");
    if (at == llvm::StringRef::npos) return false;
    const std::string name = fmt::format("{}{}", kIncludable, text.c_str() + at);
    const auto& headers = codegen::device_headers();
    return std::any_of(headers.begin(), headers.end(),
                       [&](const codegen::DeviceHeader& header) { return header.name == name; });
}

constexpr std::string_view kOurCub = "#include <cub/cub.cuh>\n";

// What replaces a copy of a header of CUB.
class CubFile final : public llvm::vfs::File {
  public:
    explicit CubFile(llvm::vfs::Status status) : status_(std::move(status)) {}
    llvm::ErrorOr<llvm::vfs::Status> status() override { return status_; }
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, int64_t,
                                                                 bool, bool) override {
        llvm::SmallString<256> text;
        return llvm::MemoryBuffer::getMemBuffer(ref(kOurCub), name.toStringRef(text));
    }
    std::error_code close() override { return {}; }

  private:
    llvm::vfs::Status status_;
};

// The disk without some folders, and with our CUB for any copy of it.
class Disk final : public llvm::vfs::ProxyFileSystem {
  public:
    explicit Disk(std::vector<std::string> hidden)
        : ProxyFileSystem(real_disk()), hidden_(std::move(hidden)) {}

    llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
        if (is_hidden(path)) return std::make_error_code(std::errc::no_such_file_or_directory);
        auto found = ProxyFileSystem::status(path);
        if (found && !is_readable(*found)) return not_a_file();
        if (!found || !is_copy_of_cub(path)) return found;
        return llvm::vfs::Status::copyWithNewSize(*found, kOurCub.size());
    }
    llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(
        const llvm::Twine& path) override {
        if (is_hidden(path)) return std::make_error_code(std::errc::no_such_file_or_directory);
        const auto found = ProxyFileSystem::status(path);
        if (found && !is_readable(*found)) return not_a_file();
        auto file = ProxyFileSystem::openFileForRead(path);
        if (!file || !is_copy_of_cub(path)) return file;
        auto its_status = (*file)->status();
        if (!its_status) return its_status.getError();
        return std::make_unique<CubFile>(
            llvm::vfs::Status::copyWithNewSize(*its_status, kOurCub.size()));
    }

    // Relative names are relative to nothing once the working folder has been deleted; clang takes
    // for granted that there is one.
    llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override {
        auto folder = ProxyFileSystem::getCurrentWorkingDirectory();
        return folder ? folder : std::string("/");
    }

  private:
    // Opening a pipe waits for its other end, and reading a device may never end.
    static bool is_readable(const llvm::vfs::Status& status) {
        const auto type = status.getType();
        return type != llvm::sys::fs::file_type::fifo_file &&
               type != llvm::sys::fs::file_type::socket_file &&
               type != llvm::sys::fs::file_type::character_file &&
               type != llvm::sys::fs::file_type::block_file;
    }
    static std::error_code not_a_file() {
        return std::make_error_code(std::errc::no_such_file_or_directory);
    }
    bool is_hidden(const llvm::Twine& path) const {
        if (hidden_.empty()) return false;
        const std::string text = path.str();
        return std::any_of(hidden_.begin(), hidden_.end(),
                           [&](const std::string& folder) { return text.starts_with(folder); });
    }

    std::vector<std::string> hidden_;
};

// A file of each library that nothing else has.
constexpr std::string_view kLibraryMarks[] = {"thrust/version.h", "cub/version.cuh",
                                              "cuda/std/version"};
constexpr std::string_view kLibraryFolders[] = {"thrust/", "cub/", "cuda/", "nv/"};

void add_hidden(std::vector<std::string>& hidden, const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) {
        const auto has = [&](std::string_view mark) {
            return llvm::sys::fs::exists(fmt::format("{}/{}", folder, mark));
        };
        if (std::none_of(std::begin(kLibraryMarks), std::end(kLibraryMarks), has)) continue;
        for (std::string_view library : kLibraryFolders) {
            hidden.push_back(fmt::format("{}/{}", folder, library));
        }
    }
}

}  // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> make_file_system(
    const compiler::CompileRequest& request, const std::vector<ExtraFile>& extra,
    const std::vector<std::string>& include_dirs) {
    std::vector<std::string> hidden;
    add_hidden(hidden, request.include_dirs);
    add_hidden(hidden, include_dirs);
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
    auto layers = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
        llvm::makeIntrusiveRefCnt<Disk>(std::move(hidden)));
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
        llvm::StringRef text = buffer->getBuffer();
        std::unique_ptr<llvm::MemoryBuffer> copy;  // what the cache will see
        if (is_copy_of_cub(path)) {
            auto on_disk = llvm::MemoryBuffer::getFile(path);
            if (!on_disk) continue;
            copy = std::move(*on_disk);
            text = copy->getBuffer();
        }
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
        if (!header.name.starts_with(kIncludable)) continue;
        const std::string_view name = header.name.substr(kIncludable.size());
        if (!name.starts_with("__")) names.emplace_back(name);  // ours, which no program includes
    }
    return names;
}

}  // namespace warpwise::cpu_compiler
