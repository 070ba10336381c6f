// The class ww.random.Generator, and default_rng().
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <string>
#include <variant>
#include <vector>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/random/bind_generator.hpp"
#include "python/bindings/random/random_values.hpp"
#include "warpwise/error.hpp"
#include "warpwise/random.hpp"

namespace warpwise::python {
namespace {

using random::BitGenerator;
using random::Generator;
using random::Philox;
using random::Sample;
using random::XORWOW;

using NoParameter = Array (Generator::*)(const Sample&);
using OneParameter = Array (Generator::*)(const Operand&, const Sample&);
using TwoParameters = Array (Generator::*)(const Operand&, const Operand&, const Sample&);
using ThreeParameters = Array (Generator::*)(const Operand&, const Operand&, const Operand&,
                                             const Sample&);

const char* kept(std::string text) {
    static std::deque<std::string>& texts = *new std::deque<std::string>;
    return texts.emplace_back(std::move(text)).c_str();
}

std::string signature(const char* name, const std::string& parameters) {
    return std::string("def ") + name + "(self, " + parameters +
           "size: int | tuple[int, ...] | None = None, dtype: typing.Any = None, *, device: "
           "Device | str | None = None, out: Array | None = None) -> Array";
}

Sample sample_of(nb::handle size, nb::handle dtype, nb::handle device, nb::handle out) {
    Sample sample{.dtype = optional_dtype(dtype),
                  .device = optional_device(device),
                  .out = optional_array(out, "out")};
    if (!size.is_none()) sample.shape = shape_of(size, "size");
    return sample;
}

// Runs without the GIL; returns `out` where that was given.
template <class Function>
nb::object drawn(nb::handle out, Function&& function) {
    Array result;
    {
        GilRelease unlocked;
        result = function();
    }
    return result_or_out(std::move(result), out);
}

bool is_bits(nb::handle object) {
    return nb::isinstance<Philox>(object) || nb::isinstance<XORWOW>(object);
}

BitGenerator bits_of(nb::handle object) {
    if (nb::isinstance<XORWOW>(object)) return nb::cast<XORWOW>(object);
    if (nb::isinstance<Philox>(object)) return nb::cast<Philox>(object);
    throw ArgumentError(
        ArgumentError::Kind::Type,
        "bit_generator expects a Philox or an XORWOW of ww.random, got " + value_text(object));
}

nb::object bits_in(Generator& self) {
    return std::visit([](const auto& bits) { return nb::cast(bits); }, self.bit_generator());
}

// A parameter: its name, and its default where it has one.
struct Named {
    const char* name;
    const char* value = nullptr;
    std::string text() const {
        return std::string(name) + ": Array | float" +
               (value != nullptr ? std::string(" = ") + value : "") + ", ";
    }
    nb::arg_v with_default() const { return nb::arg(name) = std::stod(value); }
};

template <NoParameter kFunction>
void def(nb::class_<Generator>& scope, const char* name, const char* doc) {
    scope.def(
        name,
        [](Generator& self, nb::handle size, nb::handle dtype, nb::handle device, nb::handle out) {
            const Sample sample = sample_of(size, dtype, device, out);
            return drawn(out, [&] { return (self.*kFunction)(sample); });
        },
        "size"_a = nb::none(), "dtype"_a = nb::none(), nb::kw_only(), "device"_a = nb::none(),
        "out"_a = nb::none(), nb::sig(kept(signature(name, ""))), doc);
}

template <OneParameter kFunction>
void def(nb::class_<Generator>& scope, const char* name, const Named& a, const char* doc) {
    const auto function = [](Generator& self, nb::handle first, nb::handle size, nb::handle dtype,
                             nb::handle device, nb::handle out) {
        const Sample sample = sample_of(size, dtype, device, out);
        const Operand one = operand_of(first);
        return drawn(out, [&] { return (self.*kFunction)(one, sample); });
    };
    const auto with = [&](const auto& one) {
        scope.def(name, function, one, "size"_a = nb::none(), "dtype"_a = nb::none(), nb::kw_only(),
                  "device"_a = nb::none(), "out"_a = nb::none(),
                  nb::sig(kept(signature(name, a.text()))), doc);
    };
    if (a.value != nullptr) {
        with(a.with_default());
    } else {
        with(nb::arg(a.name));
    }
}

template <TwoParameters kFunction>
void def(nb::class_<Generator>& scope, const char* name, const Named& a, const Named& b,
         const char* doc) {
    const auto function = [](Generator& self, nb::handle first, nb::handle second, nb::handle size,
                             nb::handle dtype, nb::handle device, nb::handle out) {
        const Sample sample = sample_of(size, dtype, device, out);
        const Operand one = operand_of(first);
        const Operand two = operand_of(second);
        return drawn(out, [&] { return (self.*kFunction)(one, two, sample); });
    };
    const auto with = [&](const auto& one, const auto& two) {
        scope.def(name, function, one, two, "size"_a = nb::none(), "dtype"_a = nb::none(),
                  nb::kw_only(), "device"_a = nb::none(), "out"_a = nb::none(),
                  nb::sig(kept(signature(name, a.text() + b.text()))), doc);
    };
    if (a.value != nullptr) {
        with(a.with_default(), b.with_default());
    } else if (b.value != nullptr) {
        with(nb::arg(a.name), b.with_default());
    } else {
        with(nb::arg(a.name), nb::arg(b.name));
    }
}

void bind_continuous(nb::class_<Generator>& scope) {
    const Named loc{"loc", "0.0"};
    const Named scale{"scale", "1.0"};
    def<&Generator::random>(scope, "random", "Uniform numbers in [0, 1).");
    def<&Generator::uniform>(scope, "uniform", {"low", "0.0"}, {"high", "1.0"},
                             "Uniform numbers in [low, high).");
    def<&Generator::standard_normal>(scope, "standard_normal",
                                     "Normal numbers of mean 0 and standard deviation 1.");
    def<&Generator::normal>(scope, "normal", loc, scale,
                            "Normal numbers: loc + scale * standard_normal.");
    def<&Generator::lognormal>(scope, "lognormal", {"mean", "0.0"}, {"sigma", "1.0"},
                               "exp of normal numbers.");
    def<&Generator::standard_exponential>(scope, "standard_exponential", "Their mean is 1.");
    def<&Generator::exponential>(scope, "exponential", scale, "Exponential numbers of mean scale.");
    def<&Generator::standard_gamma>(scope, "standard_gamma", {"shape"},
                                    "Gamma variates of scale 1 (Marsaglia and Tsang).");
    def<&Generator::gamma>(scope, "gamma", {"shape"}, scale,
                           "Gamma variates of mean shape * scale.");
    def<&Generator::beta>(scope, "beta", {"a"}, {"b"}, "Beta variates of mean a / (a + b).");
    def<&Generator::chisquare>(scope, "chisquare", {"df"}, "Sums of df squared normal numbers.");
    def<&Generator::f>(scope, "f", {"dfnum"}, {"dfden"}, "Ratios of mean squares: Fisher's F.");
    def<&Generator::standard_t>(scope, "standard_t", {"df"}, "Student's t of df degrees.");
    def<&Generator::standard_cauchy>(scope, "standard_cauchy", "Cauchy numbers.");
    def<&Generator::laplace>(scope, "laplace", loc, scale, "Double exponential numbers.");
    def<&Generator::logistic>(scope, "logistic", loc, scale, "Logistic numbers.");
    def<&Generator::gumbel>(scope, "gumbel", loc, scale, "Gumbel's extreme values.");
    def<&Generator::rayleigh>(scope, "rayleigh", scale,
                              "Lengths of pairs of normal numbers of deviation scale.");
    def<&Generator::weibull>(scope, "weibull", {"a"}, "Weibull numbers of shape a.");
    def<&Generator::pareto>(scope, "pareto", {"a"}, "Pareto II (Lomax) numbers of shape a.");
    def<&Generator::power>(scope, "power", {"a"}, "Numbers of density a * x ** (a - 1) in [0, 1].");
}

template <ThreeParameters kFunction>
void def(nb::class_<Generator>& scope, const char* name, const Named& a, const Named& b,
         const Named& c, const char* doc) {
    scope.def(
        name,
        [](Generator& self, nb::handle first, nb::handle second, nb::handle third, nb::handle size,
           nb::handle dtype, nb::handle device, nb::handle out) {
            const Sample sample = sample_of(size, dtype, device, out);
            const Operand one = operand_of(first);
            const Operand two = operand_of(second);
            const Operand three = operand_of(third);
            return drawn(out, [&] { return (self.*kFunction)(one, two, three, sample); });
        },
        nb::arg(a.name), nb::arg(b.name), nb::arg(c.name), "size"_a = nb::none(),
        "dtype"_a = nb::none(), nb::kw_only(), "device"_a = nb::none(), "out"_a = nb::none(),
        nb::sig(kept(signature(name, a.text() + b.text() + c.text()))), doc);
}

void bind_composed(nb::class_<Generator>& scope) {
    def<&Generator::noncentral_chisquare>(scope, "noncentral_chisquare", {"df"}, {"nonc"},
                                          "chisquare whose means' squares add up to nonc.");
    def<&Generator::noncentral_f>(scope, "noncentral_f", {"dfnum"}, {"dfden"}, {"nonc"},
                                  "f whose numerator is noncentral.");
    def<&Generator::vonmises>(scope, "vonmises", {"mu"}, {"kappa"}, "Angles around mu.");
    def<&Generator::wald>(scope, "wald", {"mean"}, {"scale"}, "Inverse Gaussian numbers.");
    def<&Generator::triangular>(scope, "triangular", {"left"}, {"mode"}, {"right"},
                                "Their density rises from left to mode and falls to right.");
}

void bind_discrete(nb::class_<Generator>& scope) {
    def<&Generator::poisson>(scope, "poisson", {"lam", "1.0"},
                             "Numbers of events of mean lam; int64.");
    def<&Generator::binomial>(scope, "binomial", {"n"}, {"p"},
                              "Successes in n trials of probability p; int64.");
    def<&Generator::negative_binomial>(scope, "negative_binomial", {"n"}, {"p"},
                                       "Failures before n successes of probability p; int64.");
    def<&Generator::geometric>(scope, "geometric", {"p"},
                               "Trials of probability p until the first success; int64.");
    def<&Generator::hypergeometric>(
        scope, "hypergeometric", {"ngood"}, {"nbad"}, {"nsample"},
        "Good ones among nsample elements of ngood and nbad, without replacement; int64.");
    def<&Generator::logseries>(scope, "logseries", {"p"},
                               "Numbers k of probability -p ** k / (k * log(1 - p)); int64.");
    def<&Generator::zipf>(scope, "zipf", {"a"}, "Numbers k of probability ~ k ** -a; int64.");
    scope.def(
        "integers",
        [](Generator& self, nb::handle low, nb::handle high, nb::handle size, nb::handle dtype,
           bool endpoint, nb::handle device, nb::handle out) {
            const Sample sample = sample_of(size, dtype, device, out);
            const Operand first = high.is_none() ? Operand(0) : operand_of(low);
            const Operand last = operand_of(high.is_none() ? low : high);
            return drawn(out, [&] { return self.integers(first, last, sample, endpoint); });
        },
        "low"_a, "high"_a = nb::none(), "size"_a = nb::none(), "dtype"_a = nb::none(),
        "endpoint"_a = false, nb::kw_only(), "device"_a = nb::none(), "out"_a = nb::none(),
        nb::sig("def integers(self, low: Array | int, high: Array | int | None = None, size: int | "
                "tuple[int, ...] | None = None, dtype: typing.Any = None, endpoint: bool = False, "
                "*, device: Device | str | None = None, out: Array | None = None) -> Array"),
        "Integers from low to high - 1 (high with endpoint), or below low; without bias, of any "
        "integer type or bool; default int64.");
}

}  // namespace

void bind_generator(nb::module_& module) {
    nb::class_<Generator> scope(module, "Generator",
                                "Random numbers by distribution, as NumPy's Generator has them. "
                                "The same on every device.");
    scope
        .def(
            "__init__",
            [](Generator* self, nb::handle bits) { new (self) Generator(bits_of(bits)); },
            "bit_generator"_a,
            nb::sig("def __init__(self, bit_generator: Philox | XORWOW) -> None"))
        .def_prop_ro("bit_generator", &bits_in,
                     nb::sig("def bit_generator(self) -> Philox | XORWOW"),
                     "Where its words come from.")
        .def(
            "spawn",
            [](Generator& self, nb::handle count) {
                const std::int64_t children = integer_of(count, "n_children");
                if (children < 0) {
                    throw ArgumentError(ArgumentError::Kind::Value,
                                        "n_children expects 0 or more, got " + value_text(count));
                }
                return self.spawn(static_cast<std::size_t>(children));
            },
            "n_children"_a, nb::sig("def spawn(self, n_children: int) -> list[Generator]"),
            "Generators of independent streams.")
        .def(
            "__getstate__", [](Generator& self) { return nb::make_tuple(bits_in(self)); },
            nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"))
        .def(
            "__setstate__",
            [](Generator& self, const nb::tuple& parts) {
                new (&self) Generator(bits_of(parts[0]));
            },
            nb::sig("def __setstate__(self, state: tuple[typing.Any, ...], /) -> None"))
        .def("__repr__", [](const Generator& self) {
            const bool is_philox = std::holds_alternative<Philox>(self.bit_generator());
            return is_philox ? "Generator(Philox)" : "Generator(XORWOW)";
        });
    bind_continuous(scope);
    bind_composed(scope);
    bind_discrete(scope);
    bind_generator_order(scope);
    module.def(
        "default_rng",
        [](nb::handle seed) -> nb::object {
            if (nb::isinstance<Generator>(seed)) return nb::borrow(seed);
            if (is_bits(seed)) return nb::cast(Generator(bits_of(seed)));
            return nb::cast(Generator(Philox(seed_of(seed))));
        },
        "seed"_a = nb::none(),
        nb::sig("def default_rng(seed: int | Sequence[int] | SeedSequence | Philox | XORWOW | "
                "Generator | None = None) -> Generator"),
        "A generator of Philox, of a seed, or of the operating system's entropy.");
}

}  // namespace warpwise::python
