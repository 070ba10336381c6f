// Programs that are installed with the library: its own kernels, compiled for every processor of a
// level, so that a first call does not wait for the compiler. src/prebuild/ writes the file.
//
//   warpwise-programs.bin, beside the libraries: the mark of the build, an index, then programs
//
// A program is found by its request and Compiler::portable_fingerprint(). A file of another build
// is not used, nor is a damaged one: then programs are compiled, as others are.
//
// Threading: any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/hash.hpp"
#include "src/base/mutex.hpp"
#include "src/compiler/compiler.hpp"

namespace warpwise::compiler {

inline constexpr const char* kPrebuiltFile = "warpwise-programs.bin";

class WARPWISE_API PrebuiltPrograms {
  public:
    // Reads nothing yet.
    explicit PrebuiltPrograms(std::string path) : path_(std::move(path)) {}

    // Nothing as well where the compiler has no portable programs.
    std::optional<Program> find(const Compiler& compiler, const CompileRequest& request);

  private:
    struct Place {
        std::uint64_t offset = 0;  // in the file
        std::uint64_t bytes = 0;
        std::uint64_t checksum = 0;
    };

    std::optional<Place> place_of(const Hash128& key);
    void read_index() WARPWISE_REQUIRES(mutex_);

    const std::string path_;
    Mutex mutex_;
    bool is_read_ WARPWISE_GUARDED_BY(mutex_) = false;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Place> places_ WARPWISE_GUARDED_BY(mutex_);
};

// Of this library's folder.
PrebuiltPrograms& prebuilt_programs();

// What the file is written from.
class WARPWISE_API PrebuiltWriter {
  public:
    // Compiles the request for a kind of processor (request.target), unless it is there already.
    // Throws as Compiler::compile(); ArgumentError for a request that reads files or whose compiler
    // has no portable programs.
    void add(Compiler& compiler, const CompileRequest& request);
    // All of the other's as well.
    void merge(PrebuiltWriter&& other) { programs_.merge(other.programs_); }
    std::size_t count() const noexcept { return programs_.size(); }
    // Programs of one kernel and target lie side by side, by their sizes: an archive of the file is
    // a quarter smaller than in the order of the keys.
    std::vector<std::byte> file() const;

  private:
    struct Written {
        std::string title;  // name of its first kernel, and the target
        std::vector<std::byte> bytes;
    };
    std::map<std::pair<std::uint64_t, std::uint64_t>, Written> programs_;
};

}  // namespace warpwise::compiler
