// Follows the search order of the front end: the folder of the including file and that of the
// source for "a.h", then headers in memory, include_dirs, -I options.
#include "src/compiler/include_search.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "src/base/file.hpp"
#include "src/base/hash.hpp"

namespace warpwise::compiler {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t";
// A bound for sources that include thousands of names from dozens of folders.
constexpr std::size_t kMaxRemembered = 4096;

struct Include {
    std::string name;
    bool is_quoted = false;
};

// Reads what follows the word "include" of a directive or of __has_include(; nothing for a macro.
std::optional<Include> parse_name(std::string_view rest) {
    if (rest.starts_with("_next")) rest.remove_prefix(5);
    const std::size_t begin = rest.find_first_not_of(" \t(");
    if (begin == std::string_view::npos) return std::nullopt;
    const char open = rest[begin];
    if (open != '<' && open != '"') return std::nullopt;
    rest.remove_prefix(begin + 1);
    const std::size_t end = rest.find_first_of(open == '<' ? ">\n" : "\"\n");
    if (end == std::string_view::npos || rest[end] == '\n' || end == 0) return std::nullopt;
    return Include{std::string(rest.substr(0, end)), open == '"'};
}

// Calls `visit` with the text after each "include" that is a directive or a __has_include.
template <class Visit>
void for_each_include(std::string_view text, const Visit& visit) {
    constexpr std::string_view kWord = "include";
    for (std::size_t at = text.find(kWord); at != std::string_view::npos;
         at = text.find(kWord, at + kWord.size())) {
        const std::string_view before = text.substr(0, at);
        const std::size_t last = before.find_last_not_of(kBlanks);
        const bool is_directive = last != std::string_view::npos && before[last] == '#';
        if (is_directive || before.ends_with("__has_")) visit(text.substr(at + kWord.size()));
    }
}

// The request's options about files.
struct Paths {
    std::vector<std::string> folders;  // searched, in this order
    std::vector<std::string> forced;   // included before the source
};

Paths paths_of(const CompileRequest& request) {
    Paths paths{request.include_dirs, {}};
    const std::vector<std::string>& options = request.options;
    // The value of `flag` if it is option i: joined with `joint` or the option after it.
    const auto value_of = [&](std::size_t i, std::string_view flag, std::string_view joint) {
        const std::string_view option = options[i];
        if (option == flag) return i + 1 < options.size() ? options[i + 1] : std::string();
        const std::string joined = std::string(flag).append(joint);
        return std::string(option.starts_with(joined) ? option.substr(joined.size()) : "");
    };
    for (std::size_t i = 0; i < options.size(); ++i) {
        std::string folder = value_of(i, "-I", "");
        for (const char* flag : {"--include-path", "-isystem", "--system-include"}) {
            if (folder.empty()) folder = value_of(i, flag, "=");
        }
        if (!folder.empty()) paths.folders.push_back(std::move(folder));
        for (const char* flag : {"-include", "--pre-include"}) {
            std::string file = value_of(i, flag, "=");
            if (!file.empty()) paths.forced.push_back(std::move(file));
        }
    }
    return paths;
}

std::string parent_of(const std::string& path) {
    const std::string parent = fs::path(path).parent_path().string();
    return parent.empty() ? "." : parent;
}

bool is_file(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string normal(const std::string& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    return error ? path : absolute.lexically_normal().string();
}

bool includes_beside_itself(std::string_view text) {
    bool found = false;
    for_each_include(text, [&](std::string_view rest) {
        const std::size_t begin = rest.find_first_not_of(" \t(");
        found = found || (begin != std::string_view::npos && rest[begin] != '<');
    });
    return found;
}

// Collects what one compile looked for.
class Search {
  public:
    Search(const CompileRequest& request, const std::vector<Dependency>& reported)
        : request_(request), beside_(parent_of(request.name)), paths_(paths_of(request)) {
        for (const Dependency& file : reported) known_.insert(normal(file.path));
        for (const std::string& name : paths_.forced) follow({name, true}, {});
    }

    // `folder` is that of the text, empty for a text in memory.
    void scan(std::string_view text, const std::string& folder) {
        for_each_include(text, [&](std::string_view rest) {
            if (const std::optional<Include> include = parse_name(rest)) follow(*include, folder);
        });
    }

    std::vector<Dependency> take() && { return std::move(found_); }

  private:
    void follow(const Include& include, const std::string& folder) {
        if (include.name.starts_with('/')) {
            reaches(include.name);
            return;
        }
        if (include.is_quoted) {
            if (!folder.empty() && reaches(folder + "/" + include.name)) return;
            if (reaches(beside_ + "/" + include.name)) return;
        }
        const auto has_name = [&](const auto& header) { return header.first == include.name; };
        if (std::ranges::any_of(request_.headers, has_name)) return;
        for (const std::string& searched : paths_.folders) {
            if (reaches(searched + "/" + include.name)) return;
        }
    }

    // Whether the search ends at this path; remembers what was seen there.
    bool reaches(const std::string& path) {
        const bool exists = is_file(path);
        if (found_.size() < kMaxRemembered && known_.insert(normal(path)).second) {
            found_.push_back({path, exists ? hash_of_file(path) : kAbsentFile});
        }
        return exists;
    }

    const CompileRequest& request_;
    const std::string beside_;
    const Paths paths_;
    std::set<std::string> known_;
    std::vector<Dependency> found_;
};

}  // namespace

bool depends_on_working_folder(const CompileRequest& request) {
    const auto is_relative = [](const std::string& path) { return !path.starts_with('/'); };
    const Paths paths = paths_of(request);
    if (std::ranges::any_of(paths.folders, is_relative)) return true;
    if (std::ranges::any_of(paths.forced, is_relative)) return true;
    if (!is_relative(request.name)) return false;
    return includes_beside_itself(request.source) ||
           std::ranges::any_of(request.headers, [](const auto& header) {
               return includes_beside_itself(header.second);
           });
}

std::vector<Dependency> complete_dependencies(const CompileRequest& request,
                                              std::vector<Dependency> reported) {
    Search search(request, reported);
    search.scan(request.source, {});
    for (const auto& [name, text] : request.headers) search.scan(text, {});
    for (const Dependency& file : reported) {
        std::vector<std::byte> text;
        if (file.hash == kAbsentFile || read_file_at(AT_FDCWD, file.path.c_str(), &text)) continue;
        search.scan({reinterpret_cast<const char*>(text.data()), text.size()},
                    parent_of(file.path));
    }
    std::vector<Dependency> all = std::move(reported);
    for (Dependency& file : std::move(search).take()) all.push_back(std::move(file));
    return all;
}

std::uint64_t hash_of_file(const std::string& path) {
    std::vector<std::byte> contents;
    if (read_file_at(AT_FDCWD, path.c_str(), &contents)) return kAbsentFile;
    return hash64(contents);
}

}  // namespace warpwise::compiler
