// The functions with their references, ranges and allowed errors, and the loop that measures them.
// Allowed errors are those of the CUDA C++ Programming Guide's tables of standard functions.
#include "tests/unit/codegen/math_accuracy.hpp"

#include <quadmath.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <limits>
#include <random>

#include "tests/unit/codegen/host_shim.hpp"

namespace warpwise::tests {

namespace {

using Quad = __float128;

template <class T>
struct Arguments {
    T a, b;
};

template <class T>
using Function = T (*)(T, T);
using Reference = Quad (*)(Quad, Quad);

struct Row {
    const char* name;
    double allowed_float, allowed_double;
    Function<float> of_float;
    Function<double> of_double;
    Reference reference;
    double low, high;  // usual range of the first argument, or of both
    bool bounded;      // the reference holds in the usual range only
};

const Quad kPi = acosq(-1);
const Quad kRoot2 = sqrtq(2);
const Quad kInfinity = HUGE_VAL;

Quad sine_of_turns(Quad x) {
    if (finiteq(x) == 0) return nanq("");
    Quad r = x - 2 * rintq(x / 2);
    Quad n = rintq(2 * r);
    Quad f = (r - n / 2) * kPi;
    int q = static_cast<int>(n) & 3;
    Quad value = (q & 1) != 0 ? cosq(f) : sinq(f);
    value = (q & 2) != 0 ? -value : value;
    return value == 0 ? copysignq(0, x) : value;
}
Quad cosine_of_turns(Quad x) {
    Quad value = sine_of_turns(fabsq(x) - 2 * floorq(fabsq(x) / 2) + Quad(0.5));
    return value == 0 ? 0 : value;
}
Quad scaled_erfc(Quad x) {
    if (x < 100) return expq(x * x) * erfcq(x);
    Quad z = 1 / (x * x), term = 1, sum = 1;
    for (int n = 1; n < 20; ++n) sum += term *= -(2 * n - 1) * z / 2;
    return sum / (x * sqrtq(kPi));
}
// Newton's method from our own value, quadratically convergent: wrong starts stay wrong.
Quad inverse_erfc(Quad p, Quad start) {
    Quad y = start;
    for (int i = 0; i < 4; ++i) {
        Quad c = erfcq(y);
        y += (logq(c) - logq(p)) * c * sqrtq(kPi) / 2 * expq(y * y);
    }
    return y;
}
Quad inverse_erf(Quad x) {
    if (x == 0) return x;
    if (fabsq(x) >= 1) return fabsq(x) == 1 ? copysignq(kInfinity, x) : nanq("");
    double start = std::fabs(__ww::erfinv(static_cast<double>(x)));
    Quad a = fabsq(x), y = start;
    for (int i = 0; i < 4; ++i) {
        Quad step = a < Quad(0.5) ? erfq(y) - a : (1 - a) - erfcq(y);
        y -= step * sqrtq(kPi) / 2 * expq(y * y);
    }
    return copysignq(y, x);
}
Quad inverse_erfc_any(Quad p) {
    if (p == 0 || p == 2) return p == 0 ? kInfinity : -kInfinity;
    if (!(p > 0 && p < 2)) return nanq("");
    if (p > Quad(0.5) && p < Quad(1.5)) return inverse_erf(1 - p) + 0;
    if (p < 1) return inverse_erfc(p, __ww::erfcinv(static_cast<double>(p)));
    return -inverse_erfc(2 - p, __ww::erfcinv(static_cast<double>(2 - p)));
}
Quad bessel_i(int order, Quad x) {
    Quad term = order == 0 ? 1 : x / 2, sum = term;
    // Terms beyond 2^-115 of the sum leave it as it is.
    for (int i = 1; fabsq(term) > fabsq(sum) * Quad(1e-35); ++i) {
        sum += term *= x * x / 4 / i / (i + order);
    }
    return sum;
}
Quad exact_remainder(Quad x, Quad y) {
    return remainderq(x, y);
}

#define OF_ONE(name, allowed_float, allowed_double, reference, low, high, is_bounded) \
    {#name,                                                                           \
     allowed_float,                                                                   \
     allowed_double,                                                                  \
     [](float x, float) { return __ww::name(x); },                                    \
     [](double x, double) { return __ww::name(x); },                                  \
     [](Quad x, Quad) -> Quad { return reference; },                                  \
     low,                                                                             \
     high,                                                                            \
     is_bounded}
#define UNARY(name, allowed_float, allowed_double, reference, low, high) \
    OF_ONE(name, allowed_float, allowed_double, reference, low, high, false)
#define BOUNDED(name, allowed_float, allowed_double, reference, low, high) \
    OF_ONE(name, allowed_float, allowed_double, reference, low, high, true)
#define BINARY(name, allowed_float, allowed_double, reference, low, high) \
    {#name,                                                               \
     allowed_float,                                                       \
     allowed_double,                                                      \
     [](float x, float y) { return __ww::name(x, y); },                   \
     [](double x, double y) { return __ww::name(x, y); },                 \
     [](Quad x, Quad y) -> Quad { return reference; },                    \
     low,                                                                 \
     high,                                                                \
     false}

const Row kRows[] = {
    UNARY(exp, 2, 1, expq(x), -100, 100),
    UNARY(exp2, 2, 1, exp2q(x), -100, 100),
    UNARY(exp10, 2, 1, powq(10, x), -40, 40),
    UNARY(expm1, 1, 1, expm1q(x), -3, 3),
    UNARY(log, 1, 1, logq(x), 0.3, 3),
    UNARY(log2, 1, 1, log2q(x), 0.3, 3),
    UNARY(log10, 2, 1, log10q(x), 0.3, 3),
    UNARY(log1p, 1, 1, log1pq(x), -0.9, 3),
    BINARY(pow, 4, 2, powq(x, y), 0, 30),
    UNARY(sqrt, 0.5, 0.5, sqrtq(x), 0, 10),
    UNARY(rsqrt, 2, 1, 1 / sqrtq(x), 0, 10),
    UNARY(cbrt, 1, 1, cbrtq(x), -10, 10),
    UNARY(rcbrt, 1, 1, 1 / cbrtq(x), -10, 10),
    BINARY(hypot, 3, 2, hypotq(x, y), -10, 10),
    BINARY(rhypot, 2, 1, 1 / hypotq(x, y), -10, 10),
    UNARY(sin, 2, 2, sinq(x), -10, 10),
    UNARY(cos, 2, 2, cosq(x), -10, 10),
    UNARY(tan, 4, 2, tanq(x), -10, 10),
    UNARY(sinpi, 1, 2, sine_of_turns(x), -10, 10),
    UNARY(cospi, 1, 2, cosine_of_turns(x), -10, 10),
    UNARY(asin, 2, 2, asinq(x), -1, 1),
    UNARY(acos, 2, 2, acosq(x), -1, 1),
    UNARY(atan, 2, 2, atanq(x), -5, 5),
    BINARY(atan2, 3, 2, atan2q(x, y), -10, 10),
    UNARY(sinh, 3, 2, sinhq(x), -5, 5),
    UNARY(cosh, 2, 1, coshq(x), -5, 5),
    UNARY(tanh, 2, 2, tanhq(x), -5, 5),
    UNARY(asinh, 3, 3, asinhq(x), -10, 10),
    UNARY(acosh, 4, 3, acoshq(x), 1, 10),
    UNARY(atanh, 3, 2, atanhq(x), -1, 1),
    UNARY(erf, 2, 2, erfq(x), -4, 4),
    UNARY(erfc, 4, 5, erfcq(x), -6, 27),
    UNARY(erfcx, 4, 4, scaled_erfc(x), -6, 60),
    UNARY(erfinv, 2, 5, inverse_erf(x), -1, 1),
    UNARY(erfcinv, 4, 6, inverse_erfc_any(x), 0, 2),
    UNARY(normcdf, 5, 5, erfcq(-x / kRoot2) / 2, -38, 9),
    UNARY(normcdfinv, 5, 8, -kRoot2* inverse_erfc_any(2 * x), 0, 1),
    BOUNDED(cyl_bessel_i0, 6, 6, bessel_i(0, x), -100, 100),
    BOUNDED(cyl_bessel_i1, 6, 6, bessel_i(1, x), -100, 100),
    BINARY(fmod, 0, 0, fmodq(x, y), -1000, 1000),
    BINARY(remainder, 0, 0, exact_remainder(x, y), -1000, 1000),
    BINARY(fdim, 0.5, 0.5, fdimq(x, y), -10, 10),
};

template <class T>
Quad unit_of(Quad x) {
    int e = x == 0 ? -20000 : ilogbq(x);
    int least = std::numeric_limits<T>::min_exponent - 1;
    return scalbnq(1, (e < least ? least : e) - (std::numeric_limits<T>::digits - 1));
}

// Errors beyond the largest number are measured as if the exponent went on.
template <class T>
double error_of(T ours, Quad truth) {
    const double wrong = std::numeric_limits<double>::infinity();
    bool nan = ours != ours;
    if (nan || isnanq(truth)) return nan && isnanq(truth) ? 0 : wrong;
    if (truth == 0) return ours == 0 && std::signbit(ours) == (signbitq(truth) != 0) ? 0 : wrong;
    Quad top = scalbnq(1, std::numeric_limits<T>::max_exponent);
    Quad value = std::isinf(ours) ? copysignq(top, ours) : Quad(ours);
    Quad bounded = fabsq(truth) > top ? copysignq(top, truth) : truth;
    return static_cast<double>(fabsq(value - bounded) / unit_of<T>(bounded));
}

template <class T>
std::vector<T> special_arguments() {
    using Limits = std::numeric_limits<T>;
    std::vector<T> found{T(0),
                         Limits::denorm_min(),
                         Limits::min(),
                         Limits::max(),
                         Limits::infinity(),
                         Limits::quiet_NaN(),
                         Limits::epsilon(),
                         T(1) / 3};
    for (int i = 1; i <= 40; ++i) {
        T quarter = T(0.25) * T(i);
        found.insert(
            found.end(),
            {quarter, std::nextafter(quarter, T(0)), std::nextafter(quarter, Limits::max()),
             T(i * 0.7853981633974483), std::ldexp(T(1), 3 * i), std::ldexp(T(1), -3 * i)});
    }
    for (std::size_t i = 0, n = found.size(); i < n; ++i) found.push_back(-found[i]);
    return found;
}

template <class T>
class Sampler {
  public:
    Sampler(const Row& row) : row_(row) {}
    T next(bool anywhere) {
        using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        if (anywhere) return __builtin_bit_cast(T, static_cast<Bits>(engine_()));
        return static_cast<T>(std::uniform_real_distribution<double>(row_.low, row_.high)(engine_));
    }

