// The order of places, and the format of the dynamic linker's cache.
#include "src/backends/cuda/driver/library_search.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "src/backends/cuda/driver/toolkit.hpp"

namespace warpwise::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCacheMagic = "glibc-ld.so.cache1.1";

// After the magic: struct cache_file_new of glibc, whose offsets count from the magic.
struct CacheHeader {
    char magic[20];
    std::uint32_t count;
    std::uint32_t string_bytes;
    std::uint32_t others[5];
};
struct CacheEntry {
    std::int32_t flags;
    std::uint32_t name;  // offsets of texts
    std::uint32_t path;
    std::uint32_t system;
    std::uint64_t hardware;
};
static_assert(sizeof(CacheHeader) == 48 && sizeof(CacheEntry) == 24);

fs::path loaded(const std::string& name) {
    void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == nullptr) return {};
    const link_map* map = nullptr;
    const bool is_known =
        ::dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr;
    fs::path path = is_known ? map->l_name : "";
    ::dlclose(library);
    return path;
}

std::string linker_cache() {
    std::ifstream file("/etc/ld.so.cache", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> linker_folders() {
    std::vector<fs::path> folders;
    const char* const variable = std::getenv("LD_LIBRARY_PATH");
    std::string_view rest = variable != nullptr ? variable : "";
    while (!rest.empty()) {
        const std::size_t end = rest.find(':');
        if (end != 0) folders.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return folders;
}

std::vector<fs::path> other_folders() {
    std::vector<fs::path> folders;
    for (const fs::path& root : toolkit_roots()) {
        folders.push_back(root / "lib64");
        folders.push_back(root / "lib");
        folders.push_back(root / "extras" / "CUPTI" / "lib64");
    }
    for (const fs::path& package : package_folders()) folders.push_back(package / "lib");
    return folders;
}

fs::path in_folders(const std::vector<fs::path>& folders, const std::string& name) {
    std::error_code error;
    for (const fs::path& folder : folders) {
        if (fs::exists(folder / name, error)) return folder / name;
    }
    return {};
}

}  // namespace

std::string in_linker_cache(std::string_view cache, std::string_view name) {
    const std::size_t begin = cache.find(kCacheMagic);
    if (begin == std::string_view::npos) return {};
    cache.remove_prefix(begin);
    CacheHeader header{};
    if (cache.size() < sizeof header) return {};
    std::memcpy(&header, cache.data(), sizeof header);
    if (header.count > (cache.size() - sizeof header) / sizeof(CacheEntry)) return {};
    const auto text = [&](std::uint32_t offset) -> std::string_view {
        if (offset >= cache.size()) return {};
        const std::string_view rest = cache.substr(offset);
        return rest.substr(0, rest.find('\0'));
    };
    for (std::uint32_t i = 0; i < header.count; ++i) {
        CacheEntry entry{};
        std::memcpy(&entry, cache.data() + sizeof header + i * sizeof entry, sizeof entry);
        if (text(entry.name) == name) return std::string(text(entry.path));
    }
    return {};
}

fs::path find_library(const std::vector<std::string>& names) {
    std::string cache;
    std::error_code error;
    for (const std::string& name : names) {
        if (fs::path path = loaded(name); !path.empty()) return path;
        if (fs::path path = in_folders(linker_folders(), name); !path.empty()) return path;
        if (cache.empty()) cache = linker_cache();
        if (fs::path path = in_linker_cache(cache, name); fs::exists(path, error)) return path;
        if (fs::path path = in_folders(other_folders(), name); !path.empty()) return path;
    }
    return {};
}

std::vector<std::string> library_places(const std::vector<std::string>& names) {
    std::vector<std::string> places = names;
    for (const fs::path& folder : other_folders()) {
        std::error_code error;
        if (fs::exists(folder, error)) places.push_back(folder.string());
    }
    return places;
}

}  // namespace warpwise::cuda
