// What NumPy 2 computes: the dtypes of results, as NumPy's letters in the order of kLetters, "-"
// for a TypeError, and "t" for bool (trigraphs forbid NumPy's own letter). Columns of binary
// functions are arrays, then the Python numbers True, 1, 1.5, 2j.
#pragma once

#include <array>
#include <string_view>

#include "warpwise/dtype.hpp"

namespace warpwise::ir {

inline constexpr std::string_view kLetters = "tbBhHiIqQefdFD";
inline constexpr std::array kKinds{Kind::Bool,      Kind::Int8,      Kind::UInt8,   Kind::Int16,
                                   Kind::UInt16,    Kind::Int32,     Kind::UInt32,  Kind::Int64,
                                   Kind::UInt64,    Kind::Float16,   Kind::Float32, Kind::Float64,
                                   Kind::Complex64, Kind::Complex128};

struct Table {
    std::string_view name;
    std::array<std::string_view, 14> rows;
};

inline constexpr std::array kBinary{
    Table{"add",
          {
              "tbBhHiIqQefdFD tqdD",  // t
              "bbhhiiqqdefdFD bbdD",  // b
              "BhBhHiIqQefdFD BBdD",  // B
              "hhhhiiqqdffdFD hhdD",  // h
              "HiHiHiIqQffdFD HHdD",  // H
              "iiiiiiqqddddDD iidD",  // i
              "IqIqIqIqQdddDD IIdD",  // I
              "qqqqqqqqddddDD qqdD",  // q
              "QdQdQdQdQdddDD QQdD",  // Q
              "eeeffddddefdFD eeeF",  // e
              "fffffddddffdFD fffF",  // f
              "ddddddddddddDD dddD",  // d
              "FFFFFDDDDFFDFD FFFF",  // F
              "DDDDDDDDDDDDDD DDDD",  // D
          }},
    Table{"subtract",
          {
              "-bBhHiIqQefdFD -qdD",  // t
              "bbhhiiqqdefdFD bbdD",  // b
              "BhBhHiIqQefdFD BBdD",  // B
              "hhhhiiqqdffdFD hhdD",  // h
              "HiHiHiIqQffdFD HHdD",  // H
              "iiiiiiqqddddDD iidD",  // i
              "IqIqIqIqQdddDD IIdD",  // I
              "qqqqqqqqddddDD qqdD",  // q
              "QdQdQdQdQdddDD QQdD",  // Q
              "eeeffddddefdFD eeeF",  // e
              "fffffddddffdFD fffF",  // f
              "ddddddddddddDD dddD",  // d
              "FFFFFDDDDFFDFD FFFF",  // F
              "DDDDDDDDDDDDDD DDDD",  // D
          }},
    Table{"divide",
          {
              "dddddddddefdFD dddD",  // t
              "dddddddddefdFD dddD",  // b
              "dddddddddefdFD dddD",  // B
              "dddddddddffdFD dddD",  // h
              "dddddddddffdFD dddD",  // H
              "ddddddddddddDD dddD",  // i
              "ddddddddddddDD dddD",  // I
              "ddddddddddddDD dddD",  // q
              "ddddddddddddDD dddD",  // Q
              "eeeffddddefdFD eeeF",  // e
              "fffffddddffdFD fffF",  // f
              "ddddddddddddDD dddD",  // d
              "FFFFFDDDDFFDFD FFFF",  // F
              "DDDDDDDDDDDDDD DDDD",  // D
          }},
    Table{"floor_divide",
          {
              "bbBhHiIqQefd-- bqd-",  // t
              "bbhhiiqqdefd-- bbd-",  // b
              "BhBhHiIqQefd-- BBd-",  // B
              "hhhhiiqqdffd-- hhd-",  // h
              "HiHiHiIqQffd-- HHd-",  // H
              "iiiiiiqqdddd-- iid-",  // i
              "IqIqIqIqQddd-- IId-",  // I
              "qqqqqqqqdddd-- qqd-",  // q
              "QdQdQdQdQddd-- QQd-",  // Q
              "eeeffddddefd-- eee-",  // e
              "fffffddddffd-- fff-",  // f
              "dddddddddddd-- ddd-",  // d
              "-------------- ----",  // F
              "-------------- ----",  // D
          }},
    Table{"pow",
          {
              "bbBhHiIqQefdFD bqdD",  // t
              "bbhhiiqqdefdFD bbdD",  // b
              "BhBhHiIqQefdFD BBdD",  // B
              "hhhhiiqqdffdFD hhdD",  // h
              "HiHiHiIqQffdFD HHdD",  // H
              "iiiiiiqqddddDD iidD",  // i
              "IqIqIqIqQdddDD IIdD",  // I
              "qqqqqqqqddddDD qqdD",  // q
              "QdQdQdQdQdddDD QQdD",  // Q
              "eeeffddddefdFD eeeF",  // e
              "fffffddddffdFD fffF",  // f
              "ddddddddddddDD dddD",  // d
              "FFFFFDDDDFFDFD FFFF",  // F
              "DDDDDDDDDDDDDD DDDD",  // D
          }},
    Table{"atan2",
          {
              "eeeffddddefd-- edd-",  // t
              "eeeffddddefd-- eed-",  // b
              "eeeffddddefd-- eed-",  // B
              "fffffddddffd-- ffd-",  // h
              "fffffddddffd-- ffd-",  // H
              "dddddddddddd-- ddd-",  // i
              "dddddddddddd-- ddd-",  // I
              "dddddddddddd-- ddd-",  // q
              "dddddddddddd-- ddd-",  // Q
              "eeeffddddefd-- eee-",  // e
              "fffffddddffd-- fff-",  // f
              "dddddddddddd-- ddd-",  // d
              "-------------- ----",  // F
              "-------------- ----",  // D
          }},
    Table{"bitwise_left_shift",
          {
              "bbBhHiIqQ----- bq--",  // t
              "bbhhiiqq------ bb--",  // b
              "BhBhHiIqQ----- BB--",  // B
              "hhhhiiqq------ hh--",  // h
              "HiHiHiIqQ----- HH--",  // H
              "iiiiiiqq------ ii--",  // i
              "IqIqIqIqQ----- II--",  // I
              "qqqqqqqq------ qq--",  // q
              "Q-Q-Q-Q-Q----- QQ--",  // Q
              "-------------- ----",  // e
              "-------------- ----",  // f
              "-------------- ----",  // d
              "-------------- ----",  // F
              "-------------- ----",  // D
          }},
    Table{"bitwise_and",
          {
              "tbBhHiIqQ----- tq--",  // t
              "bbhhiiqq------ bb--",  // b
              "BhBhHiIqQ----- BB--",  // B
              "hhhhiiqq------ hh--",  // h
              "HiHiHiIqQ----- HH--",  // H
              "iiiiiiqq------ ii--",  // i
              "IqIqIqIqQ----- II--",  // I
              "qqqqqqqq------ qq--",  // q
              "Q-Q-Q-Q-Q----- QQ--",  // Q
              "-------------- ----",  // e
              "-------------- ----",  // f
              "-------------- ----",  // d
              "-------------- ----",  // F
              "-------------- ----",  // D
          }},
};

struct Row {
    std::string_view name;
    std::string_view results;
};

// Except that rounding bools, which NumPy takes to float16, is refused.
inline constexpr std::array kUnary{
    Row{"negative", "-bBhHiIqQefdFD"},
    Row{"abs", "tbBhHiIqQefdfd"},
    Row{"sign", "-bBhHiIqQefdFD"},
    Row{"square", "bbBhHiIqQefdFD"},
    Row{"reciprocal", "bbBhHiIqQefdFD"},
    Row{"floor", "tbBhHiIqQefd--"},
    Row{"sin", "eeeffddddefdFD"},
    Row{"cbrt", "eeeffddddefd--"},
    Row{"isnan", "tttttttttttttt"},
    Row{"real", "tbBhHiIqQefdfd"},
    Row{"bitwise_invert", "tbBhHiIqQ-----"},
    Row{"bitwise_count", "BBBBBBBBB-----"},
    Row{"logical_not", "tttttttttttttt"},
    Row{"signbit", "tttttttttttt--"},
    Row{"round", "-bBhHiIqQefdFD"},
};

}  // namespace warpwise::ir
