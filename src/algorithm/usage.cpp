// One pass over the words for each question.
#include "src/algorithm/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "warpwise/error.hpp"

namespace warpwise::algorithm {
namespace {

using Tokens = std::vector<Token>;

constexpr std::array<std::string_view, 11> kAssignments = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
constexpr std::array<std::string_view, 8> kNoTypes = {"return", "else", "case",  "do",
                                                      "sizeof", "goto", "throw", "typename"};

bool is_assignment(const Tokens& tokens, std::size_t at) {
    if (at >= tokens.size() || tokens[at].kind != Token::Kind::Mark) return false;
    if (std::ranges::find(kAssignments, tokens[at].text) != kAssignments.end()) return true;
    // >>= is two marks.
    return tokens[at].is(">") && at + 1 < tokens.size() && tokens[at + 1].is(">=") &&
           tokens[at + 1].offset == tokens[at].offset + 1;
}
bool is_step(const Tokens& tokens, std::size_t at) {
    return at < tokens.size() && (tokens[at].is("++") || tokens[at].is("--"));
}

// Whether what ends at `at` is a value, so that & or * behind it has two operands.
bool ends_value(const Tokens& tokens, std::size_t at) {
    if (at >= tokens.size()) return false;
    const Token& token = tokens[at];
    if (token.kind == Token::Kind::Mark) return token.is(")") || token.is("]");
    if (token.kind != Token::Kind::Name) return true;
    return std::ranges::find(kNoTypes, token.text) == kNoTypes.end();
}
bool takes_address(const Tokens& tokens, std::size_t at) {
    return at > 0 && tokens[at - 1].is("&") && !(at > 1 && ends_value(tokens, at - 2));
}
// x in a.x, a->x and A::x is another one.
bool is_member(const Tokens& tokens, std::size_t at) {
    return at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is("->") || tokens[at - 1].is("::"));
}

std::set<std::string_view> names_in(const Tokens& tokens) {
    std::set<std::string_view> names;
    for (const Token& token : tokens) {
        if (token.kind == Token::Kind::Name) names.insert(token.text);
    }
    return names;
}

class Reader {
  public:
    Reader(std::string_view operation, const std::vector<KernelParameter>& parameters,
           const KernelText& text)
        : tokens_(tokens_of(operation)), parameters_(parameters), text_(text) {}

