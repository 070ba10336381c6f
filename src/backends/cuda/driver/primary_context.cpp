// Making it current, and what happens once it is lost.
#include "src/backends/cuda/driver/primary_context.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {

bool is_fault(Status status) noexcept {
    switch (status) {
        case Status::IllegalAddress:
        case Status::LaunchTimeout:
        case Status::Assert:
        case Status::HardwareStackError:
        case Status::IllegalInstruction:
        case Status::MisalignedAddress:
        case Status::InvalidAddressSpace:
        case Status::InvalidPc:
        case Status::LaunchFailed:
            return true;
        default:
            return false;
    }
}

bool is_device_failure(Status status) noexcept {
    switch (status) {
        case Status::DeviceUnavailable:
        case Status::EccUncorrectable:
        case Status::NvlinkUncorrectable:
        case Status::Contained:
        case Status::ContextIsDestroyed:
        case Status::SystemNotReady:
        case Status::MpsClientTerminated:
        case Status::ExternalDevice:
            return true;
        default:
            return false;
    }
}

namespace {

// What CUDA's own text leaves out.
std::string_view advice(Status fault) {
    switch (fault) {
        case Status::LaunchTimeout:
            return "; the system ends kernels that run for seconds on a GPU with a display: make "
                   "the kernel shorter, or use a GPU without one";
        case Status::MisalignedAddress:
            return "; an access of 2, 4, 8 or 16 bytes needs an address that is a multiple of that";
        default:
            return {};
    }
}

}  // namespace

PrimaryContext::Scope::Scope(PrimaryContext& context) : driver_(driver()) {
    const ContextHandle own = context.handle();
    context.throw_if_lost();
    context.check(driver_.context_get_current(&previous_), "ask for the current context");
    if (previous_ == own) return;
    context.check(driver_.context_set_current(own), "make the context current");
    is_to_be_put_back_ = previous_ != nullptr || context.ordinal() != 0;
}

PrimaryContext::Scope::~Scope() {
    if (is_to_be_put_back_) driver_.context_set_current(previous_);
}

ContextHandle PrimaryContext::retain() {
    const Driver& driver = cuda::driver();
    MutexLock lock(mutex_);
    if (const ContextHandle known = handle_.load()) return known;
    DeviceHandle device = 0;
    ContextHandle made = nullptr;
    Status status = driver.device_get(&device, ordinal_);
    if (status == Status::Success) status = driver.primary_context_retain(&made, device);
    if (status != Status::Success) {
        const std::string text = fmt::format("cuda:{} cannot be used: its context is not made: {}",
                                             ordinal_, describe(driver, status));
        if (status == Status::OutOfMemory) throw OutOfMemoryError(text);
        throw DeviceError(text);
    }
    handle_.store(made, std::memory_order_release);
    return made;
}

void PrimaryContext::throw_lost() {
    MutexLock lock(mutex_);
    throw DeviceError(fmt::format(
        "the context of cuda:{} is lost: {}; CUDA gives this process no other one. Start the "
        "program again{}",
        ordinal_, why_lost_, is_kernels_fault_ ? ", with the kernel fixed" : ""));
}

void PrimaryContext::throw_fault(Status status) {
    const std::vector<std::string> kernels = suspects_();
    const std::string what = describe(driver(), status) + std::string(advice(status));
    std::string text;
    if (kernels.size() == 1) {
        text = fmt::format("{} failed on cuda:{}: {}", kernels.front(), ordinal_, what);
    } else if (kernels.empty()) {
        text = fmt::format("a kernel that is not ours failed on cuda:{}: {}", ordinal_, what);
    } else {
        text = fmt::format("one of these kernels failed on cuda:{}: {}: {}", ordinal_,
                           join(kernels), what);
    }
    // Another thread has found it at the same time.
    if (!lose(text, true)) throw_if_lost();
    throw LaunchError(text, kernels.size() == 1 ? kernels.front() : std::string(), std::nullopt,
                      std::nullopt);
}

void PrimaryContext::throw_failed_device(Status status) {
    const std::string text = fmt::format(
        "cuda:{} has failed, or is taken from this process: {}; what it held is lost. `nvidia-smi` "
        "and the system's log (Xid) have details",
        ordinal_, describe(driver(), status));
    if (!lose(text, false)) throw_if_lost();
    throw DeviceError(text);
}

bool PrimaryContext::lose(const std::string& why, bool is_kernels_fault) {
    MutexLock lock(mutex_);
    if (is_lost_.load()) return false;
    why_lost_ = why;
    is_kernels_fault_ = is_kernels_fault;
    is_lost_.store(true, std::memory_order_release);
    return true;
}

void PrimaryContext::check(Status status, const char* doing) {
    if (status == Status::Success) [[likely]]
        return;
    throw_if_lost();
    const Driver& driver = cuda::driver();
    if (is_fault(status)) throw_fault(status);
    if (is_device_failure(status)) throw_failed_device(status);
    const std::string text =
        fmt::format("cuda:{}: cannot {}: {}", ordinal_, doing, describe(driver, status));
    if (status == Status::OutOfMemory) throw OutOfMemoryError(text);
    throw DeviceError(text);
}

}  // namespace warpwise::cuda
