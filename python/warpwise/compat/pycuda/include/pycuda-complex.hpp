// pycuda::complex<T>, for device code: a pair of numbers with the arithmetic and the functions of
// std::complex. It has the layout of NumPy's complex64 and complex128, of float2 and of
// cuFloatComplex.
//
// Differences to std::complex: everything is for device code; objects may be volatile, as in
// reductions through shared memory; arithmetic with numbers of other types converts them to T.
//
// Names are reserved ones, so that a program's own macros (#define T float) do not reach them.
#pragma once

extern "C++" {
namespace pycuda {

template <class _Tp>
class complex {
  public:
    typedef _Tp value_type;

    __host__ __device__ complex(_Tp real = _Tp(), _Tp imaginary = _Tp())
        : _M_re(real), _M_im(imaginary) {}
    __host__ __device__ complex(const complex& other) : _M_re(other._M_re), _M_im(other._M_im) {}
    __host__ __device__ complex(const volatile complex& other)
        : _M_re(other._M_re), _M_im(other._M_im) {}

    // From complex<float> to complex<double> without a cast, in the other direction with one. Of
    // complex<double> NVRTC warns that it will not be called.
#ifdef __CUDACC_RTC__
#pragma nv_diagnostic push
#pragma nv_diag_suppress 554
#endif
    __host__ __device__ operator complex<double>() const { return complex<double>(_M_re, _M_im); }
#ifdef __CUDACC_RTC__
#pragma nv_diagnostic pop
#endif
    template <class _Up>
    __host__ __device__ explicit operator complex<_Up>() const {
        return complex<_Up>(static_cast<_Up>(_M_re), static_cast<_Up>(_M_im));
    }

    __host__ __device__ _Tp real() const { return _M_re; }
    __host__ __device__ _Tp imag() const { return _M_im; }
    __host__ __device__ _Tp real() const volatile { return _M_re; }
    __host__ __device__ _Tp imag() const volatile { return _M_im; }

    __host__ __device__ complex& operator=(const complex& other) {
        _M_re = other._M_re;
        _M_im = other._M_im;
        return *this;
    }
    __host__ __device__ volatile complex& operator=(const complex& other) volatile {
        _M_re = other._M_re;
        _M_im = other._M_im;
        return *this;
    }
    __host__ __device__ volatile complex& operator=(const volatile complex& other) volatile {
        _M_re = other._M_re;
        _M_im = other._M_im;
        return *this;
    }

    template <class _Up>
    __host__ __device__ complex& operator+=(const _Up& other) {
        return *this = *this + other;
    }
    template <class _Up>
    __host__ __device__ complex& operator-=(const _Up& other) {
        return *this = *this - other;
    }
    template <class _Up>
    __host__ __device__ complex& operator*=(const _Up& other) {
        return *this = *this * other;
    }
    template <class _Up>
    __host__ __device__ complex& operator/=(const _Up& other) {
        return *this = *this / other;
    }

    friend __host__ __device__ complex operator+(const complex& z) { return z; }
    friend __host__ __device__ complex operator-(const complex& z) {
        return complex(-z._M_re, -z._M_im);
    }

    friend __host__ __device__ complex operator+(const complex& a, const complex& b) {
        return complex(a._M_re + b._M_re, a._M_im + b._M_im);
    }
    friend __host__ __device__ complex operator+(const complex& a, _Tp b) {
        return complex(a._M_re + b, a._M_im);
    }
    friend __host__ __device__ complex operator+(_Tp a, const complex& b) { return b + a; }

    friend __host__ __device__ complex operator-(const complex& a, const complex& b) {
        return complex(a._M_re - b._M_re, a._M_im - b._M_im);
    }
    friend __host__ __device__ complex operator-(const complex& a, _Tp b) {
        return complex(a._M_re - b, a._M_im);
    }
    friend __host__ __device__ complex operator-(_Tp a, const complex& b) {
        return complex(a - b._M_re, -b._M_im);
    }

    friend __host__ __device__ complex operator*(const complex& a, const complex& b) {
        return complex(a._M_re * b._M_re - a._M_im * b._M_im,
                       a._M_re * b._M_im + a._M_im * b._M_re);
    }
    friend __host__ __device__ complex operator*(const complex& a, _Tp b) {
        return complex(a._M_re * b, a._M_im * b);
    }
    friend __host__ __device__ complex operator*(_Tp a, const complex& b) { return b * a; }

    // Scaled by the larger part of the divisor: its square neither overflows nor underflows.
    friend __host__ __device__ complex operator/(const complex& a, const complex& b) {
        const _Tp re = b._M_re < 0 ? -b._M_re : b._M_re;
        const _Tp im = b._M_im < 0 ? -b._M_im : b._M_im;
        if (re >= im) {
            const _Tp ratio = b._M_im / b._M_re;
            const _Tp scale = 1 / (b._M_re + b._M_im * ratio);
            return complex((a._M_re + a._M_im * ratio) * scale,
                           (a._M_im - a._M_re * ratio) * scale);
        }
        const _Tp ratio = b._M_re / b._M_im;
        const _Tp scale = 1 / (b._M_im + b._M_re * ratio);
        return complex((a._M_re * ratio + a._M_im) * scale, (a._M_im * ratio - a._M_re) * scale);
    }
    friend __host__ __device__ complex operator/(const complex& a, _Tp b) {
        return complex(a._M_re / b, a._M_im / b);
    }
    friend __host__ __device__ complex operator/(_Tp a, const complex& b) { return complex(a) / b; }

    // Of volatile objects. Temporary ones are not, and bind to constant references only.
    friend __host__ __device__ complex operator-(const volatile complex& z) { return -complex(z); }
#define WARPWISE_VOLATILE(Symbol, A, B)                                          \
    friend __host__ __device__ complex operator Symbol(const A& a, const B& b) { \
        return complex(a) Symbol complex(b);                                     \
    }
#define WARPWISE_VOLATILES(Symbol)                                \
    WARPWISE_VOLATILE(Symbol, volatile complex, volatile complex) \
    WARPWISE_VOLATILE(Symbol, volatile complex, complex)          \
    WARPWISE_VOLATILE(Symbol, complex, volatile complex)
    WARPWISE_VOLATILES(+)
    WARPWISE_VOLATILES(-)
    WARPWISE_VOLATILES(*)
    WARPWISE_VOLATILES(/)
#undef WARPWISE_VOLATILES
#undef WARPWISE_VOLATILE

    friend __host__ __device__ bool operator==(const complex& a, const complex& b) {
        return a._M_re == b._M_re && a._M_im == b._M_im;
    }
    friend __host__ __device__ bool operator!=(const complex& a, const complex& b) {
        return !(a == b);
    }

    // Programs write to them: PyCUDA's are public, under these names.
    _Tp _M_re, _M_im;
};

template <class _Tp>
__device__ _Tp real(const complex<_Tp>& z) {
    return z.real();
}
template <class _Tp>
__device__ _Tp imag(const complex<_Tp>& z) {
    return z.imag();
}
template <class _Tp>
__device__ complex<_Tp> conj(const complex<_Tp>& z) {
    return complex<_Tp>(z.real(), -z.imag());
}
template <class _Tp>
__device__ _Tp norm(const complex<_Tp>& z) {
    return z.real() * z.real() + z.imag() * z.imag();
}
template <class _Tp>
__device__ _Tp abs(const complex<_Tp>& z) {
    return ::hypot(z.real(), z.imag());
}
template <class _Tp>
__device__ _Tp arg(const complex<_Tp>& z) {
    return ::atan2(z.imag(), z.real());
}
template <class _Tp>
__device__ complex<_Tp> polar(const _Tp& length, const _Tp& angle = _Tp()) {
    return complex<_Tp>(length * ::cos(angle), length * ::sin(angle));
}

template <class _Tp>
__device__ complex<_Tp> exp(const complex<_Tp>& z) {
    return polar(static_cast<_Tp>(::exp(z.real())), z.imag());
}
template <class _Tp>
__device__ complex<_Tp> log(const complex<_Tp>& z) {
    return complex<_Tp>(::log(abs(z)), arg(z));
}
template <class _Tp>
__device__ complex<_Tp> log10(const complex<_Tp>& z) {
    return log(z) * static_cast<_Tp>(0.43429448190325182765);
}

// Of the root's parts the larger is computed first; the other from it, without cancellation.
template <class _Tp>
__device__ complex<_Tp> sqrt(const complex<_Tp>& z) {
    const _Tp length = abs(z);
    if (length == 0) return complex<_Tp>(0, z.imag());
    const _Tp absolute = z.real() < 0 ? -z.real() : z.real();
    const _Tp large = ::sqrt(static_cast<_Tp>(0.5) * (length + absolute));
    const _Tp small = z.imag() / (2 * large);
    if (z.real() >= 0) return complex<_Tp>(large, small);
    return z.imag() < 0 ? complex<_Tp>(-small, -large) : complex<_Tp>(small, large);
}

template <class _Tp>
__device__ complex<_Tp> pow(const complex<_Tp>& z, const complex<_Tp>& exponent) {
    if (z == complex<_Tp>()) return complex<_Tp>(exponent == complex<_Tp>() ? 1 : 0);
    return exp(exponent * log(z));
}
template <class _Tp>
__device__ complex<_Tp> pow(const complex<_Tp>& z, const _Tp& exponent) {
    return pow(z, complex<_Tp>(exponent));
}
template <class _Tp>
__device__ complex<_Tp> pow(const _Tp& base, const complex<_Tp>& exponent) {
    return pow(complex<_Tp>(base), exponent);
}
// By squaring.
template <class _Tp>
__device__ complex<_Tp> pow(const complex<_Tp>& z, int exponent) {
    complex<_Tp> result(1), square = z;
    for (unsigned left = exponent < 0 ? 0u - exponent : exponent; left != 0; left >>= 1) {
        if (left & 1) result *= square;
        square *= square;
    }
    return exponent < 0 ? static_cast<_Tp>(1) / result : result;
}

template <class _Tp>
__device__ complex<_Tp> sin(const complex<_Tp>& z) {
    return complex<_Tp>(::sin(z.real()) * ::cosh(z.imag()), ::cos(z.real()) * ::sinh(z.imag()));
}
template <class _Tp>
__device__ complex<_Tp> cos(const complex<_Tp>& z) {
    return complex<_Tp>(::cos(z.real()) * ::cosh(z.imag()), -::sin(z.real()) * ::sinh(z.imag()));
}
template <class _Tp>
__device__ complex<_Tp> sinh(const complex<_Tp>& z) {
    return complex<_Tp>(::sinh(z.real()) * ::cos(z.imag()), ::cosh(z.real()) * ::sin(z.imag()));
}
template <class _Tp>
__device__ complex<_Tp> cosh(const complex<_Tp>& z) {
    return complex<_Tp>(::cosh(z.real()) * ::cos(z.imag()), ::sinh(z.real()) * ::sin(z.imag()));
}
// By tanh and tan of the parts, which do not overflow as sinh and cosh do.
template <class _Tp>
__device__ complex<_Tp> tanh(const complex<_Tp>& z) {
    const _Tp t = ::tanh(z.real()), s = ::tan(z.imag()), ts = t * s;
    return complex<_Tp>(t, s) / complex<_Tp>(1, ts);
}
template <class _Tp>
__device__ complex<_Tp> tan(const complex<_Tp>& z) {
    const complex<_Tp> turned = tanh(complex<_Tp>(-z.imag(), z.real()));
    return complex<_Tp>(turned.imag(), -turned.real());
}

}  // namespace pycuda
}  // extern "C++"