    Usage read() {
        read_macros();
        usage_.arrays.resize(parameters_.size());
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            if (parameters_[i].is_array) read_array(i);
        }
        read_index();
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            if (parameters_[i].is_array) find_first_write(i);
        }
        usage_.is_plain = is_plain();
        return std::move(usage_);
    }

  private:
    static std::vector<std::string_view> directives(const Tokens& tokens) {
        std::vector<std::string_view> all;
        for (const Token& token : tokens) {
            if (token.kind == Token::Kind::Directive) all.push_back(token.text);
        }
        return all;
    }

    // Names that a macro may put into the text unseen.
    void read_macros() {
        preamble_ = tokens_of(text_.preamble);
        const auto note = [this](std::string_view body) {
            for (const Token& token : tokens_of(body)) {
                if (token.kind == Token::Kind::Name) hidden_.insert(token.text);
            }
        };
        for (const Tokens* tokens : {static_cast<const Tokens*>(&preamble_), &tokens_}) {
            for (const std::string_view line : directives(*tokens)) {
                has_directives_ = true;
                note(line.substr(std::min(line.find_first_not_of(" \t#"), line.size())));
            }
        }
        for (const std::string& option : text_.options) {
            const std::size_t value = option.starts_with("-D") ? option.find('=') : option.npos;
            if (value != option.npos) note(std::string_view(option).substr(value + 1));
        }
        has_directives_ = has_directives_ || !text_.headers.empty() || !text_.include_dirs.empty();
        functions_ = names_in(preamble_);
        around_ = names_in(tokens_of(text_.loop_prep));
        around_.merge(names_in(tokens_of(text_.after_loop)));
    }

    bool is_hidden(std::string_view name) const {
        return hidden_.contains(name) || around_.contains(name);
    }

    // What is passed to the user's own function, or bound to a reference, may be written there.
    bool may_be_bound(std::size_t at) const {
        for (std::size_t i = at; i-- > 0;) {
            const Token& token = tokens_[i];
            if (token.is(";") || token.is("{") || token.is("}")) return false;
            if (token.kind == Token::Kind::Name && functions_.contains(token.text)) return true;
            if (token.is("&") && i + 2 < tokens_.size() &&
                tokens_[i + 1].kind == Token::Kind::Name &&
                (tokens_[i + 2].is("=") || tokens_[i + 2].is("(") || tokens_[i + 2].is("{"))) {
                return true;
            }
        }
        return false;
    }

    void read_array(std::size_t number) {
        const KernelParameter& parameter = parameters_[number];
        ArrayUse& use = usage_.arrays[number];
        if (is_hidden(parameter.name)) {
            use.is_elsewhere = true;
            use.may_write = !parameter.is_const;
        }
        for (std::size_t at = 0; at < tokens_.size(); ++at) {
            if (tokens_[at].kind == Token::Kind::Name && tokens_[at].text == parameter.name &&
                !is_member(tokens_, at)) {
                read_use(at, !parameter.is_const, use);
            }
        }
    }

    void read_use(std::size_t at, bool is_output, ArrayUse& use) {
        const bool has_index = at + 1 < tokens_.size() && tokens_[at + 1].is("[");
        const std::size_t end = has_index ? closed(tokens_, at + 1) : at + 1;
        const bool is_index = has_index && end == at + 4 && tokens_[at + 2].is_name("i");
        (is_index ? use.is_at_index : use.is_elsewhere) = true;
        if (!has_index || takes_address(tokens_, at)) {
            if (!use.address) use.address = tokens_[at].offset;
            use.may_write |= is_output;
        }
        const bool is_written = is_assignment(tokens_, behind_members(end)) ||
                                is_step(tokens_, end) || (at > 0 && is_step(tokens_, at - 1));
        use.may_write |= is_output && (is_written || may_be_bound(at));
    }

    // Behind the .x and [1] and -> of what ends before `at`.
    std::size_t behind_members(std::size_t at) const {
        while (at < tokens_.size()) {
            if (tokens_[at].is("[")) {
                at = closed(tokens_, at);
            } else if (tokens_[at].is(".") || tokens_[at].is("->")) {
                if (at + 2 < tokens_.size() && tokens_[at + 2].is("(")) return tokens_.size();
                at += 2;
            } else {
                break;
            }
        }
        return at;
    }

    void read_index() {
        is_index_plain_ = !is_hidden("i");
        for (std::size_t at = 0; at < tokens_.size(); ++at) {
            const Token& token = tokens_[at];
            if (token.kind != Token::Kind::Name) continue;
            leaves_early_ |= token.text == "return" || token.text == "goto" || token.text == "asm";
            usage_.uses_threads |=
                token.text == "tid" || token.text == "total_threads" || token.text == "cta_start";
            if (token.text != "i" || is_member(tokens_, at)) continue;
            const bool is_subscript = at > 1 && tokens_[at - 1].is("[") &&
                                      at + 1 < tokens_.size() && tokens_[at + 1].is("]") &&
                                      is_array(tokens_[at - 2]);
            usage_.uses_index |= !is_subscript;
            const bool is_declared =
                at > 0 && tokens_[at - 1].kind == Token::Kind::Name && ends_value(tokens_, at - 1);
            const bool is_changed = is_assignment(tokens_, at + 1) || is_step(tokens_, at + 1) ||
                                    (at > 0 && is_step(tokens_, at - 1)) ||
                                    takes_address(tokens_, at);
            if (is_declared || is_changed) is_index_plain_ = false;
        }
        for (const std::string_view name : hidden_) {
            leaves_early_ |= name == "return" || name == "goto";
        }
        usage_.statements = static_cast<std::size_t>(
            std::ranges::count_if(tokens_, [](const Token& token) { return token.is(";"); }));
        if (!tokens_.empty() && !tokens_.back().is(";")) ++usage_.statements;
    }

    bool is_array(const Token& token) const {
        return token.kind == Token::Kind::Name &&
               std::ranges::any_of(parameters_, [&](const KernelParameter& one) {
                   return one.is_array && one.name == token.text;
               });
    }

    // Statements outside of all brackets, from the front, as long as each runs once.
    void find_first_write(std::size_t number) {
        ArrayUse& use = usage_.arrays[number];
        const std::string_view name = parameters_[number].name;
        if (!use.is_at_index || use.is_elsewhere || is_hidden(name)) return;
        std::size_t begin = 0;
        while (begin < tokens_.size()) {
            std::size_t end = begin;
            while (end < tokens_.size() && !tokens_[end].is(";") && !tokens_[end].is("{")) {
                const bool opens = tokens_[end].is("(") || tokens_[end].is("[");
                end = opens ? closed(tokens_, end) : end + 1;
            }
            const bool is_block = end < tokens_.size() && tokens_[end].is("{");
            if (is_block) end = closed(tokens_, end) - 1;
            end = std::min(end, tokens_.size());
            const auto uses =
                std::ranges::count_if(tokens_.begin() + static_cast<std::ptrdiff_t>(begin),
                                      tokens_.begin() + static_cast<std::ptrdiff_t>(end),
                                      [&](const Token& token) { return token.is_name(name); });
            const bool is_write = !is_block && tokens_[begin].is_name(name) &&
                                  begin + 4 < tokens_.size() && tokens_[begin + 4].is("=");
            if (uses > 0 || (is_write && has_branch(begin, end))) {
                use.is_written_first = is_write && uses == 1;
                return;
            }
            // A macro before it could leave, or put an `if` in front of it.
            if (has_directives_ || has_branch(begin, end)) return;
            begin = end + 1;
        }
    }

    // What may keep the statement behind from running, or make it part of this one.
    bool has_branch(std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < end && i < tokens_.size(); ++i) {
            for (const std::string_view word : {"continue", "break", "return", "goto", "else"}) {
                if (tokens_[i].is_name(word)) return true;
            }
        }
        return false;
    }

    bool is_plain() const {
        if (!is_index_plain_ || leaves_early_ || usage_.uses_threads) return false;
        if (!text_.loop_prep.empty() || !text_.after_loop.empty()) return false;
        return std::ranges::all_of(
            usage_.arrays, [](const ArrayUse& use) { return !use.is_elsewhere && !use.address; });
    }

    const Tokens tokens_;
    const std::vector<KernelParameter>& parameters_;
    const KernelText& text_;
    Tokens preamble_;
    std::set<std::string_view> hidden_;     // names in macros
    std::set<std::string_view> functions_;  // names in the preamble
    std::set<std::string_view> around_;     // names in loop_prep and after_loop
    bool has_directives_ = false;
    bool is_index_plain_ = false;
    bool leaves_early_ = false;
    Usage usage_;
};

}  // namespace

