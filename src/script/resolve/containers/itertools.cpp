// Loops over what itertools gives: chain(), pairwise() and product() by the number of the item;
// product(), accumulate(), combinations() and permutations() of known items written out.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "src/script/promotion.hpp"
#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {
namespace {

constexpr std::size_t kMostSelected = 256;
// Longer products are loops.
constexpr std::size_t kMostOfProduct = 64;

Type int64() {
    return number_type(Kind::Int64);
}

using Places = std::vector<std::size_t>;

// Of `count` items, in Python's order; false behind the last one.
bool next_combination(Places& places, std::size_t count) {
    for (std::size_t i = places.size(); i-- > 0;) {
        if (places[i] == i + count - places.size()) continue;
        std::iota(places.begin() + static_cast<std::ptrdiff_t>(i), places.end(), places[i] + 1);
        return true;
    }
    return false;
}

bool next_number(Places& places, const Places& counts) {
    for (std::size_t i = places.size(); i-- > 0;) {
        if (++places[i] < counts[i]) return true;
        places[i] = 0;
    }
    return false;
}

bool are_distinct(const Places& places) {
    return std::set<std::size_t>(places.begin(), places.end()).size() == places.size();
}

}  // namespace

// Of itertools, what may be written out.
bool Resolver::is_selection(std::string_view name) {
    return name == "product" || name == "accumulate" || name == "combinations" ||
           name == "combinations_with_replacement" || name == "permutations";
}

// A number that a call of itertools takes, as the argument at `at` or by its name.
std::optional<std::int64_t> Resolver::selection_number(const Syntax& node, std::size_t at,
                                                       std::string_view keyword) {
    const auto given = node.list("args");
    const Syntax* found = at < given.size() ? given[at] : nullptr;
    for (const Syntax* one : node.list("keywords")) {
        if ((*one)["arg"].text != keyword) {
            unsupported((*one)["value"],
                        fmt::format("itertools takes no {}= here in kernels", (*one)["arg"].text));
        }
        found = &(*one)["value"];
    }
    if (found == nullptr) return std::nullopt;
    const ExpressionRef value = expression(*found);
    const auto known = value->type->is_number() ? constants_of(value) : std::nullopt;
    if (known && (*known)[0] >= 0) return (*known)[0];
    fail(*found, fmt::format("{} is a constant in kernels, a natural number", keyword));
}

std::int64_t Resolver::repeats_of(const Syntax& node) {
    constexpr std::int64_t kMost = 16;
    const std::int64_t times = selection_number(node, SIZE_MAX, "repeat").value_or(1);
    if (times >= 1 && times <= kMost) return times;
    unsupported(node, fmt::format("itertools.product() repeats 1 to {} times in kernels", kMost));
}

// itertools.accumulate(items, func=operator.add, *, initial=None), but for the items.
Resolver::Accumulation Resolver::accumulation_of(const Syntax& node) {
    const auto given = node.list("args");
    Accumulation made{.function = given.size() > 1 ? given[1] : nullptr};
    for (const Syntax* one : node.list("keywords")) {
        const Syntax& value = (*one)["value"];
        const std::string& keyword = (*one)["arg"].text;
        if (keyword == "func") {
            made.function = &value;
        } else if (keyword == "initial") {
            made.start = expression(value);
        } else {
            unsupported(value,
                        fmt::format("itertools.accumulate() takes no {}= in kernels", keyword));
        }
    }
    if (made.start && made.start->type->family == Family::None) made.start = nullptr;
    const bool adds =
        made.function == nullptr || expression(*made.function)->type->family == Family::None;
    if (adds) made.function = nullptr;
    return made;
}

ExpressionRef Resolver::joined_by(const Syntax* function, const ExpressionRef& one,
                                  const ExpressionRef& other, const Syntax& node) {
    if (function == nullptr) return binary("+", one, other, node);
    const Arguments both{{.keyword = "", .value = one, .node = function},
                         {.keyword = "", .value = other, .node = function}};
    return call_value(expression(*function), both, *function, node);
}

std::optional<Resolver::Values> Resolver::accumulated(const Syntax& node, Values items) {
    const Accumulation made = accumulation_of(node);
    if (made.start) items.insert(items.begin(), made.start);
    for (std::size_t i = 1; i < items.size(); ++i) {
        items[i] = joined_by(made.function, items[i - 1], items[i], node);
        if (items[i]->effect == Effect::Acts) return std::nullopt;
    }
    return items;
}

