// A scan of the words, and the closure over includes.
#include "src/backends/cuda/nvrtc/header_choice.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace warpwise::cuda {
namespace {

constexpr std::string_view kBlank = " \t";
constexpr std::string_view kInclude = "include";

// "#  include" up to `at`, with nothing else on the line.
bool is_directive(std::string_view text, std::size_t at) {
    std::string_view line = text.substr(0, at);
    line.remove_prefix(line.rfind('\n') + 1);
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
    if (!line.starts_with('#')) return false;
    return line.find_first_not_of(kBlank, 1) == std::string_view::npos;
}

// The name in <> or "" at the beginning of `rest`; empty when there is none.
std::string_view literal_name(std::string_view rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
    if (rest.empty() || (rest.front() != '<' && rest.front() != '"')) return {};
    const char end = rest.front() == '<' ? '>' : '"';
    rest.remove_prefix(1);
    const std::size_t length = std::min(rest.find(end), rest.find('\n'));
    if (length == std::string_view::npos || rest[length] != end) return {};
    return rest.substr(0, length);
}

bool is_word_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Of names that NVRTC declares without `--minimal`.
bool is_runtime_word(std::string_view word) {
    constexpr std::array<std::string_view, 6> kBeginnings = {"cuda", "tex",    "surf",
                                                             "CUuu", "CUDART", "CUDA_R_"};
    const auto begins = [&](std::string_view name) { return word.starts_with(name); };
    return std::ranges::any_of(kBeginnings, begins) ||
           word.find("cudart") != std::string_view::npos ||
           word.find("CUDART") != std::string_view::npos ||
           word.find("_TYPES_H") != std::string_view::npos;
}

// The names of the table that a text reaches, and their kinds.
class Closure {
  public:
    Closure(const HeaderTable& table, const std::set<std::string_view>& in_memory)
        : table_(table), in_memory_(in_memory) {}

    void add(std::string_view name) {
        // What the program brings along is looked at by itself.
        if (!is_whole_ || in_memory_.contains(name)) return;
        const auto found = table_.find(name);
        if (found == table_.end()) {
            is_whole_ = false;
            return;
        }
        if (!names_.insert(found->first).second) return;
        may_use_runtime_api_ = may_use_runtime_api_ || found->second.may_use_runtime_api;
        add(found->second.includes);
    }
    void add(const IncludeList& list) {
        is_whole_ = is_whole_ && list.is_whole;
        for (const std::string& name : list.names) add(name);
    }

    // From now on it counts whether the runtime API may be used.
    void begin_of_user() { may_use_runtime_api_ = false; }
    void note_runtime_api() { may_use_runtime_api_ = true; }

    HeaderChoice take() && {
        if (!is_whole_) return {.names = {}, .is_all = true, .may_use_runtime_api = true};
        return {.names = std::move(names_),
                .is_all = false,
                .may_use_runtime_api = may_use_runtime_api_};
    }

  private:
    const HeaderTable& table_;
    const std::set<std::string_view>& in_memory_;
    std::set<std::string_view> names_;
    bool is_whole_ = true;
    bool may_use_runtime_api_ = false;
};

}  // namespace

IncludeList includes_of(std::string_view text) {
    IncludeList list;
    for (std::size_t at = text.find(kInclude); at != std::string_view::npos;
         at = text.find(kInclude, at)) {
        const bool is_there = is_directive(text, at);
        at += kInclude.size();
        const std::string_view name = is_there ? literal_name(text.substr(at)) : std::string_view();
        if (name.empty()) {
            // In a comment, of a macro, __has_include: whatever it is.
            list.is_whole = false;
            continue;
        }
        list.names.emplace_back(name);
        at = static_cast<std::size_t>(name.data() - text.data()) + name.size();
    }
    return list;
}

bool may_use_runtime_api(std::string_view text) {
    if (text.find("<<<") != std::string_view::npos) return true;
    for (std::size_t at = 0; at < text.size();) {
        if (!is_word_character(text[at])) {
            ++at;
            continue;
        }
        const std::size_t begin = at;
        while (at < text.size() && is_word_character(text[at])) ++at;
        if (is_runtime_word(text.substr(begin, at - begin))) return true;
    }
    return false;
}

HeaderEntry::HeaderEntry(std::string of)
    : text(std::move(of)),
      includes(includes_of(text)),
      may_use_runtime_api(cuda::may_use_runtime_api(text)) {}

HeaderChoice choose_headers(std::span<const std::string_view> texts,
                            std::span<const std::string> forced, std::string_view prelude,
                            const HeaderTable& table, const std::set<std::string_view>& in_memory) {
    Closure closure(table, in_memory);
    closure.add(prelude);
    closure.begin_of_user();
    for (const std::string& name : forced) closure.add(name);
    for (const std::string_view text : texts) {
        closure.add(includes_of(text));
        if (may_use_runtime_api(text)) closure.note_runtime_api();
    }
    return std::move(closure).take();
}

}  // namespace warpwise::cuda
