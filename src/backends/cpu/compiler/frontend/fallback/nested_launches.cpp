// Launches of kernels in device code, found in the text from where clang refuses them, and written
// as calls of core/nested_launch.cuh. The kernel is named there inside a local struct, which clang
// allows; a template named without its arguments takes those that the types of the launch's
// arguments ask for; where neither compiles, a call remains that fails when a thread executes it.
#include "src/backends/cpu/compiler/frontend/fallback/nested_launches.hpp"

#include <clang/Lex/Lexer.h>
#include <fmt/format.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

#include "src/backends/cpu/compiler/frontend/parse/files.hpp"

namespace warpwise::cpu_compiler {
namespace {

using clang::Token;
using LaunchInDevice = NestedLaunches::Launch;
namespace tok = clang::tok;

// The tokens of one launch, from the kernel's name on.
class LaunchReader {
  public:
    LaunchReader(llvm::StringRef text, unsigned at)
        : begin_(at),
          text_(text),
          lexer_(clang::SourceLocation::getFromRawEncoding(1), language(), text.data(),
                 text.data() + at, text.data() + text.size()) {
        next();
    }

    // Reads "name<...><<<config>>>(arguments)"; false where something else stands there.
    bool read(LaunchInDevice& launch) {
        if (token_.isNot(tok::raw_identifier)) return false;
        next();
        if (token_.is(tok::less) && !skip_angles()) return false;
        launch.name = between(begin_, behind_);
        if (token_.isNot(tok::lesslessless)) return false;
        unsigned begin = offset();
        next();
        while (token_.isNot(tok::greatergreatergreater)) {
            if (!skip_one()) return false;
        }
        launch.config = between(begin, behind_);
        next();
        begin = offset();
        if (token_.isNot(tok::l_paren) || !skip_one()) return false;
        launch.arguments = between(begin, behind_ - 1);
        launch.range.end = behind_;
        return true;
    }

