// Reading the text of a program. Invariant: every input is either read or refused with its offset.
#include "src/script/syntax.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <limits>

#include "warpwise/error.hpp"

namespace warpwise::script {
namespace {

constexpr int kMostDepth = 2000;

class Reader {
  public:
    Reader(std::string_view text, std::deque<Syntax>& values) : text_(text), values_(values) {}

    const Syntax* read_all() {
        const Syntax* const value = read(0);
        skip();
        if (at_ != text_.size()) fail("has more behind its end");
        return value;
    }

  private:
    [[noreturn]] void fail(const char* what) const {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            fmt::format("the text of a Python program {} at offset {} of {}; write it as "
                        "src/script/README.md says",
                        what, at_, text_.size()));
    }
    void skip() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    }
    char peek() {
        skip();
        if (at_ == text_.size()) fail("ends early");
        return text_[at_];
    }
    std::string_view word() {
        skip();
        const std::size_t start = at_;
        while (at_ < text_.size() &&
               std::string_view(" \n()[]{}\"").find(text_[at_]) == std::string_view::npos) {
            ++at_;
        }
        if (at_ == start) fail("lacks a word");
        return text_.substr(start, at_ - start);
    }
    int number() {
        const std::string_view digits = word();
        int value = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end != digits.data() + digits.size()) fail("lacks a number");
        return value;
    }
    double real(std::string_view digits) const {
        const std::string copy(digits);
        char* end = nullptr;
        const double value = std::strtod(copy.c_str(), &end);
        if (copy.empty() || *end != '\0') fail("has a wrong number");
        return value;
    }

    Syntax& make(Syntax::Form form) {
        Syntax& value = values_.emplace_back();
        value.form = form;
        return value;
    }

    const Syntax* read(int depth) {
        if (depth > kMostDepth) fail("is nested too deeply");
        switch (peek()) {
            case '(':
                return read_node(depth);
            case '[':
                return read_items(make(Syntax::Form::List), ']', depth);
            case '{': {
                Syntax& value = make(Syntax::Form::Tagged);
                ++at_;
                value.text = word();
                --at_;
                return read_items(value, '}', depth);
            }
            case '"':
                return read_string();
            default:
                return read_word();
        }
    }

    const Syntax* read_node(int depth) {
        ++at_;
        Syntax& node = make(Syntax::Form::Node);
        node.text = word();
        node.place = {number(), number(), 0, 0};
        node.place.end_line = number();
        node.place.end_column = number();
        while (peek() != ')') {
            std::string name(word());
            node.fields.emplace_back(std::move(name), read(depth + 1));
        }
        ++at_;
        return &node;
    }

    const Syntax* read_items(Syntax& value, char end, int depth) {
        ++at_;
        while (peek() != end) value.items.push_back(read(depth + 1));
        ++at_;
        return &value;
    }

    const Syntax* read_string() {
        Syntax& value = make(Syntax::Form::String);
        ++at_;
        while (true) {
            if (at_ == text_.size()) fail("has a string without an end");
            const char c = text_[at_++];
            if (c == '"') return &value;
            value.text += c == '\\' ? escaped() : c;
        }
    }
    char escaped() {
        if (at_ == text_.size()) fail("has a string without an end");
        const char c = text_[at_++];
        return c == 'n' ? '\n' : c;
    }

    const Syntax* read_word() {
        const std::string_view text = word();
        if (text == "None") return &make(Syntax::Form::None);
        if (text == "Ellipsis") return &make(Syntax::Form::Ellipsis);
        if (text == "True" || text == "False") {
            Syntax& value = make(Syntax::Form::Bool);
            value.flag = text == "True";
            return &value;
        }
        if (text[0] == '#') {
            Syntax& value = make(Syntax::Form::Float);
            value.real = real(text.substr(1));
            return &value;
        }
        if (text[0] == '@') {
            Syntax& value = make(Syntax::Form::Complex);
            const std::size_t comma = text.find(',');
            if (comma == text.npos) fail("has a wrong number");
            value.real = real(text.substr(1, comma - 1));
            value.imaginary = real(text.substr(comma + 1));
            return &value;
        }
        const std::size_t sign = text[0] == '-' ? 1 : 0;
        if (text.size() == sign || text.find_first_not_of("0123456789", sign) != text.npos) {
            fail("has an unknown word");
        }
        Syntax& value = make(Syntax::Form::Int);
        value.text = text;
        return &value;
    }

    std::string_view text_;
    std::deque<Syntax>& values_;
    std::size_t at_ = 0;
};

template <class T>
bool whole(const std::string& digits, T& value) noexcept {
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    return error == std::errc() && stop == end;
}

// Characters in the first bytes of a line of UTF-8.
int characters(std::string_view line, std::size_t bytes) {
    int count = 0;
    for (const char c : line.substr(0, std::min(bytes, line.size()))) {
        count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }
    return count;
}

const Syntax kNone;

}  // namespace

const Syntax& Syntax::operator[](std::string_view name) const noexcept {
    for (const auto& [own, value] : fields) {
        if (own == name) return *value;
    }
    return kNone;
}

std::span<const Syntax* const> Syntax::list(std::string_view name) const noexcept {
    return (*this)[name].items;
}

bool Syntax::as_int(std::int64_t& value) const noexcept {
    return form == Form::Int && whole(text, value);
}

bool Syntax::as_uint(std::uint64_t& value) const noexcept {
    return form == Form::Int && whole(text, value);
}

SyntaxTree::SyntaxTree(std::string_view text) : values_(std::make_unique<std::deque<Syntax>>()) {
    root_ = Reader(text, *values_).read_all();
}

int SourceText::column_of(const Place& place) const {
    const int index = place.line - first_line;
    if (index < 0 || index >= static_cast<int>(lines.size())) return place.column + 1;
    return characters(lines[static_cast<std::size_t>(index)],
                      static_cast<std::size_t>(std::max(place.column, 0))) +
           1;
}

std::string SourceText::location(const Place& place) const {
    if (place.line == 0) return fmt::format("{}:{}", file, first_line);
    return fmt::format("{}:{}:{}", file, place.line, column_of(place));
}

std::string SourceText::shown(const Place& place, std::string_view message) const {
    std::string text = fmt::format("{}: error: {} (in '{}')\n", location(place), message, function);
    const int index = place.line - first_line;
    if (place.line == 0 || index < 0 || index >= static_cast<int>(lines.size())) return text;
    const std::string& line = lines[static_cast<std::size_t>(index)];
    const int start = column_of(place) - 1;
    const int end = place.end_line == place.line
                        ? characters(line, static_cast<std::size_t>(place.end_column))
                        : characters(line, line.size());
    text += line + "\n";
    // Tabs stay tabs, so that the caret stands below its character.
    int count = 0;
    for (const char c : line) {
        if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;
        if (count++ == start) break;
        text += c == '\t' ? '\t' : ' ';
    }
    text += '^';
    text.append(static_cast<std::size_t>(std::max(end - start - 1, 0)), '~');
    return text + "\n";
}

void refuse(const SourceText& source, const Place& place, const std::string& message) {
    throw CompileError(fmt::format("{}: error: {}", source.location(place), message),
                       source.shown(place, message), source.file,
                       place.line != 0 ? place.line : source.first_line);
}

void refuse_unsupported(const SourceText& source, const Place& place, const std::string& message) {
    throw UnsupportedError(fmt::format("{}: error: {}", source.location(place), message),
                           source.shown(place, message), source.file,
                           place.line != 0 ? place.line : source.first_line);
}

}  // namespace warpwise::script
