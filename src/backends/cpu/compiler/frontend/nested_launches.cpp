// Launches of kernels in device code, found in the text from where clang refuses them.
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <tuple>

#include "src/backends/cpu/compiler/frontend/files.hpp"
#include "src/backends/cpu/compiler/frontend/host_code.hpp"

namespace warpwise::cpu_compiler {
namespace {

using clang::Token;
namespace tok = clang::tok;

// The tokens of one launch, from the kernel's name on.
class LaunchReader {
  public:
    LaunchReader(llvm::StringRef text, unsigned at)
        : begin_(at),
          lexer_(clang::SourceLocation::getFromRawEncoding(1), language(), text.data(),
                 text.data() + at, text.data() + text.size()) {
        next();
    }

    // The offset behind "name<...><<<...>>>(...)"; 0 where something else stands there.
    unsigned end() {
        if (token_.isNot(tok::raw_identifier)) return 0;
        next();
        if (token_.is(tok::less) && !skip_angles()) return 0;
        if (token_.isNot(tok::lesslessless)) return 0;
        next();
        while (token_.isNot(tok::greatergreatergreater)) {
            if (!skip_one()) return 0;
        }
        next();
        if (token_.isNot(tok::l_paren) || !skip_one()) return 0;
        return behind_;
    }

  private:
    static clang::LangOptions language() {
        clang::LangOptions options;
        options.CPlusPlus = options.CPlusPlus11 = options.CUDA = true;
        return options;
    }
    void next() {
        behind_ = begin_ + position_;
        lexer_.LexFromRawLexer(token_);
        position_ = lexer_.getCurrentBufferOffset() - begin_;
    }
    bool skip_angles() {
        int depth = 0;
        do {
            if (token_.is(tok::less)) ++depth;
            if (token_.is(tok::greater)) --depth;
            if (token_.is(tok::greatergreater)) depth -= 2;
            if (!skip_one()) return false;
        } while (depth > 0);
        return depth == 0;
    }
    // A token, or what stands in brackets.
    bool skip_one() {
        int depth = 0;
        do {
            if (token_.isOneOf(tok::eof, tok::semi)) return false;
            if (token_.isOneOf(tok::l_paren, tok::l_brace, tok::l_square)) ++depth;
            if (token_.isOneOf(tok::r_paren, tok::r_brace, tok::r_square)) --depth;
            next();
        } while (depth > 0);
        return depth == 0;
    }

    unsigned begin_;
    clang::Lexer lexer_;
    Token token_;
    unsigned position_ = 0, behind_ = 0;
};

bool is_word(char c) {
    return llvm::isAlnum(c) || c == '_';
}

// Clang points at the kernel's name or, of a template, at "<<<": where the name begins.
unsigned name_before(llvm::StringRef text, unsigned at) {
    if (!text.substr(at).starts_with("<<<")) return at;
    llvm::StringRef before = text.take_front(at).rtrim();
    for (int depth = 0; before.ends_with(">") || depth > 0; before = before.drop_back()) {
        if (before.empty()) return at;
        if (before.back() == '>') ++depth;
        if (before.back() == '<') --depth;
    }
    before = before.rtrim();
    while (!before.empty() && is_word(before.back())) before = before.drop_back();
    return before.size();
}

// To the left over "outer::inner::".
unsigned with_qualifiers(llvm::StringRef text, unsigned at) {
    while (text.take_front(at).ends_with("::")) {
        at -= 2;
        while (at > 0 && is_word(text[at - 1])) --at;
    }
    return at;
}

}  // namespace

std::vector<NestedLaunch> find_nested_launches(const DiagnosticCollector& log,
                                               const clang::SourceManager& sources) {
    std::vector<NestedLaunch> launches;
    for (const DiagnosticCollector::ErrorSite& site : log.error_sites()) {
        const bool is_launch = site.message.starts_with("kernel launches");
        if (!is_launch || !site.location.isFileID()) continue;
        const auto [file, place] = sources.getDecomposedLoc(site.location);
        const llvm::StringRef text = sources.getBufferData(file);
        const unsigned offset = name_before(text, place);
        const unsigned end = LaunchReader(text, offset).end();
        if (end == 0) continue;
        NestedLaunch launch;
        launch.range.begin = with_qualifiers(text, offset);
        launch.range.end = end;
        launch.kernel = text.substr(offset).take_while(is_word).str();
        launch.line = sources.getPresumedLineNumber(site.location);
        if (file != sources.getMainFileID()) {
            launch.range.path = sources.getBufferOrFake(file).getBufferIdentifier().str();
        }
        if (!is_built_in(launch.range.path)) launches.push_back(std::move(launch));
    }
    const auto key = [](const NestedLaunch& one) {
        return std::tie(one.range.path, one.range.begin);
    };
    std::sort(launches.begin(), launches.end(),
              [&](const auto& a, const auto& b) { return key(a) > key(b); });
    const auto end = std::unique(launches.begin(), launches.end(),
                                 [&](const auto& a, const auto& b) { return key(a) == key(b); });
    launches.erase(end, launches.end());
    return launches;
}

bool HostEdits::replace_launches(const std::vector<NestedLaunch>& launches,
                                 clang::SourceManager& sources) {
    bool is_new = false;
    for (const NestedLaunch& launch : launches) {
        std::string* text = text_of(launch.range, sources);
        if (text == nullptr) continue;
        const auto begin = text->begin() + launch.range.begin;
        const auto lines = std::count(begin, text->begin() + launch.range.end, '\n');
        const std::string call =
            fmt::format("__ww_nested_launch(\"{}\", {}){}", launch.kernel, launch.line,
                        std::string(static_cast<std::size_t>(lines), '\n'));
        text->replace(launch.range.begin, launch.range.end - launch.range.begin, call);
        notes_.push_back(
            fmt::format("line {}: '{}' is launched from device code: a thread that "
                        "comes to it fails",
                        launch.line, launch.kernel));
        is_new = true;
    }
    return is_new;
}

}  // namespace warpwise::cpu_compiler
