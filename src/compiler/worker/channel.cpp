// Loops around send and recv.
#include "src/compiler/worker/channel.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>

namespace warpwise::compiler {

namespace {

constexpr std::uint64_t kLongest = std::uint64_t{4} << 30;

bool send_all(int descriptor, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

bool receive_all(int descriptor, std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t received = ::recv(descriptor, bytes.data(), bytes.size(), 0);
        if (received < 0 && errno == EINTR) continue;
        if (received <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(received));
    }
    return true;
}

}  // namespace

bool send_message(int descriptor, std::span<const std::byte> bytes) {
    return send_all(descriptor, bytes) && ::shutdown(descriptor, SHUT_WR) == 0;
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

bool send_frame(int descriptor, std::span<const std::byte> bytes) {
    const std::uint64_t size = bytes.size();
    return send_all(descriptor, std::as_bytes(std::span(&size, 1))) && send_all(descriptor, bytes);
}

std::optional<std::vector<std::byte>> receive_frame(int descriptor) {
    std::uint64_t size = 0;
    if (!receive_all(descriptor, std::as_writable_bytes(std::span(&size, 1)))) return std::nullopt;
    if (size > kLongest) return std::nullopt;
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    if (!receive_all(descriptor, bytes)) return std::nullopt;
    return bytes;
}

}  // namespace warpwise::compiler
