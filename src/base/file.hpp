// Files, in the few ways the library uses them.
//
// Threading: safe from any thread; several processes may do the same at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "warpwise/export.hpp"

namespace warpwise {

// A file descriptor that is closed with its owner.
class WARPWISE_API FileDescriptor {
  public:
    FileDescriptor() noexcept = default;
    explicit FileDescriptor(int number) noexcept : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept;
    ~FileDescriptor();

    explicit operator bool() const noexcept { return number_ >= 0; }
    int number() const noexcept { return number_; }
    // Gives up ownership.
    int release() noexcept { return std::exchange(number_, -1); }

  private:
    int number_ = -1;
};

// The error the last system call left in errno.
WARPWISE_API std::error_code last_error() noexcept;

// The whole contents. Throws DeviceError naming the file and the reason.
WARPWISE_API std::string read_file(const std::string& path);
// Nothing when it cannot be read: for files that a system may lack or hide.
WARPWISE_API std::optional<std::string> read_file_if_there(const std::string& path);
// `bytes` bytes from `offset` on; nothing where the file has fewer, or cannot be read.
WARPWISE_API std::optional<std::vector<std::byte>> read_part_if_there(const std::string& path,
                                                                      std::uint64_t offset,
                                                                      std::uint64_t bytes);
// read_file_if_there() without throwing, from a path relative to `folder` (AT_FDCWD for the
// process's own). Reads regular files only; a symbolic link as the last part is followed only if
// `follows_links`.
WARPWISE_API std::error_code read_file_at(int folder, const char* path,
                                          std::vector<std::byte>* contents,
                                          bool follows_links = true);

// Reads as many bytes from `offset` on as there are places for; false where the file has fewer or
// cannot be read.
WARPWISE_API bool read_at(int file, std::uint64_t offset, std::span<std::byte> bytes) noexcept;

// Writes all bytes, going on after interruptions and partial writes.
WARPWISE_API std::error_code write_all(int file, std::span<const std::byte> bytes) noexcept;

// Replaces or makes `path` below `folder` so that every reader sees the old contents or the whole
// new ones; mode 0600. On failure nothing is left behind.
WARPWISE_API std::error_code write_file_at(int folder, const std::string& path,
                                           std::span<const std::byte> contents);

// Makes a folder that only the user may enter (0700), with its parents. No error if it exists.
WARPWISE_API std::error_code make_private_folder(const std::string& path);

// The beginning of names of files that write_file_at() is about to rename.
inline constexpr std::string_view kTemporaryPrefix = ".tmp-";

}  // namespace warpwise
