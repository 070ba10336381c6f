// XXH3 behind src/base/hash.hpp; the only file that includes xxhash.h.
#include "src/base/hash.hpp"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace warpwise {
namespace {

static_assert(sizeof(XXH3_state_t) == 576 && alignof(XXH3_state_t) == 64);

XXH3_state_t* as_state(std::byte* bytes) noexcept {
    return reinterpret_cast<XXH3_state_t*>(bytes);
}

void put_hex(std::uint64_t value, char* out) noexcept {
    for (int digit = 0; digit < 16; ++digit) {
        out[digit] = "0123456789abcdef"[(value >> (60 - 4 * digit)) & 15];
    }
}

}  // namespace

std::string Hash128::hex() const {
    std::string text(32, '0');
    put_hex(high, text.data());
    put_hex(low, text.data() + 16);
    return text;
}

std::uint64_t hash64(std::span<const std::byte> bytes) noexcept {
    return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t hash64(std::string_view text) noexcept {
    return XXH3_64bits(text.data(), text.size());
}

Hash128 hash128(std::span<const std::byte> bytes) noexcept {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return {hash.high64, hash.low64};
}

Hash128 hash128(std::string_view text) noexcept {
    return hash128(std::as_bytes(std::span(text.data(), text.size())));
}

Hasher::Hasher() noexcept {
    // 0.8.1 reads two members of a state before it first sets them.
    std::memset(state_, 0, sizeof state_);
    XXH3_128bits_reset(as_state(state_));
}

void Hasher::feed(const void* data, std::size_t size) noexcept {
    XXH3_128bits_update(as_state(state_), data, size);
}

Hasher& Hasher::add(std::string_view text) noexcept {
    add(static_cast<std::uint64_t>(text.size()));
    feed(text.data(), text.size());
    return *this;
}

Hasher& Hasher::add(std::span<const std::byte> bytes) noexcept {
    add(static_cast<std::uint64_t>(bytes.size()));
    feed(bytes.data(), bytes.size());
    return *this;
}

Hasher& Hasher::add(std::uint64_t number) noexcept {
    feed(&number, sizeof number);
    return *this;
}

Hash128 Hasher::hash() const noexcept {
    const auto* state = reinterpret_cast<const XXH3_state_t*>(state_);
    const XXH128_hash_t hash = XXH3_128bits_digest(state);
    return {hash.high64, hash.low64};
}

}  // namespace warpwise
