// warpwise-prebuild FILE: writes the programs that are installed with the library.
//
// The calls run on the CPU device, whichever level it has; what they compile is compiled again for
// every level, which needs no processor of it.
#include <fcntl.h>

#include <cstdio>
#include <deque>
#include <exception>
#include <future>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "src/base/file.hpp"
#include "src/base/processor_level.hpp"
#include "src/compiler/compiler.hpp"
#include "src/compiler/prebuilt.hpp"
#include "src/prebuild/calls.hpp"
#include "warpwise/array_functions.hpp"
#include "warpwise/device.hpp"

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
    std::deque<Recorded> requests;
};

// Forms for blocks of a shape are made of what is launched often, in the background.
bool is_waited_for(const compiler::CompileRequest& request) {
    return !request.mode.tier && request.format == "object";
}

void call_all() {
    call_random();
    for (const Kind kind : kKinds) {
        call_order(kind);
        call_indexing(kind);
    }
    call_sparse(Kind::Float32);
    call_sparse(Kind::Float64);
    Device("cpu").synchronize();
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

void write(const std::string& path) {
    // Never destroyed: threads may be asking.
    static auto& recorder = *new Recorder;
    compiler::record_requests([](compiler::Compiler& compiler, const auto& request) {
        if (!is_waited_for(request)) return;
        const std::lock_guard lock(recorder.mutex);
        recorder.requests.push_back({&compiler, request});
    });
    call_all();
    compiler::record_requests({});
    const compiler::PrebuiltWriter writer = compiled(recorder.requests);
    const std::vector<std::byte> file = writer.file();
    if (const std::error_code error = write_file_at(AT_FDCWD, path, file)) {
        throw std::system_error(error, path);
    }
    std::printf("%zu programs, %zu bytes\n", writer.count(), file.size());
}

}  // namespace
}  // namespace warpwise::prebuild

int main(int count, char** words) {
    if (count != 2) {
        std::fprintf(stderr, "usage: warpwise-prebuild FILE\n");
        return 2;
    }
    try {
        warpwise::prebuild::write(words[1]);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "warpwise-prebuild: %s\n", error.what());
        return 1;
    }
}
