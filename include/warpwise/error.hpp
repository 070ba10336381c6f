// The one tree of errors. Every message says what went wrong, with which value, and what to do.
//
// Guarantees, for every function of the library: a failed call leaves what existed before usable; a
// failed create creates nothing; destructors never throw; the process is never aborted.
//
// Python maps each class to one of the same name, which also derives from the built-in exception a
// user expects (ArgumentError: TypeError, ValueError or IndexError by kind(); OutOfMemoryError:
// MemoryError; UnsupportedError: NotImplementedError).
//
// Threading: exceptions are values; safe to copy between threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "warpwise/export.hpp"

namespace warpwise {

// The root: catch this to catch everything Warpwise throws.
class WARPWISE_API Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
    ~Error() override;
};

// The source does not compile. what() holds the first error; log() all of them, with the user's
// file names, lines and carets.
class WARPWISE_API CompileError : public Error {
  public:
    CompileError(const std::string& message, std::string log, std::string file, int line);
    ~CompileError() override;

    const std::string& log() const noexcept { return log_; }
    const std::string& file() const noexcept { return file_; }  // empty when no place is known
    int line() const noexcept { return line_; }                 // 1-based; 0 when unknown

  private:
    std::string log_;
    std::string file_;
    int line_;
};

// A value handed to the library is wrong; nothing has run.
class WARPWISE_API ArgumentError : public Error {
  public:
    // Index: of an element or axis that there is not (Python: IndexError).
    enum class Kind : std::uint8_t { Type, Value, Index };

    ArgumentError(Kind kind, const std::string& message);
    ~ArgumentError() override;

    Kind kind() const noexcept { return kind_; }

  private:
    Kind kind_;
};

// A kernel could not be started, or failed while it ran.
class WARPWISE_API LaunchError : public Error {
  public:
    using Index = std::array<std::uint32_t, 3>;

    explicit LaunchError(const std::string& message);
    LaunchError(const std::string& message, std::string kernel, std::optional<Index> block,
                std::optional<Index> thread);
    ~LaunchError() override;

    const std::string& kernel() const noexcept { return kernel_; }
    const std::optional<Index>& block() const noexcept { return block_; }    // where known
    const std::optional<Index>& thread() const noexcept { return thread_; }  // where known

  private:
    std::string kernel_;
    std::optional<Index> block_;
    std::optional<Index> thread_;
};

// Memory cannot be allocated; the message has what was requested and what is free.
class WARPWISE_API OutOfMemoryError : public Error {
  public:
    using Error::Error;
    ~OutOfMemoryError() override;
};

// A device, driver or file operation failed.
class WARPWISE_API DeviceError : public Error {
  public:
    using Error::Error;
    ~DeviceError() override;
};

// Something Warpwise, or this version or device, does not have; names it. Where it is a construct
// of a source, the place and the log are those of CompileError; else they are empty.
class WARPWISE_API UnsupportedError : public Error {
  public:
    explicit UnsupportedError(const std::string& message);
    UnsupportedError(const std::string& message, std::string log, std::string file, int line);
    ~UnsupportedError() override;

    const std::string& log() const noexcept { return log_; }
    const std::string& file() const noexcept { return file_; }
    int line() const noexcept { return line_; }

  private:
    std::string log_;
    std::string file_;
    int line_ = 0;
};

// Checked mode found a fault in a kernel (out of bounds, race, uninitialised read ...).
class WARPWISE_API CheckError : public Error {
  public:
    using Error::Error;
    ~CheckError() override;
};

// A wait was interrupted (Ctrl-C). On the CPU device running kernels were stopped and what was
// queued was dropped; on a GPU it runs on, and host memory that it uses must live until the
// stream is done.
class WARPWISE_API Interrupted : public Error {
  public:
    using Error::Error;
    ~Interrupted() override;
};

}  // namespace warpwise
