// Blanking and replacing parts of texts.
#include "src/backends/cpu/compiler/frontend/fallback/edits.hpp"

#include <clang/Basic/FileManager.h>
#include <llvm/ADT/SmallString.h>

#include <algorithm>
#include <tuple>

namespace warpwise::cpu_compiler {

namespace {

// A pragma about the loop that follows would be an error without it.
void blank_pragmas(std::string& text, const TextRange& range) {
    for (std::size_t line = range.begin; line < range.end;) {
        const std::size_t end = std::min<std::size_t>(text.find('\n', line), range.end);
        const llvm::StringRef words = llvm::StringRef(text).slice(line, end).ltrim();
        if (words.starts_with("#") && words.drop_front().ltrim().starts_with("pragma")) {
            text.replace(line, end - line, end - line, ' ');
        }
        line = end + 1;
    }
}

}  // namespace

std::string* Edits::text_of(const TextRange& range, clang::SourceManager& sources) {
    if (range.path.empty()) return &source_;
    llvm::SmallString<256> path(range.path);
    sources.getFileManager().makeAbsolutePath(path);
    const auto file = sources.getFileManager().getOptionalFileRef(range.path);
    const auto buffer = file ? sources.getMemoryBufferForFileOrNone(*file) : std::nullopt;
    if (!buffer) return nullptr;
    return &files_.try_emplace(path.str().str(), buffer->getBuffer().str()).first->second;
}

bool Edits::blank_declaration(const TextRange& range, clang::SourceManager& sources) {
    std::string* text = text_of(range, sources);
    if (text == nullptr) return false;
    const std::string before = *text;
    blank(*text, range);
    blank_pragmas(*text, range);
    return *text != before;
}

bool Edits::blank_line(const TextRange& range, clang::SourceManager& sources) {
    std::string* text = text_of(range, sources);
    const std::size_t length = range.end - range.begin;
    if (text == nullptr || text->find_first_not_of(' ', range.begin) >= range.end) return false;
    text->replace(range.begin, length, length, ' ');
    return true;
}

bool Edits::replace(std::vector<Replacement> replacements, clang::SourceManager& sources) {
    const auto key = [](const Replacement& one) {
        return std::tie(one.range.path, one.range.begin);
    };
    std::stable_sort(replacements.begin(), replacements.end(),
                     [&](const auto& a, const auto& b) { return key(a) < key(b); });
    const auto overlaps = [](const Replacement& a, const Replacement& b) {
        return a.range.path == b.range.path && b.range.begin < a.range.end;
    };
    replacements.erase(std::unique(replacements.begin(), replacements.end(), overlaps),
                       replacements.end());
    bool is_new = false;
    // Last first, because a replacement moves what follows it.
    for (auto one = replacements.rbegin(); one != replacements.rend(); ++one) {
        std::string* text = text_of(one->range, sources);
        if (text == nullptr) continue;
        text->replace(one->range.begin, one->range.end - one->range.begin, one->text);
        is_new = true;
    }
    return is_new;
}

}  // namespace warpwise::cpu_compiler
