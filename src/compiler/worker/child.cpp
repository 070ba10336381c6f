// One worker per job: it costs 10 to 40 ms to start, and is simple and robust.
#include "src/compiler/worker/child.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "src/base/text.hpp"
#include "src/compiler/service_library.hpp"
#include "src/compiler/worker/channel.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::compiler {

namespace {

constexpr const char* kWorker = "warpwise-compile-worker";

class Descriptor {
  public:
    explicit Descriptor(int number) noexcept : number_(number) {}
    ~Descriptor() { reset(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const noexcept { return number_; }
    void reset() noexcept {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }

  private:
    int number_;
};

std::string system_message(int error) {
    return std::generic_category().message(error);
}

pid_t start_worker(const std::string& path, int descriptor) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, descriptor, kWorkerDescriptor);
    // The signal mask and the ignored signals of the caller are not the worker's.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::string name = path;
    char* const arguments[] = {name.data(), nullptr};
    pid_t child = -1;
    const int failure =
        ::posix_spawn(&child, path.c_str(), &actions, &attributes, arguments, environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure == 0) return child;
    throw DeviceError(fmt::format(
        "the compile worker {} cannot be started: {}; it lies beside the Warpwise library and must "
        "be executable there: install Warpwise anew",
        quote(path), system_message(failure)));
}

// How the worker ended, in words; -1 when somebody else (a SIGCHLD handler) waited for it.
std::string wait_for(pid_t child) {
    int status = 0;
    pid_t waited = 0;
    do {
        waited = ::waitpid(child, &status, 0);
    } while (waited < 0 && errno == EINTR);
    if (waited != child) return "it is gone";
    if (WIFSIGNALED(status)) {
        return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    return fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace

Program run_in_child(Job job, const CompileRequest& request) {
    CompileRequest complete = request;
    // The environment may have changed since this process read its settings. Options that follow
    // decide.
    complete.options.insert(complete.options.begin(), "--warpwise-executor=" + settings().executor);
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        throw DeviceError(
            fmt::format("no socket for the compile worker: {}", system_message(errno)));
    }
    const Descriptor mine(pair[0]);
    Descriptor theirs(pair[1]);
    const pid_t child = start_worker(library_folder() + "/" + kWorker, theirs.number());
    theirs.reset();
    const std::vector<std::byte> message = encode_request(job, complete);
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
