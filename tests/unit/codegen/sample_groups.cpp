// Random bytes, layouts and what a layout makes of an operand.
#include "tests/unit/codegen/sample_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>

#include "src/codegen/arguments.hpp"
#include "src/types/promotion.hpp"

namespace warpwise::codegen {

using ir::Instruction;
using ir::Op;
using ir::ValueId;

ValueId BodyBuilder::input(std::size_t number) {
    return body_.add({.form = Instruction::Form::Input,
                      .kind = inputs_[number],
                      .number = static_cast<std::uint16_t>(number)});
}
ValueId BodyBuilder::scalar(std::size_t number) {
    return body_.add({.form = Instruction::Form::Scalar,
                      .kind = scalars_[number],
                      .number = static_cast<std::uint16_t>(number)});
}
ValueId BodyBuilder::index(int axis) {
    return body_.add({.form = Instruction::Form::Index,
                      .kind = Kind::Int64,
                      .number = static_cast<std::uint16_t>(axis)});
}
ValueId BodyBuilder::cast(ValueId value, Kind kind) {
    if (kind_of(value) == kind) return value;
    return body_.add({.form = Instruction::Form::Cast, .kind = kind, .operands = {value}});
}
ValueId BodyBuilder::op(Op op, std::initializer_list<ValueId> operands) {
    std::vector<ir::OperandType> types;
    Instruction one{.form = Instruction::Form::Apply, .op = op};
    std::size_t place = 0;
    for (const ValueId id : operands) {
        types.push_back({.kind = kind_of(id)});
        one.operands[place++] = id;
    }
    one.kind = ir::types_of(op, types).result;
    return body_.add(one);
}

std::unique_ptr<Memory> make_memory(Kind kind, const Shape& extents, const Strides& strides,
                                    std::size_t lead) {
    constexpr std::size_t kAround = 64;
    auto memory = std::make_unique<Memory>();
    memory->kind = kind;
    memory->strides = strides;
    const std::size_t item = DType(kind).size();
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (int axis = 0; axis < extents.size(); ++axis) {
        if (extents[axis] == 0) continue;
        const std::int64_t reach = strides[axis] * (extents[axis] - 1);
        (reach < 0 ? low : high) += reach;
    }
    memory->origin = kAround + lead * item + static_cast<std::size_t>(-low);
    memory->bytes.assign(memory->origin + static_cast<std::size_t>(high) + item + kAround,
                         std::byte{0xA5});
    return memory;
}

namespace {

template <class T>
void put(std::byte* at, T value) {
    std::memcpy(at, &value, sizeof value);
}

void put_random(std::byte* at, Kind kind, std::mt19937_64& random) {
    const std::uint64_t word = random();
    const bool is_special = word % 97 == 0;
    const double real = static_cast<double>(static_cast<std::int64_t>(word >> 40)) / (1 << 21) - 4;
    if (kind == Kind::Float32) {
        const float special = word % 2 != 0 ? std::numeric_limits<float>::infinity() : -0.0f;
        return put(at, is_special ? special : static_cast<float>(real));
    }
    if (kind == Kind::Float64) {
        const double special = word % 2 != 0 ? std::numeric_limits<double>::infinity() : -0.0;
        return put(at, is_special ? special : real);
    }
    if (kind == Kind::Bool)
        return put(at, static_cast<std::uint8_t>(word % 3 == 0 ? 0 : word >> 9));
    // Small integers and, now and then, any.
    const std::int64_t small = static_cast<std::int64_t>(word >> 32) % 100 - 20;
    const std::uint64_t whole = word % 11 == 0 ? random() : static_cast<std::uint64_t>(small);
    std::memcpy(at, &whole, DType(kind).size());
}

}  // namespace

// All bytes that lie between the guards, element by element.
void fill(Memory& memory, std::mt19937_64& random) {
    const std::size_t item = DType(memory.kind).size();
    const std::size_t first = memory.origin % item;
    for (std::size_t at = first; at + item <= memory.bytes.size(); at += item) {
        put_random(memory.bytes.data() + at, memory.kind, random);
    }
}

std::string Case::text() const {
    std::string text =
        fmt::format("extents {}, reduced {}, lanes {}, rows {}\n", text_of(binding.extents),
                    group.reduced, group.lanes, group.rows);
    const auto add = [&](const char* name, const std::vector<std::unique_ptr<Memory>>& list) {
        for (const auto& one : list) {
            text += fmt::format("{} {} strides {}\n", name, DType(one->kind).name(),
                                text_of(one->strides));
        }
    };
    add("input", inputs);
    add("store", stores);
    add("kept input", kept_inputs);
    add("kept store", kept_stores);
    return text + ir::print(group.body) + "epilogue\n" + ir::print(group.epilogue);
}

namespace {

bool is_linear(const Shape& extents, const Strides& strides, std::int64_t item) {
    return is_c_contiguous(extents, strides, item);
}

void describe_one(Operand& operand, const Memory& memory, const Shape& extents) {
    const auto item = static_cast<std::int64_t>(DType(operand.kind).size());
    operand.unit = -1;
    operand.fixed = 0;
    operand.step = 1;
    const bool is_one = std::ranges::all_of(memory.strides, [](auto s) { return s == 0; });
    if (is_linear(extents, memory.strides, item)) {
        operand.access = Access::Linear;
        return;
    }
    operand.access = is_one && count_of(extents) > 1 ? Access::Broadcast : Access::Strided;
    if (operand.access == Access::Broadcast) return;
    for (int axis = 0; axis < extents.size(); ++axis) {
        if (memory.strides[axis] == item) operand.unit = static_cast<std::int8_t>(axis);
        if (memory.strides[axis] == 0) operand.fixed |= static_cast<std::uint16_t>(1u << axis);
    }
    // Along any axis the text is right; where no axis has neighbours, so that tiles stay.
    for (int axis = 0; axis < extents.size() && operand.unit < 0; ++axis) {
        const std::int64_t step = memory.strides[axis] / item;
        if (step == 0 || std::abs(step) > kWidestStep || memory.strides[axis] % item != 0) continue;
        operand.unit = static_cast<std::int8_t>(axis);
        operand.step = static_cast<std::int8_t>(step);
    }
}

Shape part_of(const Shape& extents, int first, int end) {
    Shape part;
    for (int axis = first; axis < end; ++axis) part.push_back(extents[axis]);
    return part;
}

}  // namespace

void describe(Case& sample) {
    Group& group = sample.group;
    const Shape& all = sample.binding.extents;
    const Shape kept = part_of(all, 0, all.size() - group.reduced);
    group.rank = static_cast<std::uint8_t>(all.size());
    for (std::size_t i = 0; i < group.inputs.size(); ++i) {
        describe_one(group.inputs[i], *sample.inputs[i], all);
    }
    for (std::size_t i = 0; i < group.stores.size(); ++i) {
        describe_one(group.stores[i].operand, *sample.stores[i], all);
    }
    for (std::size_t i = 0; i < group.kept_inputs.size(); ++i) {
        describe_one(group.kept_inputs[i], *sample.kept_inputs[i], kept);
    }
    for (std::size_t i = 0; i < group.kept_stores.size(); ++i) {
        describe_one(group.kept_stores[i].operand, *sample.kept_stores[i], kept);
    }
    if (group.skeleton == Skeleton::Reduction) {
        const Shape reduced = part_of(all, kept.size(), all.size());
        group.lanes = lanes_of(group.order, count_of(kept), count_of(reduced));
    } else {
        const int last = all.size() - 1;
        group.rows = all.size() > 1 && all[last] >= kLongRow;
        for (const Operand& input : group.inputs) {
            const bool is_across = input.unit >= 0 && input.unit < last && input.step == 1;
            if (is_across && !draws_by_tiles(group)) group.across = input.unit;
        }
        group.short_rows = group.rows && group.across < 0 && all[last] < kThreads;
    }
}

void bind(Case& sample) {
    const auto place = [](const std::vector<std::unique_ptr<Memory>>& list,
                          std::vector<Place>& places) {
        places.clear();
        for (const auto& one : list) {
            places.push_back(
                {reinterpret_cast<std::uintptr_t>(one->bytes.data()) + one->origin, one->strides});
        }
    };
    place(sample.inputs, sample.binding.inputs);
    place(sample.stores, sample.binding.stores);
    place(sample.kept_inputs, sample.binding.kept_inputs);
    place(sample.kept_stores, sample.binding.kept_stores);
}

}  // namespace warpwise::codegen
