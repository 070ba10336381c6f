// Opens libwarpwise_compiler, which lies in the folder of libwarpwise, in the build tree as in an
// installation. The library stays open to the end of the process: clang keeps state in it.
#include "src/compiler/service.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <filesystem>

#include "src/base/log.hpp"
#include "src/base/text.hpp"
#include "src/compiler/service_library.hpp"
#include "warpwise/error.hpp"

namespace warpwise::compiler {
namespace {

std::atomic<bool> is_open{false};

std::string last_dl_error() {
    const char* error = ::dlerror();
    return error != nullptr ? error : "unknown error";
}

CompilerService& open_service() {
    CompilerService& service = open_service_library(service_library_path());
    is_open.store(true, std::memory_order_release);
    return service;
}

}  // namespace

std::string library_folder() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&service), &info) == 0 ||
        info.dli_fname == nullptr) {
        throw DeviceError(
            "cannot determine which file the Warpwise library was loaded from, so its "
            "compiler cannot be found");
    }
    std::error_code error;
    const std::filesystem::path file = std::filesystem::absolute(info.dli_fname, error);
    return file.parent_path().string();
}

std::string service_library_path() {
    return library_folder() + "/" + kServiceLibrary;
}

CompilerService& open_service_library(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        throw DeviceError(fmt::format(
            "the compiler library {} is missing, and this program is not in the cache; install "
            "Warpwise again, with its compiler",
            quote(path)));
    }
    log::debug("opening {}", path);
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const std::string why = last_dl_error();
        const std::string text =
            fmt::format("cannot open the compiler library {}: {}", quote(path), why);
        // The loader has no other sign for a lack of addresses.
        const bool has_no_room = why.find("failed to map segment") != why.npos ||
                                 why.find("cannot allocate memory") != why.npos;
        if (!has_no_room) throw DeviceError(text);
        throw OutOfMemoryError(text +
                               "; the process may not use so many addresses: raise its limit "
                               "(ulimit -v), of which the compiler takes about 1 GiB");
    }
    const auto factory = reinterpret_cast<ServiceFactory>(::dlsym(library, kServiceSymbol));
    CompilerService* service = factory != nullptr ? factory(kServiceVersion) : nullptr;
    if (service == nullptr) {
        ::dlclose(library);
        throw DeviceError(fmt::format(
            "the compiler library {} {}; both libraries must come from one installation",
            quote(path),
            factory == nullptr ? fmt::format("has no {}()", kServiceSymbol)
                               : "is of another version than the Warpwise library"));
    }
    return *service;
}

CompilerService& service() {
    // When opening throws, the next call tries again.
    static CompilerService& instance = open_service();
    return instance;
}

bool service_is_open() noexcept {
    return is_open.load(std::memory_order_acquire);
}

}  // namespace warpwise::compiler
