// Random groups, by seed alone: equal seeds give equal groups, memory and numbers.
#include <algorithm>
#include <numeric>
#include <span>

#include "src/types/promotion.hpp"
#include "tests/unit/codegen/sample_groups.hpp"

namespace warpwise::codegen {
namespace {

using ir::Op;
using ir::ValueId;

constexpr std::array kKinds = {Kind::Bool,   Kind::Int8,    Kind::UInt8,  Kind::Int16,
                               Kind::UInt16, Kind::Int32,   Kind::UInt32, Kind::Int64,
                               Kind::UInt64, Kind::Float32, Kind::Float64};
// Those without a compiler.
constexpr std::array kInterpretedKinds = {Kind::Bool, Kind::Int32, Kind::Int64, Kind::Float32,
                                          Kind::Float64};
constexpr std::int64_t kMostPoints = 40000;

class Maker {
  public:
    Maker(std::uint64_t seed, std::span<const Kind> kinds)
        : kinds_(kinds), random_(seed * 0x9E3779B97F4A7C15ull + 1) {}

    Case make() {
        const bool reduces = chance(50);
        shape(reduces);
        Group& group = sample_.group;
        operands(sample_.inputs, all_, static_cast<int>(1 + below(4)), false);
        for (const auto& one : sample_.inputs) group.inputs.push_back({one->kind});
        scalars();
        body();
        if (reduces) {
            reduction();
        } else {
            stores(static_cast<int>(1 + below(2)));
        }
        describe(sample_);
        bind(sample_);
        return std::move(sample_);
    }

  private:
    std::uint64_t below(std::uint64_t end) { return random_() % end; }
    bool chance(unsigned percent) { return below(100) < percent; }

    std::int64_t extent(std::int64_t most) {
        static constexpr std::array<std::int64_t, 14> kUsual = {1,  2,  3,   5,   8,   17,   31,
                                                                33, 64, 129, 255, 257, 1000, 2049};
        const std::int64_t usual = kUsual[below(kUsual.size())];
        return std::min(chance(10) ? static_cast<std::int64_t>(1 + below(40000)) : usual, most);
    }

    void shape(bool reduces) {
        const int rank = static_cast<int>(chance(80) ? below(5) : below(17));
        std::int64_t left = kMostPoints;
        std::vector<std::int64_t> extents;
        for (int axis = 0; axis < rank; ++axis) {
            // Many axes are short ones.
            const std::int64_t most = rank > 4 ? std::min<std::int64_t>(left, 3) : left;
            extents.push_back(std::max<std::int64_t>(extent(most), 1));
            left /= extents.back();
        }
        std::ranges::shuffle(extents, random_);
        int reduced = 0;
        if (reduces) {
            sample_.group.skeleton = Skeleton::Reduction;
            sample_.group.order = chance(50) ? ReduceOrder::Inner : ReduceOrder::Outer;
            reduced = rank == 0 ? 0 : static_cast<int>(below(static_cast<std::uint64_t>(rank)) + 1);
            if (reduced > 0 && chance(3)) extents.back() = 0;
        }
        sample_.group.reduced = static_cast<std::uint8_t>(reduced);
        for (const std::int64_t one : extents) all_.push_back(one);
        for (int axis = 0; axis < rank - reduced; ++axis) kept_.push_back(all_[axis]);
        sample_.binding.extents = all_;
    }

    Strides layout(const Shape& extents, std::int64_t item, bool is_store) {
        if (chance(40)) return c_strides(extents, item);
        if (!is_store && chance(20)) return Strides::filled(extents.size(), 0);
        std::vector<int> order(static_cast<std::size_t>(extents.size()));
        std::iota(order.begin(), order.end(), 0);
        std::ranges::reverse(order);
        if (chance(60)) std::ranges::shuffle(order, random_);
        Strides strides = Strides::filled(extents.size(), 0);
        std::int64_t next = item * static_cast<std::int64_t>(chance(40) ? 2 + below(4) : 1);
        for (const int axis : order) {
            if (!is_store && chance(15)) continue;  // repeated
            strides[axis] = chance(25) ? -next : next;
            next *= std::max<std::int64_t>(extents[axis], 1);
            if (next < (1 << 20) && chance(20)) next += item * 3;
        }
        return strides;
    }

    void operands(std::vector<std::unique_ptr<Memory>>& list, const Shape& extents, int count,
                  bool is_store, Kind only = Kind::Void) {
        for (int i = 0; i < count; ++i) {
            const Kind kind = only != Kind::Void ? only : kinds_[below(kinds_.size())];
            const auto item = static_cast<std::int64_t>(DType(kind).size());
            auto memory =
                make_memory(kind, extents, layout(extents, item, is_store), chance(50) ? 0 : 1);
            memory->is_store = is_store;
            if (!is_store) fill(*memory, random_);
            list.push_back(std::move(memory));
        }
    }

    void scalars() {
        const std::size_t count = below(3);
        for (std::size_t i = 0; i < count; ++i) {
            const Kind kind = kinds_[below(kinds_.size())];
            sample_.group.scalars.push_back(kind);
            sample_.binding.scalars.push_back(
                Scalar(static_cast<std::int64_t>(below(7)) - 2).typed(kind));
        }
    }

