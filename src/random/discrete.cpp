// Discrete distributions: int64, computed in float64.
#include "src/array/refuse.hpp"
#include "src/random/call.hpp"

namespace warpwise::random {
namespace {

constexpr double kMostMean = 9.2e18;  // below 2^63

void require_mean(std::string_view function, const Operand& mean) {
    require_domain(function, "lam", mean, Domain::NotNegative);
    if (mean.array() == nullptr && mean.scalar().real() > kMostMean) {
        array::refuse_value("{} got lam={}; int64 holds numbers of means up to {} only", function,
                            mean.scalar().text(), kMostMean);
    }
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

}  // namespace warpwise::random
