// Writing values into bytes and reading them back with every length checked: the base of all file
// formats. Integers are little-endian, texts and byte blocks are preceded by their length (64
// bits).
//
// Errors: a ByteReader throws DeviceError on bytes that end too early; it never reads past them.
// Threading: plain values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "warpwise/error.hpp"

namespace warpwise {

static_assert(std::endian::native == std::endian::little, "formats on disk are little-endian");

class ByteWriter {
  public:
    template <class T>
        requires std::is_integral_v<T>
    ByteWriter& put(T value) {
        const auto* raw = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), raw, raw + sizeof value);
        return *this;
    }
    ByteWriter& put(std::string_view text) {
        return put(std::as_bytes(std::span(text.data(), text.size())));
    }
    ByteWriter& put(std::span<const std::byte> block) {
        put(static_cast<std::uint64_t>(block.size()));
        bytes_.insert(bytes_.end(), block.begin(), block.end());
        return *this;
    }

    void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
    std::vector<std::byte> take() && { return std::move(bytes_); }

  private:
    std::vector<std::byte> bytes_;
};

class ByteReader {
  public:
    // `what` names the bytes in errors: "compiled program".
    ByteReader(std::span<const std::byte> bytes, const char* what) : bytes_(bytes), what_(what) {}

    template <class T>
        requires std::is_integral_v<T>
    T get() {
        T value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    std::span<const std::byte> get_block() {
        const auto size = get<std::uint64_t>();
        require(size <= bytes_.size(), "ends too early");
        return take(static_cast<std::size_t>(size));
    }
    std::string get_text() {
        const std::span<const std::byte> block = get_block();
        return {reinterpret_cast<const char*>(block.data()), block.size()};
    }
    // A count of elements that take at least `element_bytes` each, so that a damaged count does not
    // become a huge allocation.
    std::size_t get_count(std::size_t element_bytes) {
        const auto count = get<std::uint64_t>();
        require(count <= bytes_.size() / element_bytes, "ends too early");
        return static_cast<std::size_t>(count);
    }

    void require(bool condition, const char* complaint) const {
        if (!condition) throw DeviceError(std::string(what_) + ": " + complaint);
    }
    void require_end() const { require(bytes_.empty(), "has bytes after its end"); }

  private:
    std::span<const std::byte> take(std::size_t size) {
        require(size <= bytes_.size(), "ends too early");
        const std::span<const std::byte> taken = bytes_.first(size);
        bytes_ = bytes_.subspan(size);
        return taken;
    }

    std::span<const std::byte> bytes_;
    const char* what_;
};

}  // namespace warpwise
