// A lexer for the part of C++ that matters here; what it does not know becomes single marks.
#include "src/algorithm/tokens.hpp"

#include <algorithm>
#include <array>

namespace warpwise::algorithm {
namespace {

constexpr std::array<std::string_view, 21> kMarks = {
    "<<=", "...", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=",  "^=",  "==", "!=", "<=", ">=", "&&", "||", "<<", "::"};

bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c < 0;
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::vector<Token> all() {
        while (skip_blanks()) {
            const std::size_t begin = at_;
            const Token::Kind kind = next();
            tokens_.push_back({kind, text_.substr(begin, at_ - begin), begin});
            at_line_start_ = false;
        }
        return std::move(tokens_);
    }

  private:
    char here(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    bool skip_blanks() {
        while (at_ < text_.size()) {
            if (is_blank(here())) {
                at_line_start_ |= here() == '\n';
                ++at_;
            } else if (here() == '/' && here(1) == '/') {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (here() == '/' && here(1) == '*') {
                const std::size_t end = text_.find("*/", at_ + 2);
                at_ = end == text_.npos ? text_.size() : end + 2;
            } else {
                return true;
            }
        }
        return false;
    }

    void skip_literal(char quote) {
        for (++at_; at_ < text_.size() && here() != quote && here() != '\n'; ++at_) {
            if (here() == '\\') ++at_;
        }
        at_ = std::min(at_ + 1, text_.size());
    }
    void skip_directive() {
        while (at_ < text_.size() && here() != '\n') {
            at_ += here() == '\\' ? 2 : 1;
        }
        at_ = std::min(at_, text_.size());
    }

    Token::Kind next() {
        const char c = here();
        if (c == '#' && at_line_start_) {
            skip_directive();
            return Token::Kind::Directive;
        }
        if (begins_name(c)) {
            while (begins_name(here()) || is_digit(here())) ++at_;
            return Token::Kind::Name;
        }
        if (is_digit(c) || (c == '.' && is_digit(here(1)))) {
            skip_number();
            return Token::Kind::Number;
        }
        if (c == '"' || c == '\'') {
            skip_literal(c);
            return Token::Kind::Literal;
        }
        const auto* const mark = std::ranges::find_if(
            kMarks, [&](std::string_view one) { return text_.substr(at_).starts_with(one); });
        at_ += mark == kMarks.end() ? 1 : mark->size();
        return Token::Kind::Mark;
    }

    // 1.5e-3f, 0x1p-4, 1'000: a sign belongs to it behind the letter of an exponent.
    void skip_number() {
        const bool is_hexadecimal = here() == '0' && (here(1) == 'x' || here(1) == 'X');
        char last = '\0';
        while (
            begins_name(here()) || is_digit(here()) || here() == '.' || here() == '\'' ||
            ((here() == '+' || here() == '-') &&
             (last == 'p' || last == 'P' || (!is_hexadecimal && (last == 'e' || last == 'E'))))) {
            last = here();
            ++at_;
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool at_line_start_ = true;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
    return Lexer(text).all();
}

std::size_t closed(const std::vector<Token>& tokens, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        if (token.is("(") || token.is("[") || token.is("{")) ++depth;
        if (token.is(")") || token.is("]") || token.is("}")) --depth;
        if (depth == 0) return i + 1;
    }
    return tokens.size();
}

TextPlace place_of(std::string_view text, std::size_t offset) {
    TextPlace place;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < std::min(offset, text.size()); ++i) {
        if (text[i] != '\n') continue;
        ++place.line;
        begin = i + 1;
    }
    place.column = offset - begin + 1;
    place.text = text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
    return place;
}

}  // namespace warpwise::algorithm
