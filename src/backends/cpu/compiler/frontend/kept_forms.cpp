// A short list, searched from its young end.
#include "src/backends/cpu/compiler/frontend/kept_forms.hpp"

#include <fmt/format.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "src/base/hash.hpp"

namespace warpwise::cpu_compiler {
namespace {

constexpr std::size_t kMostEntries = 4;  // each may hold the texts of large headers

struct Entry {
    std::string key;
    std::shared_ptr<const KeptForm> form;
};

std::mutex lock;
std::deque<Entry> entries;

// Everything that decides what clang sees; what the mode changes comes after it.
std::string key_of(const compiler::CompileRequest& request) {
    std::string key;
    const auto add = [&](std::string_view part) { key += fmt::format("{}:{}", part.size(), part); };
    add(request.source);
    add(request.name);
    add(request.target);
    add(request.format);
    for (const std::string& option : request.options) add(option);
    add("folders");
    for (const std::string& folder : request.include_dirs) add(folder);
    add("headers");
    for (const auto& [name, text] : request.headers) {
        add(name);
        add(text);
    }
    return key;
}

bool is_as_it_was(const compiler::Dependency& file) {
    const auto text = llvm::MemoryBuffer::getFile(file.path);
    if (!text) return false;
    const llvm::StringRef now = (*text)->getBuffer();
    return hash64(std::string_view(now.data(), now.size())) == file.hash;
}

}  // namespace

std::shared_ptr<const KeptForm> find_kept_form(const compiler::CompileRequest& request) {
    std::shared_ptr<const KeptForm> found;
    {
        const std::lock_guard guard(lock);
        if (entries.empty()) return nullptr;
        const std::string key = key_of(request);
        const auto entry = std::find_if(entries.rbegin(), entries.rend(),
                                        [&](const Entry& one) { return one.key == key; });
        if (entry != entries.rend()) found = entry->form;
    }
    if (!found) return nullptr;
    const auto& files = found->dependencies;
    return std::all_of(files.begin(), files.end(), is_as_it_was) ? found : nullptr;
}

void keep_form(const compiler::CompileRequest& request, KeptForm form) {
    auto kept = std::make_shared<const KeptForm>(std::move(form));
    std::string key = key_of(request);
    const std::lock_guard guard(lock);
    std::erase_if(entries, [&](const Entry& one) { return one.key == key; });
    entries.push_back({std::move(key), std::move(kept)});
    if (entries.size() > kMostEntries) entries.pop_front();
}

}  // namespace warpwise::cpu_compiler
