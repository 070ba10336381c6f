// Which of the header texts a source can reach, so that NVRTC need not read all of them, and
// whether it can do without what NVRTC declares of the runtime API.
//
// Exact or nothing: where an #include cannot be read (a macro's, a file's on disk), all texts are
// chosen and nothing is left out.
//
// Threading: plain functions; a HeaderTable is never changed once it is made.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpwise::cuda {

// What one text includes.
struct IncludeList {
    std::vector<std::string> names;
    bool is_whole = true;  // every #include has been read
};
IncludeList includes_of(std::string_view text);

// Whether words of the text may mean the runtime API, textures, surfaces or launches of kernels,
// which `--minimal` takes away. A comment counts too.
bool may_use_runtime_api(std::string_view text);

struct HeaderEntry {
    std::string text;
    IncludeList includes;
    bool may_use_runtime_api = false;

    HeaderEntry() = default;
    explicit HeaderEntry(std::string of);
};
using HeaderTable = std::map<std::string, HeaderEntry, std::less<>>;

struct HeaderChoice {
    std::set<std::string_view> names;  // of the table; empty where `is_all`
    bool is_all = false;
    bool may_use_runtime_api = true;
};

// For these texts of the user's (source and headers in memory) and a prelude of the table, which is
// known to do without the runtime API. `forced`: names that options include.
HeaderChoice choose_headers(std::span<const std::string_view> texts,
                            std::span<const std::string> forced, std::string_view prelude,
                            const HeaderTable& table, const std::set<std::string_view>& in_memory);

}  // namespace warpwise::cuda
