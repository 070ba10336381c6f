// Launches of the CPU device through the C++ API, and the same work as OpenMP loops and as calls of
// a function. Built against include/ and the loaded library, and called, by cpu_dispatch.py. Times
// are nanoseconds of one launch; -1: dispatch_error() has the reason.
#include <chrono>
#include <exception>
#include <string>
#include <vector>

#include "warpwise/warpwise.hpp"

namespace {

using namespace warpwise;
using Clock = std::chrono::steady_clock;

constexpr int kThreads = 256;  // of a block
constexpr int kLargest = 1024 * kThreads;

constexpr const char* kSource = R"(
extern "C" __global__ void none(float *x) {}
extern "C" __global__ void scale(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = x[i] * 0.5f + 1.0f;
}
extern "C" __global__ void iterate(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < 64; ++k) v = v * 0.5f + 1.0f;
    x[i] = v;
}
)";
constexpr const char* kNames[] = {"none", "scale", "iterate"};

struct State {
    SourceModule module{kSource};
    Kernel kernels[3] = {module.get_function(kNames[0]), module.get_function(kNames[1]),
                         module.get_function(kNames[2])};
    Buffer memory = mem_alloc(kLargest * sizeof(float));
    Stream stream = Stream::current();
    std::vector<float> host = std::vector<float>(kLargest, 1.0f);
};

State* state = nullptr;
std::string error;

// What a block of the kernel does, as a compiler for the processor makes it.
template <int Kernel>
[[gnu::noinline]] void block_of(float* x) {
    asm volatile("" : : "r"(x) : "memory");
    if constexpr (Kernel == 1) {
        for (int i = 0; i < kThreads; ++i) x[i] = x[i] * 0.5f + 1.0f;
    } else if constexpr (Kernel == 2) {
        constexpr int kLanes = 64;
        for (int first = 0; first < kThreads; first += kLanes) {
            float v[kLanes];
            for (int i = 0; i < kLanes; ++i) v[i] = x[first + i];
            for (int k = 0; k < 64; ++k) {
                for (int i = 0; i < kLanes; ++i) v[i] = v[i] * 0.5f + 1.0f;
            }
            for (int i = 0; i < kLanes; ++i) x[first + i] = v[i];
        }
    }
}

template <int Kernel>
void openmp_loop(float* x, int blocks) {
#pragma omp parallel for schedule(static)
    for (int block = 0; block < blocks; ++block) block_of<Kernel>(x + block * kThreads);
}

template <int Kernel>
[[gnu::noinline]] void plain_loop(float* x, int blocks) {
    for (int block = 0; block < blocks; ++block) block_of<Kernel>(x + block * kThreads);
}

using Loop = void (*)(float*, int);
constexpr Loop kOpenmpLoops[] = {openmp_loop<0>, openmp_loop<1>, openmp_loop<2>};
constexpr Loop kPlainLoops[] = {plain_loop<0>, plain_loop<1>, plain_loop<2>};

template <class Work>
double timed(long count, Work&& work) {
    const auto start = Clock::now();
    work();
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    return time.count() / static_cast<double>(count);
}

template <class Work>
double guarded(Work&& work) {
    try {
        return work();
    } catch (const std::exception& thrown) {
        error = thrown.what();
        return -1;
    }
}

}  // namespace

extern "C" {

const char* dispatch_error() {
    return error.c_str();
}

double dispatch_open() {
    return guarded([] {
        state = new State;
        return 0.0;
    });
}

// With `waits` after each launch, else once at the end.
double dispatch_launch(int kernel, int blocks, int waits, long count) {
    return guarded([&] {
        const LaunchConfig config{.grid = static_cast<unsigned>(blocks), .block = kThreads};
        return timed(count, [&] {
            for (long i = 0; i < count; ++i) {
                state->kernels[kernel](config, state->memory);
                if (waits != 0) state->stream.synchronize();
            }
            state->stream.synchronize();
        });
    });
}

double dispatch_openmp(int kernel, int blocks, long count) {
    return timed(count, [&] {
        for (long i = 0; i < count; ++i) kOpenmpLoops[kernel](state->host.data(), blocks);
    });
}

double dispatch_plain(int kernel, int blocks, long count) {
    return timed(count, [&] {
        for (long i = 0; i < count; ++i) kPlainLoops[kernel](state->host.data(), blocks);
    });
}
}
