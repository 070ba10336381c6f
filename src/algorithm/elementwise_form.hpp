// What one compiled kernel of an ElementwiseKernel is for: how the arrays of a call lie, without
// any number that changes from call to call; and the numbers beside it.
//
// Equal forms of one ElementwiseKernel are equal kernels.
//
// Threading: plain values and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/algorithm/usage.hpp"
#include "src/codegen/group.hpp"
#include "warpwise/elementwise_kernel.hpp"
#include "warpwise/shape.hpp"

namespace warpwise::algorithm {

// The parsed texts of a kernel.
struct ElementwiseDefinition {
    std::vector<KernelParameter> parameters;
    std::string operation;
    KernelText text;
    Usage usage;
};

struct ElementwiseForm {
    enum class Walk : std::uint8_t {
        Flat,   // every x[i] is an object for one element; blocks take points in C order
        Rows,   // the same; a block stays in one row of the last axis
        Views,  // x is a pointer, or an object that finds the element of any index
    };
    enum class Range : std::uint8_t { All, Unit, Steps };

    Walk walk = Walk::Flat;
    Range range = Range::All;
    bool vectors = false;   // Flat: several elements at once, where addresses allow
    bool wide = false;      // whether an index or an offset in bytes may reach 2^31
    std::uint8_t rank = 1;  // Flat and Rows: axes of the walk
    struct One {
        codegen::Access access = codegen::Access::Linear;
        std::int8_t unit = -1;  // as codegen::Operand; `Kind` is not used
        std::uint16_t fixed = 0;
        std::uint8_t rank = 1;         // Views: axes of its own
        std::uint32_t item_bytes = 0;  // of a type that is not known; else 0
        friend bool operator==(const One&, const One&) = default;
    };
    std::vector<One> arrays;  // of the parameters that are arrays, in their order

    friend bool operator==(const ElementwiseForm&, const ElementwiseForm&) = default;
    std::uint64_t hash() const noexcept;
};

// One array of a call, as the kernel is to read it.
struct ElementwiseArray {
    Shape shape;      // its own; for arrays at x[i] the call's
    Strides strides;  // bytes, over `shape`
    std::int64_t item_bytes = 0;
    std::uint32_t checked_bytes = 0;  // item_bytes, where the type is not known
    bool takes_part = false;          // has the call's shape
};

// The numbers of a call: what the words of its kernel are filled from, but for addresses and
// scalars.
struct ElementwiseLayout {
    ElementwiseForm form;
    std::int64_t count = 0;        // n
    Shape extents;                 // of the axes of the walk
    std::vector<Shape> shapes;     // Views: of each array
    std::vector<Strides> strides;  // of each array over the axes of the walk, or its own
};

// `may_alias`: an output is the memory of another array too.
ElementwiseLayout lay_out(const ElementwiseDefinition& definition, const Shape& shape,
                          const std::vector<ElementwiseArray>& arrays, bool may_alias,
                          ElementwiseForm::Range range);

// One parameter of a form's kernel: a word of eight bytes.
struct ElementwiseWord {
    enum class Role : std::uint8_t {
        Array,   // address of array `number`
        Count,   // n
        Points,  // how many the walk visits: points; rows for Rows
        Start,
        Step,
        Extent,  // of axis `axis` of the walk
        Divisor,
        Stride,     // of array `number` along `axis`
        OwnExtent,  // of array `number`
        OwnDivisor,
        Scalar,  // word `axis` of parameter `number`
    };
    Role role = Role::Array;
    std::uint16_t number = 0;
    std::uint16_t axis = 0;
    std::string name;
};
std::vector<ElementwiseWord> words_of(const ElementwiseDefinition& definition,
                                      const ElementwiseForm& form);
KernelSignature signature_of(const ElementwiseDefinition& definition, const ElementwiseForm& form);

// The CUDA C++ of the form's kernel, for every device. Diagnostics name the user's texts as
// "NAME.operation", "NAME.preamble", "NAME.loop_prep" and "NAME.after_loop", their own lines and
// columns.
std::string emit(const ElementwiseDefinition& definition, const ElementwiseForm& form);

}  // namespace warpwise::algorithm