Usage usage_of(std::string_view operation, const std::vector<KernelParameter>& parameters,
               const KernelText& text) {
    return Reader(operation, parameters, text).read();
}

void require_balanced(std::string_view text, std::string_view file) {
    const auto refuse = [&](const Token& token, std::string_view what) {
        const TextPlace place = place_of(text, token.offset);
        const std::string log = fmt::format("{}:{}:{}: error: {}\n{}\n{:>{}}\n", file, place.line,
                                            place.column, what, place.text, "^", place.column);
        throw CompileError(fmt::format("{}:{}: {}", file, place.line, what), log, std::string(file),
                           static_cast<int>(place.line));
    };
    const Tokens tokens = tokens_of(text);
    // Of several branches of #if only one counts.
    if (std::ranges::any_of(tokens, [](const Token& token) {
            return token.kind == Token::Kind::Directive && token.text.find("if") != token.text.npos;
        })) {
        return;
    }
    Tokens open;
    for (const Token& token : tokens) {
        if (token.kind != Token::Kind::Mark || token.text.size() != 1) continue;
        constexpr std::string_view kOpening = "([{";
        constexpr std::string_view kClosing = ")]}";
        if (kOpening.find(token.text) != kOpening.npos) open.push_back(token);
        const std::size_t kind = kClosing.find(token.text);
        if (kind == kClosing.npos) continue;
        if (open.empty() || kOpening.find(open.back().text) != kind) {
            refuse(token, fmt::format("'{}' closes nothing", token.text));
        }
        open.pop_back();
    }
    if (!open.empty()) refuse(open.back(), fmt::format("'{}' is not closed", open.back().text));
}

}  // namespace warpwise::algorithm
