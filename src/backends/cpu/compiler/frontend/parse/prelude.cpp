// Building, storing and finding precompiled preludes.
#include "src/backends/cpu/compiler/frontend/parse/prelude.hpp"

#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/Utils.h>
#include <clang/Sema/Sema.h>
#include <clang/Serialization/ASTWriter.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>

#include "src/backends/cpu/compiler/frontend/diagnostics/diagnostics.hpp"
#include "src/backends/cpu/compiler/frontend/parse/files.hpp"
#include "src/backends/cpu/compiler/frontend/parse/invocation.hpp"
#include "src/backends/cpu/compiler/guard.hpp"
#include "src/base/disk_cache.hpp"
#include "src/base/hash.hpp"
#include "src/base/log.hpp"
#include "src/base/text.hpp"
#include "src/compiler/service.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {

namespace {

// Images of this process: a list that only grows, so that readers and forked children need no lock.
struct Image {
    std::string key;
    std::string file;  // header and image
    const Image* next = nullptr;
};

std::atomic<const Image*> g_images{nullptr};

const Image* find_image(const std::string& key) noexcept {
    const Image* image = g_images.load(std::memory_order_acquire);
    while (image != nullptr && image->key != key) image = image->next;
    return image;
}

const Image* keep_image(std::string key, std::string file) {
    auto* image = new Image{std::move(key), std::move(file)};
    image->next = g_images.load(std::memory_order_relaxed);
    while (!g_images.compare_exchange_weak(image->next, image, std::memory_order_release)) {
    }
    return image;
}

// Clang keeps this list private; an explicit instantiation may name it all the same.
using DeferredList = llvm::SmallSetVector<clang::Decl*, 4>;
DeferredList& deferred_list(clang::Sema& sema);
template <DeferredList clang::Sema::* kList>
struct Expose {
    friend DeferredList& deferred_list(clang::Sema& sema) { return sema.*kList; }
};
template struct Expose<&clang::Sema::DeclsToCheckForDeferredDiags>;

// The list of functions whose CUDA diagnostics depend on their use makes every compile read all
// functions of the image back (10 of 14 ms). Those of ours have no such diagnostics.
class ImageWriter final : public clang::PCHGenerator {
  public:
    using PCHGenerator::PCHGenerator;

    void InitializeSema(clang::Sema& sema) override {
        sema_ = &sema;
        PCHGenerator::InitializeSema(sema);
    }
    void HandleTranslationUnit(clang::ASTContext& context) override {
        deferred_list(*sema_).clear();
        PCHGenerator::HandleTranslationUnit(context);
    }

  private:
    clang::Sema* sema_ = nullptr;
};

// Parses the prelude and hands its serialised syntax tree over in memory.
class BuildAction final : public clang::ASTFrontendAction {
  public:
    std::shared_ptr<clang::PCHBuffer> buffer = std::make_shared<clang::PCHBuffer>();

    clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }

  protected:
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                          llvm::StringRef) override {
        return std::make_unique<ImageWriter>(
            compiler.getPreprocessor(), compiler.getModuleCache(), std::string(kPreludePch), "",
            buffer, std::vector<std::shared_ptr<clang::ModuleFileExtension>>(),
            /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false);
    }
};

std::string build_image(const std::vector<std::string>& language_flags) {
    enter_stage("precompiling the built-in headers");
    const compiler::CompileRequest nothing;
    std::vector<std::string> flags = language_flags;
    const std::vector<std::string> search = search_flags({}, nothing);
    flags.insert(flags.end(), search.begin(), search.end());

    DiagnosticCollector diagnostics;
    clang::CompilerInstance compiler;
    compiler.setInvocation(make_invocation(flags));
    compiler.getFrontendOpts().ProgramAction = clang::frontend::GeneratePCH;
    compiler.createDiagnostics(&diagnostics, /*ShouldOwnClient=*/false);
    compiler.createFileManager(make_file_system(nothing, {}));
    compiler.createSourceManager(compiler.getFileManager());
    const clang::FrontendInputFile input(
        std::string(kPreludeFile),
        clang::InputKind(clang::Language::CUDA).withHeaderUnit(clang::InputKind::HeaderUnit_None));
    BuildAction action;
    bool done = compiler.createTarget() && action.BeginSourceFile(compiler, input);
    if (done) {
        done = !llvm::errorToBool(action.Execute());
        action.EndSourceFile();
    }
    if (diagnostics.has_errors()) diagnostics.throw_errors();
    if (!done || !action.buffer->IsComplete) {
        throw CompileError("the built-in headers could not be precompiled", diagnostics.log(), {},
                           0);
    }
    return std::string(action.buffer->Data.begin(), action.buffer->Data.end());
}

