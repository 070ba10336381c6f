// Loops around send and recv.
#include "src/compiler/worker/channel.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace warpwise::compiler {

bool send_message(int descriptor, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return ::shutdown(descriptor, SHUT_WR) == 0;
}

std::vector<std::byte> receive_message(int descriptor) {
    constexpr std::size_t kChunk = std::size_t{64} << 10;
    std::vector<std::byte> bytes;
    while (true) {
        const std::size_t size = bytes.size();
        bytes.resize(size + kChunk);
        const ssize_t received = ::recv(descriptor, bytes.data() + size, kChunk, 0);
        if (received < 0 && errno == EINTR) {
            bytes.resize(size);
            continue;
        }
        bytes.resize(size + (received > 0 ? static_cast<std::size_t>(received) : 0));
        if (received <= 0) return bytes;
    }
}

}  // namespace warpwise::compiler
