// Buffers that were released a moment ago, whole: the state, its memory and the stream that used
// it. The next request of that stream for a block of that size takes one as it is, with one atomic
// exchange and neither lock nor allocation; putting it there costs another.
//
// To the pool the memory of a shelved buffer is still Used. What reads the pool's figures or
// for kept memory takes all of them down first (PoolState::clear_shelf).
//
// Threading: every function may be called from any thread; a buffer in here has no other user.
// Shelved buffers report that they are freed. PoolState::find, in another thread, may hold one for
// a moment all the same, by an address that was passed after the memory was released; it is
// refused.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace warpwise::runtime {

class BufferState;
class StreamCore;

class PoolShelf {
  public:
    PoolShelf() = default;
    PoolShelf(const PoolShelf&) = delete;
    PoolShelf& operator=(const PoolShelf&) = delete;

    // For blocks of this size class that this stream, and no other, has used; 0: for none.
    static std::uint64_t key(const StreamCore& core, std::uint16_t size_class) noexcept;

    // Of memory of `bytes`. `buffer` must have no other owner; it is empty afterwards. Where there
    // is no free place, another one leaves its own: it is returned, and the caller's by unshelve();
    // else null.
    BufferState* put(std::uint64_t key, std::size_t bytes,
                     std::shared_ptr<BufferState>& buffer) noexcept;
    // Null if there is none. What is taken is the caller's, by unshelve().
    BufferState* take(std::uint64_t key) noexcept {
        for (std::size_t i = 0; i < kPlaces; ++i) {
            if (keys_[i].load(std::memory_order_relaxed) == key &&
                buffers_[i].load(std::memory_order_relaxed) != nullptr) {
                return take_from(i, key);
            }
        }
        return nullptr;
    }
    // The same, of any key.
    BufferState* take_any() noexcept;
    // Of the memory of all that is here; exact while no other thread puts or takes.
    std::size_t bytes() const noexcept;

  private:
    static constexpr std::size_t kPlaces = 8;  // a line of the cache

    BufferState* take_from(std::size_t place, std::uint64_t key) noexcept;

    // What lies at each place, or lay there: a hint, which the buffer itself confirms. 0: nothing.
    alignas(64) std::array<std::atomic<std::uint64_t>, kPlaces> keys_{};
    alignas(64) std::array<std::atomic<BufferState*>, kPlaces> buffers_{};
    alignas(64) std::array<std::atomic<std::size_t>, kPlaces> bytes_{};
    std::atomic<unsigned> next_{0};  // leaves its place when none is free
};

}  // namespace warpwise::runtime
