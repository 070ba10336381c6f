// Comparisons and choice, of any type that has the operators.
#pragma once

#include "kinds.cuh"

#define __WW_COMPARE(Name, Operator)    \
    template <class T>                  \
    __WW_FUNCTION bool Name(T a, T b) { \
        return a Operator b;            \
    }
__WW_COMPARE(__ww_equal, ==)
__WW_COMPARE(__ww_not_equal, !=)
__WW_COMPARE(__ww_less, <)
__WW_COMPARE(__ww_less_equal, <=)
__WW_COMPARE(__ww_greater, >)
__WW_COMPARE(__ww_greater_equal, >=)
#undef __WW_COMPARE

template <class T>
__WW_FUNCTION T __ww_where(bool condition, T a, T b) {
    return condition ? a : b;
}
