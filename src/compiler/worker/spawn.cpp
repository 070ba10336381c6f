// posix_spawn: the threads and locks of this process do not reach the child.
#include "src/compiler/worker/spawn.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "src/base/environment.hpp"
#include "src/base/text.hpp"
#include "src/compiler/worker/channel.hpp"
#include "warpwise/error.hpp"

namespace warpwise::compiler {

namespace {

std::string system_message(int error) {
    return std::generic_category().message(error);
}

}  // namespace

void Descriptor::reset() noexcept {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
}

SocketPair make_sockets() {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        throw DeviceError(
            fmt::format("no socket for the compile worker: {}", system_message(errno)));
    }
    return {Descriptor(pair[0]), Descriptor(pair[1])};
}

pid_t start_worker(const std::string& path, int descriptor, const std::vector<std::string>& words) {
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
    std::vector<char*> arguments = {const_cast<char*>(path.c_str())};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t child = -1;
    const int failure = ::posix_spawn(&child, path.c_str(), &actions, &attributes, arguments.data(),
                                      environment_block().data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure == 0) return child;
    throw DeviceError(fmt::format(
        "the compile worker {} cannot be started: {}; it lies beside the Warpwise library and must "
        "be executable there: reinstall Warpwise",
        quote(path), system_message(failure)));
}

// A handler of SIGCHLD may have waited for it before.
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

}  // namespace warpwise::compiler
