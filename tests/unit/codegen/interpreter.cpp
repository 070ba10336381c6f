// The interpreter: values are 64-bit integers or doubles, rounded as their kind says.
#include "tests/unit/codegen/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>

#include "src/types/promotion.hpp"

namespace warpwise::codegen {
namespace {

using ir::Instruction;
using ir::Op;

// One value: integers and bools as 64 bits wrapped to their kind, floats as double.
struct Value {
    Kind kind = Kind::Void;
    std::int64_t whole = 0;
    double real = 0;
    double bound = 0;  // by how much the kernel's may differ
};

bool is_real(Kind kind) {
    return types::is_real_float(kind);
}

Value of_whole(Kind kind, std::uint64_t bits) {
    Value value{.kind = kind};
    const std::size_t size = DType(kind).size();
    if (kind == Kind::Bool) {
        value.whole = bits != 0 ? 1 : 0;
    } else if (size == 8) {
        value.whole = static_cast<std::int64_t>(bits);
    } else {
        const int shift = static_cast<int>(64 - 8 * size);
        const std::uint64_t up = bits << shift;
        value.whole = types::is_signed(kind) ? static_cast<std::int64_t>(up) >> shift
                                             : static_cast<std::int64_t>(up >> shift);
    }
    return value;
}

Value of_real(Kind kind, double real) {
    return {.kind = kind, .real = kind == Kind::Float32 ? static_cast<float>(real) : real};
}

Value load(Kind kind, const std::byte* at) {
    if (kind == Kind::Float32) {
        float value = 0;
        std::memcpy(&value, at, 4);
        return of_real(kind, value);
    }
    if (kind == Kind::Float64) {
        double value = 0;
        std::memcpy(&value, at, 8);
        return of_real(kind, value);
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, DType(kind).size());
    return of_whole(kind, bits);
}

template <class To>
std::uint64_t saturated(double real) {
    if (std::isnan(real)) return 0;
    const double low = static_cast<double>(std::numeric_limits<To>::min());
    const double high = std::ldexp(1.0, std::numeric_limits<To>::digits);
    if (real <= low) return static_cast<std::uint64_t>(std::numeric_limits<To>::min());
    if (real >= high) return static_cast<std::uint64_t>(std::numeric_limits<To>::max());
    return static_cast<std::uint64_t>(static_cast<To>(real));
}

Value cast(const Value& from, Kind to) {
    if (from.kind == to) return from;
    if (is_real(to)) {
        if (is_real(from.kind)) return of_real(to, from.real);
        if (from.kind == Kind::UInt64) {
            const auto bits = static_cast<std::uint64_t>(from.whole);
            return of_real(to, to == Kind::Float32 ? static_cast<double>(static_cast<float>(bits))
                                                   : static_cast<double>(bits));
        }
        return of_real(to, to == Kind::Float32 ? static_cast<double>(static_cast<float>(from.whole))
                                               : static_cast<double>(from.whole));
    }
    if (!is_real(from.kind)) return of_whole(to, static_cast<std::uint64_t>(from.whole));
    if (to == Kind::Bool) return of_whole(to, from.real != 0 ? 1 : 0);
    switch (to) {
        case Kind::Int8:
            return of_whole(to, saturated<std::int8_t>(from.real));
        case Kind::UInt8:
            return of_whole(to, saturated<std::uint8_t>(from.real));
        case Kind::Int16:
            return of_whole(to, saturated<std::int16_t>(from.real));
        case Kind::UInt16:
            return of_whole(to, saturated<std::uint16_t>(from.real));
        case Kind::Int32:
            return of_whole(to, saturated<std::int32_t>(from.real));
        case Kind::UInt32:
            return of_whole(to, saturated<std::uint32_t>(from.real));
        case Kind::Int64:
            return of_whole(to, saturated<std::int64_t>(from.real));
        default:
            return of_whole(to, saturated<std::uint64_t>(from.real));
    }
}

bool is_less(const Value& a, const Value& b) {
    if (is_real(a.kind)) return a.real < b.real;
    if (types::is_unsigned(a.kind)) {
        return static_cast<std::uint64_t>(a.whole) < static_cast<std::uint64_t>(b.whole);
    }
    return a.whole < b.whole;
}

bool is_nan(const Value& a) {
    return is_real(a.kind) && std::isnan(a.real);
}

Value limit(const Value& a, const Value& b, bool least) {
    if (is_nan(a)) return a;
    if (is_nan(b)) return b;
    Value best = (least ? is_less(b, a) : is_less(a, b)) ? b : a;
    best.bound = std::max(a.bound, b.bound);
    return best;
}

Value arithmetic(Op op, const Value& a, const Value& b) {
    if (a.kind == Kind::Float32) {
        const auto x = static_cast<float>(a.real);
        const auto y = static_cast<float>(b.real);
        return of_real(a.kind, op == Op::Add ? x + y : op == Op::Subtract ? x - y : x * y);
    }
    if (is_real(a.kind)) {
        const double result = op == Op::Add        ? a.real + b.real
                              : op == Op::Subtract ? a.real - b.real
                                                   : a.real * b.real;
        return of_real(a.kind, result);
    }
    const auto x = static_cast<std::uint64_t>(a.whole);
    const auto y = static_cast<std::uint64_t>(b.whole);
    return of_whole(a.kind, op == Op::Add ? x + y : op == Op::Subtract ? x - y : x * y);
}

Value apply(const Instruction& one, const Value& a, const Value& b, const Value& c) {
    switch (one.op) {
        case Op::Add:
        case Op::Subtract:
        case Op::Multiply:
            return arithmetic(one.op, a, b);
        case Op::Square:
            return arithmetic(Op::Multiply, a, a);
        case Op::Minimum:
        case Op::Maximum:
            return limit(a, b, one.op == Op::Minimum);
        case Op::Negative:
            return is_real(a.kind) ? of_real(a.kind, -a.real)
                                   : of_whole(a.kind, 0 - static_cast<std::uint64_t>(a.whole));
        case Op::Abs:
            if (is_real(a.kind)) return of_real(a.kind, std::fabs(a.real));
            return types::is_signed(a.kind) && a.whole < 0
                       ? of_whole(a.kind, 0 - static_cast<std::uint64_t>(a.whole))
                       : a;
        case Op::Sqrt:
            return of_real(a.kind, a.kind == Kind::Float32 ? std::sqrt(static_cast<float>(a.real))
                                                           : std::sqrt(a.real));
        case Op::Less:
            return of_whole(Kind::Bool, is_less(a, b) ? 1 : 0);
        case Op::Equal:
            return of_whole(Kind::Bool,
                            (is_real(a.kind) ? a.real == b.real : a.whole == b.whole) ? 1 : 0);
        case Op::Where:
            return a.whole != 0 ? b : c;
        default:
            throw std::logic_error("the interpreter has no " +
                                   std::string(ir::row_of(one.op).name));
    }
}

using Coordinates = std::vector<std::int64_t>;

std::int64_t offset_of(const Memory& memory, const Coordinates& at) {
    auto offset = static_cast<std::int64_t>(memory.origin);
    for (int axis = 0; axis < memory.strides.size(); ++axis) {
        offset += memory.strides[axis] * at[static_cast<std::size_t>(axis)];
    }
    return offset;
}

using Loads = std::function<Value(std::size_t)>;

std::vector<Value> evaluate(const ir::Body& body, const Case& sample, const Loads& input,
                            const Coordinates& at) {
    std::vector<Value> values;
    for (const Instruction& one : body.instructions) {
        const auto operand = [&](int i) {
            const auto id = one.operands[static_cast<std::size_t>(i)];
            return id < values.size() ? values[id] : Value{};
        };
        switch (one.form) {
            case Instruction::Form::Input:
                values.push_back(input(one.number));
                break;
            case Instruction::Form::Scalar: {
                std::array<std::byte, 16> bytes{};
                sample.binding.scalars[one.number].store(one.kind, bytes.data());
                values.push_back(load(one.kind, bytes.data()));
                break;
            }
            case Instruction::Form::Index:
                values.push_back(of_whole(Kind::Int64, static_cast<std::uint64_t>(at[one.number])));
                break;
            case Instruction::Form::Cast:
                values.push_back(cast(operand(0), one.kind));
                break;
            case Instruction::Form::Apply:
                values.push_back(apply(one, operand(0), operand(1), operand(2)));
                break;
            case Instruction::Form::Draw:
                throw Error("the interpreter draws no random numbers");
            case Instruction::Form::Bound:
            case Instruction::Form::Gather:
                throw std::logic_error("the interpreter has no indices");
        }
    }
    return values;
}

// Calls `visit` for each point of the axes [first, end), in C order; the others stay.
void for_each_point(const Shape& extents, int first, int end, Coordinates& at,
                    const std::function<void()>& visit) {
    for (int axis = first; axis < end; ++axis) {
        if (extents[axis] == 0) return;
        at[static_cast<std::size_t>(axis)] = 0;
    }
    while (true) {
        visit();
        int axis = end - 1;
        for (; axis >= first; --axis) {
            auto& own = at[static_cast<std::size_t>(axis)];
            if (++own < extents[axis]) break;
            own = 0;
        }
        if (axis < first) return;
    }
}

// What a reduction has taken.
class Taken {
  public:
    explicit Taken(const Reducer& reducer) : reducer_(reducer) {}

