// The file's format, and its two ends.
#include "src/compiler/prebuilt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/byte_stream.hpp"
#include "src/base/file.hpp"
#include "src/base/log.hpp"
#include "src/base/text.hpp"
#include "src/compiler/cache_record.hpp"
#include "src/compiler/include_search.hpp"
#include "src/compiler/service.hpp"
#include "src/compiler/service_library.hpp"
#include "warpwise/error.hpp"

namespace warpwise::compiler {
namespace {

using Key = std::pair<std::uint64_t, std::uint64_t>;

// key, offset, bytes, checksum
constexpr std::size_t kRowBytes = 5 * sizeof(std::uint64_t);
constexpr std::uint64_t kMostRows = 1 << 20;  // more is a damaged number

Key key_of(const Hash128& hash) {
    return {hash.high, hash.low};
}

void warn_of_damage(const std::string& path) {
    log::warning("{} is damaged: its programs are compiled; install warpwise again", quote(path));
}

// Of the program for the request's target, or for the kind that it belongs to.
Hash128 portable_key(const Compiler& compiler, const CompileRequest& request,
                     std::string_view fingerprint) {
    std::string target = compiler.portable_target(request.target);
    if (target == request.target) return request_key(request, fingerprint);
    CompileRequest portable = request;
    portable.target = std::move(target);
    return request_key(portable, fingerprint);
}

std::string mark() {
    return fmt::format("Warpwise's programs, {}\n", compiler_identity());
}

}  // namespace

std::optional<Program> PrebuiltPrograms::find(const Compiler& compiler,
                                              const CompileRequest& request) {
    const std::string fingerprint = compiler.portable_fingerprint();
    if (fingerprint.empty()) return std::nullopt;
    const std::optional<Place> place = place_of(portable_key(compiler, request, fingerprint));
    if (!place) return std::nullopt;
    const std::optional<std::vector<std::byte>> bytes =
        read_part_if_there(path_, place->offset, place->bytes);
    if (!bytes || hash64(*bytes) != place->checksum) {
        warn_of_damage(path_);
        return std::nullopt;
    }
    Program program = deserialise(*bytes);
    if (!compiler.is_loadable(program)) return std::nullopt;
    return program;
}

std::optional<PrebuiltPrograms::Place> PrebuiltPrograms::place_of(const Hash128& key) {
    MutexLock lock(mutex_);
    if (!std::exchange(is_read_, true)) read_index();
    const auto found = places_.find(key_of(key));
    if (found == places_.end()) return std::nullopt;
    return found->second;
}

void PrebuiltPrograms::read_index() {
    const std::string expected = mark();
    const auto begin = read_part_if_there(path_, 0, expected.size() + sizeof(std::uint64_t));
    if (!begin) {
        log::info("{} is not there: the library's own kernels are compiled at first use",
                  quote(path_));
        return;
    }
    const auto text = std::string_view(reinterpret_cast<const char*>(begin->data()), begin->size());
    if (!text.starts_with(expected)) {
        log::info("{} is of another build: the library's own kernels are compiled at first use",
                  quote(path_));
        return;
    }
    const std::span<const std::byte> rest(*begin);
    ByteReader size(rest.subspan(expected.size()), kPrebuiltFile);
    const std::uint64_t rows = size.get<std::uint64_t>();
    std::optional<std::vector<std::byte>> index;
    if (rows <= kMostRows) index = read_part_if_there(path_, begin->size(), rows * kRowBytes);
    if (!index) return warn_of_damage(path_);
    ByteReader in(*index, kPrebuiltFile);
    for (std::uint64_t i = 0; i < rows; ++i) {
        const auto high = in.get<std::uint64_t>();
        const auto low = in.get<std::uint64_t>();
        Place place;
        place.offset = in.get<std::uint64_t>();
        place.bytes = in.get<std::uint64_t>();
        place.checksum = in.get<std::uint64_t>();
        places_.emplace(Key(high, low), place);
    }
}

PrebuiltPrograms& prebuilt_programs() {
    // Never destroyed: threads may still compile while the process ends.
    static auto* const programs = new PrebuiltPrograms(library_folder() + "/" + kPrebuiltFile);
    return *programs;
}

void PrebuiltWriter::add(Compiler& compiler, const CompileRequest& request) {
    const std::string fingerprint = compiler.portable_fingerprint();
    if (fingerprint.empty()) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("{} is for {}, whose compiler has no portable programs",
                                        quote(request.name), request.target));
    }
    const Key key = key_of(request_key(request, fingerprint));
    if (programs_.contains(key)) return;
    const Program program = compiler.compile_portable(request);
    if (!complete_dependencies(request, program.dependencies).empty()) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            fmt::format("{} reads files, and cannot be installed", quote(request.name)));
    }
    std::string title = program.kernels.empty() ? "" : program.kernels.front().signature.name;
    title += " " + program.target;
    programs_.emplace(key, Written{std::move(title), serialise(program)});
}

std::vector<std::byte> PrebuiltWriter::file() const {
    std::vector<decltype(programs_)::const_pointer> order;
    order.reserve(programs_.size());
    for (const auto& row : programs_) order.push_back(&row);
    std::ranges::stable_sort(order, {}, [](const auto* row) {
        return std::pair(std::string_view(row->second.title), row->second.bytes.size());
    });
    const std::string begin = mark();
    std::uint64_t offset = begin.size() + sizeof(std::uint64_t) + order.size() * kRowBytes;
    ByteWriter index;
    index.put(static_cast<std::uint64_t>(order.size()));
    for (const auto* const row : order) {
        const std::vector<std::byte>& bytes = row->second.bytes;
        index.put(row->first.first).put(row->first.second).put(offset);
        index.put(static_cast<std::uint64_t>(bytes.size())).put(hash64(bytes));
        offset += bytes.size();
    }
    const auto text = std::as_bytes(std::span(begin));
    std::vector<std::byte> file(text.begin(), text.end());
    const std::vector<std::byte> rows = std::move(index).take();
    file.insert(file.end(), rows.begin(), rows.end());
    for (const auto* const row : order) {
        file.insert(file.end(), row->second.bytes.begin(), row->second.bytes.end());
    }
    return file;
}

}  // namespace warpwise::compiler
