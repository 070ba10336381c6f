// From the shapes and strides of a call to a form and its numbers; the words of a launch.
#include <fmt/format.h>

#include <algorithm>

#include "src/algorithm/axes.hpp"
#include "src/algorithm/reduction.hpp"
#include "src/codegen/arguments.hpp"

namespace warpwise::algorithm {
namespace {

using Form = ReductionForm;
using Role = ReductionWord::Role;

// A thread for each result where a block would have too little to do, or its threads would read far
// apart from each other. Decides the association.
bool is_by_threads(std::int64_t kept, std::int64_t reduced, bool has_kept_neighbours) {
    constexpr std::int64_t kMostBlocks = std::int64_t{1} << 22;
    return kept >= kMostBlocks || (kept >= 32 && (reduced <= 32 || has_kept_neighbours));
}

bool is_pointer(const ReductionDefinition& definition, std::size_t parameter) {
    const ArrayUse& use = definition.usage.arrays[parameter];
    return use.is_elsewhere || use.address || !use.is_at_index;
}

}  // namespace

std::uint64_t ReductionForm::hash() const noexcept {
    std::uint64_t state = 0xCBF29CE484222325ull;
    const auto add = [&](std::uint64_t value) {
        state = (state ^ value) * 0x9E3779B97F4A7C15ull;
        state ^= state >> 29;
    };
    add(static_cast<std::uint64_t>(kept) << 16 | static_cast<std::uint64_t>(reduced) << 8 |
        (by_threads ? 1u : 0u));
    for (const One& one : arrays) {
        add(static_cast<std::uint64_t>(one.fixed) << 16 |
            static_cast<std::uint64_t>(static_cast<std::uint8_t>(one.unit)) << 8 |
            (one.is_pointer ? 1u : 0u));
        add(one.item_bytes);
    }
    return state;
}

ReductionLayout lay_out(const ReductionDefinition& definition, const Shape& shape,
                        std::uint32_t axes, const std::vector<ElementwiseArray>& arrays) {
    ReductionLayout layout;
    layout.count = count_of(shape);
    // Kept axes first; of pointers only the address counts, so they have strides of 0.
    std::vector<int> order;
    for (const bool reduced : {false, true}) {
        for (int axis = 0; axis < shape.size(); ++axis) {
            if (((axes >> axis & 1) != 0) == reduced) order.push_back(axis);
        }
    }
    std::vector<bool> pointers;
    for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
        if (definition.parameters[i].is_array) pointers.push_back(is_pointer(definition, i));
    }
    const Strides index = c_strides(shape, 1);
    const auto ordered = [&](const Axes& all) {
        Axes result;
        for (const int axis : order) result.push_back(all[axis]);
        return result;
    };
    layout.extents = ordered(shape);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        layout.strides.push_back(pointers[i] ? Strides::filled(shape.size(), 0)
                                             : ordered(arrays[i].strides));
    }
    const bool uses_index = definition.usage.uses_index || !definition.usage.is_plain;
    layout.strides.push_back(uses_index ? ordered(index) : Strides::filled(shape.size(), 0));
    int kept = 0;
    for (int axis = 0; axis < shape.size(); ++axis) {
        const bool is_kept = (axes >> axis & 1) == 0;
        (is_kept ? layout.kept : layout.reduced) *= shape[axis];
        kept += is_kept ? 1 : 0;
    }
    const bool is_empty = layout.count == 0;
    if (!is_empty) merge_axes(layout.extents, layout.strides, kept);
    Form& form = layout.form;
    form.kept = static_cast<std::uint8_t>(kept);
    form.reduced = static_cast<std::uint8_t>(layout.extents.size() - kept);
    bool has_kept_neighbours = false;
    for (std::size_t i = 0; i < layout.strides.size(); ++i) {
        const bool is_index = i == arrays.size();
        const std::int64_t item = is_index ? 1 : arrays[i].item_bytes;
        Form::One one;
        one.is_pointer = !is_index && pointers[i];
        one.item_bytes = is_index ? 0 : arrays[i].checked_bytes;
        for (int axis = 0; axis < layout.extents.size() && !one.is_pointer; ++axis) {
            const std::int64_t stride = layout.strides[i][axis];
            if (stride == 0) one.fixed |= 1u << axis;
            if (stride == item) one.unit = static_cast<std::int8_t>(axis);
        }
        has_kept_neighbours |= !is_index && one.unit >= 0 && one.unit < kept;
        form.arrays.push_back(one);
    }
    form.by_threads = is_by_threads(layout.kept, layout.reduced, has_kept_neighbours);
    const bool in_parts = !form.by_threads || has_kept_neighbours;
    layout.parts = codegen::parts_of(
        form.by_threads ? 1 : 256,
        in_parts && form.by_threads ? codegen::ReduceOrder::Outer : codegen::ReduceOrder::Inner,
        layout.kept, layout.reduced);
    return layout;
}

