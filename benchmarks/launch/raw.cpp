// The driver's own time: loops over its functions with nothing around them. Built and loaded by
// launch_overhead.py, without any header or library.
//
// Every function returns nanoseconds a call, below 0 after an error of the driver. Queued work has
// ended when it returns; the waiting is not in the time.
#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr const char* kKernels =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .entry none() { ret; }\n"
    ".visible .entry four(.param .u64 a, .param .u64 b, .param .f32 c, .param .u32 d) { ret; }\n"
    ".visible .entry sixteen(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d,\n"
    "  .param .u64 e, .param .u64 f, .param .u64 g, .param .u64 h, .param .f32 i, .param .f32 j,\n"
    "  .param .f32 k, .param .f32 l, .param .u32 m, .param .u32 n, .param .u32 o, .param .u32 p)\n"
    "{ ret; }\n";
constexpr std::size_t kCopied = 1024;
void* const kLegacyStream = reinterpret_cast<void*>(1);

struct Driver {
    int (*retain)(void**, int) = nullptr;
    int (*get_current)(void**) = nullptr;
    int (*set_current)(void*) = nullptr;
    int (*load)(void**, const void*, unsigned, void*, void*) = nullptr;
    int (*function)(void**, void*, const char*) = nullptr;
    int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void*, void**, void**) = nullptr;
    int (*make_stream)(void**, unsigned, int) = nullptr;
    int (*query)(void*) = nullptr;
    int (*make_event)(void**, unsigned) = nullptr;
    int (*record)(void*, void*) = nullptr;
    int (*wait)(void*, void*, unsigned) = nullptr;
    int (*allocate)(std::uint64_t*, std::size_t) = nullptr;
    int (*allocate_host)(void**, std::size_t, unsigned) = nullptr;
    int (*to_device)(std::uint64_t, const void*, std::size_t, void*) = nullptr;
    int (*to_host)(void*, std::uint64_t, std::size_t, void*) = nullptr;
    int (*to_device_now)(std::uint64_t, const void*, std::size_t) = nullptr;
    int (*to_host_now)(void*, std::uint64_t, std::size_t) = nullptr;
} driver;

void* functions[3];
void *stream, *other_stream, *event, *pinned, *context;
std::uint64_t memory;
char pageable[kCopied];

bool find(int (*get)(const char*, void**, int, std::uint64_t, int*), const char* name, int version,
          void* member) {
    void* found = nullptr;
    int status = 0;
    if (get(name, &found, version, 1, &status) != 0 || found == nullptr) return false;
    std::memcpy(member, &found, sizeof found);
    return true;
}

template <class Call>
double timed(long count, void* on, Call&& call) {
    using Clock = std::chrono::steady_clock;
    int status = 0;
    const auto start = Clock::now();
    for (long i = 0; i < count; ++i) status |= call();
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    while (driver.query(on) == 600) std::this_thread::yield();
    return status == 0 && driver.query(on) == 0 ? time.count() / count : -1.0;
}

}  // namespace

