// Which headers and which errors belong to host code, by name, by place and by kind.
#include "src/backends/cpu/compiler/frontend/host_code.hpp"

#include <clang/AST/ASTDiagnostic.h>
#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/FileManager.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "src/backends/cpu/compiler/frontend/advice.hpp"
#include "src/backends/cpu/compiler/frontend/files.hpp"

namespace warpwise::cpu_compiler {

namespace {

// Errors that say no more than that a name is not there.
bool is_missing_name(unsigned id) {
    switch (id) {
        case clang::diag::err_undeclared_var_use:
        case clang::diag::err_undeclared_var_use_suggest:
        case clang::diag::err_undeclared_use:
        case clang::diag::err_undeclared_use_suggest:
        case clang::diag::err_unknown_typename:
        case clang::diag::err_unknown_typename_suggest:
        case clang::diag::err_unknown_type_or_class_name_suggest:
        case clang::diag::err_no_template:
        case clang::diag::err_no_template_suggest:
        case clang::diag::err_no_member:
        case clang::diag::err_no_member_suggest:
        case clang::diag::err_typename_nested_not_found:
        case clang::diag::err_expected_namespace_name:
        case clang::diag::err_not_found_by_two_phase_lookup:
        case clang::diag::err_typecheck_decl_incomplete_type:
        case clang::diag::err_incomplete_type:
            return true;
        default:
            return false;
    }
}

// One's own mistakes should be heard of at once. Names like __this, and members of the libraries
// that are carried in part, are likelier to be missing here.
bool is_name_of_cuda(const std::string& message) {
    constexpr std::string_view kSigns[] = {
        "'__",
        "in namespace 'std'",
        "in namespace 'thrust",
        "in namespace 'cub",
        "in namespace 'cuda",
        "in namespace 'cooperative_groups",
        "in namespace 'nvcuda",
    };
    return std::any_of(std::begin(kSigns), std::end(kSigns),
                       [&](std::string_view sign) { return message.find(sign) != message.npos; });
}

}  // namespace

// The callback is not told how the name was written; the text before the reading place is.
bool HeaderSkipper::is_quoted(llvm::StringRef name) const {
    clang::PreprocessorLexer* current = preprocessor_.getCurrentFileLexer();
    if (current == nullptr) return true;
    const clang::SourceManager& sources = preprocessor_.getSourceManager();
    const llvm::StringRef text = sources.getBufferData(current->getFileID());
    auto* lexer = static_cast<clang::Lexer*>(current);
    const llvm::StringRef before = text.take_front(lexer->getCurrentBufferOffset());
    const std::size_t at = before.rfind(name);
    return at == before.npos || at == 0 || before[at - 1] != '<';
}

// In the source itself: from the '#' to the name's end and its bracket.
void HeaderSkipper::note_line(llvm::StringRef name) {
    clang::PreprocessorLexer* current = preprocessor_.getCurrentFileLexer();
    const clang::SourceManager& sources = preprocessor_.getSourceManager();
    if (current == nullptr || current->getFileID() != sources.getMainFileID()) return;
    const llvm::StringRef text = sources.getBufferData(current->getFileID());
    const unsigned here = static_cast<clang::Lexer*>(current)->getCurrentBufferOffset();
    const std::size_t at = text.take_front(here).rfind(name);
    const std::size_t hash = text.take_front(at == text.npos ? 0 : at).rfind('#');
    if (hash == text.npos) return;
    lines_.push_back(
        {"", static_cast<unsigned>(hash), static_cast<unsigned>(at + name.size() + 1)});
}

bool HeaderSkipper::FileNotFound(llvm::StringRef name) {
    const std::string text = name.str();
    if (is_quoted(name) && !is_host_header(text)) {
        if (!may_skip_own_) return false;
        skipped_.push_back(
            fmt::format("'{}' file not found; nothing that compiles needs it", text));
        note_line(name);
        return true;
    }
    skipped_.push_back(missing_header_text(text));
    note_line(name);
    return true;
}

void HeaderSkipper::InclusionDirective(clang::SourceLocation, const clang::Token&,
                                       llvm::StringRef name, bool, clang::CharSourceRange,
                                       clang::OptionalFileEntryRef, llvm::StringRef,
                                       llvm::StringRef, const clang::Module*, bool,
                                       clang::SrcMgr::CharacteristicKind) {
    if (name.starts_with("thrust/") || name.starts_with("cub/")) has_partial_ = true;
}

std::vector<HostDefect> find_host_defects(const DiagnosticCollector& log,
                                          const clang::SourceManager& sources,
                                          const DeclarationMap& declarations, bool lacks_headers) {
    std::vector<HostDefect> defects;
    for (const DiagnosticCollector::ErrorSite& site : log.error_sites()) {
        if (site.location.isInvalid()) continue;
        // A launch in the initialiser of a host variable is no slip either.
        if (!lacks_headers && !is_missing_name(site.id) && !site.is_unsupported) continue;
        auto range = declarations.removable_at(sources, site.location);
        if (range) defects.push_back({*std::move(range), site.message});
    }
    return defects;
}

std::vector<DeviceDefect> find_device_defects(const DiagnosticCollector& log,
                                              const clang::SourceManager& sources,
                                              const DeclarationMap& declarations,
                                              bool lacks_headers) {
    std::vector<DeviceDefect> defects;
    for (const DiagnosticCollector::ErrorSite& site : log.error_sites()) {
        if (site.location.isInvalid()) continue;
        const bool is_missing_here = is_missing_name(site.id) && is_name_of_cuda(site.message);
        if (!site.is_unsupported && !lacks_headers && !is_missing_here) continue;
        DeviceDefect defect;
        if (auto body = declarations.body_at(sources, site.location)) {
            defect.body = *std::move(body);
        } else if (auto head = declarations.head_at(sources, site.location)) {
            defect.is_whole = !head->body;
            defect.body = head->body ? *std::move(head->body) : std::move(head->whole);
            defect.parameters = std::move(head->parameters);
        } else {
            continue;
        }
        const clang::PresumedLoc place = sources.getPresumedLoc(sources.getFileLoc(site.location));
        defect.file = std::string(user_path(place.getFilename()));
        defect.line = static_cast<int>(place.getLine());
        defect.column = static_cast<int>(place.getColumn());
        defect.reason = site.message;
        defect.is_unsupported = site.is_unsupported;
        defects.push_back(std::move(defect));
    }
    // Last first, because a call put into a body moves what stands behind; the first error of each.
    std::map<std::pair<std::string, std::size_t>, DeviceDefect, std::greater<>> first;
    for (const DeviceDefect& defect : defects) {
        first.try_emplace({defect.body.path, defect.body.begin}, defect);
    }
    // What a declaration that goes as a whole holds goes with it.
    const auto lies_in = [](const TextRange& inner, const TextRange& outer) {
        return inner.path == outer.path && outer.begin <= inner.begin && inner.end <= outer.end;
    };
    const std::vector<DeviceDefect> all = std::move(defects);
    defects.clear();
    for (auto& [key, defect] : first) {
        const bool goes_with_another =
            std::any_of(all.begin(), all.end(), [&](const DeviceDefect& other) {
                const bool is_itself =
                    other.body.begin == defect.body.begin && other.body.end == defect.body.end;
                return other.is_whole && !is_itself && lies_in(defect.body, other.body);
            });
        if (!goes_with_another) defects.push_back(std::move(defect));
    }
    return defects;
}

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

std::vector<TextRange> find_idle_pragmas(const DiagnosticCollector& log,
                                         const clang::SourceManager& sources) {
    std::vector<TextRange> lines;
    for (const DiagnosticCollector::ErrorSite& site : log.error_sites()) {
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

std::vector<TextRange> find_bare_percents(const DiagnosticCollector& log,
                                          const clang::SourceManager& sources) {
    constexpr unsigned kReach = 3;  // clang points behind the letter that follows
    std::vector<TextRange> places;
    for (const DiagnosticCollector::ErrorSite& site : log.error_sites()) {
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

bool lacks_names(const DiagnosticCollector& log) {
    for (const DiagnosticCollector::ErrorSite& site : log.error_sites()) {
        if (is_missing_name(site.id)) return true;
    }
    return false;
}

std::vector<std::string> find_wanted_headers(const DiagnosticCollector& log, bool lacks_headers) {
    constexpr std::string_view kAdvice = "add #include <";
    std::vector<std::string> headers;
    for (const DiagnosticCollector::ErrorSite& site : log.error_sites()) {
        const std::size_t at = site.message.find(kAdvice);
        if (at == site.message.npos) continue;
        const std::size_t begin = at + kAdvice.size();
        std::string header = site.message.substr(begin, site.message.find('>', begin) - begin);
        if (lacks_headers || header == "math_constants.h") headers.push_back(std::move(header));
    }
    return headers;
}

std::vector<std::string> find_own_names(const DiagnosticCollector& log) {
    std::vector<std::string> names;
    for (const DiagnosticCollector::ErrorSite& site : log.error_sites()) {
        if (site.id != clang::diag::err_redefinition_different_kind) continue;
        for (const char* name : {"texture", "surface"}) {
            if (site.message.find(fmt::format("'{}'", name)) != site.message.npos) {
                names.emplace_back(name);
            }
        }
    }
    return names;
}

bool HostEdits::give_up_names(const std::vector<std::string>& names) {
    const std::size_t before = given_up_.size();
    given_up_.insert(names.begin(), names.end());
    return given_up_.size() > before;
}

bool HostEdits::bring_in(const std::vector<std::string>& headers) {
    const std::size_t before = headers_.size();
    headers_.insert(headers.begin(), headers.end());
    return headers_.size() > before;
}

std::string HostEdits::library() const {
    std::string lines;
    if (has_library_) {
        lines =
            "#include <algorithm>\n#include <utility>\n#include <limits>\n#include <cstdint>\n"
            "#include <cfloat>\n#include <functional>\n#include <tuple>\n#include <array>\n"
            "#include <complex>\n#include <numeric>\n#include <__ww_host_types>\n";
    }
    for (const std::string& header : headers_) lines += fmt::format("#include <{}>\n", header);
    for (const std::string& name : given_up_) {
        lines += fmt::format("#define {0} __ww_own_{0}\n", name);
    }
    return lines;
}

std::string* HostEdits::text_of(const TextRange& range, clang::SourceManager& sources) {
    if (range.path.empty()) return &source_;
    llvm::SmallString<256> path(range.path);
    sources.getFileManager().makeAbsolutePath(path);
    const auto file = sources.getFileManager().getOptionalFileRef(range.path);
    const auto buffer = file ? sources.getMemoryBufferForFileOrNone(*file) : std::nullopt;
    if (!buffer) return nullptr;
    return &files_.try_emplace(path.str().str(), buffer->getBuffer().str()).first->second;
}

namespace {

constexpr std::string_view kRefused = "__ww_refused";  // of services.cuh

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

bool HostEdits::refuse(const std::vector<DeviceDefect>& defects, clang::SourceManager& sources) {
    bool is_new = false;
    for (const DeviceDefect& defect : defects) {
        const TextRange& body = defect.body;
        std::string* text = text_of(body, sources);
        if (defect.is_whole && text != nullptr) {
            const std::string before = *text;
            blank(*text, body);
            blank_pragmas(*text, body);
            if (*text == before) continue;
            notes_.push_back(fmt::format("line {} of {}: left out: {}", defect.line, defect.file,
                                         defect.reason));
            is_new = true;
            continue;
        }
        const std::string call = fmt::format("{}({});", kRefused, refusals_.size());
        if (text == nullptr || text->compare(body.begin, kRefused.size(), kRefused) == 0) continue;
        blank(*text, body);
        blank_pragmas(*text, body);
        text->insert(body.begin, call);
        if (defect.parameters) blank(*text, *defect.parameters);
        refusals_.push_back(defect);
        is_new = true;
    }
    return is_new;
}

bool HostEdits::double_percents(const std::vector<TextRange>& places,
                                clang::SourceManager& sources) {
    bool is_new = false;
    for (const TextRange& place : places) {
        std::string* text = text_of(place, sources);
        if (text == nullptr || (*text)[place.begin] != '%') continue;
        text->insert(place.begin, 1, '%');
        is_new = true;
    }
    return is_new;
}

bool HostEdits::drop_lines(const std::vector<TextRange>& lines, clang::SourceManager& sources) {
    bool is_new = false;
    for (const TextRange& line : lines) {
        std::string* text = text_of(line, sources);
        const std::size_t length = line.end - line.begin;
        if (text == nullptr || text->find_first_not_of(' ', line.begin) >= line.end) continue;
        text->replace(line.begin, length, length, ' ');
        is_new = true;
    }
    return is_new;
}

bool HostEdits::leave_out(const std::vector<HostDefect>& defects, clang::SourceManager& sources) {
    bool is_new = false;
    for (const HostDefect& defect : defects) {
        std::string* text = text_of(defect.range, sources);
        if (text == nullptr) continue;
        const std::string name =
            defect.range.path.empty() ? "the source" : std::string(user_path(defect.range.path));
        const std::string before = *text;
        blank(*text, defect.range);
        blank_pragmas(*text, defect.range);
        if (*text == before) continue;
        is_new = true;
        const auto line = std::count(before.begin(), before.begin() + defect.range.begin, '\n') + 1;
        notes_.push_back(
            fmt::format("line {} of {}: host code that does not compile here is left "
                        "out: {}",
                        line, name, defect.reason));
    }
    return is_new;
}

}  // namespace warpwise::cpu_compiler