// The items where those of all parts are known; no value where they are not, or are too many.
std::optional<Resolver::Values> Resolver::selected_items(const std::string& name,
                                                         const Syntax& node, bool& has_tuple) {
    const auto given = node.list("args");
    std::vector<Values> parts;
    const std::size_t sources = name == "product" ? given.size() : 1;
    for (std::size_t i = 0; i < sources && i < given.size(); ++i) {
        const std::optional<Values> part = items_of(*given[i], has_tuple);
        if (!part) return std::nullopt;
        for (const ExpressionRef& one : *part) {
            if (one->effect == Effect::Acts) return std::nullopt;  // once only
        }
        parts.push_back(*part);
    }
    if (parts.empty()) fail(node, fmt::format("itertools.{}() takes a sequence", name));
    if (name == "accumulate") {
        has_tuple = true;
        return accumulated(node, std::move(parts[0]));
    }
    std::size_t length = parts.size();
    if (name == "product") {
        length *= static_cast<std::size_t>(repeats_of(node));
    } else {
        has_tuple = true;
        const auto wanted = selection_number(node, 1, "r");
        if (!wanted && name != "permutations") {
            fail(node, fmt::format("itertools.{}() takes the length of its items", name));
        }
        length = wanted ? static_cast<std::size_t>(*wanted) : parts[0].size();
    }
    Places counts;
    for (std::size_t i = 0; i < length; ++i) counts.push_back(parts[i % parts.size()].size());
    Values items;
    const auto add = [&](const Places& places) {
        Values row;
        for (std::size_t i = 0; i < length; ++i) row.push_back(parts[i % parts.size()][places[i]]);
        items.push_back(tuple(std::move(row)));
        return items.size() <= (name == "product" ? kMostOfProduct : kMostSelected);
    };
    Places places(length, 0);
    if (name == "combinations") {
        std::iota(places.begin(), places.end(), std::size_t{0});
        if (length > parts[0].size()) return items;
        do {
            if (!add(places)) return std::nullopt;
        } while (next_combination(places, parts[0].size()));
        return items;
    }
    if (std::ranges::find(counts, std::size_t{0}) != counts.end()) return items;
    constexpr std::size_t kMostTried = 1U << 16U;
    std::size_t tried = 0;
    do {
        if (++tried > kMostTried) return std::nullopt;
        const bool is_one =
            name == "product" ||
            (name == "permutations" ? are_distinct(places) : std::ranges::is_sorted(places));
        if (is_one && !add(places)) return std::nullopt;
    } while (next_number(places, counts));
    return items;
}

// What has its items in their order only.
void Resolver::refuse_steps(const Sequence& part, const Syntax& node) const {
    if (!part.step) return;
    unsupported(node,
                "itertools.accumulate() of other than tuples is gone over by a loop itself in "
                "kernels, in enumerate() or zip() at most");
}

// itertools.accumulate() of anything that loops take: a variable that each turn changes.
Resolver::Sequence Resolver::accumulated_sequence(const Syntax& node, Block& out) {
    const auto given = node.list("args");
    if (given.empty() || given.size() > 2) fail(node, "itertools.accumulate() takes a sequence");
    const Accumulation made = accumulation_of(node);
    ExpressionRef start = made.start;
    const Sequence items = sequence_of(*given[0], out);
    if (!items.length || (start && is_unknown(start))) return {};
    refuse_steps(items, *given[0]);
    if (start) start = kept(start, node, out);
    const auto joined = [this, made, &node](const ExpressionRef& one, const ExpressionRef& other) {
        return joined_by(made.function, one, other, node);
    };
    const ExpressionRef first = start ? start : items.at(whole(0));
    if (is_unknown(first)) return {};
    // Of a type that holds the first item and all that follow.
    std::shared_ptr<Variable> running = temporary("running", first->type);
    const ExpressionRef next = joined(variable(running), items.at(whole(0)));
    if (is_unknown(next)) return {};
    const std::optional<Type> joint = unified(first->type, next->type);
    if (!first->type->is_number() || !joint || !(*joint)->is_number()) {
        unsupported(node, fmt::format("itertools.accumulate() gives numbers in kernels, got {} and "
                                      "{}",
                                      described(first->type), described(next->type)));
    }
    running = total("running", *joint);
    const ExpressionRef read = variable(running);
    out.push_back({.op = Statement::Op::Assign,
                   .place = node.place,
                   .variable = running,
                   .value = cast(whole(0), *joint)});
    const ExpressionRef length = start ? infix("+", items.length, whole(1), int64()) : items.length;
    const auto step = [=, this, &node](const ExpressionRef& k, Block& body) {
        const ExpressionRef is_first = infix("==", k, whole(0), number_type(Kind::Bool));
        ExpressionRef at = k;
        if (start) {
            auto before = std::make_shared<Expression>(*infix("-", k, whole(1), int64()));
            before->is_never_negative = true;
            at = before;
        }
        const ExpressionRef one = start ? start : items.at(at);
        const ExpressionRef following = joined(read, items.at(at));
        if (is_unknown(following)) return;
        note_effect(following->effect);
        body.push_back(
            {.op = Statement::Op::Assign,
             .place = node.place,
             .variable = running,
             .value = select(is_first, cast(one, *joint), cast(following, *joint), *joint)});
    };
    return {length, [read](const ExpressionRef&) { return read; }, step};
}

