// Distributions of several numbers at once: along a last axis that is added to the shape.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "src/array/refuse.hpp"
#include "src/random/call.hpp"

namespace warpwise::random {
namespace {

constexpr std::int64_t kMostCategories = 1024;

void require_count(std::string_view function, std::string_view parameter, std::size_t count) {
    if (count > 0 && count <= kMostCategories) return;
    array::refuse_value("{} got {} {}; it takes 1 to {}", function, count, parameter,
                        kMostCategories);
}

// The same call, with an axis of `count` more.
Shape widened(const Shape& shape, std::int64_t count) {
    Shape result = shape;
    result.push_back(count);
    return result;
}

// Arrays of one shape, side by side along a new last axis, converted and written as the call says.
Array stacked(std::string_view function, const std::vector<Array>& parts, const Sample& sample) {
    std::vector<const Array*> pointers;
    pointers.reserve(parts.size());
    for (const Array& part : parts) pointers.push_back(&part);
    Array result = stack(pointers, -1);
    if (sample.dtype) result = array::converted(result, sample.dtype->kind());
    if (sample.out == nullptr) return result;
    if (!(sample.out->shape() == result.shape())) {
        array::refuse_value(
            "{} got out= of shape {} for a result of shape {}; it must have that "
            "shape",
            function, text_of(sample.out->shape()), text_of(result.shape()));
    }
    sample.out->assign(result);
    return *sample.out;
}

// Of `out`, the axes that the shape does not count.
Sample without_last(const Sample& sample, std::string_view function) {
    Sample inner{.shape = sample.shape, .device = sample.device};
    if (sample.out == nullptr) return inner;
    inner.device = sample.out->device();
    if (sample.shape) return inner;
    if (sample.out->ndim() == 0) {
        array::refuse_value("{} got out= of shape (); it needs a last axis", function);
    }
    Shape shape = sample.out->shape();
    shape.erase(shape.size() - 1);
    inner.shape = shape;
    return inner;
}

// L with L L^T = covariance, row by row; zero columns where it is semidefinite.
std::vector<double> cholesky(std::span<const double> covariance, std::size_t n) {
    std::vector<double> lower(n * n, 0.0);
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        largest = std::max(largest, std::abs(covariance[i * n + i]));
    }
    const double tolerance =
        largest * static_cast<double>(n) * 8 * std::numeric_limits<double>::epsilon();
    const auto refuse = [] {
        array::refuse_value(
            "multivariate_normal got a covariance that is not positive semidefinite; it must be "
            "symmetric with eigenvalues of 0 or more");
    };
    for (std::size_t j = 0; j < n; ++j) {
        double pivot = covariance[j * n + j];
        for (std::size_t k = 0; k < j; ++k) pivot -= lower[j * n + k] * lower[j * n + k];
        if (!(pivot >= -tolerance)) refuse();
        const bool is_zero = pivot <= tolerance;
        const double root = is_zero ? 0 : std::sqrt(pivot);
        lower[j * n + j] = root;
        for (std::size_t i = j + 1; i < n; ++i) {
            double value = covariance[i * n + j];
            for (std::size_t k = 0; k < j; ++k) value -= lower[i * n + k] * lower[j * n + k];
            if (is_zero && std::abs(value) > std::sqrt(tolerance * largest) + tolerance) refuse();
            lower[i * n + j] = is_zero ? 0 : value / root;
        }
    }
    return lower;
}

void require_symmetric(std::span<const double> covariance, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const double a = covariance[i * n + j];
            const double b = covariance[j * n + i];
            if (std::abs(a - b) <= 1e-8 * std::max(std::abs(a), std::abs(b)) + 1e-300) continue;
            array::refuse_value(
                "multivariate_normal got a covariance with {} at ({}, {}) and {} at ({}, {}); it "
                "must be symmetric",
                a, i, j, b, j, i);
        }
    }
}

}  // namespace

// One outcome after the other: binomial numbers of what is left.
Array Generator::multinomial(const Operand& n, std::span<const double> pvals,
                             const Sample& sample) {
    require_domain("multinomial", "n", n, Domain::NotNegative);
    require_count("multinomial", "probabilities", pvals.size());
    double before = 0;
    for (std::size_t i = 0; i < pvals.size(); ++i) {
        if (!(pvals[i] >= 0 && pvals[i] <= 1)) {
            array::refuse_value("multinomial got pvals[{}]={}; it must be from 0 to 1", i,
                                pvals[i]);
        }
        if (i + 1 < pvals.size()) before += pvals[i];
    }
    if (before > 1 + 1e-12) {
        array::refuse_value(
            "multinomial got pvals whose sum without the last is {}; it must be 1 "
            "at most",
            before);
    }
    const Sample inner = without_last(sample, "multinomial");
    const Call call("multinomial", bits_, inner, {&n}, Kind::Int64);
    Array holder;
    const Operand all = converted(n, Kind::Int64, holder);
    Array left = add(array::constant(Scalar(0), Kind::Int64, call.shape(), call.context()), all);
    std::vector<Array> counts;
    double rest = 1;
    for (std::size_t i = 0; i + 1 < pvals.size(); ++i) {
        const double p = rest > 0 ? std::clamp(pvals[i] / rest, 0.0, 1.0) : 0.0;
        const Array count =
            call.draw(ir::Draw::Binomial, Kind::Int64, Kind::Float64, {left, Operand(p)});
        counts.push_back(count);
        left = subtract(left, count);
        rest -= pvals[i];
    }
    counts.push_back(left);
    return stacked("multinomial", counts, sample);
}

