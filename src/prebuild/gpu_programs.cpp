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

}  // namespace

compiler::PrebuiltWriter compiled_for_gpu(const Requests& requests, std::string_view gpu) {
    compiler::PrebuiltWriter all;
    std::atomic<std::size_t> next = 0;
    const auto compile = [&] {
        compiler::PrebuiltWriter writer;
        for (std::size_t i = next++; i < requests.size(); i = next++) {
            compiler::CompileRequest request = requests[i];
            request.target = gpu;
            writer.add(compiler_of_gpus(), request);
        }
        return writer;
    };
    try {
        std::vector<std::future<compiler::PrebuiltWriter>> threads;
        for (unsigned i = 0; i < std::max(std::thread::hardware_concurrency(), 1u); ++i) {
            threads.push_back(std::async(std::launch::async, compile));
        }
        for (auto& one : threads) all.merge(one.get());
        std::printf("%zu programs for %.*s\n", all.count(), static_cast<int>(gpu.size()),
                    gpu.data());
        return all;
    } catch (const std::exception& error) {
        std::printf("no programs for %.*s: %s\n", static_cast<int>(gpu.size()), gpu.data(),
                    error.what());
        return {};
    }
}

}  // namespace warpwise::prebuild
