// What the host language hands over: syntax trees of functions and the values that they refer to,
// as one text. README.md has its grammar. Also where it is wrong: messages with the user's line.
//
// Threading: a tree is immutable once it is read.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpwise::script {

// Of Python's ast: lines from 1, columns in bytes of UTF-8 from 0, the end behind the last byte.
struct Place {
    int line = 0;  // 0: unknown
    int column = 0;
    int end_line = 0;
    int end_column = 0;
};

// One value of the text.
struct Syntax {
    enum class Form : std::uint8_t {
        None,
        Bool,
        Ellipsis,
        Int,
        Float,
        Complex,
        String,
        List,
        Node,
        Tagged
    };

    Form form = Form::None;
    bool flag = false;  // Bool
    Place place;        // Node
    std::string text;   // Node: its kind; Tagged: its tag; Int: its digits; String: the string
    double real = 0;
    double imaginary = 0;
    std::vector<std::pair<std::string, const Syntax*>> fields;  // Node
    std::vector<const Syntax*> items;                           // List, Tagged

    bool is_none() const noexcept { return form == Form::None; }
    bool is(std::string_view kind) const noexcept { return form == Form::Node && text == kind; }
    bool is_tagged(std::string_view tag) const noexcept {
        return form == Form::Tagged && text == tag;
    }
    // A field of a node; None where it has none of the name.
    const Syntax& operator[](std::string_view name) const noexcept;
    // The items of a field that is a list.
    std::span<const Syntax* const> list(std::string_view name) const noexcept;
    // An Int as a number; false where it has more than 64 bits.
    bool as_int(std::int64_t& value) const noexcept;
    bool as_uint(std::uint64_t& value) const noexcept;
};

class SyntaxTree {
  public:
    // Throws ArgumentError that names the offset of what is wrong.
    explicit SyntaxTree(std::string_view text);
    SyntaxTree(SyntaxTree&&) = default;
    SyntaxTree& operator=(SyntaxTree&&) = default;

    const Syntax& root() const noexcept { return *root_; }

  private:
    std::unique_ptr<std::deque<Syntax>> values_;  // apart, so that moving cannot fail
    const Syntax* root_ = nullptr;
};

// Where a function's text stands.
struct SourceText {
    std::string function;
    std::string file;
    int first_line = 1;
    std::vector<std::string> lines;

    // "file:line:column: error: message", the line, and carets under the place; the column counts
    // characters.
    std::string shown(const Place& place, std::string_view message) const;
    int column_of(const Place& place) const;  // in characters, from 1
    std::string location(const Place& place) const;
};

// CompileError for code that means nothing: unknown names, types that do not fit.
[[noreturn]] void refuse(const SourceText& source, const Place& place, const std::string& message);
// UnsupportedError for Python that means something, but not in a kernel.
[[noreturn]] void refuse_unsupported(const SourceText& source, const Place& place,
                                     const std::string& message);

}  // namespace warpwise::script
