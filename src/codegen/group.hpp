// What one generated kernel computes, without any number that changes from launch to launch.
//
//   graph/ makes a Group and a Binding  ->  Fused::of(group) (fused.hpp)  ->  launch(stream,
//   binding)
//
// The kernel visits every point of an iteration space of `rank` axes. At a point it reads inputs,
// evaluates `body` and writes `stores`. A Reduction additionally combines `reducers` over the last
// `reduced` axes and evaluates `epilogue` once for every point of the others (the kept axes), whose
// Input i is the result of reducer i, then the element of kept_inputs[i - reducers.size()] at the
// kept point, and writes kept_stores.
//
// Equal groups are equal kernels: a Group is the key of caches, in memory and, as source text, on
// disk. So it holds no extent, stride, offset, scalar or address, but Operand::step, which has few
// values.
//
// Aliasing: an input may be the memory of a store where both have the same place at every point
// (x += 1); otherwise stores overlap neither inputs nor each other. The graph guarantees it.
//
// Association of reductions: a function of the operation, the accumulator, the extents of kept and
// reduced axes (as products) and `order`, of nothing else: the reduced index counts in C order over
// the reduced axes. Never of inputs, body, alignment, threads or timing.
//
// Threading: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/ir/body.hpp"
#include "src/runtime/backend.hpp"
#include "warpwise/dtype.hpp"
#include "warpwise/shape.hpp"

namespace warpwise::codegen {

inline constexpr std::size_t kMostInstructions = 256;  // of a group's bodies together
inline constexpr std::size_t kMostArgumentBytes = 4096;
// Of what a thread keeps of all reducers: the 256 of a block have 48 KiB of shared memory.
inline constexpr std::size_t kMostStateBytes = 176;

// Of Operand::step: what views of images, of complex numbers and of small records have.
inline constexpr std::int64_t kWidestStep = 8;

enum class Access : std::uint8_t {
    Linear,     // without gaps in C order over the iteration axes
    Broadcast,  // one element for all points
    Strided,    // one stride an axis
};

struct Operand {
    Kind kind = Kind::Void;
    Access access = Access::Linear;
    // Of Strided: the axis along which elements are neighbours, -1 for none, and a bit for each
    // axis whose stride is 0.
    std::int8_t unit = -1;
    std::uint16_t fixed = 0;
    // Along `unit`, in elements: at most kWidestStep, forwards or backwards. Other than 1 on the
    // CPU alone, along the axis of the lanes: there accesses in constant steps are vectors and
    // shuffles.
    std::int8_t step = 1;
    // An input that lies nowhere: its value is the address that an element of one byte would have,
    // an Int64. The number of the element of a random array. `is_whole`: at the origin it is 0.
    bool is_counter = false;
    bool is_whole = false;
    // Of inputs: read by Gather instructions alone, each at an offset of its own; Strided.
    bool gathered = false;
    // Elements may lie at any byte, as fields of packed records do.
    bool unaligned = false;
    friend bool operator==(const Operand&, const Operand&) = default;
};

struct Store {
    Operand operand;  // never Broadcast unless there is one point
    ir::ValueId value = 0;
    friend bool operator==(const Store&, const Store&) = default;
};

enum class Reduce : std::uint8_t {
    Sum,
    Product,
    Minimum,  // NaN where there is one
    Maximum,
    Any,
    All,
    ArgMin,  // Int64: the reduced index of the first least value, or of the first NaN
    ArgMax,
    SquaredDeviation,  // sum of |x - mean|^2, by Chan's pairwise update
};

struct Reducer {
    Reduce reduce = Reduce::Sum;
    // Sums of float16 and bfloat16 have Float32 here. The body's value has this kind already
    // (ArgMin, ArgMax: any real kind or bool; SquaredDeviation: real or complex).
    Kind accumulator = Kind::Void;
    ir::ValueId value = 0;
    // Int64 for ArgMin and ArgMax, the real kind for SquaredDeviation, else the accumulator's.
    Kind result() const noexcept;
    // Bytes at most of what a thread keeps of this one and of those before it, which take so many.
    std::size_t state_behind(std::size_t before) const noexcept;
    friend bool operator==(const Reducer&, const Reducer&) = default;
};

// Which index should vary fastest among the threads of a reduction.
enum class ReduceOrder : std::uint8_t {
    Inner,  // the reduced one: rows of a C-ordered matrix, whole arrays
    Outer,  // the last kept one: columns of a C-ordered matrix
};

enum class Skeleton : std::uint8_t { Elementwise, Reduction };

struct Group {
    Skeleton skeleton = Skeleton::Elementwise;
    ReduceOrder order = ReduceOrder::Inner;
    std::uint8_t rank = 1;     // 0 to 16; 1 where every operand is Linear or Broadcast
    std::uint8_t reduced = 0;  // the last so many axes
    bool wide = false;         // whether an index, or an offset in bytes, may reach 2^31
    // Elementwise: the last axis is long enough that a block stays in one row of it. Reduction: how
    // many threads share a result, by lanes_of(): 1, 32 or 256.
    bool rows = false;
    // Elementwise: an axis along which an input's elements are neighbours where along the last one
    // they are not; -1 for none. Blocks compute square tiles of both (emit/tiles.cpp).
    std::int8_t across = -1;
    // With `rows`, on the CPU: rows are shorter than a block; each 32 of its threads take one.
    bool short_rows = false;
    std::uint16_t lanes = 1;
    std::vector<Operand> inputs;
    std::vector<Kind> scalars;  // of body, then of epilogue: one numbering
    ir::Body body;
    std::vector<Store> stores;
    std::vector<Reducer> reducers;
    std::vector<Operand> kept_inputs;  // over the kept axes
    ir::Body epilogue;
    std::vector<Store> kept_stores;

    friend bool operator==(const Group&, const Group&) = default;
    std::uint64_t hash() const noexcept;
    // Whether the body checks indices: then the kernel has a place to report to.
    bool reports() const noexcept;
};

// The last axis of an elementwise group is walked by rows from this extent on.
inline constexpr std::int64_t kLongRow = 64;
// Points of a tile along either axis, where a group has `across`; both have at least as many.
inline constexpr int kTileSide = 32;
// The threads that compute one result together. It decides the association.
std::uint16_t lanes_of(ReduceOrder order, std::int64_t kept, std::int64_t reduced) noexcept;
// A result is computed in that many parts, of as many elements each; the last may be shorter.
struct Parts {
    std::int64_t count = 1;
    std::int64_t length = 1;
};
Parts parts_of(std::uint16_t lanes, ReduceOrder order, std::int64_t kept,
               std::int64_t reduced) noexcept;

// Where an operand lies.
struct Place {
    runtime::DeviceAddress address = 0;  // of the element at the origin
    Strides strides;                     // bytes, an entry per axis; read for Strided only
};

struct Binding {
    Shape extents;  // an entry per iteration axis; none is 0, unless a reduced one is
    std::vector<Place> inputs;
    std::vector<Place> stores;
    std::vector<Place> kept_inputs;
    std::vector<Place> kept_stores;
    std::vector<Scalar> scalars;  // converted to Group::scalars by the launch
    // Where Bound instructions report to (device/skeleton/indices.cuh); 0 where there are none.
    runtime::DeviceAddress report = 0;
    // All memory that is read or written: what a graph that records the launch keeps. They outlive
    // the launch.
    std::vector<const std::shared_ptr<runtime::BufferState>*> buffers;
};

}  // namespace warpwise::codegen