// Gamma variates by their sum; of small shapes, which underflow, a stick broken by beta variates.
Array Generator::dirichlet(std::span<const double> alpha, const Sample& sample) {
    require_count("dirichlet", "shapes", alpha.size());
    for (std::size_t i = 0; i < alpha.size(); ++i) {
        if (alpha[i] > 0 && std::isfinite(alpha[i])) continue;
        array::refuse_value("dirichlet got alpha[{}]={}; it must be above 0, and finite", i,
                            alpha[i]);
    }
    constexpr double kSmall = 0.1;
    const Sample inner = without_last(sample, "dirichlet");
    const Call call("dirichlet", bits_, inner, {});
    std::vector<Array> parts;
    if (*std::ranges::max_element(alpha) < kSmall && alpha.size() > 1) {
        Array left = array::constant(Scalar(1.0), Kind::Float64, call.shape(), call.context());
        double rest = std::accumulate(alpha.begin(), alpha.end(), 0.0);
        for (std::size_t i = 0; i + 1 < alpha.size(); ++i) {
            rest -= alpha[i];
            const BitState state = call.take(ir::Draw::Beta, Kind::Float64);
            const auto draw = [&](ir::Draw which) {
                return call.draw_from(state, which, Kind::Float64, Kind::Float64,
                                      {Operand(alpha[i]), Operand(rest)});
            };
            parts.push_back(multiply(left, draw(ir::Draw::Beta)));
            left = multiply(left, draw(ir::Draw::BetaRest));
        }
        parts.push_back(left);
        return stacked("dirichlet", parts, sample);
    }
    const Array shapes =
        from_host(alpha.data(), Shape{static_cast<std::int64_t>(alpha.size())}, float64, nullptr,
                  sample.device ? sample.device
                  : sample.out  ? std::optional(sample.out->device())
                                : std::nullopt);
    const Sample wide{.shape = widened(call.shape(), static_cast<std::int64_t>(alpha.size()))};
    const Operand parameter(shapes);
    const Call all("dirichlet", bits_, wide, {&parameter});
    const Array gammas = all.draw(ir::Draw::Gamma, Kind::Float64, Kind::Float64, {shapes});
    Array result = divide(gammas, sum(gammas, {.axes = std::vector{-1}, .keepdims = true}));
    if (sample.dtype) result = array::converted(result, sample.dtype->kind());
    if (sample.out == nullptr) return result;
    sample.out->assign(result);
    return *sample.out;
}

Array Generator::multivariate_normal(std::span<const double> mean, std::span<const double> cov,
                                     const Sample& sample) {
    const std::size_t n = mean.size();
    if (n == 0 || cov.size() != n * n) {
        array::refuse_value(
            "multivariate_normal got a mean of {} numbers and a covariance of {}; it takes n and n "
            "times n of them, n at least 1",
            n, cov.size());
    }
    require_symmetric(cov, n);
    const std::vector<double> lower = cholesky(cov, n);
    const auto count = static_cast<std::int64_t>(n);
    const Sample inner = without_last(sample, "multivariate_normal");
    const Sample wide{.shape = widened(inner.shape.value_or(Shape{}), count),
                      .dtype = sample.dtype,
                      .device = inner.device};
    const Call call("multivariate_normal", bits_, wide, {});
    call.require_float();
    const std::optional<Device> device = inner.device;
    const Array factor = array::converted(
        from_host(lower.data(), Shape{count, count}, float64, nullptr, device), call.kind());
    const Array center = array::converted(
        from_host(mean.data(), Shape{count}, float64, nullptr, device), call.kind());
    const Array normals = call.draw(ir::Draw::Normal).reshape(Shape{-1, count});
    Array result = add(matmul(normals, factor.transpose()), center).reshape(call.shape());
    if (sample.out == nullptr) return result;
    if (!(sample.out->shape() == result.shape())) {
        array::refuse_value(
            "multivariate_normal got out= of shape {} for a result of shape {}; it "
            "must have that shape",
            text_of(sample.out->shape()), text_of(result.shape()));
    }
    sample.out->assign(result);
    return *sample.out;
}

}  // namespace warpwise::random
