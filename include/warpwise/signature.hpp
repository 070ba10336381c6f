// What a kernel takes, read from its source by the compiler's front end.
//
// Threading: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpwise/dtype.hpp"
#include "warpwise/export.hpp"

namespace warpwise {

struct Parameter {
    enum class Passing : std::uint8_t {
        Pointer,  // dtype is the element type (Void for void*); is_const: the pointee is const
        Scalar,   // dtype is the type itself: numbers, bool, vector and complex types, enums
        Struct,   // by value; dtype has the fields
        Opaque,   // by value, a type without a DType (a union, for example): bytes of `size`
        Sized,    // of a loaded binary, which has no types: anything of `size` bytes
    };
    // What a number stands for: cudaTextureObject_t and cudaSurfaceObject_t are 64-bit integers,
    // also where the source calls them by another name. Unknown of binaries.
    enum class Handle : std::uint8_t { None, Texture, Surface };

    std::string name;  // empty when the source leaves it out
    std::string type;  // as the source spells it: "const float *"
    Passing passing = Passing::Scalar;
    Handle handle = Handle::None;
    DType dtype;
    bool is_const = false;
    std::uint32_t offset = 0;     // bytes, in the packed argument buffer
    std::uint32_t size = 0;       // bytes
    std::uint32_t alignment = 1;  // bytes
};

struct KernelSignature {
    std::string name;    // qualified, with template arguments: "scale<float>", "ns::kernel"
    std::string symbol;  // the (mangled) name in the binary
    std::vector<Parameter> parameters;
    std::uint32_t argument_bytes = 0;         // size of the packed argument buffer
    std::uint32_t max_threads_per_block = 0;  // __launch_bounds__; 0 when the source sets none
    std::uint32_t min_blocks = 0;             // its second argument; 0 when absent

    // "scale<float>(float *x, float f, int n)".
    WARPWISE_API std::string declaration() const;
};

}  // namespace warpwise
