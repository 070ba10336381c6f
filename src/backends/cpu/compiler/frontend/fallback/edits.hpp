// The texts of a source and its headers as the next parse reads them.
//
// Invariant: what is blanked keeps the place of every other character, lines included; what is
// replaced keeps the number of lines.
#pragma once

#include <clang/Basic/SourceManager.h>

#include <map>
#include <string>
#include <vector>

#include "src/backends/cpu/compiler/frontend/parse/declarations.hpp"

namespace warpwise::cpu_compiler {

struct Replacement {
    TextRange range;
    std::string text;
};

class Edits {
  public:
    explicit Edits(const std::string& source) : source_(source) {}

    const std::string& source() const noexcept { return source_; }
    const std::map<std::string, std::string>& files() const noexcept { return files_; }

    // The text of the range's file, to be changed; nullptr when there is none. Ranges are places of
    // the parse whose `sources` these are.
    std::string* text_of(const TextRange& range, clang::SourceManager& sources);
    // Whether anything but spaces went. Directives stay, but for pragmas.
    bool blank_declaration(const TextRange& range, clang::SourceManager& sources);
    bool blank_line(const TextRange& range, clang::SourceManager& sources);
    // All of one parse, in any order; of two that overlap the first in the text stays.
    bool replace(std::vector<Replacement> replacements, clang::SourceManager& sources);

  private:
    std::string source_;
    std::map<std::string, std::string> files_;  // by absolute path
};

}  // namespace warpwise::cpu_compiler