    void body() {
        Group& group = sample_.group;
        for (const auto& one : sample_.inputs) input_kinds_.push_back(one->kind);
        BodyBuilder make(group.body, input_kinds_, group.scalars);
        for (std::size_t i = 0; i < input_kinds_.size(); ++i) values_.push_back(make.input(i));
        for (std::size_t i = 0; i < group.scalars.size(); ++i) values_.push_back(make.scalar(i));
        if (all_.size() > 0 && chance(20)) {
            values_.push_back(
                make.index(static_cast<int>(below(static_cast<std::uint64_t>(all_.size())))));
        }
        const std::size_t steps = below(8);
        for (std::size_t i = 0; i < steps; ++i) values_.push_back(step(make, values_));
    }

    ValueId any(const std::vector<ValueId>& values) { return values[below(values.size())]; }

    // A value of the kind of computation, never bool.
    ValueId step(BodyBuilder& make, const std::vector<ValueId>& values) {
        static constexpr std::array kBinary = {Op::Add, Op::Subtract, Op::Multiply, Op::Minimum,
                                               Op::Maximum};
        static constexpr std::array kUnary = {Op::Negative, Op::Abs, Op::Square};
        const ValueId a = any(values);
        const Kind own = make.kind_of(a);
        const Kind kind =
            own == Kind::Bool || chance(20) ? kinds_[1 + below(kinds_.size() - 1)] : own;
        const ValueId x = make.cast(a, kind);
        const ValueId y = make.cast(any(values), kind);
        switch (below(6)) {
            case 0:
                return make.op(kUnary[below(kUnary.size())], {x});
            case 1:
                return make.op(chance(50) ? Op::Less : Op::Equal, {x, y});
            case 2:
                return make.op(Op::Where, {make.cast(any(values), Kind::Bool), x, y});
            case 3:
                if (types::is_real_float(kind)) return make.op(Op::Sqrt, {make.op(Op::Abs, {x})});
                [[fallthrough]];
            default:
                return make.op(kBinary[below(kBinary.size())], {x, y});
        }
    }

    void stores(int count) {
        Group& group = sample_.group;
        for (int i = 0; i < count; ++i) {
            const ValueId value = i == 0 ? values_.back() : any(values_);
            const Kind kind = group.body.instructions[value].kind;
            operands(sample_.stores, all_, 1, true, kind);
            group.stores.push_back({{kind}, value});
        }
    }

    Reducer reducer(BodyBuilder& make) {
        const auto reduce = static_cast<Reduce>(below(9));
        ValueId value = any(values_);
        const Kind own = make.kind_of(value);
        const Kind number = own == Kind::Bool ? Kind::Int64 : own;
        Kind kind = number;
        if (reduce == Reduce::Any || reduce == Reduce::All) kind = Kind::Bool;
        if (reduce == Reduce::SquaredDeviation) {
            kind = number == Kind::Float32 ? Kind::Float32 : Kind::Float64;
        }
        return {reduce, kind, make.cast(value, kind)};
    }

    void reduction() {
        Group& group = sample_.group;
        if (all_.size() > 0 && count_of(all_) > 0 && chance(15)) stores(1);
        BodyBuilder make(group.body, input_kinds_, group.scalars);
        const std::size_t count = 1 + below(3);
        for (std::size_t i = 0; i < count; ++i) group.reducers.push_back(reducer(make));
        const int kept_inputs = static_cast<int>(below(2));
        operands(sample_.kept_inputs, kept_, kept_inputs, false);
        std::vector<Kind> kinds;
        for (const Reducer& one : group.reducers) kinds.push_back(one.result());
        for (const auto& one : sample_.kept_inputs) {
            group.kept_inputs.push_back({one->kind});
            kinds.push_back(one->kind);
        }
        BodyBuilder end(group.epilogue, kinds, group.scalars);
        for (std::size_t i = 0; i < group.reducers.size(); ++i) keep(end.input(i));
        for (std::size_t i = group.reducers.size(); i < kinds.size(); ++i) {
            const Kind kind = kinds[0] == Kind::Bool ? Kind::Int32 : kinds[0];
            keep(end.op(Op::Maximum, {end.cast(end.input(0), kind), end.cast(end.input(i), kind)}));
        }
    }

    void keep(ValueId value) {
        const Kind kind = sample_.group.epilogue.instructions[value].kind;
        operands(sample_.kept_stores, kept_, 1, true, kind);
        sample_.group.kept_stores.push_back({{kind}, value});
    }

    const std::span<const Kind> kinds_;  // the first one is bool
    std::mt19937_64 random_;
    Case sample_;
    Shape all_, kept_;
    std::vector<Kind> input_kinds_;
    std::vector<ValueId> values_;
};

}  // namespace

Case random_case(std::uint64_t seed) {
    return Maker(seed, kKinds).make();
}

Case random_interpreted_case(std::uint64_t seed) {
    return Maker(seed, kInterpretedKinds).make();
}

}  // namespace warpwise::codegen
