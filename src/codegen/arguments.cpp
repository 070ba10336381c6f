// The words of a kernel, in the one order of its signature.
#include "src/codegen/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace warpwise::codegen {
namespace {

using Role = Word::Role;

const char* prefix_of(Role role) {
    switch (role) {
        case Role::Input:
            return "in";
        case Role::Store:
            return "out";
        case Role::KeptInput:
            return "kept_in";
        default:
            return "kept_out";
    }
}

class Words {
  public:
    void add_pointer(Role role, std::size_t number) {
        const auto own = static_cast<std::uint16_t>(number);
        list.push_back({role, own, role, 0, fmt::format("{}{}", prefix_of(role), number)});
    }
    void add(Role role, std::string name, std::size_t number = 0, std::size_t axis = 0) {
        list.push_back({role, static_cast<std::uint16_t>(number), role,
                        static_cast<std::uint16_t>(axis), std::move(name)});
    }
    // Of the axes that the text multiplies with.
    void add_strides(Role role, std::size_t number, const Operand& operand, int axes) {
        if (operand.access != Access::Strided) return;
        for (int axis = 0; axis < axes; ++axis) {
            if (axis == operand.unit || (operand.fixed >> axis & 1) != 0) continue;
            list.push_back({Role::Stride, static_cast<std::uint16_t>(number), role,
                            static_cast<std::uint16_t>(axis),
                            fmt::format("{}{}_stride{}", prefix_of(role), number, axis)});
        }
    }

    std::vector<Word> list;
};

}  // namespace

bool is_drawn_by_tiles(const Group& group, const ir::Instruction& instruction) {
    using Form = ir::Instruction::Form;
    if (instruction.form != Form::Draw || instruction.draw >= ir::Draw::Gamma) return false;
    const auto& all = group.body.instructions;
    const ir::Instruction& counter = all[instruction.operands[0]];
    if (counter.form != Form::Input || !group.inputs[counter.number].is_whole) return false;
    for (int i = 1; i <= ir::row_of(instruction.draw).parameters; ++i) {
        if (all[instruction.operands[static_cast<std::size_t>(i)]].form != Form::Scalar) {
            return false;
        }
    }
    return true;
}

bool draws_by_tiles(const Group& group) {
    const bool is_reduced = group.skeleton == Skeleton::Reduction;
    if (is_reduced ? group.lanes != kThreads || group.reduced != group.rank : group.rows) {
        return false;
    }
    return std::ranges::any_of(group.body.instructions, [&](const ir::Instruction& one) {
        return is_drawn_by_tiles(group, one);
    });
}

bool walks_tiles(const Group& group) {
    return group.skeleton == Skeleton::Elementwise && group.wide && !group.rows &&
           group.across < 0 && !draws_by_tiles(group);
}

int items_of(const Group& group, bool is_cpu) {
    constexpr std::size_t kShortBody = 8;
    if (draws_by_tiles(group)) {
        const bool is_short = group.body.instructions.size() <= kShortBody;
        return is_short && !is_cpu ? kItemsOfDrawsOnGpu : kItemsOfDraws;
    }
    return is_cpu ? kItemsOnCpu : kItemsOnGpu;
}

std::vector<bool> staged_inputs(const Group& group, int side) {
    // GPUs give a block 48 KiB without being asked for more.
    std::size_t left = std::size_t{44} << 10;
    std::vector<bool> staged;
    for (const Operand& input : group.inputs) {
        const auto points = static_cast<std::size_t>(side) * static_cast<std::size_t>(side + 1);
        const std::size_t bytes = points * DType(input.kind).size();
        const bool is_across = input.access == Access::Strided && input.unit == group.across &&
                               !input.gathered && !input.is_counter &&
                               (input.fixed >> (group.rank - 1) & 1) == 0;
        staged.push_back(is_across && bytes <= left);
        if (staged.back()) left -= bytes;
    }
    return staged;
}

// Tiles of 64 points a side keep more bytes in flight: on an H200 they copy a transposed matrix of
// float32 in 0.53 ms where those of 32 take 0.62, of float64 both in 0.26.
int tile_side(const Group& group, bool is_cpu) {
    constexpr int kWideSide = 2 * kTileSide;
    if (is_cpu) return kTileSide;
    std::size_t bytes = 0;
    const std::vector<bool> narrow = staged_inputs(group, kTileSide);
    for (std::size_t i = 0; i < narrow.size(); ++i) {
        if (narrow[i]) bytes += DType(group.inputs[i].kind).size();
    }
    return bytes <= 4 ? kWideSide : kTileSide;
}

