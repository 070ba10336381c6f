// Discrete distributions: int64, computed in float64.
#include <cmath>

#include "src/array/refuse.hpp"
#include "src/random/call.hpp"

namespace warpwise::random {
namespace {

constexpr double kMostMean = 9.2e18;  // below 2^63
constexpr double kMostElements = 1 << 30;

void require_mean(std::string_view function, const Operand& mean) {
    require_domain(function, "lam", mean, Domain::NotNegative);
    if (mean.array() == nullptr && mean.scalar().real() > kMostMean) {
        array::refuse_value("{} got lam={}; int64 holds numbers of means up to {} only", function,
                            mean.scalar().text(), kMostMean);
    }
}

// Of a kind of elements: numbers are whole, 0 or more, and below 2^30.
void require_count(std::string_view parameter, const Operand& value) {
    require_domain("hypergeometric", parameter, value, Domain::NotNegative);
    if (value.array() != nullptr) return;
    const double number = value.scalar().real();
    if (number >= kMostElements || number != std::floor(number)) {
        array::refuse_value("hypergeometric got {}={}; it must be a whole number below 2^30",
                            parameter, value.scalar().text());
    }
}

void require_sample(const Operand& good, const Operand& bad, const Operand& sample) {
    require_domain("hypergeometric", "nsample", sample, Domain::NotNegative);
    if (sample.array() != nullptr) return;
    const double number = sample.scalar().real();
    if (number != std::floor(number)) {
        array::refuse_value("hypergeometric got nsample={}; it must be a whole number",
                            sample.scalar().text());
    }
    if (good.array() != nullptr || bad.array() != nullptr) return;
    const double all = good.scalar().real() + bad.scalar().real();
    if (number <= all) return;
    array::refuse_value(
        "hypergeometric got nsample={} of ngood={} and nbad={}; it must be {} at "
        "most",
        sample.scalar().text(), good.scalar().text(), bad.scalar().text(), all);
}

// Both numbers as the draw takes them: the first times 2^30, and the second; -1 out of the domain.
Array urn_of(const Operand& good, const Operand& bad, const Call& call) {
    Array holders[2];
    const Array zero = array::constant(Scalar(0), Kind::Int64, Shape{}, call.context());
    const Array first = add(zero, converted(good, Kind::Int64, holders[0]));
    const Operand second = converted(bad, Kind::Int64, holders[1]);
    const Array joined = add(multiply(first, Scalar(std::int64_t{1} << 30)), second);
    const Array bits = array::converted(bitwise_or(first, second), Kind::UInt64);
    const Scalar limit = Scalar(std::int64_t{1} << 30).typed(Kind::UInt64);
    return where(less(bits, limit), joined, Scalar(-1));
}

}  // namespace

Array Generator::poisson(const Operand& lam, const Sample& sample) {
    require_mean("poisson", lam);
    const Call call("poisson", bits_, sample, {&lam}, Kind::Int64);
    return call.result(call.draw(ir::Draw::Poisson, Kind::Int64, Kind::Float64, {lam}));
}

Array Generator::binomial(const Operand& n, const Operand& p, const Sample& sample) {
    require_domain("binomial", "n", n, Domain::NotNegative);
    require_domain("binomial", "p", p, Domain::Probability);
    const Call call("binomial", bits_, sample, {&n, &p}, Kind::Int64);
    return call.result(call.draw(ir::Draw::Binomial, Kind::Int64, Kind::Float64, {n, p}));
}

// Poisson numbers whose means are gamma variates.
Array Generator::negative_binomial(const Operand& n, const Operand& p, const Sample& sample) {
    require_domain("negative_binomial", "n", n, Domain::Positive);
    require_domain("negative_binomial", "p", p, Domain::PositiveProbability);
    const Call call("negative_binomial", bits_, sample, {&n, &p}, Kind::Int64);
    Array holder;
    const Operand success = converted(p, Kind::Float64, holder);
    const Array shape = call.draw(ir::Draw::Gamma, Kind::Float64, Kind::Float64, {n});
    const Array odds = divide(subtract(Scalar(1.0).typed(Kind::Float64), success), success);
    const Array mean = multiply(shape, odds);
    return call.result(call.draw(ir::Draw::Poisson, Kind::Int64, Kind::Float64, {mean}));
}

Array Generator::geometric(const Operand& p, const Sample& sample) {
    require_domain("geometric", "p", p, Domain::PositiveProbability);
    const Call call("geometric", bits_, sample, {&p}, Kind::Int64);
    return call.result(call.draw(ir::Draw::Geometric, Kind::Int64, Kind::Float64, {p}));
}

Array Generator::hypergeometric(const Operand& ngood, const Operand& nbad, const Operand& nsample,
                                const Sample& sample) {
    require_count("ngood", ngood);
    require_count("nbad", nbad);
    require_sample(ngood, nbad, nsample);
    const Call call("hypergeometric", bits_, sample, {&ngood, &nbad, &nsample}, Kind::Int64);
    const Array urn = urn_of(ngood, nbad, call);
    return call.result(
        call.draw(ir::Draw::Hypergeometric, Kind::Int64, Kind::Int64, {urn, nsample}));
}

Array Generator::logseries(const Operand& p, const Sample& sample) {
    require_domain("logseries", "p", p, Domain::BelowOne);
    const Call call("logseries", bits_, sample, {&p}, Kind::Int64);
    return call.result(call.draw(ir::Draw::Logseries, Kind::Int64, Kind::Float64, {p}));
}

Array Generator::zipf(const Operand& a, const Sample& sample) {
    require_domain("zipf", "a", a, Domain::AboveOne);
    const Call call("zipf", bits_, sample, {&a}, Kind::Int64);
    return call.result(call.draw(ir::Draw::Zipf, Kind::Int64, Kind::Float64, {a}));
}

}  // namespace warpwise::random