  private:
    const Row& row_;
    std::mt19937_64 engine_{20090};
};

template <class T>
Measured measure(const Row& row, Function<T> function, double allowed, int samples) {
    Measured result{row.name, allowed, -1, ""};
    if (sizeof(T) == 4) result.name += "f";
    auto check = [&](T a, T b) {
        if (row.bounded && !(a >= T(row.low) && a <= T(row.high))) return;
        double error = error_of(function(a, b), row.reference(Quad(a), Quad(b)));
        if (error <= result.worst) return;
        result.worst = error;
        char text[80];
        std::snprintf(text, sizeof text, "%a, %a", static_cast<double>(a), static_cast<double>(b));
        result.where = text;
    };
    std::vector<T> specials = special_arguments<T>();
    for (T a : specials) {
        for (T b : {T(0), T(-0.0), T(1), T(-1), T(2), T(-3), T(0.5), T(1e30),
                    std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                    std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::max(),
                    std::numeric_limits<T>::denorm_min()}) {
            check(a, b);
            check(b, a);
        }
    }
    Sampler<T> sampler(row);
    for (int i = 0; i < samples; ++i) {
        bool anywhere = i % 4 == 0;
        T a = sampler.next(anywhere);
        check(a, sampler.next(anywhere));
    }
    return result;
}

// The best of many passes over numbers of the usual range, in processor time of this thread.
template <class T>
double nanoseconds(const Row& row, Function<T> function) {
    const int count = 1024, passes = 64;
    Sampler<T> sampler(row);
    std::vector<Arguments<T>> arguments(count);
    for (Arguments<T>& a : arguments) a = {sampler.next(false), sampler.next(false)};
    auto now = [] {
        timespec t;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
    };
    double best = std::numeric_limits<double>::infinity();
    for (int pass = 0; pass < passes; ++pass) {
        T sum = 0;
        double start = now();
        for (const Arguments<T>& a : arguments) sum += function(a.a, a.b);
        double stop = now();
        [[maybe_unused]] volatile T used = sum;
        best = std::min(best, (stop - start) / count);
    }
    return best;
}

}  // namespace

std::vector<double> time_math() {
    std::vector<double> all;
    all.reserve(2 * std::size(kRows));
    for (const Row& row : kRows) {
        all.push_back(nanoseconds<float>(row, row.of_float));
        all.push_back(nanoseconds<double>(row, row.of_double));
    }
    return all;
}

std::vector<Measured> measure_math(int samples) {
    std::vector<Measured> all;
    for (const Row& row : kRows) {
        all.push_back(measure<float>(row, row.of_float, row.allowed_float, samples));
        all.push_back(measure<double>(row, row.of_double, row.allowed_double, samples));
    }
    return all;
}

}  // namespace warpwise::tests
