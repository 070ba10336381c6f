// Following declarations by their brackets and first words, as the parser's tokens go by.
#include "src/backends/cpu/compiler/frontend/parse/declarations.hpp"

#include <clang/Basic/IdentifierTable.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

#include "src/backends/cpu/compiler/frontend/parse/files.hpp"

namespace warpwise::cpu_compiler {

namespace {

using clang::Token;
namespace tok = clang::tok;

bool is_device_attribute(const Token& token) {
    const clang::IdentifierInfo* name = token.getIdentifierInfo();
    if (name == nullptr) return false;
    const llvm::StringRef word = name->getName();
    return word == "device" || word == "global" || word == "shared" || word == "constant" ||
           word == "managed";
}

unsigned end_of(const clang::SourceManager& sources, const Token& token) {
    const clang::SourceLocation last = sources.getExpansionRange(token.getLocation()).getEnd();
    return sources.getFileOffset(last) +
           clang::Lexer::MeasureTokenLength(last, sources, clang::LangOptions());
}

}  // namespace

void DeclarationMap::begin(const clang::SourceManager& sources, const Token& token) {
    Level& level = levels_.back();
    const bool is_class = level.is_class;
    level = Level();
    level.is_class = is_class;
    level.declaration = static_cast<int>(declarations_.size());
    const auto [file, offset] = sources.getDecomposedExpansionLoc(token.getLocation());
    Declaration declaration;
    declaration.file = declaration.last_file = file;
    declaration.begin = declaration.end = offset;
    declaration.parent = levels_.size() < 2 ? -1 : levels_[levels_.size() - 2].declaration;
    declarations_.push_back(declaration);
}

// With `last` as its last token.
void DeclarationMap::end(const clang::SourceManager& sources, const Token& last) {
    Level& level = levels_.back();
    Declaration& declaration = declarations_[level.declaration];
    declaration.last_file = sources.getDecomposedExpansionLoc(last.getLocation()).first;
    declaration.end = end_of(sources, last);
    declaration.is_data_member = level.is_class && !level.has_parameters && !level.says_alias &&
                                 !level.says_static && !level.says_enum;
    for (int i = declaration.parent; i >= 0 && declaration.has_device;
         i = declarations_[i].parent) {
        declarations_[i].has_device = true;
    }
    level.declaration = -1;
}

// Inside __attribute__((...)), whose parentheses declare no function.
bool DeclarationMap::read_attribute(const Token& token) {
    Level& level = levels_.back();
    if (token.isOneOf(tok::kw___attribute, tok::kw___declspec, tok::kw_alignas)) {
        level.awaits_attribute = true;
        return true;
    }
    if (token.is(tok::l_paren)) {
        if (level.awaits_attribute) level.attribute_parens = level.parens;
        level.awaits_attribute = false;
    }
    if (level.attribute_parens < 0) return false;
    if (token.is(tok::l_paren)) ++level.parens;
    if (token.is(tok::r_paren) && --level.parens == level.attribute_parens) {
        level.attribute_parens = -1;
    }
    if (is_device_attribute(token)) declarations_[level.declaration].has_device = true;
    const clang::IdentifierInfo* name = token.getIdentifierInfo();
    if (name != nullptr && name->isStr("global")) declarations_[level.declaration].is_kernel = true;
    return true;
}

// Inside template <...>: neither its '=' nor its parentheses decide what is declared.
bool DeclarationMap::read_template_head(const Token& token) {
    Level& level = levels_.back();
    if (token.is(tok::kw_template) && level.parens == 0) {
        level.awaits_angles = true;
        has_templates_ = true;
        declarations_[level.declaration].is_template = true;
        return true;
    }
    if (level.awaits_angles) {
        level.awaits_angles = false;
        if (token.isNot(tok::less)) return false;  // an explicit instantiation
        level.angles = 1;
        return true;
    }
    if (level.angles == 0) return false;
    if (token.isOneOf(tok::l_paren, tok::l_brace, tok::l_square)) ++level.angle_parens;
    if (token.isOneOf(tok::r_paren, tok::r_brace, tok::r_square)) --level.angle_parens;
    if (level.angle_parens > 0) return true;
    if (token.is(tok::less)) ++level.angles;
    if (token.is(tok::greater)) --level.angles;
    if (token.is(tok::greatergreater)) level.angles = std::max(level.angles - 2, 0);
    return true;
}

void DeclarationMap::open_brace(const clang::SourceManager& sources, const Token& token) {
    Level& level = levels_.back();
    // The value of a member: "S() : a{1} {}".
    if (level.has_member_values && level.parens == 0 && level.braces == 0 &&
        previous_.isOneOf(tok::identifier, tok::greater, tok::greatergreater)) {
        level.is_in_member_value = true;
        ++level.parens;
        return;
    }
    const bool is_linkage = level.says_extern && level.words == 2;
    const bool is_class = level.says_class && !level.says_enum && !level.has_parameters &&
                          !level.has_initialiser && level.parens == 0;
    if (!level.says_namespace && !is_linkage && !is_class) {
        if (level.parens == 0) level.has_body = true;
        const bool is_function = level.has_parameters && !level.has_initialiser && !level.says_enum;
        Declaration& declaration = declarations_[level.declaration];
        if (is_function && level.parens == 0 && level.braces == 0 &&
            token.getLocation().isFileID()) {
            declaration.body = end_of(sources, token);
        }
        ++level.braces;
        return;
    }
    declarations_[level.declaration].is_namespace = !is_class;
    Level inner;
    inner.is_class = is_class;
    levels_.push_back(inner);
}

void DeclarationMap::close_brace(const clang::SourceManager& sources, const Token& token) {
    if (levels_.back().declaration >= 0 && levels_.back().braces > 0) {
        Level& level = levels_.back();
        const bool is_function = level.has_parameters && !level.has_initialiser && !level.says_enum;
        if (--level.braces == 0 && level.parens == 0 && is_function) end(sources, token);
        return;
    }
    if (levels_.back().is_in_member_value && levels_.back().parens == 1) {
        levels_.back().is_in_member_value = false;
        levels_.back().parens = 0;
        return;
    }
    // The bracket is the outer level's.
    if (levels_.back().declaration >= 0) end(sources, previous_);
    if (levels_.size() == 1) return;  // one bracket too many: an error the parser reports
    const bool was_class = levels_.back().is_class;
    levels_.pop_back();
    if (levels_.back().declaration < 0) return;
    if (was_class) {
        levels_.back().has_body = true;
    } else {
        end(sources, token);
    }
}

void DeclarationMap::read_head(const clang::SourceManager& sources, const Token& token) {
    Level& level = levels_.back();
    ++level.words;
    switch (token.getKind()) {
        case tok::l_paren:
            if (level.parens == 0 && !level.has_parameters && token.getLocation().isFileID()) {
                declarations_[level.declaration].parameters = end_of(sources, token);
            }
            ++level.parens;
            level.has_parameters |= !level.has_initialiser;
            break;
        case tok::r_paren: {
            level.parens = std::max(level.parens - 1, 0);
            Declaration& declaration = declarations_[level.declaration];
            if (level.parens == 0 && declaration.parameters_end == 0 &&
                token.getLocation().isFileID()) {
                declaration.parameters_end = sources.getFileOffset(token.getLocation());
            }
            break;
        }
        case tok::equal:
            level.has_initialiser |=
                level.parens == 0 && !level.has_parameters && previous_.isNot(tok::kw_operator);
            break;
        case tok::kw_namespace:
            level.says_namespace = true;
            break;
        case tok::kw_extern:
            level.says_extern = true;
            break;
        case tok::kw_enum:
            level.says_enum = true;
            break;
        case tok::kw_class:
        case tok::kw_struct:
        case tok::kw_union:
            level.says_class = true;
            break;
        case tok::kw_using:
        case tok::kw_typedef:
        case tok::kw_friend:
            level.says_alias = true;
            break;
        case tok::kw_static:
            level.says_static = true;
            break;
        case tok::semi:
            if (level.parens == 0) end(sources, token);
            break;
        case tok::colon:
            level.has_member_values |= level.parens == 0 && level.has_parameters;
            // "public:"
            if (level.is_class && level.words == 2 && !level.says_class) level.declaration = -1;
            break;
        default:
            break;
    }
}

void DeclarationMap::see(const clang::SourceManager& sources, const Token& token) {
    if (token.isAnnotation() || token.is(tok::eof)) return;
    read(sources, token);
    previous_ = token;
}

void DeclarationMap::read(const clang::SourceManager& sources, const Token& token) {
    if (levels_.back().declaration < 0) {
        if (token.is(tok::r_brace)) return close_brace(sources, token);
        if (token.is(tok::semi)) return;
        begin(sources, token);
    }
    if (levels_.back().braces > 0) {
        if (token.is(tok::l_brace)) ++levels_.back().braces;
        if (token.is(tok::r_brace)) close_brace(sources, token);
        return;
    }
    if (read_template_head(token) || read_attribute(token)) return;
    if (token.is(tok::l_brace)) return open_brace(sources, token);
    if (token.is(tok::r_brace)) return close_brace(sources, token);
    read_head(sources, token);
}

const DeclarationMap::Declaration* DeclarationMap::smallest_at(const clang::SourceManager& sources,
                                                               clang::SourceLocation place) const {
    const auto [file, offset] = sources.getDecomposedExpansionLoc(place);
    const auto contains = [&](const Declaration& d) {
        return d.file == file && d.last_file == file && d.begin <= offset && offset < d.end;
    };
    const Declaration* best = nullptr;
    for (const Declaration& declaration : declarations_) {
        if (!contains(declaration) || declaration.is_namespace || declaration.is_data_member) {
            continue;
        }
        const auto size = [](const Declaration& d) { return d.end - d.begin; };
        // One macro may make several declarations, which then lie in one place.
        const bool is_smaller = best == nullptr || size(declaration) < size(*best) ||
                                (size(declaration) == size(*best) && declaration.has_device);
        if (is_smaller) best = &declaration;
    }
    return best;
}

bool DeclarationMap::may_be_in_template(const clang::SourceManager& sources,
                                        clang::SourceLocation place) const {
    const auto [file, offset] = sources.getDecomposedExpansionLoc(place);
    bool is_known = false;
    for (const Declaration& d : declarations_) {
        if (d.file != file || d.last_file != file || d.is_namespace) continue;
        if (offset < d.begin || d.end <= offset) continue;
        if (d.is_template) return true;
        is_known = true;
    }
    return has_templates_ && !is_known;
}

namespace {

// A range of the file that holds a place; nothing in a built-in header.
std::optional<TextRange> range_of_user(const clang::SourceManager& sources,
                                       clang::SourceLocation place, unsigned begin, unsigned end) {
    const clang::FileID file = sources.getDecomposedExpansionLoc(place).first;
    TextRange range{"", begin, end};
    if (file != sources.getMainFileID()) {
        range.path = sources.getBufferOrFake(file).getBufferIdentifier().str();
        if (is_built_in(range.path)) return std::nullopt;
    }
    return range;
}

}  // namespace

std::optional<TextRange> DeclarationMap::removable_at(const clang::SourceManager& sources,
                                                      clang::SourceLocation place) const {
    const Declaration* best = smallest_at(sources, place);
    if (best == nullptr || best->has_device) return std::nullopt;
    return range_of_user(sources, place, best->begin, best->end);
}

std::optional<DeclarationMap::DeviceHead> DeclarationMap::head_at(
    const clang::SourceManager& sources, clang::SourceLocation place) const {
    const Declaration* best = smallest_at(sources, place);
    if (best == nullptr || !best->has_device) return std::nullopt;
    auto whole = range_of_user(sources, place, best->begin, best->end);
    if (!whole) return std::nullopt;
    DeviceHead head{*std::move(whole), std::nullopt, std::nullopt};
    const unsigned offset = sources.getDecomposedExpansionLoc(place).second;
    const bool is_of_parameters = best->parameters != 0 && best->parameters <= offset &&
                                  offset <= best->parameters_end &&
                                  best->parameters_end < best->body;
    if (best->is_kernel && is_of_parameters) {
        head.body = TextRange{head.whole.path, best->body, best->end - 1};
        head.parameters = TextRange{head.whole.path, best->parameters, best->parameters_end};
    }
    return head;
}

std::optional<TextRange> DeclarationMap::body_at(const clang::SourceManager& sources,
                                                 clang::SourceLocation place) const {
    const auto [file, offset] = sources.getDecomposedExpansionLoc(place);
    const Declaration* best = nullptr;
    for (const Declaration& d : declarations_) {
        if (d.file != file || d.last_file != file || d.body == 0) continue;
        if (offset < d.body || d.end <= offset) continue;
        if (best == nullptr || d.body > best->body) best = &d;
    }
    if (best == nullptr) return std::nullopt;
    TextRange range{"", best->body, best->end - 1};
    if (file != sources.getMainFileID()) {
        range.path = sources.getBufferOrFake(file).getBufferIdentifier().str();
        if (is_built_in(range.path)) return std::nullopt;
    }
    return range;
}

void blank(std::string& text, const TextRange& range) {
    const std::string before = text;
    clang::LangOptions language;
    language.CPlusPlus = language.CPlusPlus11 = true;
    clang::Lexer lexer(clang::SourceLocation::getFromRawEncoding(1), language, before.data(),
                       before.data() + range.begin, before.data() + before.size());
    for (unsigned i = range.begin; i < range.end; ++i) {
        if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
    }
    const auto position = [&] { return lexer.getCurrentBufferOffset(); };
    Token token;
    while (!lexer.LexFromRawLexer(token) && position() < range.end) {
        if (token.isNot(tok::hash) || !token.isAtStartOfLine()) continue;
        const unsigned begin = position() - 1;
        lexer.setParsingPreprocessorDirective(true);
        while (token.isNot(tok::eod)) lexer.LexFromRawLexer(token);
        const unsigned end = std::min<unsigned>(position(), before.size());
        text.replace(begin, end - begin, before, begin, end - begin);
    }
}

}  // namespace warpwise::cpu_compiler