    void add(const Value& value) { values_.push_back(value); }

    Value result() const {
        const bool least = reducer_.reduce == Reduce::Minimum || reducer_.reduce == Reduce::ArgMin;
        switch (reducer_.reduce) {
            case Reduce::Sum:
                return is_real(reducer_.accumulator) ? real_sum() : whole(Op::Add, 0);
            case Reduce::Product:
                return is_real(reducer_.accumulator) ? real_product() : whole(Op::Multiply, 1);
            case Reduce::Minimum:
            case Reduce::Maximum: {
                if (values_.empty()) return anything();  // the caller refuses it
                Value best = values_.front();
                for (const Value& value : values_) best = limit(best, value, least);
                return best;
            }
            case Reduce::ArgMin:
            case Reduce::ArgMax:
                return place(least);
            case Reduce::Any:
            case Reduce::All:
                return logical();
            case Reduce::SquaredDeviation:
                return deviation();
        }
        return {};
    }

  private:
    static constexpr double kAnything = std::numeric_limits<double>::infinity();

    double epsilon() const { return reducer_.accumulator == Kind::Float32 ? 0x1p-23 : 0x1p-52; }
    Value anything() const { return {.kind = reducer_.result(), .bound = kAnything}; }

    Value whole(Op op, std::uint64_t start) const {
        Value result = of_whole(reducer_.accumulator, start);
        for (const Value& value : values_) result = arithmetic(op, result, value);
        return result;
    }

