// From the shapes and strides of a call to a form and its numbers.
#include "src/algorithm/elementwise_form.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/algorithm/axes.hpp"
#include "src/codegen/arguments.hpp"

namespace warpwise::algorithm {
namespace {

using codegen::Access;
using Form = ElementwiseForm;
using Role = ElementwiseWord::Role;

constexpr std::int64_t kFar = std::int64_t{1} << 31;

Form::One one_of(const AxesAccess& access, const ElementwiseArray& array, int rank) {
    return {.access = access.access,
            .unit = access.unit,
            .fixed = access.fixed,
            .rank = static_cast<std::uint8_t>(rank),
            .item_bytes = array.checked_bytes};
}

// The array whose order of axes the walk takes.
std::size_t leader(const ElementwiseDefinition& definition,
                   const std::vector<ElementwiseArray>& arrays) {
    std::size_t number = 0;
    for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
        if (!definition.parameters[i].is_array) continue;
        if (definition.usage.arrays[i].may_write) return number;
        ++number;
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (access_of(arrays[i].shape, arrays[i].strides, arrays[i].item_bytes).access !=
            Access::Broadcast) {
            return i;
        }
    }
    return 0;
}

// Types whose elements may be loaded several at a time.
bool has_vectors(const ElementwiseDefinition& definition) {
    return std::ranges::all_of(definition.parameters, [](const KernelParameter& one) {
        const Kind kind = one.dtype.kind();
        return !one.is_array || (kind != Kind::Void && kind != Kind::Struct &&
                                 kind != Kind::Pointer && one.dtype.lanes() == 1);
    });
}

void lay_out_elements(ElementwiseLayout& layout, const ElementwiseDefinition& definition,
                      const Shape& shape, const std::vector<ElementwiseArray>& arrays,
                      bool may_alias) {
    Form& form = layout.form;
    layout.extents = shape;
    for (const ElementwiseArray& array : arrays) layout.strides.push_back(array.strides);
    // An array that is not used has no strides over the shape.
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (!arrays[i].takes_part) layout.strides[i] = Strides::filled(shape.size(), 0);
    }
    if (!definition.usage.uses_index && !arrays.empty()) {
        order_axes(layout.extents, layout.strides, leader(definition, arrays));
    }
    merge_axes(layout.extents, layout.strides);
    form.rank = static_cast<std::uint8_t>(layout.extents.size());
    bool is_simple = true;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const AxesAccess access =
            access_of(layout.extents, layout.strides[i], arrays[i].item_bytes);
        is_simple = is_simple && access.access != Access::Strided;
        form.wide = form.wide || reaches_far(layout.extents, layout.strides[i]);
        form.arrays.push_back(one_of(access, arrays[i], 1));
    }
    if (is_simple) {
        form.rank = 1;
        form.wide = false;  // addresses are computed with the index itself
        form.vectors = has_vectors(definition) && !(may_alias && definition.usage.statements > 1);
        layout.extents = Shape{layout.count};
        return;
    }
    form.wide = form.wide || layout.count >= kFar;
    const std::int64_t last = layout.extents[form.rank - 1];
    if (form.rank > 1 && last >= codegen::kLongRow) form.walk = Form::Walk::Rows;
}

void lay_out_views(ElementwiseLayout& layout, const std::vector<ElementwiseArray>& arrays) {
    Form& form = layout.form;
    form.walk = Form::Walk::Views;
    for (const ElementwiseArray& array : arrays) {
        Shape extents = array.shape;
        std::vector<Strides> strides{array.strides};
        const bool is_empty = std::ranges::find(extents, 0) != extents.end();
        if (!is_empty) merge_axes(extents, strides);
        // An array of one element may be meant as a pointer to more of them.
        AxesAccess access;
        if (!is_empty && !extents.empty()) {
            access = access_of(extents, strides[0], array.item_bytes);
        }
        form.wide = form.wide || count_of(extents) >= kFar || reaches_far(extents, strides[0]);
        form.arrays.push_back(one_of(access, array, extents.size()));
        layout.shapes.push_back(extents);
        layout.strides.push_back(strides[0]);
    }
    const bool has_views = std::ranges::any_of(
        form.arrays, [](const Form::One& one) { return one.access == Access::Strided; });
    form.wide = has_views && (form.wide || layout.count >= kFar);
    form.rank = 1;
    for (Form::One& one : form.arrays) {
        if (one.access != Access::Strided) one.rank = 1;
    }
}

class Words {
  public:
    Words(const ElementwiseDefinition& definition, const ElementwiseForm& form)
        : definition_(definition), form_(form) {}

