// Recording operations on arrays and running them: what array/ is written with.
//
//   graph::Value sum = graph::apply(ir::Op::Add, Kind::Float32, Kind::Float32, {x, y}, shape);
//   graph::evaluate({&sum});                  // plans, compiles what is new, launches
//
// Types and shapes are checked by the caller before anything is recorded here.
//
// Recording runs nothing, unless memory whose address is known outside takes part (exports, .ptr),
// laziness is off for the thread, or too much waits: 256 nodes, or 1/16 of the device's memory held
// by pending nodes alone. Then what is recorded runs at once, or all that waits.
//
// Errors: evaluation commits kernel by kernel; what threw and what depends on it stays pending, and
// the arrays stay usable. Recording throws what the evaluation that it causes throws, and then has
// recorded nothing: a write in place that is repeated happens once.
//
// Threading: any thread. One lock guards all nodes of the process; it is held while planning and
// queuing, never while compiling, waiting or releasing foreign memory. It is taken after the GIL
// and before any lock of the runtime.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "src/codegen/group.hpp"
#include "src/graph/storage.hpp"
#include "src/graph/view.hpp"
#include "src/ir/draw.hpp"
#include "src/ir/op.hpp"
#include "warpwise/buffer.hpp"
#include "warpwise/scalar.hpp"
#include "warpwise/stream.hpp"

namespace warpwise::graph {

// An array as the graph knows it: a storage and the part of it that is shown.
struct Value {
    std::shared_ptr<Storage> storage;
    View view;
};

// An operand of the operation that is recorded: an array, of any strides, whose shape broadcasts to
// the operation's, or a number.
using Operand = std::variant<const Value*, Scalar>;

// --- Recording. New values of the current stream of their device, which for operations without
// arrays is `context`'s. Operands are converted to the kind of computation as NumPy's astype does.

Value scalar(const Scalar& value, Kind kind, const Shape& shape, runtime::Context& context);
// The coordinate along `axis`; Int64.
Value index(const Shape& shape, int axis, runtime::Context& context);
// All arrays are of one device.
Value apply(ir::Op op, const ir::OpTypes& types, std::span<const Operand> operands,
            const Shape& shape);
// Random numbers: those of elements 0, 1, ... in C order of the call whose state `state` is. The
// parameters are converted to `computation`, and broadcast to the shape.
struct DrawCall {
    ir::Draw draw = ir::Draw::kCount;
    Kind kind = Kind::Void;  // of the result
    Kind computation = Kind::Void;
    std::array<std::uint64_t, ir::kDrawScalars> state{};  // key, first block, jumps
};
Value draw(const DrawCall& call, std::span<const Operand> parameters, const Shape& shape,
           runtime::Context& context);
// A new array also where the kind is the same already.
Value cast(const Value& value, Kind kind);
// Over the axes whose bit is set in `axes`; the result has the others (no keepdims here: a view).
// `accumulator` and `epilogue`: as Reduction; `result` is the kind of the epilogue's last value.
struct ReduceCall {
    codegen::Reduce reduce = codegen::Reduce::Sum;
    Kind accumulator = Kind::Void;
    Kind result = Kind::Void;
    std::uint32_t axes = 0;
    ir::Body epilogue;            // empty: the reducer's result
    std::vector<Scalar> scalars;  // of the epilogue
};
Value reduce(const ReduceCall& call, const Value& value);
// An index, Int64, into an axis of `extent` elements, at least one: from 0 on, negative ones
// counted from the end. What is out of range is clipped, and reported as happening at `site` (of
// index_report.hpp).
Value bounded(const Value& index, std::int64_t extent, std::int64_t site);
// Elements of `source`, each `offset` bytes (Int64; broadcasts to the shape) behind where `strides`
// over `shape` lead from the source's first element. The caller answers for them being inside.
Value gather(const Value& source, const Shape& shape, const Strides& strides, const Value& offset);
// A step that reads whole inputs (materialised before it runs) and fills a new array of C order.
Value opaque(std::span<const Value* const> inputs, Kind kind, const Shape& shape, Run run);

// Writes in place: target[...] = value, where `where` (bool, may be null) is true. The value
// broadcasts to the target's shape and is read before anything is written, however they overlap.
void write(const Value& target, const Operand& value, const Value* where = nullptr);

// --- Memory.

// Over existing memory: view offsets count from the start of the buffer. The buffer may be used by
// others; the runtime asks for what is pending.
Value over(const Buffer& buffer, const View& view);
// Evaluates a value that is the whole of its storage, which nobody else names, into the buffer,
// whose device is the value's: it is the storage's memory from now on. False, and nothing has
// happened, where the value has memory already or others use the buffer. Where it throws, the
// value is as it was.
bool evaluate_into(const Value& value, const Buffer& buffer);
// Memory from the pool of the context, contents undefined, C order unless strides are given.
// For work on `stream`; null: the current one.
Value empty(const Shape& shape, const DType& dtype, runtime::Context& context,
            const Strides* strides = nullptr, const Stream* stream = nullptr);

// --- Running.

// Runs what the values need, in as few kernels as possible; queued on return, not ended.
void evaluate(std::span<const Value* const> values);
// The memory of a value, for a use outside of the graph: everything pending that reads or writes
// it has been queued, in the order of `stream` too where it is given.
Buffer settled_memory(const Value& value, const Stream* stream = nullptr);
// A kernel that the graph knows nothing of, queued now: everything pending that it could observe
// has been queued before, and later operations come behind it. `run` is called under the lock and
// queues on `stream`, all or nothing. Throws what evaluation and `run` throw.
struct Use {
    const Value* value = nullptr;
    bool writes = false;
};
struct UsedMemory {
    std::span<const std::uint64_t> addresses;  // of the values' first elements
    std::span<const Use> uses;
    // All that the values lie in: what a graph that records the kernel keeps alive.
    std::vector<std::shared_ptr<runtime::BufferState>> buffers() const;
};
void run_step(std::span<const Use> uses, const Stream& stream,
              const std::function<void(const UsedMemory&)>& run);
// An export lives from now on, until end_export(). Ordered before what the current stream does
// next; ended where the device shares the host's memory.
Buffer begin_export(const Value& value);
void end_export(Storage& storage);

// Off: operations of this thread run at once. Returns what it was.
bool set_lazy(bool lazy) noexcept;
bool is_lazy() noexcept;

// The kernels that evaluate() would launch: each with its operations, why it ends, its source and
// the bytes it moves.
std::string explain(std::span<const Value* const> values);

// Counts since the process began, for tests and benchmarks.
struct Counts {
    std::uint64_t kernels = 0;       // launched
    std::uint64_t stored_bytes = 0;  // by them
    std::uint64_t recorded = 0;      // nodes
    std::uint64_t pending = 0;       // now
};
Counts counts() noexcept;

}  // namespace warpwise::graph
