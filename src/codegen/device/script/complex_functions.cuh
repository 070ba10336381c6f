// Functions of complex numbers: those of arrays, on the numbers of kernels.
#pragma once

#include "../array/complex.cuh"
#include "../array/complex_functions.cuh"
#include "complex.cuh"

#define __WW_PY_COMPLEX(name)                                                        \
    template <class T>                                                               \
    __WW_PY __ww_py_complex<T> __ww_py_complex_##name(__ww_py_complex<T> a) {        \
        const __ww_complex<T> result = __ww_##name(__ww_complex<T>{a.real, a.imag}); \
        return {result.re, result.im};                                               \
    }
__WW_PY_COMPLEX(exp)
__WW_PY_COMPLEX(log)
__WW_PY_COMPLEX(log10)
__WW_PY_COMPLEX(log2)
__WW_PY_COMPLEX(sqrt)
__WW_PY_COMPLEX(sin)
__WW_PY_COMPLEX(cos)
__WW_PY_COMPLEX(tan)
__WW_PY_COMPLEX(asin)
__WW_PY_COMPLEX(acos)
__WW_PY_COMPLEX(atan)
__WW_PY_COMPLEX(sinh)
__WW_PY_COMPLEX(cosh)
__WW_PY_COMPLEX(tanh)
__WW_PY_COMPLEX(asinh)
__WW_PY_COMPLEX(acosh)
__WW_PY_COMPLEX(atanh)
#undef __WW_PY_COMPLEX
