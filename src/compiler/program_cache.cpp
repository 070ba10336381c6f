// The cached compile. A stale record in memory is not the last word: another process may have put a
// newer one on disk.
#include "src/compiler/program_cache.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <utility>

#include "src/base/log.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "src/compiler/include_search.hpp"
#include "src/compiler/interruptible.hpp"
#include "src/compiler/prebuilt.hpp"
#include "src/compiler/service.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::compiler {
namespace {

constexpr std::size_t kMemoryLimit = std::size_t{64} << 20;

// clang's front end behind the contract of compilers.
class SignatureReader : public Compiler {
  public:
    Program compile(const CompileRequest& request) override {
        return service().read_signatures(request);
    }
    std::string fingerprint() const override { return std::string(compiler_identity()); }
    bool is_permanent() const noexcept override { return true; }
};

SignatureReader& signature_reader() {
    static auto* const reader = new SignatureReader;
    return *reader;
}

Program compile_interruptibly(Compiler& compiler, const CompileRequest& request) {
    if (!compiler.is_permanent()) return compiler.compile(request);
    return run_interruptibly(request.name, [&compiler, request, chosen = chosen_cache()] {
        // What it reads of the source (signatures) is cached where the program is.
        const SameCache same(chosen);
        return compiler.compile(request);
    });
}

ProgramCache& program_cache() {
    // Never destroyed: threads may still compile while the process ends.
    static ProgramCache* const instance = new ProgramCache(disk_cache(), kMemoryLimit);
    return *instance;
}

// Of a folder that a CacheFolder names; null: compile each time. Never destroyed, as the usual one.
struct FolderCache {
    explicit FolderCache(const std::string& folder)
        : disk(folder, settings().cache_size), programs(disk, kMemoryLimit) {}
    DiskCache disk;
    ProgramCache programs;
};

struct Choice {
    FolderCache* cache = nullptr;
};

// Never destroyed: threads may be asking.
std::atomic<const RequestRecorder*> g_recorder = nullptr;

thread_local const Choice* t_choice = nullptr;  // null: the usual cache

// Few: a program has a handful of folders.
const Choice& choice_of(const std::string& folder) {
    static auto* const mutex = new Mutex;
    static auto* const known = new std::map<std::string, Choice>;
    const MutexLock lock(*mutex);
    const auto [place, is_new] = known->try_emplace(folder);
    if (is_new && !folder.empty()) place->second.cache = new FolderCache(folder);
    return place->second;
}

// The program a record holds, if it does; shares ownership with the record.
std::shared_ptr<const Program> program_of(const std::shared_ptr<const CacheRecord>& record) {
    const std::optional<Program>& program = record->program;
    if (!program) return nullptr;
    return {record, &*program};
}

Program with_signatures_of(const CompileRequest& request) {
    Program program{.target = request.target, .format = "signatures"};
    for (const KernelSignature& signature : request.mode.signatures) {
        program.kernels.push_back({.signature = signature});
    }
    return program;
}

bool is_current(const Variant& variant) {
    return std::ranges::all_of(
        variant.files, [](const Dependency& file) { return hash_of_file(file.path) == file.hash; });
}

}  // namespace

ProgramCache::ProgramCache(DiskCache& disk, std::size_t memory_limit)
    : disk_(disk), memory_(memory_limit) {}

Program ProgramCache::compile(Compiler& compiler, const CompileRequest& request) {
    require_supported(request.mode);
    // What is asked for beside the program comes from a compile that runs.
    if (!settings().dump.empty()) return compile_interruptibly(compiler, request);
    const Hash128 key = request_key(request, compiler.fingerprint());
    const std::shared_ptr<const Program> found = find(key);
    std::optional<Program> prebuilt;
    if (found == nullptr) prebuilt = prebuilt_programs().find(compiler, request);
    disk_.count_lookup(found != nullptr || prebuilt);
    if (found != nullptr) return *found;
    if (prebuilt) return *std::move(prebuilt);
    log::debug("compiling {} for {}: not in the cache", quote(request.name), request.target);
    Program program = compile_interruptibly(compiler, request);
    keep(key, request, program);
    return program;
}

std::optional<Program> ProgramCache::look_up(Compiler& compiler, const CompileRequest& request) {
    if (!settings().dump.empty()) return std::nullopt;
    const std::shared_ptr<const Program> found = find(request_key(request, compiler.fingerprint()));
    if (found == nullptr) return prebuilt_programs().find(compiler, request);
    return *found;
}

