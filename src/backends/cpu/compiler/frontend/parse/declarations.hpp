// Where the declarations of a source begin and end, taken from the tokens the parser reads, so that
// those of host code that do not compile here can be left out of the next try.
//
// Invariant: a declaration with a CUDA attribute in its head, a namespace and a data member are
// never left out.
#pragma once

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Token.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwise::cpu_compiler {

// A part of one file, in bytes.
struct TextRange {
    std::string path;  // as clang opened the file; empty for the source itself
    unsigned begin = 0, end = 0;

    bool contains(const TextRange& inner) const {
        return path == inner.path && begin <= inner.begin && inner.end <= end;
    }
};

class DeclarationMap {
  public:
    // To be shown every token in the order of parsing, after macro expansion.
    void see(const clang::SourceManager& sources, const clang::Token& token);
    // Whether a place is inside a template; true where that is not known beside templates.
    bool may_be_in_template(const clang::SourceManager& sources, clang::SourceLocation place) const;

    // The inside of the braces of the function around a place, when it lies in one file.
    std::optional<TextRange> body_at(const clang::SourceManager& sources,
                                     clang::SourceLocation place) const;

    // The device declaration around a place outside bodies, when it lies in one file.
    struct DeviceHead {
        TextRange whole;
        // Of a kernel with a body: the inside of its braces and of its parentheses.
        std::optional<TextRange> body, parameters;
    };
    std::optional<DeviceHead> head_at(const clang::SourceManager& sources,
                                      clang::SourceLocation place) const;

    // The smallest declaration around a place that may be left out.
    std::optional<TextRange> removable_at(const clang::SourceManager& sources,
                                          clang::SourceLocation place) const;

  private:
    struct Declaration {
        clang::FileID file, last_file;
        unsigned begin = 0, end = 0;
        unsigned body = 0;  // of a function with one: where it begins, behind the brace
        unsigned parameters = 0, parameters_end = 0;  // of a function: inside its parentheses
        int parent = -1;
        bool has_device = false;  // here or below
        bool is_kernel = false;
        bool is_namespace = false;
        bool is_template = false;
        bool is_data_member = false;
    };
    // What is known of the declaration being read at one level of namespaces and classes.
    struct Level {
        int declaration = -1;  // index, or -1 between declarations
        bool is_class = false;
        int parens = 0, braces = 0;
        int attribute_parens = -1;         // depth of parentheses in which an attribute began
        int angles = 0, angle_parens = 0;  // inside template <...>, whose '=' initialises nothing
        bool awaits_angles = false;
        bool awaits_attribute = false;
        bool says_namespace = false, says_class = false, says_extern = false, says_enum = false;
        bool says_alias = false, says_static = false;
        bool has_parameters = false, has_initialiser = false, has_body = false;
        bool has_member_values = false, is_in_member_value = false;  // of a constructor
        unsigned words = 0;
    };

    // The smallest declaration around a place that is no namespace and no data member.
    const Declaration* smallest_at(const clang::SourceManager& sources,
                                   clang::SourceLocation place) const;
    void begin(const clang::SourceManager& sources, const clang::Token& token);
    void end(const clang::SourceManager& sources, const clang::Token& last);
    void read(const clang::SourceManager& sources, const clang::Token& token);
    void read_head(const clang::SourceManager& sources, const clang::Token& token);
    bool read_attribute(const clang::Token& token);
    bool read_template_head(const clang::Token& token);
    void open_brace(const clang::SourceManager& sources, const clang::Token& token);
    void close_brace(const clang::SourceManager& sources, const clang::Token& token);

    std::vector<Declaration> declarations_;
    std::vector<Level> levels_ = {Level()};
    clang::Token previous_ = {};
    bool has_templates_ = false;
};

// Replaces a range by spaces but for its line ends and preprocessor directives, so that every other
// place of the text stays where it is.
void blank(std::string& text, const TextRange& range);

}  // namespace warpwise::cpu_compiler
