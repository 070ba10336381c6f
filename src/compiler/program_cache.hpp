// Programs by request: memory, then disk, then what is installed (prebuilt.hpp), then the compiler.
//
// A lookup takes a program only if every file that had a part in it has the contents it had then,
// and every file whose absence had a part is still absent. Errors are never kept: each compile of a
// wrong source reports again.
//
// Threading: safe from any thread; nothing is compiled under a lock. Two threads that miss on one
// key both compile.
#pragma once

#include <memory>
#include <optional>

#include "src/base/disk_cache.hpp"
#include "src/compiler/compiler.hpp"
#include "src/compiler/memory_cache.hpp"

namespace warpwise::compiler {

class ProgramCache {
  public:
    // `disk` must outlive this. `memory_limit` in bytes.
    ProgramCache(DiskCache& disk, std::size_t memory_limit);

    Program compile(Compiler& compiler, const CompileRequest& request);
    // What is there; nothing where it would compile. Is not counted as a lookup.
    std::optional<Program> look_up(Compiler& compiler, const CompileRequest& request);

  private:
    using Record = std::shared_ptr<const CacheRecord>;

    std::shared_ptr<const Program> find(const Hash128& key);
    std::shared_ptr<const Program> match(const Record& record);
    // From memory, or from disk if not there.
    Record load(const Hash128& key);
    Record load_from_disk(const Hash128& key);
    void keep(const Hash128& key, const CompileRequest& request, const Program& program);
    void keep_record(const Hash128& key, CacheRecord record);

    DiskCache& disk_;
    MemoryCache memory_;
};

}  // namespace warpwise::compiler
