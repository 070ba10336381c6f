// Uniform numbers and integers, and where generators come from.
#include <cmath>

#include "src/array/refuse.hpp"
#include "src/random/call.hpp"
#include "src/random/philox.hpp"
#include "src/types/promotion.hpp"

namespace warpwise::random {
namespace {

using Wide = __int128;

Wide wide(const Scalar& scalar) {
    return scalar.kind() == Kind::UInt64 ? Wide{scalar.as_uint()} : Wide{scalar.as_int()};
}

// The least and the greatest value of an integer kind, or of bool.
struct Limits {
    Wide least, greatest;
};
Limits limits_of(Kind kind) {
    if (kind == Kind::Bool) return {0, 1};
    const int bits = static_cast<int>(DType(kind).size()) * 8;
    if (types::is_unsigned(kind)) return {0, (Wide{1} << bits) - 1};
    return {-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1};
}

void require_whole(const Operand& bound, std::string_view name) {
    const Kind kind =
        bound.array() != nullptr ? array::kind_of(*bound.array()) : bound.scalar().kind();
    if (types::is_integer(kind) || types::is_bool(kind)) return;
    array::refuse_type("integers got {} for {}; it takes integers",
                       bound.array() != nullptr ? "an array of " + bound.array()->dtype().name()
                                                : bound.scalar().text(),
                       name);
}

// Arrays of bounds are evaluated here.
void require_bound(const Operand& bound, std::string_view name, const Limits& limits) {
    Wide least, greatest;
    if (bound.array() == nullptr) {
        least = greatest = wide(bound.scalar());
    } else {
        if (bound.array()->size() == 0) return;
        least = wide(min(*bound.array()).item());
        greatest = wide(max(*bound.array()).item());
    }
    if (least >= limits.least && greatest <= limits.greatest) return;
    const Wide wrong = least < limits.least ? least : greatest;
    array::refuse_value("integers got {}={}, which the dtype cannot hold; use a wider dtype", name,
                        wrong >= 0 ? Scalar(static_cast<std::uint64_t>(wrong)).text()
                                   : Scalar(static_cast<std::int64_t>(wrong)).text());
}

// The numbers of a range, and what 2^bits leaves: of numbers.
struct Range {
    Scalar count, threshold;
};
Range range_of(Wide count, int bits) {
    const Wide all = Wide{1} << bits;
    const auto scalar = [](Wide value) { return Scalar(static_cast<std::uint64_t>(value)); };
    return {scalar(count == all ? 0 : count), scalar(all % count)};
}

// low + a number below the count, in the kind of the words.
Array integers_of_arrays(const Call& call, const Operand& low, const Operand& high, bool endpoint,
                         Kind words) {
    Array first = low.array() != nullptr
                      ? *low.array()
                      : array::constant(low.scalar(), words, Shape{}, call.context());
    Array last = high.array() != nullptr
                     ? *high.array()
                     : array::constant(high.scalar(), words, Shape{}, call.context());
    const Array is_wrong = endpoint ? less(last, first) : less_equal(last, first);
    if (is_wrong.size() > 0 && any(is_wrong).item().as_bool()) {
        array::refuse_value("integers got bounds with {}; every range needs a number",
                            endpoint ? "high < low" : "high <= low");
    }
    first = array::converted(first, words);
    last = array::converted(last, words);
    Array count = subtract(last, first);
    if (endpoint) count = add(count, Scalar(1).typed(words));
    const Array threshold = remainder(negative(count), count);
    return add(call.draw(ir::Draw::Below, words, words, {count, threshold}), first);
}

}  // namespace

std::vector<Generator> Generator::spawn(std::size_t count) {
    std::vector<Generator> children;
    std::visit(
        [&](auto& bits) {
            for (auto& child : bits.spawn(count)) children.emplace_back(std::move(child));
        },
        bits_);
    return children;
}

Array Generator::random(const Sample& sample) {
    const Call call("random", bits_, sample, {});
    call.require_float();
    return call.result(call.draw(ir::Draw::Uniform));
}

Array Generator::uniform(const Operand& low, const Operand& high, const Sample& sample) {
    require_domain("uniform", "low", low, Domain::Any);
    require_domain("uniform", "high", high, Domain::Any);
    const Call call("uniform", bits_, sample, {&low, &high});
    call.require_float();
    if (low.array() == nullptr && high.array() == nullptr) {
        const double range = high.scalar().real() - low.scalar().real();
        if (!std::isfinite(range) || range < 0) {
            array::refuse_value(
                "uniform got low={} and high={}; high - low must be 0 or more, and "
                "finite",
                low.scalar().text(), high.scalar().text());
        }
        return call.result(call.shifted(call.draw(ir::Draw::Uniform), low, Operand(range)));
    }
    Array holders[2];
    const Array range =
        subtract(converted(high, call.kind(), holders[0]), converted(low, call.kind(), holders[1]));
    return call.result(call.shifted(call.draw(ir::Draw::Uniform), low, range));
}

Array Generator::integers(const Operand& low, const Operand& high, const Sample& sample,
                          bool endpoint) {
    require_whole(low, "low");
    require_whole(high, "high");
    const Call call("integers", bits_, sample, {&low, &high}, Kind::Int64);
    const Kind kind = call.kind();
    if (!types::is_integer(kind) && !types::is_bool(kind)) {
        array::refuse_type("integers got dtype {}; use an integer type or bool",
                           kind == Kind::Struct ? "struct" : DType(kind).name());
    }
    const Limits limits = limits_of(kind);
    require_bound(low, "low", limits);
    require_bound(high, "high", {limits.least, limits.greatest + (endpoint ? 0 : 1)});
    const Kind words = DType(kind).size() <= 4 ? Kind::UInt32 : Kind::UInt64;
    if (low.array() != nullptr || high.array() != nullptr) {
        return call.result(integers_of_arrays(call, low, high, endpoint, words));
    }
    const Wide first = wide(low.scalar());
    const Wide count = wide(high.scalar()) - first + (endpoint ? 1 : 0);
    if (count <= 0) {
        array::refuse_value("integers got low={} and high={}; {}", low.scalar().text(),
                            high.scalar().text(),
                            endpoint ? "high must not be below low" : "high must be above low");
    }
    const Range range = range_of(count, words == Kind::UInt32 ? 32 : 64);
    const Array values = call.draw(ir::Draw::Below, words, words, {range.count, range.threshold});
    if (first == 0) return call.result(values);
    return call.result(add(values, Scalar(static_cast<std::int64_t>(first)).typed(words)));
}

std::vector<std::uint8_t> Generator::bytes(std::size_t count) {
    const std::vector<std::uint32_t> words =
        std::visit([&](auto& bits) { return bits.random_raw((count + 3) / 4); }, bits_);
    std::vector<std::uint8_t> result(count);
    for (std::size_t i = 0; i < count; ++i) {
        result[i] = static_cast<std::uint8_t>(words[i / 4] >> (i % 4 * 8));
    }
    return result;
}

Generator default_rng() {
    return Generator(Philox());
}
Generator default_rng(std::uint64_t seed) {
    return Generator(Philox(SeedSequence::of(seed)));
}
Generator default_rng(const SeedSequence& seed) {
    return Generator(Philox(seed));
}

}  // namespace warpwise::random
