// Names and texts. NVRTC finds a text by the very words of the #include, so that ours include each
// other by their whole names, below kRoot, and the names that users write lead there.
#include "src/backends/cuda/nvrtc/nvrtc_headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "src/backends/cuda/device/printf_source.hpp"
#include "src/backends/cuda/nvrtc/header_choice.hpp"
#include "src/base/mutex.hpp"
#include "src/codegen/device_headers.hpp"
#include "src/compiler/compiler.hpp"

namespace warpwise::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRoot = "__warpwise__/";
constexpr const char* kReferences = "image/gpu_references.cuh";
// Folders below which lie the names that users include.
constexpr std::string_view kPublic[] = {"include/", "fallback/"};

// Headers for GPUs alone: NVIDIA's where they are there. Beginnings of names.
struct Family {
    std::string_view names;
    std::string_view package;    // of NVIDIA's
    bool works_without = false;  // with ours
};
constexpr Family kNvidias[] = {
    {"cooperative_groups", "nvidia-cuda-runtime"},
    {"cuda_fp16", "nvidia-cuda-runtime"},
    {"cuda_bf16", "nvidia-cuda-runtime"},
    {"cuda_fp8", "nvidia-cuda-runtime"},
    {"cuda_pipeline", "nvidia-cuda-runtime", true},
    {"mma.h", "nvidia-cuda-crt"},
    {"curand.h", "nvidia-curand", true},
    {"curand_", "nvidia-curand"},
    {"cuda/std/atomic", "nvidia-cuda-cccl"},
    {"cuda/std/barrier", "nvidia-cuda-cccl"},
    {"cuda/std/", "nvidia-cuda-cccl", true},
    {"cuda/functional", "nvidia-cuda-cccl", true},
    {"cuda/", "nvidia-cuda-cccl"},
    {"nv/target", "nvidia-cuda-cccl", true},
    {"cub/", "nvidia-cuda-cccl", true},
};

const Family* family_of(std::string_view name) {
    for (const Family& family : kNvidias) {
        if (name.starts_with(family.names)) return &family;
    }
    return nullptr;
}

std::optional<fs::path> find_in(const std::vector<fs::path>& folders, std::string_view name) {
    for (const fs::path& folder : folders) {
        std::error_code error;
        fs::path file = folder / name;
        if (fs::is_regular_file(file, error)) return file;
    }
    return std::nullopt;
}

// The name that a line includes in quotes; empty when it includes none.
std::string_view quoted_include(std::string_view line) {
    const auto skip = [&](std::string_view word) {
        const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
        line.remove_prefix(begin);
        if (!line.starts_with(word)) return false;
        line.remove_prefix(word.size());
        return true;
    };
    if (!skip("#") || !skip("include") || !skip("\"")) return {};
    return line.substr(0, std::min(line.find('"'), line.size()));
}

// `text` of the header at `path`, with its neighbours under their whole names.
std::string with_whole_names(const fs::path& path, std::string_view text) {
    std::string result;
    result.reserve(text.size() + text.size() / 16);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end);
        const std::string_view name = quoted_include(line);
        if (name.empty()) {
            result += line;
            continue;
        }
        const fs::path whole = (path.parent_path() / name).lexically_normal();
        result += fmt::format("#include \"{}{}\"\n", kRoot, whole.generic_string());
    }
    return result;
}

std::string include_of(std::string_view whole_name) {
    return fmt::format("#include \"{}\"\n", whole_name);
}

std::string missing(std::string_view name, const Family& family) {
    return fmt::format(
        "#error \"warpwise: <{}> on a GPU is NVIDIA's own header, which is not installed; install "
        "the CUDA toolkit or `pip install {}`\"\n",
        name, family.package);
}

// Names of CUB's that its third version has dropped, and most sources use.
constexpr std::string_view kOldCub = R"(#if CUB_MAJOR_VERSION >= 3
#include <cuda/functional>
#include <cuda/std/functional>
namespace cub {
using Sum = ::cuda::std::plus<>;
using Difference = ::cuda::std::minus<>;
using Division = ::cuda::std::divides<>;
using Equality = ::cuda::std::equal_to<>;
using Inequality = ::cuda::std::not_equal_to<>;
using Max = ::cuda::maximum<>;
using Min = ::cuda::minimum<>;
}  // namespace cub
#endif
)";

// All of NVIDIA's CUB that NVRTC takes: its device-wide algorithms are host code.
std::string umbrella_of_cub(const std::vector<std::string>& names,
                            const std::vector<fs::path>& folders) {
    std::string text = "#pragma once\n";
    for (const std::string& name : names) {
        const bool is_part = name.starts_with("cub/block/") || name.starts_with("cub/warp/") ||
                             name.starts_with("cub/thread/");
        if (is_part && find_in(folders, name)) text += fmt::format("#include <{}>\n", name);
    }
    text += kOldCub;
    return text;
}

// Ours, or NVIDIA's in the middle of their CUB, whose iterators build upon one another.
std::string thrust_header(const fs::path& theirs, std::string_view ours) {
    return fmt::format("#ifdef CUB_MAJOR_VERSION\n{}#else\n{}#endif\n", include_of(theirs.string()),
                       include_of(ours));
}