std::vector<Word> words_of(const Group& group) {
    Words words;
    const bool reduces = group.skeleton == Skeleton::Reduction;
    const int kept_axes = group.rank - group.reduced;
    for (std::size_t i = 0; i < group.inputs.size(); ++i) words.add_pointer(Role::Input, i);
    for (std::size_t i = 0; i < group.stores.size(); ++i) words.add_pointer(Role::Store, i);
    for (std::size_t i = 0; i < group.kept_inputs.size(); ++i) {
        words.add_pointer(Role::KeptInput, i);
    }
    for (std::size_t i = 0; i < group.kept_stores.size(); ++i) {
        words.add_pointer(Role::KeptStore, i);
    }
    if (reduces) {
        words.add(Role::Workspace, "workspace");
        words.add(Role::Counters, "counters");
        words.add(Role::Kept, "kept");
        words.add(Role::Reduced, "reduced");
        words.add(Role::PartCount, "parts");
        words.add(Role::PartLength, "length");
    } else {
        words.add(Role::Points, "points");
    }
    if (group.reports()) words.add(Role::Report, "report");
    for (int axis = 0; axis < group.rank && group.rank > 1; ++axis) {
        words.add(Role::Extent, fmt::format("extent{}", axis), static_cast<std::size_t>(axis));
    }
    for (int axis = 1; axis < group.rank && !group.wide; ++axis) {
        words.add(Role::Divisor, fmt::format("divisor{}", axis), static_cast<std::size_t>(axis));
    }
    for (std::size_t i = 0; i < group.inputs.size(); ++i) {
        words.add_strides(Role::Input, i, group.inputs[i], group.rank);
    }
    for (std::size_t i = 0; i < group.stores.size(); ++i) {
        words.add_strides(Role::Store, i, group.stores[i].operand, group.rank);
    }
    for (std::size_t i = 0; i < group.kept_inputs.size(); ++i) {
        words.add_strides(Role::KeptInput, i, group.kept_inputs[i], kept_axes);
    }
    for (std::size_t i = 0; i < group.kept_stores.size(); ++i) {
        words.add_strides(Role::KeptStore, i, group.kept_stores[i].operand, kept_axes);
    }
    for (std::size_t i = 0; i < group.scalars.size(); ++i) {
        const std::size_t count = group.scalars[i] == Kind::Complex128 ? 2 : 1;
        for (std::size_t part = 0; part < count; ++part) {
            words.add(Role::Scalar, fmt::format("bits{}_{}", i, part), i, part);
        }
    }
    return std::move(words.list);
}

KernelSignature signature_of(const Group& group) {
    KernelSignature signature{.name = kKernelName, .symbol = kKernelName};
    signature.max_threads_per_block = kThreads;
    for (const Word& word : words_of(group)) {
        Parameter parameter{.name = word.name};
        const bool is_pointer = word.role <= Role::Report;
        const bool is_const = word.role == Role::Input || word.role == Role::KeptInput;
        parameter.type = is_pointer ? (is_const ? "const void *" : "void *") : "long long";
        parameter.passing = is_pointer ? Parameter::Passing::Pointer : Parameter::Passing::Scalar;
        parameter.dtype = is_pointer ? DType() : DType(Kind::Int64);
        parameter.is_const = is_pointer && is_const;
        parameter.offset = signature.argument_bytes;
        parameter.size = parameter.alignment = 8;
        signature.argument_bytes += 8;
        signature.parameters.push_back(std::move(parameter));
    }
    return signature;
}

std::uint64_t divisor_of(std::uint64_t extent) noexcept {
    if (extent == 0) return 0;
    const auto shift = static_cast<unsigned>(31 + std::bit_width(extent - 1));
    const std::uint64_t factor = ((std::uint64_t{1} << shift) + extent - 1) / extent;
    return std::uint64_t{shift} << 32 | factor;
}

std::size_t state_bytes(const Group& group) {
    // The largest reducer holds a count, a complex128 and a float64, with padding.
    constexpr std::size_t kMostOfOne = 48;
    return kMostOfOne * group.reducers.size();
}

}  // namespace warpwise::codegen
