// NumPy's promotion as arithmetic on categories and widths, not as a table of pairs.
#include "src/types/promotion.hpp"

#include <fmt/format.h>

#include <utility>

#include "warpwise/error.hpp"

namespace warpwise::types {
namespace {

enum class Category : std::uint8_t { Bool, Integer, Real, Complex };

Category category(Kind kind) noexcept {
    if (is_complex(kind)) return Category::Complex;
    if (is_real_float(kind)) return Category::Real;
    return is_integer(kind) ? Category::Integer : Category::Bool;
}

std::size_t size_of(Kind kind) noexcept {
    return DType(kind).size();
}

Kind signed_of(std::size_t size) noexcept {
    switch (size) {
        case 1:
            return Kind::Int8;
        case 2:
            return Kind::Int16;
        case 4:
            return Kind::Int32;
        default:
            return Kind::Int64;
    }
}

// The larger of two integers of one sign; for two signs the least signed kind that holds both.
Kind promote_integers(Kind a, Kind b) noexcept {
    if (is_signed(a) == is_signed(b)) return size_of(a) >= size_of(b) ? a : b;
    const Kind with_sign = is_signed(a) ? a : b;
    const Kind without = is_signed(a) ? b : a;
    if (size_of(with_sign) > size_of(without)) return with_sign;
    return size_of(without) == 8 ? Kind::Float64 : signed_of(2 * size_of(without));
}

Kind promote_reals(Kind a, Kind b) noexcept {
    if (a == b) return a;
    if (size_of(a) == size_of(b)) return Kind::Float32;  // float16 and bfloat16
    return size_of(a) > size_of(b) ? a : b;
}

// What a real kind becomes beside an integer: the least that holds most of its bits.
Kind promote_real_integer(Kind real, Kind integer) noexcept {
    const bool is_sixteen_bits = size_of(real) == 2;
    if (is_sixteen_bits && size_of(integer) == 1) return real;
    return promote_reals(real, floating_kind(integer));
}

}  // namespace

Kind promote(Kind a, Kind b) noexcept {
    if (a == b) return a;
    if (category(a) > category(b)) std::swap(a, b);
    if (is_bool(a)) return b;
    switch (category(b)) {
        case Category::Bool:
            return b;
        case Category::Integer:
            return promote_integers(a, b);
        case Category::Real:
            return is_integer(a) ? promote_real_integer(b, a) : promote_reals(a, b);
        case Category::Complex:
            break;
    }
    return complex_kind(promote(real_kind(a), real_kind(b)));
}

Kind promote_weak(Kind kind, const Scalar& scalar) {
    const Category own = category(kind);
    const Category other = category(scalar.kind());
    if (other == Category::Integer && own == Category::Integer && !scalar.fits(kind)) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            fmt::format("{} is out of the range of {}; convert the array to a wider dtype first",
                        scalar.text(), DType(kind).name()));
    }
    if (other <= own) return kind;
    if (own == Category::Real) return complex_kind(kind);
    return default_kind(scalar);
}

Kind default_kind(const Scalar& scalar) noexcept {
    return scalar.kind();  // what weak scalars are kept as are the defaults
}

Kind real_kind(Kind kind) noexcept {
    if (kind == Kind::Complex64) return Kind::Float32;
    return kind == Kind::Complex128 ? Kind::Float64 : kind;
}

Kind complex_kind(Kind kind) noexcept {
    if (is_complex(kind)) return kind;
    const bool is_narrow = is_real_float(kind) && size_of(kind) <= 4;
    return is_narrow ? Kind::Complex64 : Kind::Complex128;
}

Kind floating_kind(Kind kind) noexcept {
    if (is_real_float(kind) || is_complex(kind)) return kind;
    switch (size_of(kind)) {
        case 1:
            return Kind::Float16;
        case 2:
            return Kind::Float32;
        default:
            return Kind::Float64;
    }
}

bool can_cast_same_kind(Kind from, Kind to) noexcept {
    // NumPy orders bool < unsigned < signed < real < complex; a kind casts within its rank and up.
    const auto rank = [](Kind kind) {
        if (is_bool(kind)) return 0;
        if (is_unsigned(kind)) return 1;
        return is_signed(kind) ? 2 : 1 + static_cast<int>(category(kind));
    };
    return rank(from) <= rank(to);
}

}  // namespace warpwise::types
