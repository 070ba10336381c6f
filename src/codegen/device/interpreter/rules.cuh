// Which kinds an op's type rule lets be the kind of computation, as src/ir/op.cpp says, and which
// of its functions are the same bits whoever compiles them.
#pragma once

#include "program.cuh"

#ifndef __WW_FUNCTION  // the host's compiler
#define __WW_FUNCTION inline
#endif

enum class __ww_rule {
    Numeric,
    NumericOrBool,
    NumericWidened,
    Real,
    RealOrBool,
    Floating,
    RealFloating,
    Divide,
    Integer,
    Bits,
    Compare,
    CompareOrdered,
    Test,
    Logical,
    Magnitude,
    Part,
    Select,
    Same,
    BitCount  // its result is none of the kinds
};
enum class __ww_cost { Cheap, Expensive };

__WW_FUNCTION constexpr bool __ww_takes(__ww_rule rule, int kind) {
    const bool is_real = kind >= __ww_float32;
    switch (rule) {
        case __ww_rule::Numeric:
        case __ww_rule::NumericWidened:
        case __ww_rule::Real:
            return kind != __ww_bool;
        case __ww_rule::Floating:
        case __ww_rule::RealFloating:
        case __ww_rule::Divide:
            return is_real;
        case __ww_rule::Integer:
            return !is_real && kind != __ww_bool;
        case __ww_rule::Bits:
            return !is_real;
        case __ww_rule::Logical:
            return kind == __ww_bool;
        case __ww_rule::BitCount:
            return false;
        default:
            return true;
    }
}

// Roots, quotients and what is exact anyway are rounded once, by IEEE 754. The other functions of
// real numbers are those of whoever compiles: NVRTC's on GPUs, whose bits change with its version.
__WW_FUNCTION constexpr bool __ww_is_exact(__ww_rule rule, __ww_cost cost, int kind, bool is_root) {
#ifdef __WW_ALL_FUNCTIONS
    return true;
#endif
    if (kind < __ww_float32 || cost == __ww_cost::Cheap || is_root) return true;
    return rule != __ww_rule::Floating && rule != __ww_rule::RealFloating &&
           rule != __ww_rule::NumericWidened;
}
