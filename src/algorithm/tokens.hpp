// C++ text as words, numbers, literals and operators: enough to see how names are used.
//
// Threading: pure functions. Tokens refer to the text, which must outlive them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpwise::algorithm {

struct Token {
    enum class Kind : unsigned char { Name, Number, Literal, Mark, Directive };
    Kind kind = Kind::Mark;
    std::string_view text;   // of a Directive: the whole line, continued ones too
    std::size_t offset = 0;  // in the text

    bool is(std::string_view mark) const noexcept { return kind == Kind::Mark && text == mark; }
    bool is_name(std::string_view name) const noexcept {
        return kind == Kind::Name && text == name;
    }
};

// Without comments. Marks are the longest operators there are, but that >> is two of them, so that
// templates can be read.
std::vector<Token> tokens_of(std::string_view text);

// The index behind the bracket that closes the one at `open`; tokens.size() where none does.
std::size_t closed(const std::vector<Token>& tokens, std::size_t open);

// A place of a text for people: line and column from 1 on, and the line.
struct TextPlace {
    std::size_t line = 1;
    std::size_t column = 1;
    std::string_view text;
};
TextPlace place_of(std::string_view text, std::size_t offset);

}  // namespace warpwise::algorithm
