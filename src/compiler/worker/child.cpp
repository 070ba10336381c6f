// One worker per job: it costs 10 to 40 ms to start, and is simple and robust.
#include "src/compiler/worker/child.hpp"

#include <fmt/format.h>

#include <string>

#include "src/compiler/service_library.hpp"
#include "src/compiler/worker/channel.hpp"
#include "src/compiler/worker/spawn.hpp"
#include "warpwise/error.hpp"

namespace warpwise::compiler {

namespace {

constexpr const char* kWorker = "warpwise-compile-worker";

}  // namespace

Program run_in_child(Job job, const CompileRequest& request) {
    auto [mine, theirs] = make_sockets();
    const pid_t child = start_worker(library_folder() + "/" + kWorker, theirs.number());
    theirs.reset();
    const std::vector<std::byte> message = encode_request(job, request);
    std::vector<std::byte> answer;
    if (send_message(mine.number(), message)) answer = receive_message(mine.number());
    const std::string end = wait_for(child);
    if (!answer.empty()) return decode_result(answer);
    const std::string text = fmt::format(
        "the compiler crashed in its child process: {}; simplify the source near its "
        "last change, or report it",
        end);
    throw CompileError(text, text + "\n", {}, 0);
}

}  // namespace warpwise::compiler
