// A driver between the program and the real one, to which it forwards every call; around each
// cuLaunchKernel it reads the processor's clock. This separates a launch's time inside the driver
// from the time outside. For x86-64; built and selected by launch_profile.py.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       void*, void**, void**);

Launch launch;
std::uint64_t inside, outside, last_end, calls;

void* real(const char* name) {
    static void* const library = dlopen(std::getenv("TIMED_DRIVER"), RTLD_NOW | RTLD_LOCAL);
    return library != nullptr ? dlsym(library, name) : nullptr;
}

std::uint64_t ticks() {
    return __builtin_ia32_rdtsc();
}

int timed_launch(void* function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by,
                 unsigned bz, unsigned shared, void* stream, void** each, void** extra) {
    const std::uint64_t begin = ticks();
    const int status = launch(function, x, y, z, bx, by, bz, shared, stream, each, extra);
    const std::uint64_t end = ticks();
    inside += end - begin;
    if (last_end != 0) outside += begin - last_end;
    last_end = end;
    ++calls;
    return status;
}

}  // namespace

extern "C" {

int cuInit(unsigned flags) {
    return reinterpret_cast<int (*)(unsigned)>(real("cuInit"))(flags);
}

int cuDriverGetVersion(int* version) {
    return reinterpret_cast<int (*)(int*)>(real("cuDriverGetVersion"))(version);
}

int cuGetProcAddress_v2(const char* name, void** found, int version, std::uint64_t flags,
                        int* status) {
    using Get = int (*)(const char*, void**, int, std::uint64_t, int*);
    const int result =
        reinterpret_cast<Get>(real("cuGetProcAddress_v2"))(name, found, version, flags, status);
    if (result == 0 && *found != nullptr && std::strcmp(name, "cuLaunchKernel") == 0) {
        std::memcpy(&launch, found, sizeof launch);
        const Launch mine = timed_launch;
        std::memcpy(found, &mine, sizeof mine);
    }
    return result;
}

// Since the last call: ticks inside, ticks between one call's end and the next one's start, calls.
void timed_take(std::uint64_t (&taken)[3]) {
    taken[0] = inside, taken[1] = outside, taken[2] = calls;
    inside = outside = last_end = calls = 0;
}
std::uint64_t timed_now() {
    return ticks();
}
}