std::shared_ptr<const Program> ProgramCache::find(const Hash128& key) {
    if (const Record record = memory_.get(key)) {
        if (auto program = match(record)) return program;
    }
    const Record record = load_from_disk(key);
    return record != nullptr ? match(record) : nullptr;
}

std::shared_ptr<const Program> ProgramCache::match(const Record& record) {
    if (auto program = program_of(record)) return program;
    for (const Variant& variant : record->variants) {
        if (!is_current(variant)) continue;
        const Record held = load(variant.program);
        if (held == nullptr) continue;
        if (auto program = program_of(held)) return program;
    }
    return nullptr;
}

ProgramCache::Record ProgramCache::load(const Hash128& key) {
    Record record = memory_.get(key);
    return record != nullptr ? record : load_from_disk(key);
}

ProgramCache::Record ProgramCache::load_from_disk(const Hash128& key) {
    const std::optional<std::vector<std::byte>> bytes = disk_.get(key);
    if (!bytes) return nullptr;
    try {
        auto record = std::make_shared<const CacheRecord>(deserialise_record(*bytes));
        memory_.put(key, record, bytes->size());
        return record;
    } catch (const DeviceError& error) {
        log::info("a useless cache entry is deleted: {}", error.what());
        disk_.drop(key);
        return nullptr;
    }
}

void ProgramCache::keep(const Hash128& key, const CompileRequest& request, const Program& program) {
    std::vector<Dependency> files = complete_dependencies(request, program.dependencies);
    if (files.empty()) {
        keep_record(key, {program, {}});
        return;
    }
    const Hash128 held = program_key(key, files);
    keep_record(held, {program, {}});
    CacheRecord manifest;
    manifest.variants.push_back({std::move(files), held});
    if (const Record before = load_from_disk(key)) {
        for (const Variant& variant : before->variants) {
            if (manifest.variants.size() == kMaxVariants) break;
            if (!(variant.program == held)) manifest.variants.push_back(variant);
        }
    }
    keep_record(key, std::move(manifest));
}

void ProgramCache::keep_record(const Hash128& key, CacheRecord record) {
    const std::vector<std::byte> bytes = serialise_record(record);
    disk_.put(key, bytes);
    memory_.put(key, std::make_shared<const CacheRecord>(std::move(record)), bytes.size());
}

void record_requests(RequestRecorder recorder) {
    g_recorder = recorder ? new RequestRecorder(std::move(recorder)) : nullptr;
}

Program compile_cached(Compiler& compiler, const CompileRequest& request) {
    if (const RequestRecorder* const recorder = g_recorder) (*recorder)(compiler, request);
    if (t_choice == nullptr) return program_cache().compile(compiler, request);
    if (t_choice->cache != nullptr) return t_choice->cache->programs.compile(compiler, request);
    require_supported(request.mode);
    return compile_interruptibly(compiler, request);
}

std::optional<Program> find_cached(Compiler& compiler, const CompileRequest& request) {
    require_supported(request.mode);
    if (t_choice != nullptr && t_choice->cache == nullptr) return std::nullopt;
    ProgramCache& programs = t_choice == nullptr ? program_cache() : t_choice->cache->programs;
    return programs.look_up(compiler, request);
}

Program read_signatures(const CompileRequest& request) {
    if (!request.mode.signatures.empty()) return with_signatures_of(request);
    CompileRequest signatures = request;
    signatures.mode = {};  // they are the same in every mode
    signatures.format = "signatures";
    return compile_cached(signature_reader(), signatures);
}

const void* chosen_cache() noexcept {
    return t_choice;
}

SameCache::SameCache(const void* chosen) noexcept
    : outer_(std::exchange(t_choice, static_cast<const Choice*>(chosen))) {}

SameCache::~SameCache() {
    t_choice = static_cast<const Choice*>(outer_);
}

}  // namespace warpwise::compiler

namespace warpwise {

CacheFolder::CacheFolder(const std::string& folder)
    : outer_(std::exchange(compiler::t_choice, &compiler::choice_of(folder))) {}

CacheFolder::~CacheFolder() {
    compiler::t_choice = static_cast<const compiler::Choice*>(outer_);
}

}  // namespace warpwise