std::vector<ReductionWord> words_of(const ReductionDefinition& definition, const Form& form) {
    std::vector<ReductionWord> words;
    const auto add = [&](Role role, std::string name, std::size_t number = 0,
                         std::size_t axis = 0) {
        words.push_back({role, static_cast<std::uint16_t>(number), static_cast<std::uint16_t>(axis),
                         "__ww_" + std::move(name)});
    };
    const std::size_t arrays = form.arrays.size() - 1;
    for (std::size_t i = 0; i < arrays; ++i) add(Role::Array, fmt::format("array{}", i), i);
    add(Role::Result, "result");
    add(Role::Workspace, "workspace");
    add(Role::Counters, "counters");
    add(Role::Count, "count");
    add(Role::Kept, "kept");
    add(Role::Reduced, "reduced");
    add(Role::Parts, "parts");
    add(Role::Length, "length");
    const std::size_t rank = std::size_t{form.kept} + form.reduced;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        add(Role::Extent, fmt::format("extent{}", axis), 0, axis);
    }
    for (std::size_t i = 0; i < form.arrays.size(); ++i) {
        const Form::One& one = form.arrays[i];
        for (std::size_t axis = 0; axis < rank && !one.is_pointer; ++axis) {
            if ((one.fixed >> axis & 1) != 0 || static_cast<int>(axis) == one.unit) continue;
            add(Role::Stride, fmt::format("stride{}_{}", i, axis), i, axis);
        }
    }
    for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
        const KernelParameter& parameter = definition.parameters[i];
        if (parameter.is_array) continue;
        for (std::size_t word = 0; word < (parameter.dtype.size() + 7) / 8; ++word) {
            add(Role::Scalar, fmt::format("bits{}_{}", i, word), i, word);
        }
    }
    return words;
}

KernelSignature signature_of(const ReductionDefinition& definition, const Form& form) {
    const std::string& name = definition.text.name;
    KernelSignature signature{.name = name, .symbol = name};
    signature.max_threads_per_block = codegen::kThreads;
    std::vector<bool> is_const;
    for (const KernelParameter& one : definition.parameters) {
        if (one.is_array) is_const.push_back(one.is_const);
    }
    for (const ReductionWord& word : words_of(definition, form)) {
        Parameter parameter{.name = word.name};
        const bool is_pointer = word.role <= Role::Counters;
        parameter.is_const = word.role == Role::Array && is_const[word.number];
        parameter.type = !is_pointer ? "long long" : parameter.is_const ? "const void *" : "void *";
        parameter.passing = is_pointer ? Parameter::Passing::Pointer : Parameter::Passing::Scalar;
        parameter.dtype = is_pointer ? DType() : DType(Kind::Int64);
        parameter.offset = signature.argument_bytes;
        parameter.size = parameter.alignment = 8;
        signature.argument_bytes += 8;
        signature.parameters.push_back(std::move(parameter));
    }
    return signature;
}

}  // namespace warpwise::algorithm
