// Opening: dlopen, cuInit, the version, then every row by cuGetProcAddress.
#include "src/backends/cuda/driver/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>

#include <atomic>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cuda {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

// cuGetProcAddress as CUDA 12 has it.
using GetProcAddress = Status (*)(const char* name, void** function, int version,
                                  std::uint64_t flags, int* found);

std::atomic<bool> g_is_forked_child{false};

template <class Function>
Function symbol(void* library, const char* name) {
    return reinterpret_cast<Function>(::dlsym(library, name));
}

std::string version_text(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// Empty when all are there.
std::string fill(Driver& driver, GetProcAddress get) {
    const auto find = [get](auto& member, const char* name, int version) {
        void* function = nullptr;
        int found = 0;
        const Status status = get(name, &function, version, kLegacyStreams, &found);
        member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(function);
        return status == Status::Success && function != nullptr;
    };
#define WARPWISE_DRIVER(member, name, version, arguments) \
    if (!find(driver.member, name, version)) return name;
#include "src/backends/cuda/driver/driver.def"
#undef WARPWISE_DRIVER
    return {};
}

struct Opened {
    Driver driver;
    std::string reason;
};

Opened open_once() {
    const std::string& path = settings().cuda_driver;
    auto result = open_driver(path.empty() ? kLibrary : path);
    if (auto* reason = std::get_if<std::string>(&result)) return {{}, std::move(*reason)};
    ::pthread_atfork(nullptr, nullptr, [] {
        g_is_forked_child.store(true);
        g_usable_driver.store(nullptr);
    });
    return {std::get<Driver>(result), {}};
}

const Opened& opened() {
    static const Opened* const instance = new Opened(open_once());
    return *instance;
}

}  // namespace

std::atomic<const Driver*> g_usable_driver{nullptr};

std::variant<Driver, std::string> open_driver(const std::string& path) {
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const error = ::dlerror();
        return fmt::format("no CUDA driver: {}; install NVIDIA's driver to use its GPUs",
                           error != nullptr ? error : path);
    }
    const auto initialise = symbol<Status (*)(unsigned)>(library, "cuInit");
    const auto get_version = symbol<Status (*)(int*)>(library, "cuDriverGetVersion");
    const auto get = symbol<GetProcAddress>(library, "cuGetProcAddress_v2");
    Driver driver;
    if (initialise == nullptr || get_version == nullptr ||
        get_version(&driver.version) != Status::Success) {
        return fmt::format("{} is not a CUDA driver", quote(path));
    }
    if (driver.version < kOldestDriver || get == nullptr) {
        return fmt::format(
            "the CUDA driver supports CUDA {}, and Warpwise needs {} or newer; update the driver",
            version_text(driver.version), version_text(kOldestDriver));
    }
    if (const std::string missing = fill(driver, get); !missing.empty()) {
        return fmt::format("the CUDA driver ({}) has no {}; reinstall it",
                           version_text(driver.version), missing);
    }
    if (const Status status = initialise(0); status != Status::Success) {
        return fmt::format("the CUDA driver does not start: {}", describe(driver, status));
    }
    return driver;
}

const Driver* find_driver() {
    const Opened& result = opened();
    return result.reason.empty() ? &result.driver : nullptr;
}

const std::string& why_no_driver() {
    return opened().reason;
}

const Driver& open_driver_or_refuse() {
    if (g_is_forked_child.load(std::memory_order_relaxed)) [[unlikely]] {
        throw DeviceError(
            "CUDA cannot be used in a process made by fork() after the parent has used it; start "
            "processes by exec (the method \"spawn\"), or use the CPU device there");
    }
    const Driver& driver = opened().driver;
    g_usable_driver.store(&driver, std::memory_order_release);
    return driver;
}

const Driver* driver_or_null() noexcept {
    return g_is_forked_child.load(std::memory_order_relaxed) ? nullptr : &opened().driver;
}

std::string describe(const Driver& driver, Status status) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (driver.get_error_name(status, &name) != Status::Success || name == nullptr) {
        return fmt::format("CUDA error {}", static_cast<int>(status));
    }
    if (driver.get_error_string(status, &text) != Status::Success || text == nullptr) return name;
    return fmt::format("{} ({})", name, text);
}

}  // namespace warpwise::cuda
