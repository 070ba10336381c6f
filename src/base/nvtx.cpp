// The slots, and how a tool gets at them.
#include "src/base/nvtx.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "src/base/log.hpp"

namespace warpwise::nvtx {
namespace {

constexpr unsigned kMostSlots = 16;
constexpr std::uint32_t kVersion = 3;
constexpr const char* kVariable = "NVTX_INJECTION64_PATH";

// What tools write into, and the pointers to it that they receive, with a null pointer at the end.
Slot g_slots[std::size(kSlots)][kMostSlots];
Slot* g_tables[std::size(kSlots)][kMostSlots + 1];

int get_table(int module, Slot*** table, unsigned* size) {
    if (module < 1 || module >= static_cast<int>(std::size(kSlots))) return 0;
    if (table != nullptr) *table = g_tables[module];
    if (size != nullptr) *size = kSlots[module];
    return 1;
}

const void* get_export_table(std::uint32_t id) {
    static const Callbacks callbacks{sizeof(Callbacks), get_table};
    static const VersionInfo version{sizeof(VersionInfo), kVersion, 0, [](std::uint32_t) {}};
    if (id == kCallbacks) return &callbacks;
    return id == kVersionInfo ? &version : nullptr;
}

bool attach() {
    const char* const path = std::getenv(kVariable);
    if (path == nullptr || *path == '\0') return false;
    for (std::size_t module = 1; module < std::size(kSlots); ++module) {
        for (unsigned slot = 1; slot < kSlots[module]; ++slot) {
            g_tables[module][slot] = &g_slots[module][slot];
        }
    }
    void* const library = ::dlopen(path, RTLD_LAZY);
    if (library == nullptr) {
        log::warning("ranges do not reach the tool that {} names: {}", kVariable, ::dlerror());
        return false;
    }
    const auto start = reinterpret_cast<Initialize>(::dlsym(library, "InitializeInjectionNvtx2"));
    if (start != nullptr && start(get_export_table) != 0) return true;
    log::warning("ranges do not reach the tool that {} names: {} {}", kVariable, path,
                 start == nullptr ? "has no InitializeInjectionNvtx2" : "does not start");
    // Nothing is to be called in a tool that has not started; it is not known to be unused.
    std::fill_n(&g_slots[0][0], std::size(kSlots) * kMostSlots, nullptr);
    return false;
}

template <class Function>
Function slot(unsigned which) noexcept {
    return reinterpret_cast<Function>(g_slots[static_cast<int>(Module::Core)][which]);
}

}  // namespace

bool is_attached() {
    static const bool attached = attach();
    return attached;
}

void push(const char* name) noexcept {
    if (const auto function = slot<int (*)(const char*)>(kRangePush)) function(name);
}

void pop() noexcept {
    if (const auto function = slot<int (*)()>(kRangePop)) function();
}

void mark(const char* name) noexcept {
    if (const auto function = slot<void (*)(const char*)>(kMark)) function(name);
}

}  // namespace warpwise::nvtx