    bool are_finite(double& largest) const {
        largest = 0;
        for (const Value& value : values_) {
            if (!std::isfinite(value.real)) return false;
            largest = std::max(largest, std::fabs(value.real));
        }
        return true;
    }

    Value real_sum() const {
        long double sum = 0;
        long double size = 0;
        for (const Value& value : values_) {
            sum += value.real;
            size += std::fabs(value.real);
        }
        Value result{.kind = reducer_.accumulator, .real = static_cast<double>(sum)};
        const double most = reducer_.accumulator == Kind::Float32 ? 1e38 : 1e308;
        if (std::isfinite(static_cast<double>(size)) && size > most) return anything();
        // A tree of the depth of any of ours, and the blocks at its leaves.
        const double steps = std::min<double>(static_cast<double>(values_.size()), 64);
        result.bound = steps * epsilon() * static_cast<double>(size);
        if (!std::isfinite(result.bound)) result.bound = 0;
        return result;
    }

    Value real_product() const {
        long double product = 1;
        double up = 0;
        double down = 0;
        for (const Value& value : values_) {
            product *= value.real;
            if (!std::isfinite(value.real)) return anything();
            const double size = std::log2(std::fabs(value.real));
            if (std::isfinite(size)) (size > 0 ? up : down) += size;
        }
        const double most = reducer_.accumulator == Kind::Float32 ? 120 : 1000;
        if (up > most || down < -most) return anything();
        const auto real = static_cast<double>(product);
        return {.kind = reducer_.accumulator,
                .real = real,
                .bound = std::fabs(real) * epsilon() * (static_cast<double>(values_.size()) + 1)};
    }

    Value place(bool least) const {
        std::size_t best = 0;
        for (std::size_t i = 1; i < values_.size(); ++i) {
            if (is_nan(values_[best])) break;
            const bool wins =
                least ? is_less(values_[i], values_[best]) : is_less(values_[best], values_[i]);
            if (wins || is_nan(values_[i])) best = i;
        }
        if (values_.empty()) return anything();
        return of_whole(Kind::Int64, best);
    }

    Value logical() const {
        const bool wants = reducer_.reduce == Reduce::Any;
        const bool has = std::ranges::any_of(
            values_, [&](const Value& value) { return (value.whole != 0) == wants; });
        return of_whole(Kind::Bool, has == wants ? 1 : 0);
    }

    Value deviation() const {
        double largest = 0;
        if (!are_finite(largest)) return anything();
        const auto count = static_cast<long double>(values_.size());
        long double mean = 0;
        for (const Value& value : values_) mean += value.real / count;
        long double sum = 0;
        long double apart = 0;
        for (const Value& value : values_) {
            sum += (value.real - mean) * (value.real - mean);
            apart += std::fabs(value.real - mean);
        }
        const double most = reducer_.accumulator == Kind::Float32 ? 1e18 : 1e150;
        if (largest > most) return anything();
        const double rounded = largest * epsilon();
        return {.kind = reducer_.result(),
                .real = static_cast<double>(sum),
                .bound = 256 * epsilon() * static_cast<double>(sum) +
                         8 * rounded * static_cast<double>(apart) +
                         64 * static_cast<double>(count) * rounded * rounded};
    }

