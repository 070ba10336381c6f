// Starting the programs that compile for this process: they lie beside the library, and find their
// end of a socket at kWorkerDescriptor.
//
// Threading: any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "warpwise/export.hpp"

namespace warpwise::compiler {

// A file descriptor that is closed with its owner.
class Descriptor {
  public:
    explicit Descriptor(int number = -1) noexcept : number_(number) {}
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            reset();
            number_ = other.number_;
            other.number_ = -1;
        }
        return *this;
    }
    int number() const noexcept { return number_; }
    void reset() noexcept;

  private:
    int number_;
};

struct SocketPair {
    Descriptor mine;
    Descriptor theirs;
};
// Both are closed by exec. Throws DeviceError when the process has no descriptors left.
SocketPair make_sockets();

// `words` are its arguments behind its name. The caller waits for it (wait_for). Throws DeviceError
// when it cannot be started.
pid_t start_worker(const std::string& path, int descriptor,
                   const std::vector<std::string>& words = {});

// How it ended, in words.
std::string wait_for(pid_t child);

}  // namespace warpwise::compiler
