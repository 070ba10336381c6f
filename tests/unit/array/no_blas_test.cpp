// Products of matrices where there is no BLAS: a program of its own, in which none can be opened.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <complex>
#include <random>
#include <string_view>

#include "tests/unit/array/on_cpu.hpp"

namespace {
std::atomic<int> g_refused{0};
}  // namespace

// In front of libc's, for the library too.
extern "C" __attribute__((visibility("default"))) void* dlopen(const char* path, int flags) {
    if (path != nullptr && std::string_view(path).find("openblas") != std::string_view::npos) {
        ++g_refused;
        return nullptr;
    }
    using Open = void* (*)(const char*, int);
    static const auto open = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
    return open(path, flags);
}

namespace warpwise {
namespace {

using testing::ElementsAreArray;

// Whole numbers, so that every sum is exact in every type.
Array matrix(std::mt19937& random, const Shape& shape, DType dtype) {
    std::vector<double> values(static_cast<std::size_t>(count_of(shape)));
    for (double& value : values) value = static_cast<double>(random() % 17) - 8;
    return astype(numbers(values).reshape(shape), dtype);
}

std::vector<double> product(const Array& a, const Array& b) {
    const std::vector<double> x = values_of(a), y = values_of(b);
    const auto n = static_cast<std::size_t>(a.shape()[0]),
               k = static_cast<std::size_t>(a.shape()[1]);
    const auto m = static_cast<std::size_t>(b.shape()[1]);
    std::vector<double> sums(n * m, 0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t r = 0; r < k; ++r) {
            for (std::size_t j = 0; j < m; ++j) sums[i * m + j] += x[i * k + r] * y[r * m + j];
        }
    }
    return sums;
}

class NoBlas : public testing::TestWithParam<DType> {};

TEST_P(NoBlas, MultipliesMatrices) {
    std::mt19937 random(std::random_device{}());
    for (const auto [n, k, m] : {std::array{2, 3, 2},
                                 {17, 31, 23},
                                 {64, 1, 70},
                                 {1, 40, 50},
                                 {130, 257, 65},
                                 {0, 20, 30},
                                 {20, 0, 30}}) {
        const Array a = matrix(random, {n, k}, GetParam()), b = matrix(random, {k, m}, GetParam());
        const Array c = matmul(a, b);
        EXPECT_EQ(c.dtype(), GetParam());
        EXPECT_THAT(values_of(c), ElementsAreArray(product(a, b))) << n << " " << k << " " << m;
    }
    EXPECT_GT(g_refused, 0) << "it was looked for";
}

TEST_P(NoBlas, TakesViews) {
    std::mt19937 random(7);
    const Array a = matrix(random, {40, 30}, GetParam()), b = matrix(random, {40, 50}, GetParam());
    const std::array axes{1, 0};
    const Array at = permute_dims(a, axes);
    EXPECT_THAT(values_of(matmul(at, b)), ElementsAreArray(product(ascontiguousarray(at), b)));
    EXPECT_THAT(values_of(matmul(at, flip(b))),
                ElementsAreArray(product(ascontiguousarray(at), ascontiguousarray(flip(b)))));
}

TEST_P(NoBlas, IsLazyAndTheSameBitsWhenItIsNot) {
    std::mt19937 random(11);
    const Array a = matrix(random, {33, 70}, GetParam()) / 7,
                b = matrix(random, {70, 41}, GetParam()) / 3;
    const auto both = [&] { return values_of(matmul(a, b) + 1); };
    const auto lazy = both();
    const LazyScope eager(false);
    EXPECT_EQ(both(), lazy);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NoBlas, testing::Values(float32, float64),
                         [](const auto& one) { return one.param.name(); });

TEST(NoBlasOfComplexNumbers, IsExactForWholeOnes) {
    std::mt19937 random(5);
    const Array re = matrix(random, {20, 30}, float64), im = matrix(random, {20, 30}, float64);
    const Array other = matrix(random, {30, 10}, float64);
    const Scalar i(std::complex<double>(0, 1));
    const Array c = matmul(re + im * i, astype(other, complex128));
    EXPECT_THAT(values_of(real(c)), ElementsAreArray(product(re, other)));
    EXPECT_THAT(values_of(imag(c)), ElementsAreArray(product(im, other)));
}

TEST(NoBlasOfVectors, ContractsAxes) {
    std::mt19937 random(3);
    const Array a = matrix(random, {6, 5, 4}, float32), b = matrix(random, {5, 4, 3}, float32);
    const auto expected = product(a.reshape({6, 20}), b.reshape({20, 3}));
    EXPECT_THAT(values_of(tensordot(a, b)), ElementsAreArray(expected));
    const Array x = matrix(random, {1, 100}, float64), y = matrix(random, {100, 1}, float64);
    EXPECT_EQ(values_of(vecdot(x.reshape({100}), y.reshape({100})))[0], product(x, y)[0]);
}

}  // namespace
}  // namespace warpwise
