// Changes of a program's text by whole tokens. Each is a pure function of its arguments.
#pragma once

#include <string>
#include <string_view>

namespace warpwise::fuzz {

// One to four changes: tokens removed, repeated or exchanged, a word or number for another one of
// the text, a statement moved.
std::string change_tokens(std::string_view text, unsigned seed);

// A statement or block of `other` inserted after one of `text`.
std::string take_statement(std::string_view text, std::string_view other, unsigned seed);

}  // namespace warpwise::fuzz
