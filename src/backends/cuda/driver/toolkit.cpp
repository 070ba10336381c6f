// Variables, habits, and the layouts of NVIDIA's packages: nvidia/cu13/{lib,include} since CUDA 13,
// nvidia/cuda_nvrtc/lib, nvidia/cuda_runtime/include and so on for CUDA 12.
#include "src/backends/cuda/driver/toolkit.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "src/compiler/service_library.hpp"

namespace warpwise::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader = "cuda_fp16.h";  // of the folders that are looked for

bool is_there(const fs::path& path) {
    std::error_code error;
    return fs::exists(path, error);
}

fs::path variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::vector<fs::path> folders_in(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->is_directory(error)) found.push_back(entry->path());
    }
    // "cu13" before "cuda_nvrtc", and always the same order.
    std::ranges::sort(found);
    return found;
}

// Adds the folder, and where CUDA 13 keeps cuda/std, CUB and Thrust in it.
void add_headers(std::vector<fs::path>& result, const fs::path& folder) {
    for (const fs::path& one : {folder, folder / "cccl"}) {
        if (is_there(one) && std::ranges::find(result, one) == result.end()) result.push_back(one);
    }
}

std::vector<fs::path> places_of_packages(const fs::path& library) {
    std::vector<fs::path> places;
    const auto add = [&](const fs::path& place) {
        if (std::ranges::find(places, place) == places.end()) places.push_back(place);
    };
    // site-packages/nvidia/<package>/lib/library
    const fs::path around = library.parent_path().parent_path().parent_path();
    if (around.filename() == "nvidia") add(around);
    // site-packages/warpwise/libwarpwise.so
    add(fs::path(compiler::library_folder()).parent_path() / "nvidia");
    if (const fs::path environment = variable("VIRTUAL_ENV"); !environment.empty()) {
        for (const fs::path& python : folders_in(environment / "lib")) {
            add(python / "site-packages" / "nvidia");
        }
    }
    return places;
}

}  // namespace

std::vector<fs::path> toolkit_roots() {
    std::vector<fs::path> roots;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"}) {
        if (fs::path value = variable(name); !value.empty()) roots.push_back(std::move(value));
    }
    roots.emplace_back("/usr/local/cuda");
    return roots;
}

std::vector<fs::path> package_folders(const fs::path& library) {
    std::vector<fs::path> result;
    for (const fs::path& place : places_of_packages(library)) {
        for (fs::path& package : folders_in(place)) result.push_back(std::move(package));
    }
    return result;
}

std::vector<fs::path> header_folders(const fs::path& library) {
    std::vector<fs::path> result;
    const auto add_root = [&](const fs::path& root) {
        for (const fs::path& folder :
             {root / "include", root / "targets" / "x86_64-linux" / "include"}) {
            // NVIDIA's packages spread theirs; a toolkit has CUDA's C++ library too.
            const bool is_whole = is_there(folder / kHeader) &&
                                  (is_there(folder / "cccl") || is_there(folder / "cuda" / "std"));
            if (result.empty() && is_whole) add_headers(result, folder);
        }
    };
    // <root>/lib64/library, or one folder deeper: targets/x86_64-linux/lib.
    if (library.is_absolute()) add_root(library.parent_path().parent_path());
    for (const fs::path& root : toolkit_roots()) add_root(root);
    if (!result.empty()) return result;
    for (const fs::path& package : package_folders(library)) {
        const fs::path folder = package / "include";
        const bool has_any = is_there(folder / kHeader) || is_there(folder / "cub") ||
                             is_there(folder / "cccl") || is_there(folder / "curand_kernel.h");
        if (has_any) add_headers(result, folder);
    }
    return result;
}

std::string file_identity(const fs::path& file) {
    struct stat status{};
    if (::stat(file.c_str(), &status) != 0) return {};
    return fmt::format("{} {} {}.{:09}", file.string(), status.st_size, status.st_mtim.tv_sec,
                       status.st_mtim.tv_nsec);
}

}  // namespace warpwise::cuda
