// Finds a library of NVIDIA's without opening it: which file the dynamic linker would take, else
// the one of a toolkit, else that of NVIDIA's Python packages. A look costs microseconds, opening
// tens of milliseconds.
//
// Threading: any thread.
#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpwise::cuda {

// The file of the library whose names are `names`, in order of preference ("libnvrtc.so.13",
// "libnvrtc.so.12"): one that is loaded already, else in LD_LIBRARY_PATH, in the dynamic linker's
// cache, in the toolkits' folders, in those of packages. Empty when there is none.
std::filesystem::path find_library(const std::vector<std::string>& names);

// Where it was looked for, for messages.
std::vector<std::string> library_places(const std::vector<std::string>& names);

// The path under which a cache of the dynamic linker (the bytes of /etc/ld.so.cache) has `name`;
// empty when it has not.
std::string in_linker_cache(std::string_view cache, std::string_view name);

// Fills a table of a library's functions.
class SymbolFinder {
  public:
    explicit SymbolFinder(void* library) noexcept : library_(library) {}

    template <class Function>
    void operator()(Function& member, const char* name) noexcept {
        member = reinterpret_cast<Function>(::dlsym(library_, name));
        if (member == nullptr && missing_ == nullptr) missing_ = name;
    }
    // The name of the first that is missing, or null.
    const char* missing() const noexcept { return missing_; }

  private:
    void* library_;
    const char* missing_ = nullptr;
};

}  // namespace warpwise::cuda
