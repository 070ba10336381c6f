// The requests by turns in a few threads, as NVRTC compiles in several processes at once.
#include "src/prebuild/gpu_programs.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "src/runtime/registry.hpp"
#include "warpwise/error.hpp"

namespace warpwise::prebuild {
namespace {

compiler::Compiler& compiler_of_gpus() {
    for (const runtime::RegistryRow& row : runtime::registry()) {
        if (row.kind == "cuda") return row.backend().compiler();
    }
    throw DeviceError("there is no back end for GPUs");
}

// In the output of the build, beside its warnings.
compiler::PrebuiltWriter none_for(std::string_view gpu, const Error& why) {
    std::fprintf(stderr, "warning: no programs for %.*s: %s\n", static_cast<int>(gpu.size()),
                 gpu.data(), why.what());
    return {};
}

}  // namespace

compiler::PrebuiltWriter compiled_for_gpu(const Requests& requests, std::string_view gpu) {
    compiler::Compiler& nvrtc = compiler_of_gpus();
    std::atomic<std::size_t> next = 0;
    const auto compile = [&] {
        compiler::PrebuiltWriter writer;
        for (std::size_t i = next++; i < requests.size(); i = next++) {
            compiler::CompileRequest request = requests[i];
            request.target = gpu;
            writer.add(nvrtc, request);
        }
        return writer;
    };
    compiler::PrebuiltWriter all;
    try {
        std::vector<std::future<compiler::PrebuiltWriter>> threads;
        for (unsigned i = 0; i < std::max(std::thread::hardware_concurrency(), 1u); ++i) {
            threads.push_back(std::async(std::launch::async, compile));
        }
        for (auto& one : threads) all.merge(one.get());
    } catch (const DeviceError& error) {  // there is no NVRTC
        return none_for(gpu, error);
    } catch (const ArgumentError& error) {  // a kind of GPU that it does not know
        return none_for(gpu, error);
    }
    std::printf("%zu programs for %.*s\n", all.count(), static_cast<int>(gpu.size()), gpu.data());
    return all;
}

}  // namespace warpwise::prebuild