    const Reducer& reducer_;
    std::vector<Value> values_;
};

// Compares stores and remembers what has been compared.
class Comparison {
  public:
    explicit Comparison(const Case& sample) {
        for (const auto& one : sample.stores) expected_.push_back(untouched(*one));
        for (const auto& one : sample.kept_stores) kept_.push_back(untouched(*one));
    }

    void compare(const Memory& memory, bool is_kept, std::size_t number, const Coordinates& at,
                 const Value& wanted) {
        const auto offset = static_cast<std::size_t>(offset_of(memory, at));
        const Value found = load(memory.kind, memory.bytes.data() + offset);
        std::memcpy((is_kept ? kept_ : expected_)[number].data() + offset,
                    memory.bytes.data() + offset, DType(memory.kind).size());
        if (is_same(found, wanted) || !difference_.empty()) return;
        difference_ = fmt::format("{} {} at ({}): {} instead of {}, bound {}",
                                  is_kept ? "kept store" : "store", number, fmt::join(at, ", "),
                                  text(found), text(wanted), wanted.bound);
    }

    std::string finish(const Case& sample) {
        const auto check = [&](const auto& memories, const auto& expected, const char* what) {
            for (std::size_t i = 0; i < memories.size(); ++i) {
                if (memories[i]->bytes == expected[i] || !difference_.empty()) continue;
                difference_ = fmt::format("{} {}: bytes beside its elements were written", what, i);
            }
        };
        check(sample.stores, expected_, "store");
        check(sample.kept_stores, kept_, "kept store");
        return difference_;
    }

  private:
    static std::vector<std::byte> untouched(const Memory& memory) {
        return std::vector<std::byte>(memory.bytes.size(), std::byte{0xA5});
    }
    static bool is_same(const Value& a, const Value& b) {
        if (std::isinf(b.bound)) return true;
        if (!is_real(a.kind)) return a.whole == b.whole;
        if (std::isnan(b.real)) return std::isnan(a.real);
        return a.real == b.real || std::fabs(a.real - b.real) <= b.bound;
    }
    static std::string text(const Value& value) {
        return is_real(value.kind) ? fmt::format("{}", value.real) : fmt::format("{}", value.whole);
    }

    std::vector<std::vector<std::byte>> expected_, kept_;
    std::string difference_;
};

class Interpreter {
  public:
    explicit Interpreter(const Case& sample)
        : sample_(sample),
          group_(sample.group),
          rank_(sample.binding.extents.size()),
          at_(static_cast<std::size_t>(rank_)),
          comparison_(sample) {}

    std::string run() {
        if (group_.skeleton == Skeleton::Elementwise) {
            for_each_point(sample_.binding.extents, 0, rank_, at_, [this] { point(); });
        } else {
            const int kept = rank_ - group_.reduced;
            for_each_point(sample_.binding.extents, 0, kept, at_, [this] { result(); });
        }
        return comparison_.finish(sample_);
    }

  private:
    std::vector<Value> point() {
        const auto input = [&](std::size_t i) {
            const Memory& memory = *sample_.inputs[i];
            return load(memory.kind, memory.bytes.data() + offset_of(memory, at_));
        };
        std::vector<Value> values = evaluate(group_.body, sample_, input, at_);
        for (std::size_t i = 0; i < group_.stores.size(); ++i) {
            comparison_.compare(*sample_.stores[i], false, i, at_, values[group_.stores[i].value]);
        }
        return values;
    }

    void result() {
        std::vector<Taken> taken;
        for (const Reducer& one : group_.reducers) taken.emplace_back(one);
        for_each_point(sample_.binding.extents, rank_ - group_.reduced, rank_, at_, [&] {
            const std::vector<Value> values = point();
            for (std::size_t i = 0; i < taken.size(); ++i) {
                taken[i].add(values[group_.reducers[i].value]);
            }
        });
        const auto input = [&](std::size_t i) {
            if (i < taken.size()) return taken[i].result();
            const Memory& memory = *sample_.kept_inputs[i - taken.size()];
            return load(memory.kind, memory.bytes.data() + offset_of(memory, at_));
        };
        const std::vector<Value> values = evaluate(group_.epilogue, sample_, input, at_);
        for (std::size_t i = 0; i < group_.kept_stores.size(); ++i) {
            comparison_.compare(*sample_.kept_stores[i], true, i, at_,
                                values[group_.kept_stores[i].value]);
        }
    }

    const Case& sample_;
    const Group& group_;
    const int rank_;
    Coordinates at_;
    Comparison comparison_;
};

}  // namespace

std::string difference(const Case& sample) {
    return Interpreter(sample).run();
}

}  // namespace warpwise::codegen
