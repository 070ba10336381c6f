// The volatility that explains a price: Newton's iteration, safeguarded by bisection, a different
// number of rounds for every thread. Lambdas and templates, the C++ of later years.
#include <type_traits>

template <class T>
__device__ T normal_cdf(T x) { return T(0.5) * erfc(-x * T(0.70710678118654752440)); }

template <class F, class D, class T>
__device__ T solve(F f, D derivative, T low, T high, T tolerance, int &rounds) {
    static_assert(std::is_floating_point<T>::value, "a root of a real function");
    T x = (low + high) / 2;
    for (rounds = 0; rounds < 100; ++rounds) {
        const T value = f(x);
        if (fabs(value) < tolerance) break;
        (value > 0 ? high : low) = x;
        const T next = x - value / derivative(x);
        x = next > low && next < high ? next : (low + high) / 2;
    }
    return x;
}

template <class T>
__global__ void implied_volatility(const T *price, const T *strike, T spot, T rate, T years, int n,
                                   T *result, int *rounds) {
    const auto i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const T k = strike[i], root = sqrt(years), discount = exp(-rate * years);
    auto d1 = [=](T v) { return (log(spot / k) + (rate + v * v / 2) * years) / (v * root); };
    auto gap = [&, i](T v) {
        const T d = d1(v);
        return spot * normal_cdf(d) - k * discount * normal_cdf(d - v * root) - price[i];
    };
    auto vega = [&](T v) {
        const T d = d1(v);
        return spot * root * exp(-d * d / 2) * T(0.39894228040143267794);
    };
    result[i] = solve(gap, vega, T(0.001), T(4), T(1e-10), rounds[i]);
}
