// Hashes for keys and checksums: XXH3, 64 and 128 bits. Fast and well spread, not cryptographic:
// they detect equal contents and damage, they do not keep out an attacker who can write the cache.
//
// Values are stored on disk: the algorithm and the way a Hasher feeds it never change silently.
// Threading: functions are pure; a Hasher belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "warpwise/export.hpp"

namespace warpwise {

struct Hash128 {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    friend bool operator==(const Hash128&, const Hash128&) = default;
    // 32 lower-case hexadecimal digits.
    WARPWISE_API std::string hex() const;
};

WARPWISE_API std::uint64_t hash64(std::span<const std::byte> bytes) noexcept;
WARPWISE_API std::uint64_t hash64(std::string_view text) noexcept;
WARPWISE_API Hash128 hash128(std::span<const std::byte> bytes) noexcept;
WARPWISE_API Hash128 hash128(std::string_view text) noexcept;

// Hashes a sequence of values. Texts are preceded by their length, so that ("ab", "c") and
// ("a", "bc") differ.
class WARPWISE_API Hasher {
  public:
    Hasher() noexcept;

    Hasher& add(std::string_view text) noexcept;
    Hasher& add(std::span<const std::byte> bytes) noexcept;
    Hasher& add(std::uint64_t number) noexcept;
    Hasher& add(const char* text) noexcept { return add(std::string_view(text)); }
    // The length, then each element.
    template <class Range>
    Hasher& add_all(const Range& range) noexcept {
        add(static_cast<std::uint64_t>(range.size()));
        for (const auto& element : range) add(element);
        return *this;
    }

    // Of all that was added so far.
    Hash128 hash() const noexcept;

  private:
    void feed(const void* data, std::size_t size) noexcept;

    alignas(64) std::byte state_[576];  // XXH3_state_t, kept out of this header
};

}  // namespace warpwise
