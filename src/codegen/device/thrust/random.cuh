// Thrust's random numbers as kernels use them: one small engine a thread, and distributions over
// it. The sequences are Thrust's.
#pragma once
#include "names.cuh"

extern "C++" {

namespace thrust {

namespace random {

// x becomes (a x + c) mod m; m is 0 for 2^32.
template <class UInt, UInt a, UInt c, UInt m>
struct linear_congruential_engine {
    typedef UInt result_type;
    static const UInt multiplier = a, increment = c, modulus = m;
    static const UInt min = c == 0u ? 1u : 0u, max = m - 1u, default_seed = 1u;

    __host__ __device__ explicit linear_congruential_engine(UInt value = default_seed) {
        seed(value);
    }
    __host__ __device__ void seed(UInt value = default_seed) {
        UInt rest = m == 0 ? value : value % m;
        state_ = c == 0 && rest == 0 ? 1 : rest;
    }
    __host__ __device__ UInt operator()() { return state_ = times(a, state_, c); }
    // The steps' map is squared for each bit of z.
    __host__ __device__ void discard(unsigned long long z) {
        UInt factor = a, addend = c;
        for (; z > 0; z >>= 1) {
            if (z & 1) state_ = times(factor, state_, addend);
            addend = times(factor, addend, addend);
            factor = times(factor, factor, 0);
        }
    }
    __host__ __device__ bool operator==(const linear_congruential_engine& other) const {
        return state_ == other.state_;
    }

  private:
    static __host__ __device__ UInt times(UInt factor, UInt x, UInt addend) {
        unsigned long long y = static_cast<unsigned long long>(factor) * x + addend;
        return static_cast<UInt>(m == 0 ? y : y % (m == 0 ? 1 : m));
    }
    UInt state_;
};
typedef linear_congruential_engine<uint32_t, 16807, 0, 2147483647> minstd_rand0;
typedef linear_congruential_engine<uint32_t, 48271, 0, 2147483647> minstd_rand;
typedef minstd_rand default_random_engine;

template <class T = double>
struct uniform_real_distribution {
    typedef T result_type;
    __host__ __device__ explicit uniform_real_distribution(T a = 0, T b = 1) : a_(a), b_(b) {}
    template <class Engine>
    __host__ __device__ T operator()(Engine& engine) const {
        T x = static_cast<T>(engine() - Engine::min);
        x /= T(1) + static_cast<T>(Engine::max - Engine::min);
        return x * (b_ - a_) + a_;
    }
    __host__ __device__ T a() const { return a_; }
    __host__ __device__ T b() const { return b_; }
    __host__ __device__ void reset() {}

  private:
    T a_, b_;
};
template <class T = int>
struct uniform_int_distribution {
    typedef T result_type;
    __host__ __device__ explicit uniform_int_distribution(T a = 0,
                                                          T b = std::numeric_limits<T>::max())
        : a_(a), b_(b) {}
    template <class Engine>
    __host__ __device__ T operator()(Engine& engine) const {
        uniform_real_distribution<double> real(a_, static_cast<double>(b_) + 1.0);
        return static_cast<T>(real(engine));
    }
    __host__ __device__ T a() const { return a_; }
    __host__ __device__ T b() const { return b_; }
    __host__ __device__ void reset() {}

  private:
    T a_, b_;
};
template <class T = double>
struct normal_distribution {
    typedef T result_type;
    __host__ __device__ explicit normal_distribution(T mean = 0, T stddev = 1)
        : mean_(mean), stddev_(stddev) {}
    // By the inverse of the distribution function, from the lower half, where it is exact.
    template <class Engine>
    __host__ __device__ T operator()(Engine& engine) const {
        const auto range = Engine::max - Engine::min;
        const T scale = T(1) / static_cast<T>(range);
        auto u = engine() - Engine::min;
        T side = T(-1.4142135623730950488016887242097);
        if (u > range / 2) {
            u = range - u;
            side = -side;
        }
        T p = static_cast<T>(u) * scale + scale / T(2);
        return mean_ + stddev_ * (side * ::erfcinv(T(2) * p));
    }
    __host__ __device__ T mean() const { return mean_; }
    __host__ __device__ T stddev() const { return stddev_; }
    __host__ __device__ void reset() {}

  private:
    T mean_, stddev_;
};

}  // namespace random

using random::default_random_engine;
using random::linear_congruential_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;

}  // namespace thrust

}  // extern "C++"
