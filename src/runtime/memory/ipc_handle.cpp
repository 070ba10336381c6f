// One fixed layout, with a checksum behind it.
#include "src/runtime/memory/ipc_handle.hpp"

#include <unistd.h>

#include <cstring>
#include <random>

#include "src/base/hash.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise::runtime {
namespace {

constexpr char kMagic[4] = {'W', 'W', 'I', '1'};  // the digit is the version

struct Layout {
    char magic[4];
    std::uint32_t kind;
    std::array<std::byte, 16> device;
    IpcBytes handle;
    std::uint64_t offset, bytes, process;
    std::uint64_t checksum;
};
static_assert(sizeof(Layout) == 120);

std::uint64_t checksum_of(const Layout& layout) {
    return hash64(std::as_bytes(std::span(&layout, 1)).first(offsetof(Layout, checksum)));
}

const char* name_of(IpcHandle::Kind kind) {
    return kind == IpcHandle::Kind::Memory ? "memory" : "an event";
}

}  // namespace

std::uint64_t this_process() {
    // Numbers of processes repeat in containers.
    static const std::uint64_t random = [] {
        std::random_device device;
        return (std::uint64_t{device()} << 32) | device();
    }();
    return random ^ static_cast<std::uint64_t>(::getpid());
}

std::vector<std::byte> pack(const IpcHandle& handle) {
    Layout layout{};
    std::memcpy(layout.magic, kMagic, sizeof kMagic);
    layout.kind = static_cast<std::uint32_t>(handle.kind);
    layout.device = handle.device;
    layout.handle = handle.handle;
    layout.offset = handle.offset;
    layout.bytes = handle.bytes;
    layout.process = handle.process;
    layout.checksum = checksum_of(layout);
    std::vector<std::byte> bytes(sizeof layout);
    std::memcpy(bytes.data(), &layout, sizeof layout);
    return bytes;
}

IpcHandle unpack(std::span<const std::byte> bytes, IpcHandle::Kind kind) {
    Layout layout{};
    if (bytes.size() != sizeof layout) {
        refuse_value("an IPC handle has {} bytes, not {}; pass on what ipc_handle() gave, whole",
                     sizeof layout, bytes.size());
    }
    std::memcpy(&layout, bytes.data(), sizeof layout);
    if (std::memcmp(layout.magic, kMagic, sizeof kMagic) != 0) {
        refuse_value(
            "these bytes are no IPC handle of this version of Warpwise; make it with ipc_handle() "
            "of the same version");
    }
    if (layout.checksum != checksum_of(layout)) {
        refuse_value("the IPC handle was damaged on its way; its checksum does not fit");
    }
    const auto actual = static_cast<IpcHandle::Kind>(layout.kind);
    if (actual != kind) {
        refuse_value("the IPC handle stands for {}, not for {}", name_of(actual), name_of(kind));
    }
    if (layout.process == this_process()) {
        refuse_value("the IPC handle was made in this process; use what it was made of");
    }
    return {.kind = actual,
            .device = layout.device,
            .handle = layout.handle,
            .offset = layout.offset,
            .bytes = layout.bytes,
            .process = layout.process};
}

}  // namespace warpwise::runtime
