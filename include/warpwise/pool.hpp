// A device's stream-ordered memory pool: freed blocks are kept and handed out again, at once to the
// stream that freed them and to others after the work that used them.
//
// Threading: every function may be called from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "warpwise/export.hpp"

namespace warpwise {

namespace runtime {
class PoolState;
}

class WARPWISE_API Pool {
  public:
    std::uint64_t held_bytes() const;    // taken from the device, in use or kept
    std::uint64_t active_bytes() const;  // in use
    std::uint64_t held_blocks() const;
    std::uint64_t active_blocks() const;
    void free_held();  // gives kept blocks back to the device
    // At most this many bytes are held; a request beyond it throws OutOfMemoryError.
    std::optional<std::uint64_t> limit() const;
    void set_limit(std::optional<std::uint64_t> bytes);

    explicit Pool(std::shared_ptr<runtime::PoolState> state) noexcept;

  private:
    std::shared_ptr<runtime::PoolState> state_;
};

}  // namespace warpwise