// itertools.chain(), pairwise() and product().
Resolver::Sequence Resolver::joined_sequence(const std::string& name, const Syntax& node,
                                             Block& out) {
    if (is_selection(name) && name != "product") {
        unsupported(node, fmt::format("itertools.{}() goes over tuples and range() of constants in "
                                      "kernels, of {} items at most, whose values call no function "
                                      "that acts; write loops",
                                      name, kMostSelected));
    }
    const auto given = node.list("args");
    if (given.empty() || (name == "pairwise" && given.size() != 1)) {
        fail(node, fmt::format("itertools.{}() takes {}", name,
                               name == "pairwise" ? "a sequence" : "sequences"));
    }
    const std::int64_t times = name == "product" ? repeats_of(node) : 1;
    if (name != "product" && !node.list("keywords").empty()) {
        unsupported(node, fmt::format("itertools.{}() takes no keywords in kernels", name));
    }
    std::vector<Sequence> parts;
    Values lengths;
    for (const Syntax* one : given) {
        if (one->is("Starred")) unsupported(*one, "kernels join sequences that are written there");
        parts.push_back(sequence_of(*one, out));
        if (!parts.back().length) return {};
        refuse_steps(parts.back(), *one);
        lengths.push_back(kept(parts.back().length, *one, out));
    }
    const std::size_t once = parts.size();
    for (std::size_t i = once; i < once * static_cast<std::size_t>(times); ++i) {
        parts.push_back(parts[i - once]);
        lengths.push_back(lengths[i - once]);
    }
    if (name == "pairwise") {
        const auto less = infix("-", lengths[0], whole(1), int64());
        return {call("__ww_py_max", {less, whole(0)}, int64(), Effect::Pure, true),
                [part = parts[0]](const ExpressionRef& k) {
                    ExpressionRef one = part.at(k);
                    ExpressionRef next = part.at(infix("+", k, whole(1), int64()));
                    const Type pair = tuple_type({one->type, next->type});
                    return tuple({std::move(one), std::move(next)}, pair);
                }};
    }
    const bool is_chain = name == "chain";
    ExpressionRef length = lengths[0];
    for (std::size_t i = 1; i < lengths.size(); ++i)
        length = infix(is_chain ? "+" : "*", length, lengths[i], int64());
    if (!is_chain) {
        return {std::move(length), [parts, lengths](const ExpressionRef& k) {
                    const Values place = place_of_number(k, lengths);
                    Values items;
                    for (std::size_t i = 0; i < parts.size(); ++i) {
                        items.push_back(parts[i].at(place[i]));
                    }
                    return tuple(std::move(items));
                }};
    }
    return {std::move(length), [this, parts, lengths, &node](const ExpressionRef& k) {
                std::function<ExpressionRef(std::size_t, const ExpressionRef&)> from =
                    [&](std::size_t i, const ExpressionRef& at) {
                        ExpressionRef one = parts[i].at(at);
                        if (i + 1 == parts.size()) return one;
                        auto behind =
                            std::make_shared<Expression>(*infix("-", at, lengths[i], int64()));
                        behind->is_never_negative = true;
                        ExpressionRef other = from(i + 1, behind);
                        const Type type = common_type(one, other, node, "itertools.chain()");
                        return select(infix("<", at, lengths[i], number_type(Kind::Bool)),
                                      std::move(one), std::move(other), type);
                    };
                return from(0, k);
            }};
}