  private:
    static clang::LangOptions language() {
        clang::LangOptions options;
        options.CPlusPlus = options.CPlusPlus11 = options.CUDA = true;
        return options;
    }
    // Behind the token.
    unsigned offset() const { return begin_ + position_; }
    // In one line, without what stands behind "//".
    std::string between(unsigned begin, unsigned end) const {
        llvm::SmallVector<llvm::StringRef> lines;
        text_.slice(begin, end).split(lines, '\n');
        for (llvm::StringRef& line : lines) line = line.split("//").first.trim();
        return llvm::join(lines, " ");
    }
    void next() {
        behind_ = offset();
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
    // A token, or all between two brackets.
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
    llvm::StringRef text_;
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

constexpr llvm::StringLiteral kBegin = "/*__ww_launch ", kEnd = "/*__ww_launched ";
constexpr unsigned kRefusal = 2;  // the last way

std::string begin_mark(std::size_t number) {
    return fmt::format("{}{}*/", kBegin.str(), number);
}

std::string end_mark(std::size_t number) {
    return fmt::format("{}{}*/", kEnd.str(), number);
}

// In one line.
std::string rewritten(const LaunchInDevice& launch, std::size_t number) {
    std::string type = fmt::format("decltype(&{})", launch.name), kernel = "&" + launch.name;
    if (launch.way == 1) {
        type = fmt::format("decltype(::__ww::nested_pointer({}))", launch.arguments);
        kernel = fmt::format("static_cast<{}>({})", type, kernel);
    }
    std::string text = fmt::format(
        "({{ struct __ww_launch {{ using kernel = ::__ww::nested_kernel<{}, {}>; }}; "
        "__ww_launch::kernel::launch(::__ww::nested_config({}, {}){}{}); }})",
        type, kernel, launch.line, launch.config, launch.arguments.empty() ? "" : ", ",
        launch.arguments);
    if (launch.way == kRefusal) {
        text = fmt::format("__ww_nested_refusal(\"{}\", {})",
                           llvm::StringRef(launch.name).split('<').first.str(), launch.line);
    }
    return begin_mark(number) + text + end_mark(number);
}

// The launches that clang refused, outside host code.
std::vector<LaunchInDevice> find_launches(const FailedParse& failed) {
    const clang::SourceManager& sources = failed.sources;
    std::vector<LaunchInDevice> launches;
    for (const DiagnosticCollector::ErrorSite& site : failed.log.error_sites()) {
        const bool is_launch = site.message.starts_with("kernel launches");
        if (!is_launch || !site.location.isFileID()) continue;
        if (failed.declarations.removable_at(sources, site.location)) continue;
        const auto [file, place] = sources.getDecomposedLoc(site.location);
        const llvm::StringRef text = sources.getBufferData(file);
        LaunchInDevice launch;
        const unsigned begin = name_before(text, place);
        if (!LaunchReader(text, begin).read(launch)) continue;
        launch.range.begin = with_qualifiers(text, begin);
        launch.name.insert(0, text.slice(launch.range.begin, begin));
        launch.line = sources.getPresumedLineNumber(site.location);
        if (file != sources.getMainFileID()) {
            launch.range.path = sources.getBufferOrFake(file).getBufferIdentifier().str();
        }
        if (!is_built_in(launch.range.path)) launches.push_back(std::move(launch));
    }
    return launches;
}

// The numbers of launches that have been rewritten, and do not compile that way.
std::set<unsigned> find_failed(const FailedParse& failed) {
    const clang::SourceManager& sources = failed.sources;
    std::set<unsigned> numbers;
    for (const DiagnosticCollector::ErrorSite& site : failed.log.error_sites()) {
        if (site.location.isInvalid()) continue;
        const auto [file, place] = sources.getDecomposedLoc(sources.getExpansionLoc(site.location));
        const llvm::StringRef text = sources.getBufferData(file);
        const std::size_t begin = text.take_front(place).rfind(kBegin);
        if (begin == llvm::StringRef::npos) continue;
        llvm::StringRef digits = text.substr(begin + kBegin.size());
        unsigned number = 0;
        if (digits.consumeInteger(10, number)) continue;
        const std::size_t end = text.find(end_mark(number), begin);
        if (end != llvm::StringRef::npos && place < end) numbers.insert(number);
    }
    return numbers;
}

}  // namespace

std::vector<Replacement> NestedLaunches::replacements(const FailedParse& failed, Edits& edits) {
    std::vector<Replacement> made;
    std::set<std::pair<std::string, unsigned>> places;
    for (Launch& launch : find_launches(failed)) {
        if (!places.emplace(launch.range.path, launch.range.begin).second) continue;
        const std::string* text = edits.text_of(launch.range, failed.sources);
        if (text == nullptr) continue;
        const auto begin = text->begin() + launch.range.begin;
        const auto lines = std::count(begin, text->begin() + launch.range.end, '\n');
        made.push_back({launch.range, rewritten(launch, launches_.size()) +
                                          std::string(static_cast<std::size_t>(lines), '\n')});
        launches_.push_back(std::move(launch));
    }
    return made;
}

bool NestedLaunches::rewrite_failed(const FailedParse& failed, Edits& edits) {
    bool is_new = false;
    for (const unsigned number : find_failed(failed)) {
        if (number >= launches_.size() || launches_[number].way == kRefusal) continue;
        Launch& launch = launches_[number];
        std::string* text = edits.text_of(launch.range, failed.sources);
        if (text == nullptr) continue;
        const std::string mark = end_mark(number);
        const std::size_t begin = text->find(begin_mark(number));
        const std::size_t end = text->find(mark, begin) + mark.size();
        launch.way = launch.arguments.empty() ? kRefusal : launch.way + 1;
        text->replace(begin, end - begin, rewritten(launch, number));
        if (launch.way == kRefusal) {
            notes_.push_back(
                fmt::format("line {}: '{}' is launched from device code in a way that is not "
                            "supported: a thread that executes the launch fails",
                            launch.line, launch.name));
        }
        is_new = true;
    }
    return is_new;
}

}  // namespace warpwise::cpu_compiler
