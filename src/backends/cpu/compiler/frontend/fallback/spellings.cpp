// From clang's errors to the characters that nvcc reads otherwise.
#include "src/backends/cpu/compiler/frontend/fallback/spellings.hpp"

#include <clang/AST/ASTDiagnostic.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include "src/backends/cpu/compiler/frontend/parse/files.hpp"

namespace warpwise::cpu_compiler {

namespace {

// A place of the user's in the text of its file; nothing in our own headers.
std::optional<TextRange> place_of_user(const clang::SourceManager& sources, clang::FileID file,
                                       std::size_t begin, std::size_t end) {
    TextRange place{"", static_cast<unsigned>(begin), static_cast<unsigned>(end)};
    if (file == sources.getMainFileID()) return place;
    place.path = sources.getBufferOrFake(file).getBufferIdentifier().str();
    if (is_built_in(place.path)) return std::nullopt;
    return place;
}

void sort_last_first(std::vector<TextRange>& places) {
    const auto key = [](const TextRange& place) { return std::tie(place.path, place.begin); };
    std::sort(places.begin(), places.end(),
              [&](const auto& a, const auto& b) { return key(a) > key(b); });
    const auto end = std::unique(places.begin(), places.end(),
                                 [&](const auto& a, const auto& b) { return key(a) == key(b); });
    places.erase(end, places.end());
}

bool is_unroll_pragma(llvm::StringRef line) {
    line = line.ltrim();
    return line.consume_front("#") && line.ltrim().consume_front("pragma") &&
           line.contains("unroll");
}

}  // namespace

std::vector<TextRange> find_idle_pragmas(const FailedParse& failed) {
    const clang::SourceManager& sources = failed.sources;
    std::vector<TextRange> lines;
    for (const DiagnosticCollector::ErrorSite& site : failed.log.error_sites()) {
        const bool lacks_loop = site.id == clang::diag::err_pragma_loop_precedes_nonloop;
        if (!lacks_loop && site.id != clang::diag::err_requires_positive_value) continue;
        const auto [file, offset] = sources.getDecomposedExpansionLoc(site.location);
        const llvm::StringRef text = sources.getBufferData(file);
        // The nearest pragma at the place or above it.
        std::size_t end = std::min<std::size_t>(text.find('\n', offset), text.size());
        while (true) {
            const std::size_t newline = text.take_front(end).rfind('\n');
            const std::size_t begin = newline == text.npos ? 0 : newline + 1;
            if (is_unroll_pragma(text.slice(begin, end))) {
                if (auto line = place_of_user(sources, file, begin, end)) {
                    lines.push_back(*std::move(line));
                }
                break;
            }
            if (newline == text.npos) break;
            end = newline;
        }
    }
    sort_last_first(lines);
    return lines;
}

std::vector<TextRange> find_bare_percents(const FailedParse& failed) {
    const clang::SourceManager& sources = failed.sources;
    constexpr unsigned kReach = 3;  // clang points behind the letter that follows
    std::vector<TextRange> places;
    for (const DiagnosticCollector::ErrorSite& site : failed.log.error_sites()) {
        if (site.id != clang::diag::err_asm_invalid_escape) continue;
        const auto [file, offset] = sources.getDecomposedSpellingLoc(site.location);
        const llvm::StringRef text = sources.getBufferData(file);
        const std::size_t at = text.take_front(offset + 1).rfind('%');
        if (at == text.npos || offset - at > kReach) continue;
        if (auto place = place_of_user(sources, file, at, at + 1)) {
            places.push_back(*std::move(place));
        }
    }
    sort_last_first(places);
    return places;
}

std::vector<Replacement> find_late_attributes(const FailedParse& failed) {
    constexpr llvm::StringLiteral kAlignas("alignas");
    std::vector<Replacement> replacements;
    for (const DiagnosticCollector::ErrorSite& site : failed.log.error_sites()) {
        if (site.id != clang::diag::err_attributes_not_allowed) continue;
        const auto [file, offset] = failed.sources.getDecomposedExpansionLoc(site.location);
        const llvm::StringRef text = failed.sources.getBufferData(file).drop_front(offset);
        if (text.starts_with(kAlignas)) {
            auto place = place_of_user(failed.sources, file, offset, offset + kAlignas.size());
            if (place) replacements.push_back({*std::move(place), "__align__"});
        } else if (const std::size_t end = text.find("]]"); text.starts_with("[[")) {
            if (end == text.npos) continue;
            auto place = place_of_user(failed.sources, file, offset, offset + end + 2);
            if (place) replacements.push_back({*std::move(place), std::string(end + 2, ' ')});
        }
    }
    return replacements;
}

}  // namespace warpwise::cpu_compiler