// A file: magic, checksum of the rest, key, image.
constexpr std::string_view kMagic = "wwpch002";
constexpr std::size_t kKeyAt = 16, kKeyBytes = 32;
constexpr std::size_t kHeaderBytes = kKeyAt + kKeyBytes;

std::string key_of(const std::vector<std::string>& language_flags) {
    // clang does not compare versions here, so the key does: a distribution may renew its library.
    return Hasher()
        .add(compiler::compiler_identity())
        .add(clang::getClangFullVersion())
        .add_all(language_flags)
        .hash()
        .hex();
}

std::uint64_t checksum_of(std::string_view file) {
    return hash64(file.substr(kKeyAt));
}

std::string pack_image(const std::string& key, std::string_view image) {
    std::string file(kMagic);
    file.resize(kKeyAt);
    file.append(key).append(image);
    const std::uint64_t checksum = checksum_of(file);
    std::memcpy(file.data() + kMagic.size(), &checksum, sizeof checksum);
    return file;
}

bool read_whole(int descriptor, std::string& bytes) {
    struct stat status{};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    bytes.resize(static_cast<std::size_t>(status.st_size));
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got = ::read(descriptor, bytes.data() + done, bytes.size() - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        done += static_cast<std::size_t>(got);
    }
    return true;
}

// The file's bytes when it holds the image of this key.
std::optional<std::string> load_file(const std::filesystem::path& path, std::string_view key) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return std::nullopt;
    char start[kHeaderBytes] = {};
    std::string bytes;
    const bool fits = ::pread(descriptor, start, kHeaderBytes, 0) == ssize_t{kHeaderBytes} &&
                      std::string_view(start, kMagic.size()) == kMagic &&
                      std::string_view(start + kKeyAt, kKeyBytes) == key;
    const bool is_read = fits && read_whole(descriptor, bytes);
    ::close(descriptor);
    if (!is_read || bytes.size() < kHeaderBytes) return std::nullopt;
    std::uint64_t checksum = 0;
    std::memcpy(&checksum, bytes.data() + kMagic.size(), sizeof checksum);
    if (checksum_of(bytes) != checksum) {
        log::info("{} is damaged and not used", path.string());
        return std::nullopt;
    }
    return bytes;
}

bool write_whole(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

// Under a name of its own first, then renamed: readers see a whole image or none.
bool store_file(const std::filesystem::path& path, std::string_view bytes) {
    std::string temporary = path.string() + ".XXXXXX";
    const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (descriptor < 0) return false;
    bool done = write_whole(descriptor, bytes);
    done = ::close(descriptor) == 0 && done;
    if (done && ::rename(temporary.c_str(), path.c_str()) == 0) return true;
    ::unlink(temporary.c_str());
    return false;
}

// The image that was made with the library, beside the file this code was loaded from.
std::filesystem::path installed_file() {
    Dl_info info{};
    ::dladdr(reinterpret_cast<const void*>(&prelude_image), &info);
    const std::filesystem::path library = info.dli_fname == nullptr ? "" : info.dli_fname;
    return library.parent_path() / "warpwise-prelude.pch";
}

// The disk cache proves what it gives, bounds what it holds, and is private to the user.
std::optional<std::string> cached_file(const Hash128& entry, std::string_view key) {
    const auto block = disk_cache().get(entry);
    if (!block) return std::nullopt;
    std::string file(reinterpret_cast<const char*>(block->data()), block->size());
    if (file.size() < kHeaderBytes || !file.starts_with(kMagic)) return std::nullopt;
    if (file.compare(kKeyAt, kKeyBytes, key) != 0) return std::nullopt;
    return file;
}

std::string obtain_file(const std::string& key, const std::vector<std::string>& language_flags) {
    if (std::optional<std::string> made = load_file(installed_file(), key)) return std::move(*made);
    const Hash128 entry = Hasher().add("prelude").add(key).hash();
    if (std::optional<std::string> stored = cached_file(entry, key)) return std::move(*stored);
    std::string file = pack_image(key, build_image(language_flags));
    disk_cache().put(entry, std::as_bytes(std::span(file.data(), file.size())));
    return file;
}

}  // namespace

std::string_view prelude_image(const std::vector<std::string>& language_flags) {
    const std::string key = key_of(language_flags);
    const Image* image = find_image(key);
    if (image == nullptr) image = keep_image(key, obtain_file(key, language_flags));
    return std::string_view(image->file).substr(kHeaderBytes);
}

void write_default_prelude(const std::string& path) {
    const std::vector<std::string> flags = language_flags({}, {}, "", "object");
    if (!store_file(path, pack_image(key_of(flags), build_image(flags)))) {
        throw DeviceError(fmt::format("cannot write {}: {}", quote(path),
                                      std::generic_category().message(errno)));
    }
}

}  // namespace warpwise::cpu_compiler