    std::vector<ElementwiseWord> all() {
        for (std::size_t i = 0; i < form_.arrays.size(); ++i) add(Role::Array, i, 0, "array{}", i);
        add(Role::Count, 0, 0, "count");
        add(Role::Points, 0, 0, "points");
        if (form_.range != Form::Range::All) add(Role::Start, 0, 0, "start");
        if (form_.range == Form::Range::Steps) add(Role::Step, 0, 0, "step");
        form_.walk == Form::Walk::Views ? own_axes() : axes();
        for (std::size_t i = 0; i < definition_.parameters.size(); ++i) {
            const KernelParameter& parameter = definition_.parameters[i];
            if (parameter.is_array) continue;
            for (std::size_t word = 0; word < (parameter.dtype.size() + 7) / 8; ++word) {
                add(Role::Scalar, i, word, "bits{}_{}", i, word);
            }
        }
        return std::move(words_);
    }

  private:
    template <class... Values>
    void add(Role role, std::size_t number, std::size_t axis, fmt::format_string<Values...> name,
             Values&&... values) {
        words_.push_back({role, static_cast<std::uint16_t>(number),
                          static_cast<std::uint16_t>(axis),
                          "__ww_" + fmt::format(name, std::forward<Values>(values)...)});
    }

    static bool is_multiplied(const Form::One& one, std::size_t axis) {
        return static_cast<int>(axis) != one.unit && (one.fixed >> axis & 1) == 0;
    }

    void axes() {
        for (std::size_t axis = 0; axis < form_.rank && form_.rank > 1; ++axis) {
            add(Role::Extent, 0, axis, "extent{}", axis);
            if (axis > 0 && !form_.wide) add(Role::Divisor, 0, axis, "divisor{}", axis);
        }
        for (std::size_t i = 0; i < form_.arrays.size(); ++i) {
            const Form::One& one = form_.arrays[i];
            for (std::size_t axis = 0; axis < form_.rank; ++axis) {
                if (one.access != Access::Strided || !is_multiplied(one, axis)) continue;
                add(Role::Stride, i, axis, "stride{}_{}", i, axis);
            }
        }
    }

    void own_axes() {
        for (std::size_t i = 0; i < form_.arrays.size(); ++i) {
            const Form::One& one = form_.arrays[i];
            if (one.access != Access::Strided) continue;
            for (std::size_t axis = 0; axis < one.rank; ++axis) {
                if (axis > 0) add(Role::OwnExtent, i, axis, "extent{}_{}", i, axis);
                if (axis > 0 && !form_.wide)
                    add(Role::OwnDivisor, i, axis, "divisor{}_{}", i, axis);
                if (is_multiplied(one, axis)) add(Role::Stride, i, axis, "stride{}_{}", i, axis);
            }
        }
    }

    const ElementwiseDefinition& definition_;
    const ElementwiseForm& form_;
    std::vector<ElementwiseWord> words_;
};

}  // namespace

std::uint64_t ElementwiseForm::hash() const noexcept {
    std::uint64_t state = 0xCBF29CE484222325ull;
    const auto add = [&](std::uint64_t value) {
        state = (state ^ value) * 0x9E3779B97F4A7C15ull;
        state ^= state >> 29;
    };
    add(static_cast<std::uint64_t>(walk) << 32 | static_cast<std::uint64_t>(range) << 24 |
        static_cast<std::uint64_t>(rank) << 8 | (vectors ? 2u : 0u) | (wide ? 1u : 0u));
    for (const One& one : arrays) {
        add(static_cast<std::uint64_t>(one.access) << 40 |
            static_cast<std::uint64_t>(static_cast<std::uint8_t>(one.unit)) << 32 |
            static_cast<std::uint64_t>(one.fixed) << 16 | one.rank);
        add(one.item_bytes);
    }
    return state;
}

ElementwiseLayout lay_out(const ElementwiseDefinition& definition, const Shape& shape,
                          const std::vector<ElementwiseArray>& arrays, bool may_alias,
                          ElementwiseForm::Range range) {
    ElementwiseLayout layout;
    layout.form.range = range;
    layout.count = count_of(shape);
    if (definition.usage.is_plain && range == Form::Range::All) {
        lay_out_elements(layout, definition, shape, arrays, may_alias);
    } else {
        lay_out_views(layout, arrays);
    }
    return layout;
}

std::vector<ElementwiseWord> words_of(const ElementwiseDefinition& definition,
                                      const ElementwiseForm& form) {
    return Words(definition, form).all();
}

KernelSignature signature_of(const ElementwiseDefinition& definition, const ElementwiseForm& form) {
    const std::string& name = definition.text.name;
    KernelSignature signature{.name = name, .symbol = name};
    signature.max_threads_per_block = codegen::kThreads;
    std::vector<bool> is_const;
    for (const KernelParameter& one : definition.parameters) {
        if (one.is_array) is_const.push_back(one.is_const);
    }
    for (const ElementwiseWord& word : words_of(definition, form)) {
        Parameter parameter{.name = word.name};
        const bool is_pointer = word.role == Role::Array;
        parameter.is_const = is_pointer && is_const[word.number];
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
