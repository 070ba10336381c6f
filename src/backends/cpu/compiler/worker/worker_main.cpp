// warpwise-compile-worker: compiles one request that comes through a socket and ends. The build
// runs it too: `warpwise-compile-worker --write-prelude FILE` precompiles the built-in headers.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "src/backends/cpu/compiler/worker/channel.hpp"
#include "src/backends/cpu/compiler/worker/wire.hpp"
#include "src/compiler/service.hpp"

extern "C" warpwise::compiler::CompilerService* warpwise_compiler_service(std::uint32_t version);

namespace {

using namespace warpwise;

compiler::CompilerService& service() {
    return *warpwise_compiler_service(compiler::kServiceVersion);
}

compiler::Program run(const cpu_compiler::JobRequest& job) {
    return job.job == cpu_compiler::Job::CompileForCpu ? service().compile_for_cpu(job.request)
                                                       : service().read_signatures(job.request);
}

int write_prelude(const char* path) {
    try {
        service().write_default_prelude(path);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "warpwise-compile-worker: %s\n", error.what());
        return 1;
    }
}

}  // namespace

int main(int count, char** words) {
    if (count == 3 && std::string_view(words[1]) == "--write-prelude") {
        ::_exit(write_prelude(words[2]));  // as below
    }
    const std::vector<std::byte> message =
        cpu_compiler::receive_message(cpu_compiler::kWorkerDescriptor);
    if (message.empty()) {
        std::fputs("warpwise-compile-worker is started by the library, not by hand\n", stderr);
        return 2;
    }
    std::vector<std::byte> answer;
    try {
        answer = cpu_compiler::encode_program(run(cpu_compiler::decode_request(message)));
    } catch (...) {
        answer = cpu_compiler::encode_error(std::current_exception());
    }
    const bool sent = cpu_compiler::send_message(cpu_compiler::kWorkerDescriptor, answer);
    // Without destructors: after a crash that was caught, clang's are not to be trusted.
    ::_exit(sent ? 0 : 1);
}
