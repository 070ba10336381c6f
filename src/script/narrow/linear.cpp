// Variables that are added and subtracted are paired by what is known of their difference.
#include "src/script/narrow/linear.hpp"

#include <algorithm>
#include <utility>

namespace warpwise::script {
namespace {

constexpr Wide kMostFactor = Wide{1} << 40;
constexpr int kMostShift = 40;

// What is added of a pair of variables, over what their values alone tell of each.
struct Pairing {
    std::size_t added = 0;
    Wide gain = 0;
};

Pairing best_pairing(const std::map<std::size_t, Wide>& added, std::size_t subtracted,
                     const State& state) {
    Pairing best;
    for (const auto& [variable, factor] : added) {
        if (factor <= 0) continue;
        const Wide by_values = state.values[variable].least - state.values[subtracted].most;
        const Wide gain = state.apart(variable, subtracted) - by_values;
        if (gain > best.gain) best = {variable, gain};
    }
    return best;
}

}  // namespace

Linear negated(Linear value) {
    for (auto& [variable, factor] : value.factors) factor = -factor;
    value.rest = {-value.rest.most, -value.rest.least};
    value.rounds_up = !value.rounds_up;
    return value;
}

std::optional<Linear> times(Linear value, Wide factor) {
    if (value.shift != 0 || factor > kMostFactor || factor < -kMostFactor) return std::nullopt;
    for (auto& [variable, known] : value.factors) {
        known *= factor;
        if (known > kMostFactor || known < -kMostFactor) return std::nullopt;
    }
    value.rest = product(value.rest, {factor, factor});
    return value;
}

std::optional<Linear> sum(const Linear& a, const Linear& b) {
    if (b.shift != 0) return a.shift == 0 ? sum(b, a) : std::nullopt;
    const std::optional<Linear> scaled = times(b, Wide{1} << a.shift);
    if (!scaled) return std::nullopt;
    Linear result = a;
    for (const auto& [variable, factor] : scaled->factors) {
        Wide& known = result.factors[variable];
        known += factor;
        if (known == 0) result.factors.erase(variable);
    }
    result.rest = sum(a.rest, scaled->rest);
    return result;
}

std::optional<Linear> shifted_right(Linear value, int places) {
    const bool rounds_twice = value.shift != 0 && value.rounds_up;
    if (rounds_twice || places < 0 || value.shift + places > kMostShift) return std::nullopt;
    value.shift += places;
    value.rounds_up = false;
    return value;
}

Wide least_of(const Linear& value, const State& state) {
    std::map<std::size_t, Wide> added;
    for (const auto& [variable, factor] : value.factors) {
        if (factor > 0) added[variable] = factor;
    }
    Wide total = value.rest.least;
    for (const auto& [variable, factor] : value.factors) {
        for (Wide left = -factor; left > 0;) {
            const Pairing best = best_pairing(added, variable, state);
            if (best.gain <= 0) {
                total -= left * state.values[variable].most;
                break;
            }
            const Wide pairs = std::min(left, added[best.added]);
            total += pairs * state.apart(best.added, variable);
            added[best.added] -= pairs;
            left -= pairs;
        }
    }
    for (const auto& [variable, factor] : added) total += factor * state.values[variable].least;
    return value.rounds_up ? -(-total >> value.shift) : total >> value.shift;
}

Interval bounds_of(const Linear& value, const State& state) {
    return {least_of(value, state), -least_of(negated(value), state)};
}

}  // namespace warpwise::script
