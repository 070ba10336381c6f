// warpwise-compile-worker: compiles one request that comes through a socket and ends. The build
// runs it too: `warpwise-compile-worker --write-prelude FILE` precompiles the built-in headers.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "src/compiler/service.hpp"
#include "src/compiler/worker/channel.hpp"
#include "src/compiler/worker/wire.hpp"

extern "C" warpwise::compiler::CompilerService* warpwise_compiler_service(std::uint32_t version);

namespace {

using namespace warpwise;

compiler::CompilerService& service() {
    return *warpwise_compiler_service(compiler::kServiceVersion);
}

compiler::Program run(const compiler::JobRequest& job) {
    return job.job == compiler::Job::Compile ? service().compile(job.request)
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
    // The process that requested it has ended.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::vector<std::byte> message = compiler::receive_message(compiler::kWorkerDescriptor);
    if (message.empty()) {
        std::fputs("warpwise-compile-worker is started by the library, not by hand\n", stderr);
        return 2;
    }
    std::vector<std::byte> answer;
    try {
        answer = compiler::encode_program(run(compiler::decode_request(message)));
    } catch (...) {
        answer = compiler::encode_error(std::current_exception());
    }
    const bool sent = compiler::send_message(compiler::kWorkerDescriptor, answer);
    // Without destructors: after a crash that was caught, clang's are not to be trusted.
    ::_exit(sent ? 0 : 1);
}
