// NumPy's datetime64 and timedelta64: whole numbers of a unit, the least of which is NaT, no time.
#pragma once

#include "numbers.cuh"

#define __WW_PY_NAT (-0x7fffffffffffffffLL - 1)

__WW_PY bool __ww_py_is_nat(long long a) {
    return a == __WW_PY_NAT;
}
// A number as a time, a time as a number.
__WW_PY long long __ww_py_time(long long a) {
    return a;
}
// Sums and products have 64 bits, as NumPy's.
__WW_PY long long __ww_py_time_plus(long long a, long long b) {
    if (__ww_py_is_nat(a) || __ww_py_is_nat(b)) return __WW_PY_NAT;
    return (long long)((unsigned long long)a + (unsigned long long)b);
}
__WW_PY long long __ww_py_time_minus(long long a, long long b) {
    if (__ww_py_is_nat(a) || __ww_py_is_nat(b)) return __WW_PY_NAT;
    return (long long)((unsigned long long)a - (unsigned long long)b);
}
__WW_PY long long __ww_py_time_times(long long a, long long b) {
    if (__ww_py_is_nat(a)) return __WW_PY_NAT;
    return (long long)((unsigned long long)a * (unsigned long long)b);
}
__WW_PY long long __ww_py_time_of_real(double a) {
    const bool fits = a >= -9223372036854775808.0 && a < 9223372036854775808.0;
    return fits ? (long long)a : __WW_PY_NAT;
}
__WW_PY long long __ww_py_time_times(long long a, double b) {
    return __ww_py_is_nat(a) ? __WW_PY_NAT : __ww_py_time_of_real((double)a * b);
}
// Towards zero, as NumPy's / of a span and a number.
__WW_PY long long __ww_py_time_over(long long a, long long b) {
    if (__ww_py_is_nat(a) || b == 0) return __WW_PY_NAT;
    return a / b;
}
__WW_PY long long __ww_py_time_over(long long a, double b) {
    return __ww_py_is_nat(a) ? __WW_PY_NAT : __ww_py_time_of_real((double)a / b);
}
__WW_PY long long __ww_py_time_floor_over(long long a, long long b) {
    if (__ww_py_is_nat(a) || b == 0) return __WW_PY_NAT;
    return __ww_py_floor_div(a, b);
}
__WW_PY long long __ww_py_time_floor_over(long long a, double b) {
    return __ww_py_time_over(a, b);
}
__WW_PY double __ww_py_time_ratio(long long a, long long b) {
    if (__ww_py_is_nat(a) || __ww_py_is_nat(b)) return __builtin_nan("");
    return (double)a / (double)b;
}
__WW_PY long long __ww_py_time_floor_ratio(long long a, long long b) {
    if (__ww_py_is_nat(a) || __ww_py_is_nat(b) || b == 0) return 0;
    return __ww_py_floor_div(a, b);
}
__WW_PY long long __ww_py_time_mod(long long a, long long b) {
    if (__ww_py_is_nat(a) || __ww_py_is_nat(b) || b == 0) return __WW_PY_NAT;
    return __ww_py_mod(a, b);
}
__WW_PY long long __ww_py_time_negative(long long a) {
    return __ww_py_is_nat(a) ? a : -a;
}
__WW_PY long long __ww_py_time_abs(long long a) {
    return a < 0 ? __ww_py_time_negative(a) : a;
}
__WW_PY bool __ww_py_time_equal(long long a, long long b) {
    return a == b && !__ww_py_is_nat(a);
}
__WW_PY bool __ww_py_time_less(long long a, long long b) {
    return a < b && !__ww_py_is_nat(a);
}
__WW_PY bool __ww_py_time_less_equal(long long a, long long b) {
    return a <= b && !__ww_py_is_nat(a);
}
// NumPy's minimum and maximum: NaT where one is; fmin and fmax: the other one then.
__WW_PY long long __ww_py_time_minimum(long long a, long long b) {
    return a < b ? a : b;
}
__WW_PY long long __ww_py_time_maximum(long long a, long long b) {
    if (__ww_py_is_nat(a) || __ww_py_is_nat(b)) return __WW_PY_NAT;
    return a > b ? a : b;
}
__WW_PY long long __ww_py_time_fmin(long long a, long long b) {
    if (__ww_py_is_nat(a)) return b;
    return __ww_py_is_nat(b) || a < b ? a : b;
}
__WW_PY long long __ww_py_time_fmax(long long a, long long b) {
    return a > b ? a : b;
}

// The date at the start of a month, which are counted from January 1970 in steps of `months`, in
// units of which a day has `parts`, `units` of them at a time.
__WW_PY long long __ww_py_time_of_months(long long a, long long months, long long parts,
                                         long long units) {
    if (__ww_py_is_nat(a)) return a;
    const long long month = a * months;
    const long long of_year = __ww_py_mod(month, 12LL);
    // Years that begin in March: the leap day is the last one.
    const long long year = 1970 + __ww_py_floor_div(month, 12LL) - (of_year < 2 ? 1 : 0);
    const long long era = __ww_py_floor_div(year, 400LL);
    const long long of_era = year - era * 400;
    const long long days_before = (153 * (of_year + (of_year > 1 ? -2 : 10)) + 2) / 5;
    const long long days =
        era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + days_before - 719468;
    return __ww_py_floor_div(days * parts, units);
}
