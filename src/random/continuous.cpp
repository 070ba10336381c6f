// Continuous distributions. Location and scale are operations of the graph on what was drawn.
#include <numbers>

#include "src/array/refuse.hpp"
#include "src/random/call.hpp"

namespace warpwise::random {
namespace {

// A distribution without parameters, moved and scaled.
Array located(std::string_view function, BitGenerator& bits, ir::Draw draw, const Operand& loc,
              const Operand& scale, const Sample& sample) {
    require_domain(function, "loc", loc, Domain::Any);
    require_domain(function, "scale", scale, Domain::NotNegative);
    const Call call(function, bits, sample, {&loc, &scale});
    call.require_float();
    return call.result(call.shifted(call.draw(draw), loc, scale));
}

// One with a parameter, in the kind of the call.
Array shaped(std::string_view function, BitGenerator& bits, ir::Draw draw,
             std::string_view parameter, const Operand& value, const Sample& sample) {
    require_domain(function, parameter, value, Domain::Positive);
    const Call call(function, bits, sample, {&value});
    call.require_float();
    return call.result(call.draw(draw, {value}));
}

// Gamma variates of half the degrees of freedom, doubled: float64.
Array squares(const Call& call, const Operand& df) {
    Array holder;
    const Operand typed = converted(df, Kind::Float64, holder);
    const Array half = multiply(typed, Scalar(0.5));
    return multiply(call.draw(ir::Draw::Gamma, Kind::Float64, Kind::Float64, {half}), Scalar(2.0));
}

}  // namespace

Array Generator::standard_normal(const Sample& sample) {
    const Call call("standard_normal", bits_, sample, {});
    call.require_float();
    return call.result(call.draw(ir::Draw::Normal));
}

Array Generator::normal(const Operand& loc, const Operand& scale, const Sample& sample) {
    return located("normal", bits_, ir::Draw::Normal, loc, scale, sample);
}

Array Generator::lognormal(const Operand& mean, const Operand& sigma, const Sample& sample) {
    require_domain("lognormal", "mean", mean, Domain::Any);
    require_domain("lognormal", "sigma", sigma, Domain::NotNegative);
    const Call call("lognormal", bits_, sample, {&mean, &sigma});
    call.require_float();
    return call.result(call.draw(ir::Draw::Lognormal, {mean, sigma}));
}

Array Generator::standard_exponential(const Sample& sample) {
    const Call call("standard_exponential", bits_, sample, {});
    call.require_float();
    return call.result(call.draw(ir::Draw::Exponential));
}

Array Generator::exponential(const Operand& scale, const Sample& sample) {
    return located("exponential", bits_, ir::Draw::Exponential, Operand(0.0), scale, sample);
}

Array Generator::standard_gamma(const Operand& shape, const Sample& sample) {
    require_domain("standard_gamma", "shape", shape, Domain::NotNegative);
    const Call call("standard_gamma", bits_, sample, {&shape});
    call.require_float();
    return call.result(call.draw(ir::Draw::Gamma, call.kind(), Kind::Float64, {shape}));
}

Array Generator::gamma(const Operand& shape, const Operand& scale, const Sample& sample) {
    require_domain("gamma", "shape", shape, Domain::NotNegative);
    require_domain("gamma", "scale", scale, Domain::NotNegative);
    const Call call("gamma", bits_, sample, {&shape, &scale});
    call.require_float();
    const Array values = call.draw(ir::Draw::Gamma, call.kind(), Kind::Float64, {shape});
    return call.result(call.shifted(values, Operand(0.0), scale));
}

Array Generator::beta(const Operand& a, const Operand& b, const Sample& sample) {
    require_domain("beta", "a", a, Domain::Positive);
    require_domain("beta", "b", b, Domain::Positive);
    const Call call("beta", bits_, sample, {&a, &b});
    call.require_float();
    return call.result(call.draw(ir::Draw::Beta, call.kind(), Kind::Float64, {a, b}));
}

Array Generator::chisquare(const Operand& df, const Sample& sample) {
    require_domain("chisquare", "df", df, Domain::Positive);
    const Call call("chisquare", bits_, sample, {&df});
    call.require_float();
    return call.result(squares(call, df));
}

Array Generator::noncentral_chisquare(const Operand& df, const Operand& nonc,
                                      const Sample& sample) {
    require_domain("noncentral_chisquare", "df", df, Domain::Positive);
    require_domain("noncentral_chisquare", "nonc", nonc, Domain::NotNegative);
    const Call call("noncentral_chisquare", bits_, sample, {&df, &nonc});
    call.require_float();
    return call.result(
        call.draw(ir::Draw::NoncentralChisquare, call.kind(), Kind::Float64, {df, nonc}));
}

Array Generator::f(const Operand& dfnum, const Operand& dfden, const Sample& sample) {
    require_domain("f", "dfnum", dfnum, Domain::Positive);
    require_domain("f", "dfden", dfden, Domain::Positive);
    const Call call("f", bits_, sample, {&dfnum, &dfden});
    call.require_float();
    Array holders[2];
    const Array above = divide(squares(call, dfnum), converted(dfnum, Kind::Float64, holders[0]));
    const Array below = divide(squares(call, dfden), converted(dfden, Kind::Float64, holders[1]));
    return call.result(divide(above, below));
}

Array Generator::noncentral_f(const Operand& dfnum, const Operand& dfden, const Operand& nonc,
                              const Sample& sample) {
    require_domain("noncentral_f", "dfnum", dfnum, Domain::Positive);
    require_domain("noncentral_f", "dfden", dfden, Domain::Positive);
    require_domain("noncentral_f", "nonc", nonc, Domain::NotNegative);
    const Call call("noncentral_f", bits_, sample, {&dfnum, &dfden, &nonc});
    call.require_float();
    Array holders[2];
    const Array squares_above =
        call.draw(ir::Draw::NoncentralChisquare, Kind::Float64, Kind::Float64, {dfnum, nonc});
    const Array above = divide(squares_above, converted(dfnum, Kind::Float64, holders[0]));
    const Array below = divide(squares(call, dfden), converted(dfden, Kind::Float64, holders[1]));
    return call.result(divide(above, below));
}

Array Generator::standard_t(const Operand& df, const Sample& sample) {
    require_domain("standard_t", "df", df, Domain::Positive);
    const Call call("standard_t", bits_, sample, {&df});
    call.require_float();
    Array holder;
    const Array normal = call.draw(ir::Draw::Normal, Kind::Float64);
    const Array mean = divide(squares(call, df), converted(df, Kind::Float64, holder));
    return call.result(divide(normal, sqrt(mean)));
}

Array Generator::standard_cauchy(const Sample& sample) {
    const Call call("standard_cauchy", bits_, sample, {});
    call.require_float();
    return call.result(call.draw(ir::Draw::Cauchy));
}

Array Generator::laplace(const Operand& loc, const Operand& scale, const Sample& sample) {
    return located("laplace", bits_, ir::Draw::Laplace, loc, scale, sample);
}

Array Generator::logistic(const Operand& loc, const Operand& scale, const Sample& sample) {
    return located("logistic", bits_, ir::Draw::Logistic, loc, scale, sample);
}

Array Generator::gumbel(const Operand& loc, const Operand& scale, const Sample& sample) {
    return located("gumbel", bits_, ir::Draw::Gumbel, loc, scale, sample);
}

Array Generator::rayleigh(const Operand& scale, const Sample& sample) {
    require_domain("rayleigh", "scale", scale, Domain::NotNegative);
    const Call call("rayleigh", bits_, sample, {&scale});
    call.require_float();
    const Scalar two = Scalar(2.0).typed(call.kind());
    const Array radius = sqrt(multiply(call.draw(ir::Draw::Exponential), two));
    return call.result(call.shifted(radius, Operand(0.0), scale));
}

Array Generator::weibull(const Operand& a, const Sample& sample) {
    require_domain("weibull", "a", a, Domain::NotNegative);
    const Call call("weibull", bits_, sample, {&a});
    call.require_float();
    return call.result(call.draw(ir::Draw::Weibull, {a}));
}

Array Generator::pareto(const Operand& a, const Sample& sample) {
    return shaped("pareto", bits_, ir::Draw::Pareto, "a", a, sample);
}

Array Generator::power(const Operand& a, const Sample& sample) {
    return shaped("power", bits_, ir::Draw::Power, "a", a, sample);
}

// Angles around 0, turned by `mu` and brought back to [-pi, pi].
Array Generator::vonmises(const Operand& mu, const Operand& kappa, const Sample& sample) {
    require_domain("vonmises", "mu", mu, Domain::Any);
    require_domain("vonmises", "kappa", kappa, Domain::NotNegative);
    const Call call("vonmises", bits_, sample, {&mu, &kappa});
    call.require_float();
    const Array angle = call.draw(ir::Draw::VonMises, Kind::Float64, Kind::Float64, {kappa});
    const bool is_around_zero = mu.array() == nullptr && mu.scalar().real() == 0;
    if (is_around_zero) return call.result(angle);
    Array holder;
    const Array turned = add(add(angle, converted(mu, Kind::Float64, holder)),
                             Scalar(std::numbers::pi).typed(Kind::Float64));
    const Scalar whole = Scalar(2 * std::numbers::pi).typed(Kind::Float64);
    return call.result(subtract(remainder(turned, whole), Scalar(std::numbers::pi)));
}

// The smaller root of the quadratic that a squared normal number gives, or the larger one. J. R.
// Michael, W. R. Schucany and R. W. Haas, "Generating random variates using transformations with
// multiple roots", 1976; the roots are mean / large and mean * large, without cancellation.
Array Generator::wald(const Operand& mean, const Operand& scale, const Sample& sample) {
    require_domain("wald", "mean", mean, Domain::Positive);
    require_domain("wald", "scale", scale, Domain::Positive);
    const Call call("wald", bits_, sample, {&mean, &scale});
    call.require_float();
    Array holders[2];
    const Kind kind = call.kind();
    const Array normal = call.draw(ir::Draw::Normal);
    const Array u = call.draw(ir::Draw::Uniform);
    const Operand center = converted(mean, kind, holders[0]);
    const Array halved = multiply(square(normal), Scalar(0.5));
    const Array w = divide(multiply(halved, center), converted(scale, kind, holders[1]));
    const Array past_one = add(w, sqrt(multiply(w, add(w, Scalar(2.0)))));
    const Array large = add(past_one, Scalar(1.0));
    const Array is_smaller = less_equal(multiply(u, add(large, Scalar(1.0))), large);
    return call.result(where(is_smaller, divide(center, large), multiply(center, large)));
}

// The inverse of the distribution function, from the nearer end.
Array Generator::triangular(const Operand& left, const Operand& mode, const Operand& right,
                            const Sample& sample) {
    for (const Operand* one : {&left, &mode, &right}) {
        require_domain("triangular", "left, mode and right", *one, Domain::Any);
    }
    const bool are_numbers =
        left.array() == nullptr && mode.array() == nullptr && right.array() == nullptr;
    if (are_numbers) {
        const double a = left.scalar().real();
        const double c = mode.scalar().real();
        const double b = right.scalar().real();
        if (!(a <= c && c <= b && a < b)) {
            array::refuse_value(
                "triangular got left={}, mode={}, right={}; they must be in this "
                "order, and left below right",
                left.scalar().text(), mode.scalar().text(), right.scalar().text());
        }
    }
    const Call call("triangular", bits_, sample, {&left, &mode, &right});
    call.require_float();
    Array holders[3];
    const Kind kind = call.kind();
    const Array u = call.draw(ir::Draw::Uniform);
    const Array zero = array::constant(Scalar(0), kind, Shape{}, call.context());
    const Array a = add(zero, converted(left, kind, holders[0]));
    const Operand c = converted(mode, kind, holders[1]);
    const Operand b = converted(right, kind, holders[2]);
    const Array base = subtract(b, a);
    const Array lower = subtract(c, a);
    const Array upper = multiply(subtract(b, c), base);
    const Array rest = subtract(Scalar(1.0).typed(kind), u);
    const Array from_left = add(a, sqrt(multiply(u, multiply(lower, base))));
    const Array from_right = subtract(b, sqrt(multiply(rest, upper)));
    return call.result(where(less_equal(u, divide(lower, base)), from_left, from_right));
}

}  // namespace warpwise::random
