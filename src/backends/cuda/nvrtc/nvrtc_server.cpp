// One process without threads, and its forks.
#include "src/backends/cuda/nvrtc/nvrtc_server.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "src/backends/cuda/nvrtc/nvrtc.hpp"
#include "src/backends/cuda/nvrtc/nvrtc_wire.hpp"
#include "src/compiler/worker/channel.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using compiler::kWorkerDescriptor;

constexpr int kIdleMilliseconds = 60'000;  // after which a worker ends

struct DescriptorMessage {
    std::byte byte{'W'};
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};

    DescriptorMessage() {
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = control.size();
    }
};

// -1 when the other side is gone.
int receive_descriptor(int socket) {
    DescriptorMessage message;
    ssize_t received = 0;
    do {
        received = ::recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    const cmsghdr* const found = received == 1 ? CMSG_FIRSTHDR(&message.header) : nullptr;
    if (found == nullptr || found->cmsg_type != SCM_RIGHTS) return -1;
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(found), sizeof descriptor);
    return descriptor;
}

std::vector<std::byte> answer_to(const Nvrtc& nvrtc, std::span<const std::byte> message) {
    try {
        const NvrtcJob job = decode_job(message);
        if (!job.folder.empty() && ::chdir(job.folder.c_str()) != 0) {
            return encode_failure("the folder " + job.folder +
                                  " cannot be entered: " + std::strerror(errno));
        }
        return encode_answer(nvrtc.compile(job.request));
    } catch (const std::exception& error) {
        return encode_failure(error.what());
    }
}

void work(const Nvrtc& nvrtc, int socket) {
    while (true) {
        pollfd ready{.fd = socket, .events = POLLIN, .revents = 0};
        const int count = ::poll(&ready, 1, kIdleMilliseconds);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        const auto message = compiler::receive_frame(socket);
        if (!message || !compiler::send_frame(socket, {&kJobTaken, 1})) return;
        if (!compiler::send_frame(socket, answer_to(nvrtc, *message))) return;
    }
}

// The first compile opens a second library and touches most of NVRTC's pages.
void warm_up(const Nvrtc& nvrtc) {
    NvrtcRequest request;
    request.source = "extern \"C\" __global__ void k(float *x) { x[threadIdx.x] *= 2; }";
    request.name = "warm_up.cu";
    nvrtc.compile(request);
}

}  // namespace

bool send_descriptor(int socket, int descriptor) {
    DescriptorMessage message;
    cmsghdr* const rights = CMSG_FIRSTHDR(&message.header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
    ssize_t sent = 0;
    do {
        sent = ::sendmsg(socket, &message.header, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == 1;
}

int serve_nvrtc(const char* library) {
    // Who started this waits for the first process only, and no Ctrl-C reaches the second.
    const pid_t second = ::fork();
    if (second != 0) return second < 0 ? 1 : 0;
    ::setsid();
    ::signal(SIGCHLD, SIG_IGN);  // its workers end unwaited for
    void* const handle = Nvrtc::open(library);
    if (handle == nullptr) return 1;
    try {
        const Nvrtc nvrtc(handle, library);
        warm_up(nvrtc);
        if (::send(kWorkerDescriptor, &kServerReady, 1, MSG_NOSIGNAL) != 1) return 1;
        while (true) {
            const int socket = receive_descriptor(kWorkerDescriptor);
            if (socket < 0) return 0;
            if (::fork() == 0) {
                ::close(kWorkerDescriptor);
                work(nvrtc, socket);
                ::_exit(0);
            }
            ::close(socket);
        }
    } catch (const Error&) {
        return 1;
    }
}

}  // namespace warpwise::cuda
