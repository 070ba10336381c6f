// Building, storing and finding precompiled preludes.
#include "src/backends/cpu/compiler/frontend/prelude.hpp"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/Utils.h>
#include <clang/Sema/Sema.h>
#include <clang/Serialization/ASTWriter.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <llvm/Support/MemoryBuffer.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <optional>

#include "src/backends/cpu/compiler/frontend/diagnostics.hpp"
#include "src/backends/cpu/compiler/frontend/files.hpp"
#include "src/backends/cpu/compiler/frontend/invocation.hpp"
#include "src/backends/cpu/compiler/guard.hpp"
#include "src/base/hash.hpp"
#include "src/base/log.hpp"
#include "src/compiler/service.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu_compiler {

namespace {

// Images of this process: a list that only grows, so that readers and forked children need no lock.
struct Image {
    std::string key;
    std::string bytes;
    const Image* next = nullptr;
};

std::atomic<const Image*> g_images{nullptr};

const Image* find_image(const std::string& key) noexcept {
    const Image* image = g_images.load(std::memory_order_acquire);
    while (image != nullptr && image->key != key) image = image->next;
    return image;
}

const Image* keep_image(std::string key, std::string bytes) {
    auto* image = new Image{std::move(key), std::move(bytes)};
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

// An image on disk: magic, checksum of the rest, the rest.
constexpr std::string_view kMagic = "wwpch001";
constexpr std::size_t kHeaderBytes = 16;

// The folder for images; nullopt when the cache is off or the folder could be written by others.
std::optional<std::filesystem::path> image_folder() {
    if (settings().cache_size == 0 || settings().cache_dir.empty()) return std::nullopt;
    const std::filesystem::path root = settings().cache_dir;
    std::error_code error;
    std::filesystem::create_directories(root / "pch", error);
    for (const std::filesystem::path& folder : {root, root / "pch"}) {
        struct stat status{};
        if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
        if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
            log::debug("{} is not used: others may write it", folder.string());
            return std::nullopt;
        }
    }
    return root / "pch";
}

std::optional<std::string> load_image(const std::filesystem::path& file) {
    const auto buffer = llvm::MemoryBuffer::getFile(file.c_str(), /*IsText=*/false,
                                                    /*RequiresNullTerminator=*/false,
                                                    /*IsVolatile=*/true);
    if (!buffer) return std::nullopt;
    const llvm::StringRef bytes = (*buffer)->getBuffer();
    std::uint64_t checksum = 0;
    if (bytes.size() < kHeaderBytes || !bytes.starts_with(llvm::StringRef(kMagic))) {
        return std::nullopt;
    }
    std::memcpy(&checksum, bytes.data() + kMagic.size(), sizeof checksum);
    const std::string_view image(bytes.data() + kHeaderBytes, bytes.size() - kHeaderBytes);
    if (hash64(image) != checksum) {
        log::info("{} is damaged; it will be written again", file.string());
        return std::nullopt;
    }
    return std::string(image);
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
void store_image(const std::filesystem::path& file, std::string_view image) {
    std::string temporary = file.string() + ".XXXXXX";
    const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (descriptor < 0) return log::debug("cannot write to {}", file.parent_path().string());
    const std::uint64_t checksum = hash64(image);
    std::string header(kMagic);
    header.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    bool done = write_whole(descriptor, header) && write_whole(descriptor, image);
    done = ::close(descriptor) == 0 && done;
    if (done && ::rename(temporary.c_str(), file.c_str()) == 0) return;
    ::unlink(temporary.c_str());
    log::debug("cannot write {}", file.string());
}

std::string obtain_image(const std::string& key, const std::vector<std::string>& language_flags) {
    const std::optional<std::filesystem::path> folder = image_folder();
    if (!folder) return build_image(language_flags);
    const std::filesystem::path file = *folder / (key + ".pch");
    if (std::optional<std::string> stored = load_image(file)) return std::move(*stored);
    std::string image = build_image(language_flags);
    store_image(file, image);
    return image;
}

}  // namespace

std::string_view prelude_image(const std::vector<std::string>& language_flags) {
    const std::string key =
        Hasher().add(compiler::compiler_identity()).add_all(language_flags).hash().hex();
    const Image* image = find_image(key);
    if (image == nullptr) image = keep_image(key, obtain_image(key, language_flags));
    return image->bytes;
}

}  // namespace warpwise::cpu_compiler