std::string read_file(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// A header of integer types without what declares them, which ours does.
std::string without_types(std::string_view text) {
    std::string result = include_of(std::string(kRoot) + "include/stdint.h");
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end);
        const bool is_alias = line.starts_with("using ") && line.find('=') != line.npos &&
                              line.find("__") == line.npos;
        const std::string_view last = line.substr(line.find_last_of(" \t") + 1);
        const bool is_typedef = line.starts_with("typedef ") && last.ends_with("_t;\n") &&
                                (last.starts_with("int") || last.starts_with("uint"));
        if (!is_alias && !is_typedef) result += line;
    }
    return result;
}

// NVIDIA's define what the C library does and ours has defined, in other words: 47 is the warning
// about that. Their 64-bit integers are `long long`, where nvcc's host and we have `long`.
using HeaderText = std::pair<std::string, std::string>;  // name, text
std::vector<HeaderText> patched_headers(const std::vector<fs::path>& folders) {
    constexpr std::string_view kQuiet =
        "#pragma nv_diagnostic push\n#pragma nv_diag_suppress 47\n{}\n#pragma nv_diagnostic pop\n";
    std::vector<HeaderText> result;
    for (const char* name : {"cuda/std/climits", "cuda/std/cmath", "cuda/std/cfloat"}) {
        const auto file = find_in(folders, name);
        if (file) result.emplace_back(name, fmt::format(kQuiet, include_of(file->string())));
    }
    for (const char* name :
         {"cuda/std/cstdint", "cuda_pipeline_helpers.h", "cuda_awbarrier_helpers.h"}) {
        const auto file = find_in(folders, name);
        if (!file) continue;
        const std::string text = without_types(read_file(*file));
        result.emplace_back(name, fmt::format(kQuiet, text));
    }
    return result;
}

std::string public_text(const std::string& name, const std::string& whole,
                        const std::vector<std::string>& names,
                        const std::vector<fs::path>& folders) {
    const auto theirs = find_in(folders, name);
    if (name == "cub/cub.cuh" && theirs) return umbrella_of_cub(names, folders);
    if (name.starts_with("thrust/") && theirs) return thrust_header(*theirs, whole);
    const Family* const family = family_of(name);
    if (family == nullptr) return include_of(whole);
    if (theirs) return {};
    return family->works_without ? include_of(whole) : missing(name, *family);
}

HeaderTable make_table(const std::vector<fs::path>& folders) {
    const auto headers = codegen::device_headers();
    std::vector<std::string> names;
    for (const auto& [path, text] : headers) {
        if (path.starts_with(kPublic[0])) names.emplace_back(path.substr(kPublic[0].size()));
    }
    HeaderTable table;
    for (const auto& [path, text] : headers) {
        std::string whole = fmt::format("{}{}", kRoot, path);
        for (const std::string_view folder : kPublic) {
            if (!path.starts_with(folder)) continue;
            std::string name(path.substr(folder.size()));
            std::string forward = public_text(name, whole, names, folders);
            if (!forward.empty())
                table.try_emplace(std::move(name), HeaderEntry(std::move(forward)));
        }
        table.emplace(std::move(whole), HeaderEntry(with_whole_names(path, text)));
    }
    for (auto& [name, text] : patched_headers(folders)) table[name] = HeaderEntry(std::move(text));
    table.emplace(compiler::kReferencesHeader,
                  HeaderEntry(include_of(std::string(kRoot) + kReferences)));
    table.emplace(kPrintfHeader, HeaderEntry(std::string(kPrintfText)));
    return table;
}

// Made once for each set of folders; never destroyed.
const HeaderTable& table_of(const std::vector<fs::path>& folders) {
    static Mutex mutex;
    static auto* const tables = new std::map<std::vector<fs::path>, HeaderTable>;
    {
        MutexLock lock(mutex);
        const auto found = tables->find(folders);
        if (found != tables->end()) return found->second;
    }
    HeaderTable table = make_table(folders);
    MutexLock lock(mutex);
    return tables->try_emplace(folders, std::move(table)).first->second;
}

// NVIDIA's Thrust in a folder of the user's requires a host compiler, as elsewhere.
bool may_be_own(std::string_view name) {
    return !name.starts_with(kRoot) && !name.starts_with("thrust/");
}

}  // namespace

ChosenHeaders nvrtc_headers(const HeaderRequest& request) {
    const std::vector<fs::path> own_folders(request.own_folders.begin(), request.own_folders.end());
    const auto is_on_disk = [&](std::string_view name) {
        return !own_folders.empty() && may_be_own(name) && find_in(own_folders, name);
    };
    const HeaderTable& table = table_of(request.folders);
    ChosenHeaders result;
    std::set<std::string_view> own;
    std::vector<std::string_view> texts = request.texts;
    for (const auto& [name, text] : request.own) {
        own.insert(name);
        texts.push_back(text);
        result.headers.emplace_back(name, text);
    }
    const HeaderChoice choice = choose_headers(texts, request.forced, kPrelude, table, own);
    // What a file of the user's includes is not known here.
    result.is_all =
        request.needs_all || choice.is_all || std::ranges::any_of(choice.names, is_on_disk);
    result.may_use_runtime_api = result.is_all || choice.may_use_runtime_api;
    for (const auto& [name, entry] : table) {
        const bool is_chosen = result.is_all || choice.names.contains(name);
        if (!is_chosen || own.contains(name) || is_on_disk(name)) continue;
        result.headers.emplace_back(name, entry.text);
    }
    return result;
}

}  // namespace warpwise::cuda
