// warpwise-prebuild FILE [sm_80 sm_90 ...]: writes the programs that are installed with the
// library, for every level of processors and for these kinds of GPUs.
//
// The calls run on the CPU device, whichever level it has, and on a GPU that is only described;
// what they compile is compiled again for every level and kind, which needs no processor of it.
#include <fcntl.h>

#include <cstdio>
#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "src/base/file.hpp"
#include "src/base/processor_level.hpp"
#include "src/compiler/compiler.hpp"
#include "src/compiler/prebuilt.hpp"
#include "src/prebuild/calls.hpp"
#include "src/prebuild/described_gpu.hpp"
#include "src/prebuild/gpu_programs.hpp"
#include "src/runtime/context.hpp"
#include "warpwise/array_functions.hpp"

namespace warpwise::prebuild {

Array numbers(std::int64_t count, Kind kind) {
    const Array array = arange(0, count, 1, DType(kind));
    evaluate(array);
    return array;
}

namespace {

struct Recorded {
    compiler::Compiler* compiler;
    compiler::CompileRequest request;
};

// Threads of the library may compile, too.
struct Recorder {
    std::mutex mutex;
    std::deque<Recorded> host;
    Requests gpu;
};

// Forms for blocks of a shape are made of what is launched often, in the background.
bool is_waited_for(const compiler::CompileRequest& request) {
    return !request.mode.tier && request.format == "object";
}

void call_all(const std::shared_ptr<runtime::Context>& device) {
    runtime::exchange_current_context(device);
    call_random();
    for (const Kind kind : kKinds) {
        call_order(kind);
        call_indexing(kind);
    }
    call_sparse(Kind::Float32);
    call_sparse(Kind::Float64);
    device->synchronize();
}

// A level in each thread.
compiler::PrebuiltWriter compiled(const std::deque<Recorded>& requests) {
    std::vector<std::future<compiler::PrebuiltWriter>> levels;
    for (const std::string_view level : processor_levels()) {
        levels.push_back(std::async(std::launch::async, [&requests, level] {
            compiler::PrebuiltWriter writer;
            for (Recorded one : requests) {
                one.request.target = level;
                writer.add(*one.compiler, one.request);
            }
            return writer;
        }));
    }
    compiler::PrebuiltWriter all;
    for (auto& one : levels) all.merge(one.get());
    return all;
}

void write(const std::string& path, std::span<char* const> gpus) {
    // Never destroyed: threads may be asking.
    static auto& recorder = *new Recorder;
    compiler::record_requests([](compiler::Compiler& compiler, const auto& request) {
        if (!is_waited_for(request)) return;
        const std::lock_guard lock(recorder.mutex);
        if (&compiler == &compiler_of_described_gpu()) {
            recorder.gpu.push_back(request);
        } else {
            recorder.host.push_back({&compiler, request});
        }
    });
    call_all(runtime::find_context("cpu"));
    auto for_host = std::async(std::launch::async, [] { return compiled(recorder.host); });
    if (!gpus.empty()) call_all(described_gpu());
    compiler::record_requests({});
    compiler::PrebuiltWriter writer = for_host.get();
    for (const char* const gpu : gpus) writer.merge(compiled_for_gpu(recorder.gpu, gpu));
    const std::vector<std::byte> file = writer.file();
    if (const std::error_code error = write_file_at(AT_FDCWD, path, file)) {
        throw std::system_error(error, path);
    }
    std::printf("%zu programs, %zu bytes\n", writer.count(), file.size());
}

}  // namespace
}  // namespace warpwise::prebuild

int main(int count, char** words) {
    if (count < 2) {
        std::fprintf(stderr, "usage: warpwise-prebuild FILE [sm_80 sm_90 ...]\n");
        return 2;
    }
    try {
        const std::span all(words, static_cast<std::size_t>(count));
        warpwise::prebuild::write(words[1], all.subspan(2));
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "warpwise-prebuild: %s\n", error.what());
        return 1;
    }
}
