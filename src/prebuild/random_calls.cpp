// Every distribution, with parameters that are numbers.
#include <span>
#include <vector>

#include "src/prebuild/calls.hpp"
#include "warpwise/random.hpp"

namespace warpwise::prebuild {
namespace {

using random::Generator;
using random::Sample;

// A location of 0 and a scale of 1 are no part of a kernel.
void call_with_location(Generator& rng, const Sample& sample) {
    for (const double location : {0.0, 1.0}) {
        for (const double scale : {1.0, 2.0}) {
            evaluate(rng.uniform(location, location + scale, sample));
            evaluate(rng.normal(location, scale, sample));
            evaluate(rng.laplace(location, scale, sample));
            evaluate(rng.logistic(location, scale, sample));
            evaluate(rng.gumbel(location, scale, sample));
        }
    }
}

void call_of_fixed_cost(Generator& rng, const Sample& sample) {
    evaluate(rng.random(sample));
    evaluate(rng.standard_normal(sample));
    evaluate(rng.standard_exponential(sample));
    evaluate(rng.standard_cauchy(sample));
    for (const double scale : {1.0, 2.0}) {
        evaluate(rng.exponential(scale, sample));
        evaluate(rng.rayleigh(scale, sample));
    }
    evaluate(rng.lognormal(0.5, 2.0, sample));
    evaluate(rng.weibull(2.0, sample));
    evaluate(rng.pareto(2.0, sample));
    evaluate(rng.power(2.0, sample));
    evaluate(rng.triangular(1.0, 2.0, 3.0, sample));
}

void call_until_accepted(Generator& rng, const Sample& sample) {
    evaluate(rng.standard_gamma(2.0, sample));
    evaluate(rng.gamma(2.0, 1.0, sample));
    evaluate(rng.gamma(2.0, 3.0, sample));
    evaluate(rng.beta(2.0, 3.0, sample));
    evaluate(rng.chisquare(2.0, sample));
    evaluate(rng.f(2.0, 3.0, sample));
    evaluate(rng.standard_t(2.0, sample));
    evaluate(rng.poisson(3.0, sample));
    evaluate(rng.binomial(10, 0.25, sample));
    evaluate(rng.negative_binomial(10, 0.25, sample));
    evaluate(rng.geometric(0.25, sample));
}

void call_integers(Generator& rng, const Shape& shape) {
    for (const Kind kind :
         {Kind::UInt8, Kind::Int32, Kind::UInt32, Kind::Int64, Kind::UInt64, Kind::Bool}) {
        const std::int64_t high = kind == Kind::Bool ? 2 : 10;
        evaluate(rng.integers(0, high, {.shape = shape, .dtype = DType(kind)}));
    }
    // Bounds whose count of numbers needs 64 bits.
    evaluate(rng.integers(0, std::int64_t{1} << 40, {.shape = shape}));
}

void call_several(Generator& rng, const Shape& shape) {
    const std::vector<double> shares{0.25, 0.25, 0.5};
    evaluate(rng.multinomial(10, shares, {.shape = shape}));
    evaluate(rng.dirichlet(shares, {.shape = shape}));
    evaluate(rng.multivariate_normal(std::vector{1.0, 2.0}, std::vector{2.0, 1.0, 1.0, 2.0},
                                     {.shape = shape}));
}

void call_in_random_order(Generator& rng) {
    constexpr std::int64_t kLong = 5000;  // computed on the device, shorter ones on the host
    evaluate(rng.permutation(8));
    evaluate(rng.permutation(kLong));
    const std::vector<double> shares(8, 0.125);
    evaluate(rng.choice(8, {4}));
    evaluate(rng.choice(8, {4}, false));
    evaluate(rng.choice(8, {4}, true, shares));
    for (const Kind kind : kKinds) {
        for (const std::int64_t count : {std::int64_t{8}, kLong}) {
            Array array = numbers(count, kind);
            evaluate(rng.choice(array, {4}));
            evaluate(rng.choice(array, {4}, false));
            evaluate(rng.permutation(array));
            rng.shuffle(array);
            evaluate(array);
        }
    }
}

}  // namespace

void call_random() {
    Generator rng = random::default_rng(1);
    // Short and long along the last axis.
    for (const Shape& shape : {Shape{8}, Shape{1000}, Shape{4, 2}, Shape{50, 1000}}) {
        for (const DType& dtype : {float64, float32}) {
            call_of_fixed_cost(rng, {.shape = shape, .dtype = dtype});
            call_with_location(rng, {.shape = shape, .dtype = dtype});
        }
        call_until_accepted(rng, {.shape = shape});
        call_integers(rng, shape);
        call_several(rng, shape);
    }
    call_in_random_order(rng);
}

}  // namespace warpwise::prebuild
