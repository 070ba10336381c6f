// Bounds of the results of operators.
#include "src/script/narrow/interval.hpp"

#include <algorithm>
#include <array>

namespace warpwise::script {
namespace {

constexpr Wide kOne = 1;

// All numbers that have so many bits, and as many negative ones, if one is negative.
Interval of_bits(const Interval& a, const Interval& b) {
    const Wide most = std::max(a.most, b.most);
    const Wide least = std::min(a.least, b.least);
    int bits = 0;
    while (bits < 64 && (most > (kOne << bits) - 1 || least < -(kOne << bits))) ++bits;
    return {least < 0 ? -(kOne << bits) : 0, (kOne << bits) - 1};
}

Interval of_products(const std::array<Wide, 4>& products) {
    const auto [least, most] = std::ranges::minmax(products);
    return {least, most};
}

// Both are natural; a divisor of 0 has no result.
Interval natural_quotient(const Interval& a, const Interval& b) {
    return {a.least / std::max(b.most, kOne), a.most / std::max(b.least, kOne)};
}

Interval shifted(std::string_view op, const Interval& a, const Interval& b, Type type) {
    const bool is_plain = b.least == b.most && b.least >= 0 && b.least < 63;
    if (!is_plain) return interval_of(type);
    const int by = static_cast<int>(b.least);
    if (op == ">>") return {a.least >> by, a.most >> by};
    return {a.least * (kOne << by), a.most * (kOne << by)};
}

Interval masked(const Interval& a, const Interval& b, Type type) {
    if (a.is_natural() && b.is_natural()) return {0, std::min(a.most, b.most)};
    if (a.is_natural()) return {0, a.most};
    return b.is_natural() ? Interval{0, b.most} : interval_of(type);
}

}  // namespace

Interval interval_of(Type type) {
    if (type->is_bool()) return {0, 1};
    const auto bits = static_cast<int>(8 * DType(type->kind).size());
    if (!type->is_signed()) return {0, (kOne << bits) - 1};
    return {-(kOne << (bits - 1)), (kOne << (bits - 1)) - 1};
}

Interval joined(const Interval& a, const Interval& b) {
    if (a.is_empty()) return b;
    if (b.is_empty()) return a;
    return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

Interval met(const Interval& a, const Interval& b) {
    return {std::max(a.least, b.least), std::min(a.most, b.most)};
}

Interval cut(const Interval& value, Type type) {
    const Interval all = interval_of(type);
    return value.is_within(all) ? value : all;
}

Interval widened(const Interval& from, const Interval& to) {
    if (from.is_empty() || to.is_within(from)) return to.is_within(from) ? from : to;
    Interval result = from;
    for (int bits = 0; to.most > result.most; bits += bits < 28 ? 7 : 1) {
        result.most = std::max(result.most, (kOne << bits) - 1);
    }
    for (int bits = 0; to.least < result.least; bits += bits < 28 ? 7 : 1) {
        result.least = std::min(result.least, -(kOne << bits));
    }
    return result;
}

Interval minimum(const Interval& a, const Interval& b) {
    return {std::min(a.least, b.least), std::min(a.most, b.most)};
}

Interval maximum(const Interval& a, const Interval& b) {
    return {std::max(a.least, b.least), std::max(a.most, b.most)};
}

Interval sum(const Interval& a, const Interval& b) {
    return {a.least + b.least, a.most + b.most};
}

Interval difference(const Interval& a, const Interval& b) {
    return {a.least - b.most, a.most - b.least};
}

Interval product(const Interval& a, const Interval& b) {
    return of_products({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
}

Interval infix_interval(std::string_view op, const Interval& a, const Interval& b, Type type) {
    if (a.is_empty() || b.is_empty()) return {};
    const auto result = [&]() -> Interval {
        if (op == "+") return sum(a, b);
        if (op == "-") return difference(a, b);
        if (op == "*") return product(a, b);
        if (op == "<<" || op == ">>") return shifted(op, a, b, type);
        if (op == "&") return masked(a, b, type);
        if (op == "|" || op == "^") return of_bits(a, b);
        const bool are_natural = a.is_natural() && b.is_natural();
        if (op == "/" && are_natural) return natural_quotient(a, b);
        if (op == "%" && are_natural) return floor_remainder(a, b);
        return interval_of(type);
    };
    return cut(result(), type);
}

Interval floor_quotient(const Interval& a, const Interval& b) {
    if (a.is_natural() && b.is_natural()) return natural_quotient(a, b);
    const Wide most = std::max(a.most, -a.least);
    return {-most, most};
}

Interval floor_remainder(const Interval& a, const Interval& b) {
    Interval result{std::min<Wide>(b.least + 1, 0), std::max<Wide>(b.most - 1, 0)};
    if (a.is_natural() && b.is_natural()) result.most = std::min(result.most, a.most);
    return result;
}

}  // namespace warpwise::script