extern "C" {

// The name of the function that is missing or failed, or null.
const char* raw_open(const char* path) {
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return dlerror();
    const auto get = reinterpret_cast<int (*)(const char*, void**, int, std::uint64_t, int*)>(
        dlsym(library, "cuGetProcAddress_v2"));
    const auto initialise = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
    if (get == nullptr || initialise == nullptr || initialise(0) != 0) return "cuInit";
    const struct {
        const char* name;
        int version;
        void* member;
    } wanted[] = {{"cuDevicePrimaryCtxRetain", 7000, &driver.retain},
                  {"cuCtxGetCurrent", 4000, &driver.get_current},
                  {"cuCtxSetCurrent", 4000, &driver.set_current},
                  {"cuModuleLoadDataEx", 2010, &driver.load},
                  {"cuModuleGetFunction", 2000, &driver.function},
                  {"cuLaunchKernel", 4000, &driver.launch},
                  {"cuStreamCreateWithPriority", 5050, &driver.make_stream},
                  {"cuStreamQuery", 2000, &driver.query},
                  {"cuEventCreate", 2000, &driver.make_event},
                  {"cuEventRecord", 2000, &driver.record},
                  {"cuStreamWaitEvent", 3020, &driver.wait},
                  {"cuMemAlloc", 3020, &driver.allocate},
                  {"cuMemHostAlloc", 2020, &driver.allocate_host},
                  {"cuMemcpyHtoDAsync", 3020, &driver.to_device},
                  {"cuMemcpyDtoHAsync", 3020, &driver.to_host}};
    for (const auto& one : wanted) {
        if (!find(get, one.name, one.version, one.member)) return one.name;
    }
    // Used by raw_copy() only: a driver for tests may lack them.
    find(get, "cuMemcpyHtoD", 3020, &driver.to_device_now);
    find(get, "cuMemcpyDtoH", 3020, &driver.to_host_now);
    if (driver.retain(&context, 0) != 0 || driver.set_current(context) != 0) return "a context";
    void* module = nullptr;
    if (driver.load(&module, kKernels, 0, nullptr, nullptr) != 0) return "the module";
    const char* const names[] = {"none", "four", "sixteen"};
    for (int i = 0; i < 3; ++i) {
        if (driver.function(&functions[i], module, names[i]) != 0) return names[i];
    }
    if (driver.make_stream(&stream, 0, 0) != 0 || driver.make_stream(&other_stream, 0, 0) != 0 ||
        driver.make_event(&event, 2) != 0 || driver.allocate(&memory, kCopied) != 0 ||
        driver.allocate_host(&pinned, kCopied, 0) != 0) {
        return "streams and memory";
    }
    return nullptr;
}

// What thin.cpp calls and passes, in the order of its set().
void raw_addresses(std::uint64_t (&found)[9]) {
    driver.record(event, other_stream);  // so that there is something to wait for
    std::memcpy(&found[0], &driver.record, 8);
    std::memcpy(&found[1], &driver.wait, 8);
    std::memcpy(&found[2], &driver.to_device, 8);
    std::memcpy(&found[3], &driver.to_host, 8);
    std::memcpy(&found[4], &stream, 8);
    std::memcpy(&found[5], &event, 8);
    found[6] = memory;
    std::memcpy(&found[7], &driver.launch, 8);
    std::memcpy(&found[8], &functions[1], 8);
}

// Of 0, 4 or 16 arguments, packed in one buffer (`extra`) or each by its address (kernelParams).
double raw_launch(int arguments, int by_address, long count) {
    driver.set_current(context);
    struct alignas(8) {
        std::uint64_t pointers[8];
        float floats[4];
        int ints[4];
    } sixteen = {};
    struct alignas(8) {
        std::uint64_t pointers[2];
        float value;
        int number;
    } four = {};
    for (auto& pointer : sixteen.pointers) pointer = memory;
    for (auto& pointer : four.pointers) pointer = memory;
    std::vector<void*> addresses;
    if (arguments == 4) {
        addresses = {&four.pointers[0], &four.pointers[1], &four.value, &four.number};
    } else if (arguments == 16) {
        for (auto& pointer : sixteen.pointers) addresses.push_back(&pointer);
        for (auto& value : sixteen.floats) addresses.push_back(&value);
        for (auto& number : sixteen.ints) addresses.push_back(&number);
    }
    void* const function = functions[arguments == 0 ? 0 : arguments == 4 ? 1 : 2];
    std::size_t bytes = arguments == 4 ? sizeof four : sizeof sixteen;
    void* const packed = arguments == 4 ? static_cast<void*>(&four) : &sixteen;
    void* list[] = {reinterpret_cast<void*>(1), packed, reinterpret_cast<void*>(2), &bytes,
                    nullptr};
    void** const extra = arguments == 0 || by_address != 0 ? nullptr : list;
    void** const each = extra == nullptr ? addresses.data() : nullptr;
    return timed(count, kLegacyStream, [=] {
        return driver.launch(function, 1, 1, 1, 1, 1, 1, 0, kLegacyStream, each, extra);
    });
}

// "record", "wait", "to device, pinned" ...
double raw_queue(const char* what, long count) {
    driver.set_current(context);
    const auto is = [what](const char* name) { return std::strcmp(what, name) == 0; };
    void* const host = std::strstr(what, "pinned") != nullptr ? pinned : pageable;
    if (is("record an event"))
        return timed(count, stream, [] { return driver.record(event, stream); });
    if (is("wait for an event")) {
        driver.record(event, other_stream);
        return timed(count, stream, [] { return driver.wait(stream, event, 0); });
    }
    if (std::strncmp(what, "1 KiB to the device", 19) == 0) {
        return timed(count, stream,
                     [host] { return driver.to_device(memory, host, kCopied, stream); });
    }
    return timed(count, stream, [host] { return driver.to_host(host, memory, kCopied, stream); });
}

// Waits for the streams that thin.cpp uses.
void raw_finish() {
    for (void* const used : {stream, kLegacyStream}) {
        while (driver.query(used) == 600) std::this_thread::yield();
    }
}

// Blocking copies of the caller's memory: 0 to the device, 1 to the host; 2 to the device, until it
// has arrived, which the driver's own does not wait for when the memory is pageable.
double raw_copy(int way, void* host, std::uint64_t device, std::size_t bytes, long count) {
    if (driver.to_device_now == nullptr || driver.to_host_now == nullptr) return -1;
    driver.set_current(context);
    return timed(count, kLegacyStream, [=] {
        if (way == 1) return driver.to_host_now(host, device, bytes);
        const int status = driver.to_device_now(device, host, bytes);
        if (way == 2) {
            while (driver.query(kLegacyStream) == 600) {
            }
        }
        return status;
    });
}

// What querying the current context costs, and with `change` setting another one and restoring it.
double raw_current(int change, long count) {
    void* seen = nullptr;
    return timed(count, stream, [&] {
        int status = driver.get_current(&seen);
        if (change != 0) status |= driver.set_current(nullptr) | driver.set_current(context);
        return status;
    });
}
}
