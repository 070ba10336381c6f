// Files through the system calls themselves: error codes, not exceptions, below read_file().
#include "src/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise {
namespace {

constexpr mode_t kPrivateFile = 0600;
constexpr mode_t kPrivateFolder = 0700;

// Fills `contents` from its offset `done` on, until it is full or the file ends.
std::error_code read_until_full(int file, std::vector<std::byte>* contents, std::size_t* done) {
    while (*done < contents->size()) {
        const ssize_t count = ::read(file, contents->data() + *done, contents->size() - *done);
        if (count < 0) {
            if (errno == EINTR) continue;
            return last_error();
        }
        if (count == 0) break;
        *done += static_cast<std::size_t>(count);
    }
    return {};
}

// `size` is what fstat() returns: 0 for the files of /proc, too, which are read to their end.
std::error_code read_all(int file, std::size_t size, std::vector<std::byte>* contents) {
    constexpr std::size_t kPage = 4096;
    std::size_t done = 0;
    contents->resize(size != 0 ? size : kPage);
    for (;;) {
        if (const std::error_code error = read_until_full(file, contents, &done)) return error;
        const bool is_whole = size != 0 || done < contents->size();
        if (is_whole) break;
        contents->resize(2 * done);
    }
    contents->resize(done);
    return {};
}

// In the folder of `path`, so that the rename stays on one file system; unlike that of any other
// process and thread.
std::string temporary_name(const std::string& path) {
    static std::atomic<unsigned> counter{0};
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
    return fmt::format("{}{}{}-{:x}-{}", folder, kTemporaryPrefix, ::getpid(), now,
                       counter.fetch_add(1));
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
}

FileDescriptor::~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
}

std::error_code last_error() noexcept {
    return {errno, std::generic_category()};
}

std::error_code read_file_at(int folder, const char* path, std::vector<std::byte>* contents,
                             bool follows_links) {
    // O_NONBLOCK: a named pipe must not hold us up; regular files do not know it.
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follows_links ? 0 : O_NOFOLLOW);
    const FileDescriptor file(::openat(folder, path, flags));
    if (!file) return last_error();
    struct stat status{};
    if (::fstat(file.number(), &status) != 0) return last_error();
    if (S_ISDIR(status.st_mode)) return std::make_error_code(std::errc::is_a_directory);
    if (!S_ISREG(status.st_mode)) return std::make_error_code(std::errc::not_supported);
    return read_all(file.number(), static_cast<std::size_t>(status.st_size), contents);
}

std::string read_file(const std::string& path) {
    std::vector<std::byte> contents;
    if (const std::error_code error = read_file_at(AT_FDCWD, path.c_str(), &contents)) {
        throw DeviceError(fmt::format("cannot read the file {}: {}", quote(path), error.message()));
    }
    return {reinterpret_cast<const char*>(contents.data()), contents.size()};
}

std::optional<std::string> read_file_if_there(const std::string& path) {
    std::vector<std::byte> contents;
    if (read_file_at(AT_FDCWD, path.c_str(), &contents)) return std::nullopt;
    return std::string(reinterpret_cast<const char*>(contents.data()), contents.size());
}

std::optional<std::vector<std::byte>> read_part_if_there(const std::string& path,
                                                         std::uint64_t offset,
                                                         std::uint64_t bytes) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status{};
    if (!file || ::fstat(file.number(), &status) != 0) return std::nullopt;
    const auto all = static_cast<std::uint64_t>(status.st_size);
    if (offset > all || bytes > all - offset) return std::nullopt;
    std::vector<std::byte> contents(bytes);
    if (!read_at(file.number(), offset, contents)) return std::nullopt;
    return contents;
}

bool read_at(int file, std::uint64_t offset, std::span<std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t count = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        offset += static_cast<std::uint64_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

std::error_code write_all(int file, std::span<const std::byte> bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t count = ::write(file, bytes.data(), bytes.size());
        if (count < 0) {
            if (errno == EINTR) continue;
            return last_error();
        }
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return {};
}

std::error_code write_file_at(int folder, const std::string& path,
                              std::span<const std::byte> contents) {
    const std::string temporary = temporary_name(path);
    std::error_code error;
    {
        const FileDescriptor file(::openat(folder, temporary.c_str(),
                                           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                                           kPrivateFile));
        if (!file) return last_error();
        error = write_all(file.number(), contents);
    }
    if (!error && ::renameat(folder, temporary.c_str(), folder, path.c_str()) != 0) {
        error = last_error();
    }
    if (error) ::unlinkat(folder, temporary.c_str(), 0);
    return error;
}

std::error_code make_private_folder(const std::string& path) {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    if (!parent.empty() && !std::filesystem::is_directory(parent, error)) {
        if (parent == path) return std::make_error_code(std::errc::not_a_directory);
        if (const std::error_code failed = make_private_folder(parent.string())) return failed;
    }
    if (::mkdir(path.c_str(), kPrivateFolder) == 0) return {};
    if (errno != EEXIST) return last_error();
    if (std::filesystem::is_directory(path, error)) return {};
    return std::make_error_code(std::errc::not_a_directory);
}

}  // namespace warpwise