// itertools.count(), cycle(), repeat() and islice(). What has no end has more items than any loop
// has turns.
Resolver::Sequence Resolver::counted_sequence(const std::string& name, const Syntax& node,
                                              Block& out) {
    const ExpressionRef endless = whole(std::int64_t{1} << 62);
    const auto given = node.list("args");
    const std::size_t most = name == "islice" ? 4 : name == "cycle" ? 1 : 2;
    if (given.size() > most || (name != "count" && given.empty()) ||
        (name == "islice" && given.size() < 2)) {
        fail(node, fmt::format("itertools.{}() takes other arguments", name));
    }
    Values numbers;  // null: None, or not given
    const auto add = [&](const Syntax& one) {
        const ExpressionRef value = expression(one);
        const bool is_none = value->type->family == Family::None;
        if (!is_none && !is_unknown(value) && !is_whole_number(value->type)) {
            fail(one, fmt::format("itertools.{}() takes whole numbers in kernels, got {}", name,
                                  described(value->type)));
        }
        numbers.push_back(is_none ? nullptr : kept(cast(value, int64()), one, out));
    };
    const std::size_t first = name == "count" ? 0 : 1;
    for (std::size_t i = first; i < given.size(); ++i) add(*given[i]);
    for (const Syntax* one : node.list("keywords")) {
        const std::string& keyword = (*one)["arg"].text;
        const bool is_next = (keyword == "step" && name == "count" && numbers.size() <= 1) ||
                             (keyword == "start" && name == "count" && numbers.empty()) ||
                             (keyword == "times" && name == "repeat" && numbers.empty());
        if (!is_next) {
            unsupported(*one,
                        fmt::format("itertools.{}() takes no {}= here in kernels", name, keyword));
        }
        if (keyword == "step" && numbers.empty()) numbers.push_back(whole(0));
        add((*one)["value"]);
    }
    if (std::ranges::any_of(numbers, [](const auto& one) { return one && is_unknown(one); })) {
        return {};
    }
    const auto number = [&](std::size_t at, std::int64_t otherwise) {
        return at < numbers.size() && numbers[at] ? numbers[at] : whole(otherwise);
    };
    const auto scaled = [](const ExpressionRef& start, const ExpressionRef& k,
                           const ExpressionRef& step, bool is_natural) {
        auto made =
            std::make_shared<Expression>(*infix("+", start, infix("*", k, step, int64()), int64()));
        made->is_never_negative = is_natural;
        return made;
    };
    if (name == "count") {
        return {endless, [=, start = number(0, 0), step = number(1, 1)](const ExpressionRef& k) {
                    return scaled(start, k, step, false);
                }};
    }
    if (name == "repeat") {
        const ExpressionRef item = kept(expression(*given[0]), *given[0], out);
        if (is_unknown(item)) return {};
        const bool is_endless = numbers.empty() || !numbers[0];
        const ExpressionRef times =
            is_endless ? endless
                       : call("__ww_py_max", {numbers[0], whole(0)}, int64(), Effect::Pure, true);
        return {times, [item](const ExpressionRef&) { return item; }};
    }
    const bool is_array =
        sequence_name(*given[0]).empty() &&
        (expression(*given[0])->type->is_array() || expression(*given[0])->type->is_record());
    if (name == "cycle" && is_array) {
        unsupported(*given[0],
                    "itertools.cycle() keeps what the items of an array were in the first round, "
                    "and kernels have no memory for them; index with i % len(x)");
    }
    const Sequence items = sequence_of(*given[0], out);
    if (!items.length) return {};
    refuse_steps(items, *given[0]);
    const ExpressionRef length = kept(items.length, node, out);
    if (name == "cycle") {
        const ExpressionRef some = infix(">", length, whole(0), number_type(Kind::Bool));
        return {select(some, endless, whole(0), int64()), [=](const ExpressionRef& k) {
                    auto at = std::make_shared<Expression>(*infix("%", k, length, int64()));
                    at->is_never_negative = true;
                    return items.at(at);
                }};
    }
    const bool has_start = numbers.size() > 1;
    const ExpressionRef start = has_start ? number(0, 0) : whole(0);
    const ExpressionRef stop = numbers[has_start ? 1 : 0];
    const ExpressionRef step = number(2, 1);
    for (const auto& [one, least] : {std::pair(start, 0), std::pair(stop, 0), std::pair(step, 1)}) {
        if (!one || (one->constant && one->constant->whole.value_or(-1) >= least)) continue;
        end_if(infix("<", one, whole(least), number_type(Kind::Bool)),
               "numbers of islice() are natural", node, out);
    }
    const ExpressionRef end =
        stop ? call("__ww_py_min", {stop, length}, int64(), Effect::Pure, true) : length;
    ExpressionRef count =
        call("__ww_py_range_length", {start, end, step}, int64(), Effect::Pure, true);
    return {std::move(count),
            [=](const ExpressionRef& k) { return items.at(scaled(start, k, step, true)); }};
}

}  // namespace warpwise::script
