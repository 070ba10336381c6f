// warpwise-compile-worker: compiles one request that comes through a socket and ends. The build
// runs it too: `warpwise-compile-worker --write-prelude FILE` precompiles the built-in headers,
// `--write-interpreter FILE` compiles the interpreter of GPUs to PTX.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "src/codegen/interpret/interpreter_file.hpp"
#include "src/compiler/service.hpp"
#include "src/compiler/worker/channel.hpp"
#include "src/compiler/worker/wire.hpp"
#include "warpwise/error.hpp"

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

// PTX without what debuggers read, in the version of the oldest driver that there is a library for.
std::string loadable(std::string_view ptx) {
    std::string text = codegen::interpret::interpreter_mark();
    while (!ptx.empty()) {
        const std::size_t end = std::min(ptx.find('\n'), ptx.size() - 1) + 1;
        const std::string_view line = ptx.substr(0, end);
        ptx.remove_prefix(end);
        const std::string_view words = line.substr(std::min(line.find_first_not_of(" \t"), end));
        if (words.starts_with(".section")) break;  // the last ones
        if (words.starts_with(".version")) {
            text += ".version 7.0\n";
        } else if (words.starts_with(".target")) {
            text += std::string(line.substr(0, line.find(','))) + "\n";
        } else if (!words.starts_with(".loc") && !words.starts_with(".file") &&
                   !words.starts_with("$L__tmp") && !words.starts_with("//")) {
            text += line;
        }
    }
    return text;
}

void write_interpreter(const char* path) {
    compiler::CompileRequest request;
    request.source = "#include <warpwise_interpreter.h>\n";
    request.name = "interpreter.cu";
    request.target = "sm_75";
    request.format = "ptx";
    request.mode.contraction = false;
    const std::vector<std::byte> binary = service().compile(request).binary;
    const auto text = loadable({reinterpret_cast<const char*>(binary.data()), binary.size()});
    std::FILE* const file = std::fopen(path, "w");
    const bool is_written =
        file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file == nullptr || std::fclose(file) != 0 || !is_written) {
        throw DeviceError(std::string("cannot write ") + path + ": " + std::strerror(errno));
    }
}

int write(std::string_view what, const char* path) {
    try {
        if (what == "--write-prelude") {
            service().write_default_prelude(path);
        } else {
            write_interpreter(path);
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "warpwise-compile-worker: %s\n", error.what());
        return 1;
    }
}

}  // namespace

int main(int count, char** words) {
    if (count == 3 && std::string_view(words[1]).starts_with("--write-")) {
        ::_exit(write(words[1], words[2]));  // as below
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
