// Types of values in kernels written in Python.
//
// Equal types are one object, which lives as long as the process: compare the pointers.
//
// Threading: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/dtype.hpp"

namespace warpwise::script {

struct TypeData;
using Type = const TypeData*;

enum class Family : std::uint8_t {
    Unknown,  // not yet: a variable or result that depends on itself
    None,
    Number,    // `kind`
    Time,      // a date or a span of time of NumPy: see times.hpp
    Chars,     // NumPy's string of a fixed size: `number` characters of `kind`
    Array,     // `element`, `rank`, `layout`
    Tuple,     // `items`; `names` and `name` where it is a named tuple
    Text,      // a string, known when compiled: `name`
    Function,  // of the program: `number`
    Local,     // a local function or lambda: `number` among those of the program; `items` are
               // values that it carries: defaults of parameters ("=k" in `names`) and captures
    Dict,      // of constant keys: `items` are the values, `names` the keys (dicts.cpp)
    Partial,   // a function with arguments: `items`, the last ones by keyword: `names`
    Known,     // a function or object of a library: `name`, "math.sin"
    Element,   // a type as a value: `element`
    Module,    // `name`
    Slice,     // start:stop:step in an index
    Range,     // of `element`; only loops take it
    Other,     // what kernels cannot use: `name` says what it is
};

// How an array lies in memory. Fixed: a variable of the kernel's own of a known shape.
enum class Layout : std::uint8_t { Strided, C, Fixed };

struct TypeData {
    Family family = Family::Unknown;
    Kind kind = Kind::Void;
    Type element = nullptr;
    int rank = 0;
    Layout layout = Layout::Strided;
    bool is_constant = false;         // an array that cannot be written
    bool is_packed = false;           // an array whose elements may be unaligned
    bool is_list = false;             // an array: a list of the function, the `number`-th, from 1
    bool is_made = false;             // an array that NumPy's functions made in the function, which
                                      // `number` says of: 1, or 2 in a loop; its elements, returned
    bool is_fields = false;           // a Tuple: a record, or an array of them, by its fields
    std::vector<std::int64_t> shape;  // Fixed, and of made arrays where it is known
    std::vector<Type> items;
    std::vector<std::string> names;
    std::string name;
    std::size_t number = 0;

    bool operator==(const TypeData&) const = default;
    bool is_number() const noexcept { return family == Family::Number; }
    bool is_bool() const noexcept { return kind == Kind::Bool; }
    bool is_integer() const noexcept { return kind >= Kind::Int8 && kind <= Kind::UInt64; }
    bool is_whole() const noexcept { return is_bool() || is_integer(); }
    bool is_signed() const noexcept;
    bool is_real() const noexcept { return kind >= Kind::Float16 && kind <= Kind::Float64; }
    bool is_complex() const noexcept { return kind == Kind::Complex64 || kind == Kind::Complex128; }
    bool is_array() const noexcept { return family == Family::Array; }
    bool is_tuple() const noexcept { return family == Family::Tuple && !is_fields; }
    // A record in memory, or an array of records of `rank` axes: a tuple of arrays, one for each
    // field, which have the axes of the field behind those of the records. Fields that are records
    // are records of the same rank.
    bool is_record() const noexcept { return family == Family::Tuple && is_fields; }
    bool is_function() const noexcept {  // that carries values
        return (family == Family::Local || family == Family::Partial) && !items.empty();
    }
    bool has_items() const noexcept {
        return family == Family::Tuple || family == Family::Dict || is_function();
    }
    bool is_time() const noexcept { return family == Family::Time; }
    bool is_chars() const noexcept { return family == Family::Chars; }
    // One value in memory: what elements of arrays are.
    bool is_scalar() const noexcept { return is_number() || is_time() || is_chars(); }
    // Something at run time.
    bool has_value() const noexcept { return is_scalar() || is_array() || has_items(); }
};

Type intern(TypeData data);
Type unknown_type();
Type none_type();
Type number_type(Kind kind);
// bool, too.
bool is_whole_number(Type type);
inline bool is_signed_integer(Type type) {
    return type->is_number() && type->is_integer() && type->is_signed();
}
Type array_type(Type element, int rank, Layout layout, bool is_constant = false);
Type tuple_type(std::vector<Type> items);
// Strings of so many characters: bytes (UInt8) or code points (UInt32).
Type chars_type(Kind kind, std::size_t length);
// Of a scalar.
std::size_t bytes_of(Type type);
// The type with other axes, of which all else stays.
Type with_axes(Type array, int rank, Layout layout);
// Records of `rank` axes with these fields: arrays and records that have those axes.
Type record_type(std::vector<std::string> names, std::vector<Type> fields, int rank);
// The record type of so many axes; its fields have them instead of `type`'s.
Type with_record_axes(Type type, int rank);

// As Numba writes it: "float32[:, ::1]".
std::string text_of(Type type);
// "a float64", "an array float32[:]": for messages.
std::string described(Type type);
// The C++ spelling of a value's type: "long long", "__ww_array<float, 2>".
std::string spelling_of(Type type);

// A type of an argument. Throws ArgumentError naming the part that is none.
Type parse_type(std::string_view text);
// "void(float32[:], int32)", "(float32[:], int32)" or "float32[:], int32".
std::vector<Type> parse_signature(std::string_view text);

}  // namespace warpwise::script
