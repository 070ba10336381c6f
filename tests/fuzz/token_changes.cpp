// Tokens as far as a change needs them: words, numbers, blanks and single characters.
#include "tests/fuzz/token_changes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <random>
#include <vector>

namespace warpwise::fuzz {

namespace {

using Random = std::minstd_rand;
using Tokens = std::vector<std::string_view>;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_blank(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

Tokens split(std::string_view text) {
    Tokens tokens;
    for (std::size_t at = 0; at < text.size();) {
        const char first = text[at];
        std::size_t end = at + 1;
        if (is_word(first) || is_blank(first)) {
            const auto same = is_word(first) ? is_word : is_blank;
            while (end < text.size() && same(text[end])) ++end;
        }
        tokens.push_back(text.substr(at, end - at));
        at = end;
    }
    return tokens;
}

std::string join(const Tokens& tokens) {
    std::string text;
    for (const std::string_view token : tokens) text += token;
    return text;
}

std::size_t below(Random& random, std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

// The index of a random token of this kind; the number of tokens when there is none.
template <class Kind>
std::size_t find(const Tokens& tokens, Random& random, Kind is_wanted) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (is_wanted(tokens[i])) places.push_back(i);
    }
    return places.empty() ? tokens.size() : places[below(random, places.size())];
}

bool is_name(std::string_view token) {
    return is_word(token.front()) && std::isdigit(static_cast<unsigned char>(token.front())) == 0;
}

bool is_number(std::string_view token) {
    return std::isdigit(static_cast<unsigned char>(token.front())) != 0;
}

bool ends_statement(std::string_view token) {
    return token == ";" || token == "}" || token == "{";
}

// From the end of one statement to the end of the next, or of the block that begins there.
Tokens statement_of(const Tokens& tokens, Random& random) {
    std::size_t begin = find(tokens, random, ends_statement);
    if (begin == tokens.size()) return tokens;
    ++begin;
    int depth = 0;
    std::size_t end = begin;
    while (end < tokens.size()) {
        const std::string_view token = tokens[end++];
        depth += token == "{" ? 1 : token == "}" ? -1 : 0;
        if (depth < 0) return {tokens.begin() + begin, tokens.begin() + end - 1};
        if (depth == 0 && (token == ";" || token == "}")) break;
    }
    return {tokens.begin() + begin, tokens.begin() + end};
}

void insert_behind_statement(Tokens& tokens, const Tokens& inserted, Random& random) {
    const std::size_t place = find(tokens, random, ends_statement);
    const std::size_t behind = std::min(place + 1, tokens.size());
    tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(behind), inserted.begin(),
                  inserted.end());
}

template <class Kind>
void put_another(Tokens& tokens, Random& random, Kind is_wanted) {
    const std::size_t to = find(tokens, random, is_wanted);
    const std::size_t from = find(tokens, random, is_wanted);
    if (to < tokens.size()) tokens[to] = tokens[from];
}

void put_odd_number(Tokens& tokens, Random& random) {
    static constexpr std::array<std::string_view, 16> kNumbers = {
        "0",  "1",   "2",    "3",     "31",         "32",         "33",         "64",
        "-1", "255", "1024", "65536", "2147483647", "4294967295", "0x80000000", "1e38f"};
    const std::size_t place = find(tokens, random, is_number);
    if (place < tokens.size()) tokens[place] = kNumbers[below(random, kNumbers.size())];
}

void put_other_sign(Tokens& tokens, Random& random) {
    static constexpr std::array<std::string_view, 20> kSigns = {
        "+", "-",  "*",  "/",  "%",  "&", "|", "^", "<<", ">>",
        "<", "<=", "==", "!=", "&&", "=", "~", "!", "?",  "."};
    const std::size_t place =
        find(tokens, random, [](std::string_view token) { return std::ispunct(token.front()); });
    if (place < tokens.size()) tokens[place] = kSigns[below(random, kSigns.size())];
}

void change_once(Tokens& tokens, Random& random) {
    const std::size_t place = below(random, tokens.size());
    switch (below(random, 10)) {
        case 0:
            if (tokens.size() > 1)
                tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(place));
            return;
        case 1:
            tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(place),
                          Tokens::value_type(tokens[below(random, tokens.size())]));
            return;
        case 2:
            std::swap(tokens[place], tokens[below(random, tokens.size())]);
            return;
        case 3:
        case 4:
            return put_another(tokens, random, is_name);
        case 5:
            return put_another(tokens, random, is_number);
        case 6:
            return put_odd_number(tokens, random);
        case 7:
            return put_other_sign(tokens, random);
        default:
            return insert_behind_statement(tokens, Tokens(statement_of(tokens, random)), random);
    }
}

}  // namespace

std::string change_tokens(std::string_view text, unsigned seed) {
    Random random(seed);
    const std::string copy(text);  // the tokens refer to it
    Tokens tokens = split(copy);
    for (std::size_t changes = 1 + below(random, 4); changes > 0 && !tokens.empty(); --changes) {
        change_once(tokens, random);
    }
    return join(tokens);
}

std::string take_statement(std::string_view text, std::string_view other, unsigned seed) {
    Random random(seed);
    Tokens tokens = split(text);
    insert_behind_statement(tokens, statement_of(split(other), random), random);
    return join(tokens);
}

}  // namespace warpwise::fuzz
