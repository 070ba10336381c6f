// Memory between a pool and its device: new segments, chunks in reserved ranges, and what is given
// back. What is requested is reserved in the ledger first, so that its limit holds; the device is
// asked without the lock.
//
// Threading: every function may be called from any thread, without the ledger's lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/runtime/pool/pool_ledger.hpp"

namespace warpwise::runtime {

class PoolSource {
  public:
    explicit PoolSource(PoolLedger& ledger) noexcept;

    Allocator& allocator() const noexcept { return allocator_; }
    // Memory of the device's for the request, which `buffer` gets. False, with the reason in `why`,
    // when there is none.
    bool take_new(const PoolRequest& request, BufferState& buffer,
                  const std::shared_ptr<StreamCore>& core, std::string& why);
    void release(const UnneededMemory& unneeded) noexcept;
    // Of Block::Origin::Direct.
    void release_direct(const Block& block) noexcept;

    PoolGrowth growth();
    // Throws UnsupportedError where the device, or this kind of memory, has only segments.
    void set_growth(PoolGrowth growth);

  private:
    bool take_segment(const PoolRequest& request, BufferState& buffer,
                      const std::shared_ptr<StreamCore>& core, std::string& why);
    std::optional<Segment> new_segment(std::size_t bytes, bool is_small, std::string& why);
    bool reserve(std::size_t bytes);
    void unreserve(std::size_t bytes) noexcept;
    bool grow(const PoolRequest& request, BufferState& buffer,
              const std::shared_ptr<StreamCore>& core, std::string& why);
    bool grow_by(std::size_t at_least, const PoolRequest& request, BufferState& buffer,
                 const std::shared_ptr<StreamCore>& core, std::string& why);
    std::optional<Claim> claim(std::size_t at_least, const PoolRequest& request, std::string& why);
    bool add_range(const PoolRequest& request, std::string& why);
    void give_up(const Claim& claim, std::size_t mapped_gaps) noexcept;
    void unmap(const std::vector<Extent>& extents) noexcept;

    PoolLedger& ledger_;
    Allocator& allocator_;
    std::atomic<ReservedMemory*> reserved_{nullptr};  // since the growth was Reserved first
};

}  // namespace warpwise::runtime
