// Numbers of any scalar kind. Integers are kept as 64 bits, sign-extended; every float as a double,
// which holds float16, bfloat16 and float32 exactly.
#include "warpwise/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>

#include "src/types/half.hpp"
#include "src/types/promotion.hpp"

namespace warpwise {
namespace {

using types::is_bool;
using types::is_complex;
using types::is_integer;
using types::is_real_float;
using types::is_signed;

constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;

template <class T>
void put(void* bytes, T value) noexcept {
    std::memcpy(bytes, &value, sizeof value);
}

template <class T>
T taken(const void* bytes) noexcept {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

// The low bits of `bits`, extended to 64 as the kind's sign demands.
std::uint64_t wrapped(std::uint64_t bits, Kind kind) noexcept {
    const unsigned unused = 64 - 8 * static_cast<unsigned>(DType(kind).size());
    const std::uint64_t shifted = bits << unused;
    if (!is_signed(kind)) return shifted >> unused;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(shifted) >> unused);
}

// Towards zero, saturating as conversions on devices do; NaN is 0.
std::int64_t saturated_int(double value) noexcept {
    if (std::isnan(value)) return 0;
    if (value >= kTwo63) return std::numeric_limits<std::int64_t>::max();
    if (value < -kTwo63) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(value);
}

std::uint64_t saturated_uint(double value) noexcept {
    if (!(value > 0)) return 0;
    if (value >= kTwo64) return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(value);
}

// A double as an integer of `kind`, saturating at its limits.
std::uint64_t saturated(double value, Kind kind) noexcept {
    const int bits = 8 * static_cast<int>(DType(kind).size());
    if (!is_signed(kind)) {
        const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
        return std::min(saturated_uint(value), most);
    }
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
    return static_cast<std::uint64_t>(std::clamp(saturated_int(value), -most - 1, most));
}

std::string float_text(double value) {
    if (std::isnan(value)) return "nan";
    std::string text = fmt::format("{}", value);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

}  // namespace

Scalar Scalar::typed(Kind kind) const noexcept {
    alignas(16) std::byte bytes[16] = {};
    store(kind, bytes);
    return load(kind, bytes);
}

void Scalar::store(Kind kind, void* bytes) const noexcept {
    if (is_bool(kind)) {
        put<std::uint8_t>(bytes, as_bool() ? 1 : 0);
    } else if (is_integer(kind)) {
        const bool is_exact = is_integer(kind_) || is_bool(kind_);
        const std::uint64_t value = is_exact ? bits_ : saturated(real_, kind);
        std::memcpy(bytes, &value, DType(kind).size());  // little endian: the low bytes
    } else {
        switch (kind) {
            case Kind::Float16:
                put(bytes, types::float16_bits(real()));
                break;
            case Kind::BFloat16:
                put(bytes, types::bfloat16_bits(as_float()));
                break;
            case Kind::Float32:
                put(bytes, as_float());
                break;
            case Kind::Float64:
                put(bytes, real());
                break;
            case Kind::Complex64:
                put(bytes, as_float());
                put(static_cast<std::byte*>(bytes) + 4, static_cast<float>(imaginary()));
                break;
            case Kind::Complex128:
                put(bytes, real());
                put(static_cast<std::byte*>(bytes) + 8, imaginary());
                break;
            default:
                break;
        }
    }
}

Scalar Scalar::load(Kind kind, const void* bytes) noexcept {
    Scalar scalar;
    scalar.kind_ = kind;
    scalar.weak_ = false;
    if (is_bool(kind)) {
        scalar.bits_ = taken<std::uint8_t>(bytes) != 0 ? 1 : 0;
    } else if (is_integer(kind)) {
        std::memcpy(&scalar.bits_, bytes, DType(kind).size());
        scalar.bits_ = wrapped(scalar.bits_, kind);
    } else if (kind == Kind::Float16) {
        scalar.real_ = types::float16_value(taken<std::uint16_t>(bytes));
    } else if (kind == Kind::BFloat16) {
        scalar.real_ = types::bfloat16_value(taken<std::uint16_t>(bytes));
    } else if (kind == Kind::Float32) {
        scalar.real_ = static_cast<double>(taken<float>(bytes));
    } else if (kind == Kind::Float64) {
        scalar.real_ = taken<double>(bytes);
    } else if (kind == Kind::Complex64) {
        scalar.real_ = static_cast<double>(taken<float>(bytes));
        scalar.imaginary_ =
            static_cast<double>(taken<float>(static_cast<const std::byte*>(bytes) + 4));
    } else if (kind == Kind::Complex128) {
        scalar.real_ = taken<double>(bytes);
        scalar.imaginary_ = taken<double>(static_cast<const std::byte*>(bytes) + 8);
    }
    return scalar;
}

double Scalar::real() const noexcept {
    if (is_real_float(kind_) || is_complex(kind_)) return real_;
    return is_signed(kind_) ? static_cast<double>(static_cast<std::int64_t>(bits_))
                            : static_cast<double>(bits_);
}

float Scalar::as_float() const noexcept {
    if (is_real_float(kind_) || is_complex(kind_)) return static_cast<float>(real_);
    // Not through double, which would round a 64-bit integer twice.
    return is_signed(kind_) ? static_cast<float>(static_cast<std::int64_t>(bits_))
                            : static_cast<float>(bits_);
}

double Scalar::imaginary() const noexcept {
    return imaginary_;
}

std::int64_t Scalar::as_int() const noexcept {
    if (is_real_float(kind_) || is_complex(kind_)) return saturated_int(real_);
    if (kind_ == Kind::UInt64 && (bits_ >> 63) != 0)
        return std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(bits_);
}

std::uint64_t Scalar::as_uint() const noexcept {
    if (is_real_float(kind_) || is_complex(kind_)) return saturated_uint(real_);
    return is_signed(kind_) && (bits_ >> 63) != 0 ? 0 : bits_;
}

bool Scalar::as_bool() const noexcept {
    return bits_ != 0 || real_ != 0 || imaginary_ != 0;
}

bool Scalar::fits(Kind kind) const noexcept {
    if (!is_integer(kind)) return is_bool(kind) && bits_ <= 1;
    const bool is_negative = is_signed(kind_) && (bits_ >> 63) != 0;
    if (is_negative && !is_signed(kind)) return false;
    if (!is_negative && is_signed(kind) && (wrapped(bits_, kind) >> 63) != 0) return false;
    return wrapped(bits_, kind) == bits_;
}

std::string Scalar::text() const {
    if (is_bool(kind_)) return bits_ != 0 ? "True" : "False";
    if (is_signed(kind_)) return fmt::format("{}", static_cast<std::int64_t>(bits_));
    if (is_integer(kind_)) return fmt::format("{}", bits_);
    if (!is_complex(kind_)) return float_text(real_);
    // As Python writes it: whole parts without ".0".
    const char* sign = std::signbit(imaginary_) ? "-" : "+";
    return fmt::format("({}{}{}j)", real_, sign, std::fabs(imaginary_));
}

}  // namespace warpwise
