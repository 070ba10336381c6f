// One number with or without a type of its own.
//
// A Scalar from a Python number is weak: it takes the type of the array it is combined with, where
// its kind allows (NEP 50). One from a typed value is of that type.
//
// Threading: a plain value.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "warpwise/dtype.hpp"
#include "warpwise/export.hpp"

namespace warpwise {

class WARPWISE_API Scalar {
  public:
    // C++ numbers are weak as Python's are: `x * 2.0` keeps a float32 array float32.
    constexpr Scalar() noexcept = default;  // weak 0
    template <std::integral T>
    constexpr Scalar(T value) noexcept
        : kind_(std::is_same_v<T, bool> ? Kind::Bool
                : std::is_signed_v<T>   ? Kind::Int64
                                        : Kind::UInt64),
          bits_(static_cast<std::uint64_t>(value)) {
        // A small unsigned value is any integer: it takes the type of a signed array too.
        if (kind_ == Kind::UInt64 && (bits_ >> 63) == 0) kind_ = Kind::Int64;
    }
    template <std::floating_point T>
    constexpr Scalar(T value) noexcept : kind_(Kind::Float64), real_(static_cast<double>(value)) {}
    template <std::floating_point T>
    constexpr Scalar(const std::complex<T>& value) noexcept
        : kind_(Kind::Complex128), real_(value.real()), imaginary_(value.imag()) {}
    // Of exactly this type: as NumPy's scalars. The value is converted; integers wrap.
    Scalar typed(Kind kind) const noexcept;

    // Bool, Int64, UInt64 (from 2^63 on), Float64 or Complex128 while weak; any scalar kind else.
    Kind kind() const noexcept { return kind_; }
    bool is_weak() const noexcept { return weak_; }

    // The value converted to `kind`, as it lies in memory: `bytes` has 16 bytes. Floats round to
    // nearest, integers wrap, floats become integers towards zero and saturate (NaN is 0), complex
    // to real drops the imaginary part.
    void store(Kind kind, void* bytes) const noexcept;
    static Scalar load(Kind kind, const void* bytes) noexcept;  // typed

    double real() const noexcept;
    double imaginary() const noexcept;
    float as_float() const noexcept;       // the real part, rounded once
    std::int64_t as_int() const noexcept;  // floats towards zero; saturates
    std::uint64_t as_uint() const noexcept;
    bool as_bool() const noexcept;
    // Whether an integer (or bool) value lies in the range of an integer kind.
    bool fits(Kind kind) const noexcept;
    std::string text() const;  // "3", "2.5", "(1+2j)", "True"

  private:
    Kind kind_ = Kind::Int64;
    bool weak_ = true;
    std::uint64_t bits_ = 0;  // integers and bool
    double real_ = 0;
    double imaginary_ = 0;
};

}  // namespace warpwise
