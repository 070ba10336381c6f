// pycuda::complex<T>, for device code: a pair of numbers with the arithmetic and the functions of
// std::complex. It has the layout of NumPy's complex64 and complex128, of float2 and of
// cuFloatComplex.
//
// Differences to std::complex: everything is for device code; objects may be volatile, as in
// reductions through shared memory; arithmetic with numbers of other types converts them to T.
#pragma once

extern "C++" {
namespace pycuda {

template <class T>
class complex {
  public:
    typedef T value_type;

    __host__ __device__ complex(T real = T(), T imaginary = T())
        : real_(real), imaginary_(imaginary) {}
    __host__ __device__ complex(const complex& other)
        : real_(other.real_), imaginary_(other.imaginary_) {}
    __host__ __device__ complex(const volatile complex& other)
        : real_(other.real_), imaginary_(other.imaginary_) {}

    // From complex<float> to complex<double> without a cast, in the other direction with one.
    __host__ __device__ operator complex<double>() const {
        return complex<double>(real_, imaginary_);
    }
    template <class U>
    __host__ __device__ explicit operator complex<U>() const {
        return complex<U>(static_cast<U>(real_), static_cast<U>(imaginary_));
    }

    __host__ __device__ T real() const { return real_; }
    __host__ __device__ T imag() const { return imaginary_; }
    __host__ __device__ T real() const volatile { return real_; }
    __host__ __device__ T imag() const volatile { return imaginary_; }

    __host__ __device__ complex& operator=(const complex& other) {
        real_ = other.real_;
        imaginary_ = other.imaginary_;
        return *this;
    }
    __host__ __device__ volatile complex& operator=(const complex& other) volatile {
        real_ = other.real_;
        imaginary_ = other.imaginary_;
        return *this;
    }
    __host__ __device__ volatile complex& operator=(const volatile complex& other) volatile {
        real_ = other.real_;
        imaginary_ = other.imaginary_;
        return *this;
    }

    template <class U>
    __host__ __device__ complex& operator+=(const U& other) {
        return *this = *this + other;
    }
    template <class U>
    __host__ __device__ complex& operator-=(const U& other) {
        return *this = *this - other;
    }
    template <class U>
    __host__ __device__ complex& operator*=(const U& other) {
        return *this = *this * other;
    }
    template <class U>
    __host__ __device__ complex& operator/=(const U& other) {
        return *this = *this / other;
    }

    friend __host__ __device__ complex operator+(const complex& z) { return z; }
    friend __host__ __device__ complex operator-(const complex& z) {
        return complex(-z.real_, -z.imaginary_);
    }

    friend __host__ __device__ complex operator+(const complex& a, const complex& b) {
        return complex(a.real_ + b.real_, a.imaginary_ + b.imaginary_);
    }
    friend __host__ __device__ complex operator+(const complex& a, T b) {
        return complex(a.real_ + b, a.imaginary_);
    }
    friend __host__ __device__ complex operator+(T a, const complex& b) { return b + a; }

    friend __host__ __device__ complex operator-(const complex& a, const complex& b) {
        return complex(a.real_ - b.real_, a.imaginary_ - b.imaginary_);
    }
    friend __host__ __device__ complex operator-(const complex& a, T b) {
        return complex(a.real_ - b, a.imaginary_);
    }
    friend __host__ __device__ complex operator-(T a, const complex& b) {
        return complex(a - b.real_, -b.imaginary_);
    }

    friend __host__ __device__ complex operator*(const complex& a, const complex& b) {
        return complex(a.real_ * b.real_ - a.imaginary_ * b.imaginary_,
                       a.real_ * b.imaginary_ + a.imaginary_ * b.real_);
    }
    friend __host__ __device__ complex operator*(const complex& a, T b) {
        return complex(a.real_ * b, a.imaginary_ * b);
    }
    friend __host__ __device__ complex operator*(T a, const complex& b) { return b * a; }

    // Scaled by the larger part of the divisor: its square neither overflows nor underflows.
    friend __host__ __device__ complex operator/(const complex& a, const complex& b) {
        const T re = b.real_ < 0 ? -b.real_ : b.real_;
        const T im = b.imaginary_ < 0 ? -b.imaginary_ : b.imaginary_;
        if (re >= im) {
            const T ratio = b.imaginary_ / b.real_;
            const T scale = 1 / (b.real_ + b.imaginary_ * ratio);
            return complex((a.real_ + a.imaginary_ * ratio) * scale,
                           (a.imaginary_ - a.real_ * ratio) * scale);
        }
        const T ratio = b.real_ / b.imaginary_;
        const T scale = 1 / (b.imaginary_ + b.real_ * ratio);
        return complex((a.real_ * ratio + a.imaginary_) * scale,
                       (a.imaginary_ * ratio - a.real_) * scale);
    }
    friend __host__ __device__ complex operator/(const complex& a, T b) {
        return complex(a.real_ / b, a.imaginary_ / b);
    }
    friend __host__ __device__ complex operator/(T a, const complex& b) { return complex(a) / b; }

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
        return a.real_ == b.real_ && a.imaginary_ == b.imaginary_;
    }
    friend __host__ __device__ bool operator!=(const complex& a, const complex& b) {
        return !(a == b);
    }

  private:
    T real_, imaginary_;
};

template <class T>
__device__ T real(const complex<T>& z) {
    return z.real();
}
template <class T>
__device__ T imag(const complex<T>& z) {
    return z.imag();
}
template <class T>
__device__ complex<T> conj(const complex<T>& z) {
    return complex<T>(z.real(), -z.imag());
}
template <class T>
__device__ T norm(const complex<T>& z) {
    return z.real() * z.real() + z.imag() * z.imag();
}
template <class T>
__device__ T abs(const complex<T>& z) {
    return ::hypot(z.real(), z.imag());
}
template <class T>
__device__ T arg(const complex<T>& z) {
    return ::atan2(z.imag(), z.real());
}
template <class T>
__device__ complex<T> polar(const T& length, const T& angle = T()) {
    return complex<T>(length * ::cos(angle), length * ::sin(angle));
}

template <class T>
__device__ complex<T> exp(const complex<T>& z) {
    return polar(static_cast<T>(::exp(z.real())), z.imag());
}
template <class T>
__device__ complex<T> log(const complex<T>& z) {
    return complex<T>(::log(abs(z)), arg(z));
}
template <class T>
__device__ complex<T> log10(const complex<T>& z) {
    return log(z) * static_cast<T>(0.43429448190325182765);
}

// Of the root's parts the larger is computed first; the other from it, without cancellation.
template <class T>
__device__ complex<T> sqrt(const complex<T>& z) {
    const T length = abs(z);
    if (length == 0) return complex<T>(0, z.imag());
    const T absolute = z.real() < 0 ? -z.real() : z.real();
    const T large = ::sqrt(static_cast<T>(0.5) * (length + absolute));
    const T small = z.imag() / (2 * large);
    if (z.real() >= 0) return complex<T>(large, small);
    return z.imag() < 0 ? complex<T>(-small, -large) : complex<T>(small, large);
}

template <class T>
__device__ complex<T> pow(const complex<T>& z, const complex<T>& exponent) {
    if (z == complex<T>()) return complex<T>(exponent == complex<T>() ? 1 : 0);
    return exp(exponent * log(z));
}
template <class T>
__device__ complex<T> pow(const complex<T>& z, const T& exponent) {
    return pow(z, complex<T>(exponent));
}
template <class T>
__device__ complex<T> pow(const T& base, const complex<T>& exponent) {
    return pow(complex<T>(base), exponent);
}
// By squaring.
template <class T>
__device__ complex<T> pow(const complex<T>& z, int exponent) {
    complex<T> result(1), square = z;
    for (unsigned left = exponent < 0 ? 0u - exponent : exponent; left != 0; left >>= 1) {
        if (left & 1) result *= square;
        square *= square;
    }
    return exponent < 0 ? static_cast<T>(1) / result : result;
}

template <class T>
__device__ complex<T> sin(const complex<T>& z) {
    return complex<T>(::sin(z.real()) * ::cosh(z.imag()), ::cos(z.real()) * ::sinh(z.imag()));
}
template <class T>
__device__ complex<T> cos(const complex<T>& z) {
    return complex<T>(::cos(z.real()) * ::cosh(z.imag()), -::sin(z.real()) * ::sinh(z.imag()));
}
template <class T>
__device__ complex<T> sinh(const complex<T>& z) {
    return complex<T>(::sinh(z.real()) * ::cos(z.imag()), ::cosh(z.real()) * ::sin(z.imag()));
}
template <class T>
__device__ complex<T> cosh(const complex<T>& z) {
    return complex<T>(::cosh(z.real()) * ::cos(z.imag()), ::sinh(z.real()) * ::sin(z.imag()));
}
// By tanh and tan of the parts, which do not overflow as sinh and cosh do.
template <class T>
__device__ complex<T> tanh(const complex<T>& z) {
    const T t = ::tanh(z.real()), s = ::tan(z.imag()), ts = t * s;
    return complex<T>(t, s) / complex<T>(1, ts);
}
template <class T>
__device__ complex<T> tan(const complex<T>& z) {
    const complex<T> turned = tanh(complex<T>(-z.imag(), z.real()));
    return complex<T>(turned.imag(), -turned.real());
}

}  // namespace pycuda
}  // extern "C++"
