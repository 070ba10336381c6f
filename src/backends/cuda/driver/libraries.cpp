// The table, and how each library reports its version.
#include "src/backends/cuda/driver/libraries.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "src/backends/cuda/driver/driver.hpp"
#include "src/backends/cuda/driver/library_search.hpp"
#include "src/base/file.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cuda {
namespace {

// How a library reports its version: two numbers from a call, one number, or by the property.
enum class VersionCall : std::uint8_t { Pair, Number, Property };

struct LibraryRow {
    Library library;
    const char* name;
    const char* title;
    const char* purpose;
    const char* stem;  // of the file's name
    int of_13, of_12;  // the file's number in CUDA 13 and 12
    const char* package;
    VersionCall call;
    const char* function;
    const char* variable;  // that may name the file, or null
    std::string Settings::* file;
};

constexpr LibraryRow kRows[] = {
    {Library::Nvrtc, "nvrtc", "NVRTC", "compiles for GPUs", "libnvrtc.so.", 13, 12,
     "nvidia-cuda-nvrtc", VersionCall::Pair, "nvrtcVersion", "WARPWISE_NVRTC", &Settings::nvrtc},
    {Library::NvJitLink, "nvjitlink", "nvJitLink", "links code for GPUs", "libnvJitLink.so.", 13,
     12, "nvidia-nvjitlink", VersionCall::Pair, "nvJitLinkVersion", nullptr, nullptr},
    {Library::Cupti, "cupti", "CUPTI", "sees what GPUs do", "libcupti.so.", 13, 12,
     "nvidia-cuda-cupti", VersionCall::Number, "cuptiGetVersion", "WARPWISE_CUPTI",
     &Settings::cupti},
    {Library::Cublas, "cublas", "cuBLAS", "multiplies matrices", "libcublas.so.", 13, 12,
     "nvidia-cublas", VersionCall::Property, "cublasGetProperty", nullptr, nullptr},
    {Library::Cufft, "cufft", "cuFFT", "transforms to frequencies", "libcufft.so.", 12, 11,
     "nvidia-cufft", VersionCall::Property, "cufftGetProperty", nullptr, nullptr},
    {Library::Curand, "curand", "cuRAND", "makes random numbers", "libcurand.so.", 10, 10,
     "nvidia-curand", VersionCall::Property, "curandGetProperty", nullptr, nullptr},
    {Library::Cusparse, "cusparse", "cuSPARSE", "works on sparse matrices", "libcusparse.so.", 12,
     12, "nvidia-cusparse", VersionCall::Property, "cusparseGetProperty", nullptr, nullptr},
    {Library::Cusolver, "cusolver", "cuSOLVER", "solves linear systems", "libcusolver.so.", 12, 11,
     "nvidia-cusolver", VersionCall::Property, "cusolverGetProperty", nullptr, nullptr},
};

const LibraryRow& row_of(Library library) {
    return *std::ranges::find(kRows, library, &LibraryRow::library);
}

bool is_cuda_12() {
    const Driver* const driver = find_driver();
    return driver != nullptr && driver->version < 13000;
}

// The better one first: a driver of CUDA 12 loads what CUDA 12 has made.
std::vector<std::string> names_of(const LibraryRow& row) {
    const bool is_12 = is_cuda_12();
    std::vector<std::string> names{fmt::format("{}{}", row.stem, is_12 ? row.of_12 : row.of_13)};
    if (row.of_12 != row.of_13) {
        names.push_back(fmt::format("{}{}", row.stem, is_12 ? row.of_13 : row.of_12));
    }
    return names;
}

std::string how_to_install(const LibraryRow& row) {
    std::string text = fmt::format("install the CUDA toolkit or `pip install {}{}`", row.package,
                                   is_cuda_12() ? "-cu12" : "");
    if (row.variable != nullptr) text += fmt::format(", or set {} to its file", row.variable);
    return text;
}

std::string number_text(unsigned number) {
    // CUPTI counts 130001 since CUDA 13, and its interfaces before: 28 in CUDA 12.9.
    if (number < 10000) return fmt::format("interface {}", number);
    return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

std::optional<std::string> version_of(const LibraryRow& row, void* library) {
    void* const function = ::dlsym(library, row.function);
    if (function == nullptr) return std::nullopt;
    int parts[3] = {};
    switch (row.call) {
        case VersionCall::Pair:
            if (reinterpret_cast<int (*)(int*, int*)>(function)(&parts[0], &parts[1]) != 0) {
                return std::nullopt;
            }
            return fmt::format("{}.{}", parts[0], parts[1]);
        case VersionCall::Number: {
            unsigned number = 0;
            if (reinterpret_cast<int (*)(unsigned*)>(function)(&number) != 0) return std::nullopt;
            return number_text(number);
        }
        case VersionCall::Property:
            // libraryPropertyType: MAJOR_VERSION 0, MINOR_VERSION 1, PATCH_LEVEL 2.
            for (int which = 0; which < 3; ++which) {
                const auto get = reinterpret_cast<int (*)(int, int*)>(function);
                if (get(which, &parts[which]) != 0) return std::nullopt;
            }
            return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
    }
    return std::nullopt;
}

// Throws DeviceError.
CudaLibrary describe_library(const LibraryRow& row) {
    const OpenedLibrary opened = open_library(row.library);
    const std::optional<std::string> version = version_of(row, opened.handle);
    if (!version) {
        throw DeviceError(
            fmt::format("{} is no {} that Warpwise knows: {} is not there or fails; {}",
                        quote(opened.path), row.title, row.function, how_to_install(row)));
    }
    return {row.name, row.title, *version, opened.path, {}};
}

// "580.95.05" in a line of the kernel's module, or behind "libcuda.so.".
std::string number_with_points(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789";
    for (std::size_t at = 0; (at = text.find_first_of(kDigits, at)) != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789.", at), text.size());
        const std::string_view number = text.substr(at, end - at);
        const bool is_word =
            (at == 0 || text[at - 1] == ' ') && (end == text.size() || text[end] == ' ');
        if (is_word && number.find('.') != std::string_view::npos) return std::string(number);
        at = end;
    }
    return {};
}

std::string driver_version(const std::string& path) {
    std::error_code error;
    const std::string file = std::filesystem::canonical(path, error).filename().string();
    constexpr std::string_view kStem = "libcuda.so.";
    if (file.starts_with(kStem)) {
        std::string version = number_with_points(std::string_view(file).substr(kStem.size()));
        if (!version.empty()) return version;
    }
    const auto text = read_file_if_there("/proc/driver/nvidia/version");
    return text ? number_with_points(std::string_view(*text).substr(0, text->find('\n')))
                : std::string();
}

}  // namespace

std::filesystem::path library_file(Library library) {
    const LibraryRow& row = row_of(library);
    if (row.file != nullptr && !(settings().*row.file).empty()) return settings().*row.file;
    static Mutex mutex;
    static auto* const known = new std::array<std::filesystem::path, std::size(kRows)>;
    MutexLock lock(mutex);
    std::filesystem::path& path = (*known)[static_cast<std::size_t>(library)];
    if (path.empty()) path = find_library(names_of(row));
    return path;
}

OpenedLibrary open_library(Library library) {
    const LibraryRow& row = row_of(library);
    const std::string path = library_file(library).string();
    void* const handle = path.empty() ? nullptr : ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return {handle, path};
    const char* const why = path.empty() ? nullptr : ::dlerror();
    throw DeviceError(fmt::format("{}, which {}, is not {}; {}", row.title, row.purpose,
                                  why != nullptr
                                      ? fmt::format("to be opened: {}", why)
                                      : "found; looked for " + join(library_places(names_of(row))),
                                  how_to_install(row)));
}

CudaDriver CudaSoftware::driver() {
    CudaDriver result;
    const Driver* const driver = find_driver();
    result.is_usable = driver != nullptr;
    if (driver == nullptr) {
        result.reason = why_no_driver();
        return result;
    }
    result.cuda = fmt::format("{}.{}", driver->version / 1000, driver->version % 1000 / 10);
    Dl_info place{};
    if (::dladdr(reinterpret_cast<const void*>(driver->launch), &place) != 0) {
        result.path = place.dli_fname;
    }
    result.version = driver_version(result.path);
    return result;
}

std::vector<CudaLibrary> CudaSoftware::libraries() {
    std::vector<CudaLibrary> result;
    for (const LibraryRow& row : kRows) {
        try {
            result.push_back(describe_library(row));
        } catch (const DeviceError& error) {
            result.push_back(
                {row.name, row.title, {}, library_file(row.library).string(), error.what()});
        }
    }
    return result;
}

CudaLibrary CudaSoftware::library(std::string_view name) {
    const auto* const row = std::ranges::find(kRows, name, &LibraryRow::name);
    if (row != std::end(kRows)) return describe_library(*row);
    std::vector<std::string> names;
    for (const LibraryRow& one : kRows) names.emplace_back(one.name);
    throw ArgumentError(
        ArgumentError::Kind::Value,
        fmt::format("{} is no library of NVIDIA's that Warpwise knows; it knows {}{}", quote(name),
                    join(names), suggestion(name, names)));
}

}  // namespace warpwise::cuda
