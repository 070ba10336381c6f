// One operation that has been recorded and not run, or has run and holds its memory.
//
// Lifetime: counted without atomics, under the lock of the graph (graph.hpp). A node that has run
// has no inputs, so that chains of nodes never grow longer than what may be pending.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "src/codegen/group.hpp"
#include "src/graph/memory.hpp"
#include "src/graph/view.hpp"
#include "src/ir/body.hpp"
#include "warpwise/scalar.hpp"

namespace warpwise::runtime {
class StreamState;
}

namespace warpwise::graph {

class Storage;
struct Node;

// A counted reference to a node.
class NodeRef {
  public:
    NodeRef() noexcept = default;
    explicit NodeRef(Node* node) noexcept;
    NodeRef(const NodeRef& other) noexcept : NodeRef(other.node_) {}
    NodeRef(NodeRef&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
    NodeRef& operator=(NodeRef other) noexcept {
        std::swap(node_, other.node_);
        return *this;
    }
    ~NodeRef();
    Node* get() const noexcept { return node_; }
    Node* operator->() const noexcept { return node_; }
    Node& operator*() const noexcept { return *node_; }
    explicit operator bool() const noexcept { return node_ != nullptr; }

  private:
    Node* node_ = nullptr;
};

struct Input {
    NodeRef node;
    Access access;           // over the space of the reader
    Kind kind = Kind::Void;  // of an element; the node's, but for views of parts
};

// The inputs of a node; a few are kept in place.
class Inputs {
  public:
    Inputs() noexcept : first_(reinterpret_cast<Input*>(few_)) {}
    Inputs(const Inputs&) = delete;
    Inputs& operator=(const Inputs&) = delete;
    ~Inputs() {
        clear();
        if (capacity_ > kFew) std::allocator<Input>().deallocate(first_, capacity_);
    }

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    Input* data() noexcept { return first_; }
    const Input* data() const noexcept { return first_; }
    Input* begin() noexcept { return first_; }
    Input* end() noexcept { return first_ + size_; }
    const Input* begin() const noexcept { return first_; }
    const Input* end() const noexcept { return first_ + size_; }
    Input& operator[](std::size_t number) noexcept { return first_[number]; }
    const Input& operator[](std::size_t number) const noexcept { return first_[number]; }
    void push_back(Input&& input) {
        if (size_ == capacity_) [[unlikely]]
            grow();
        new (first_ + size_) Input(std::move(input));
        ++size_;
    }
    void clear() noexcept {
        // References end from the first on, as they were made.
        const std::uint32_t count = std::exchange(size_, 0);
        for (std::uint32_t i = 0; i < count; ++i) first_[i].~Input();
    }

  private:
    static constexpr std::uint32_t kFew = 3;
    void grow();

    Input* first_;
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = kFew;
    alignas(Input) std::byte few_[kFew * sizeof(Input)];
};

enum class Form : std::uint8_t {
    Memory,  // has run, or never was an operation: `memory` holds the values
    Scalar,  // scalars[0] everywhere
    Index,   // the coordinate along axis `number`; Int64
    Cast,    // of inputs[0]
    Apply,   // `op` of the inputs
    Reduce,  // of inputs[0] over `axes`
    Update,  // inputs[0] written to a part of a storage's memory
    Draw,    // random: `draw` with parameters `operands` of kind `computation`
    Opaque,  // `run` on materialised inputs: a product of matrices, a user's kernel
    Bound,   // inputs[0], an index, inside of an axis of scalars[0] elements; site scalars[1]
    Gather,  // the element of inputs[0], materialised, inputs[1] bytes behind where its access is
};

// What Form::Reduce does beside reading its input.
struct Reduction {
    codegen::Reduce reduce = codegen::Reduce::Sum;
    Kind accumulator = Kind::Void;
    std::uint32_t axes = 0;  // a bit for each reduced axis of `space`
    // Applied to the result of the reducer (its Input 0) and to Node::scalars.
    ir::Body epilogue;
};

// A step that fusing does not look into. Queues its work on the stream, all or nothing.
struct Step {
    std::vector<const Memory*> inputs;  // with the views that the operation was recorded with
    std::vector<Access> accesses;
    Memory* output = nullptr;
    runtime::StreamState* stream = nullptr;
};
using Run = std::function<void(const Step&)>;

struct Node {
    std::uint64_t id = 0;  // grows with the order of recording
    std::uint32_t references = 0;
    Form form = Form::Memory;
    Kind kind = Kind::Void;  // of an element; Struct for structured memory
    ir::Op op = ir::Op::kCount;
    ir::Draw draw = ir::Draw::kCount;
    Kind computation = Kind::Void;  // of Apply and Draw: operands are converted to it
    std::uint16_t number = 0;
    bool was_recomputed = false;  // inlined once although a handle names it
    std::uint32_t mark = 0;       // its number in the plan that looks at it
    std::uint64_t place = 0;      // the line that wrote it (base/hooks/caller.hpp); 0: not known
    Shape space;                  // the points it is computed at
    Shape shape;                  // of the result: space, but for Reduce
    Strides layout;               // of the result in its memory, bytes
    Inputs inputs;
    std::vector<Scalar> scalars;
    // Of Apply and Draw, which of them are the operands: input i, or ~i for scalar i. The first
    // scalars of a Draw are the generator's.
    std::array<std::int8_t, 3> operands{};
    // Of the operation, and of it and those it reads: where loops repeat.
    std::array<std::uint32_t, 2> signatures{};
    std::unique_ptr<Reduction> reduction;
    std::unique_ptr<Run> run;
    // Of Update: where it writes, and the version of the storage before it (also an input where it
    // is pending and the update leaves a part of it).
    Access target;
    NodeRef base;
    std::shared_ptr<runtime::StreamState> stream;
    Storage* storage = nullptr;  // the one that this is the value of; null: none any more
    // Of Form::Memory, where the values lie. Of a pending node, where they will: null where that
    // is chosen when it runs.
    std::shared_ptr<Memory> memory;
    Node* previous = nullptr;  // among the pending nodes, in the order of recording
    Node* next = nullptr;

    bool is_pending() const noexcept { return form != Form::Memory; }

    // From a list of those that ended: the allocator is slow for blocks of this size.
    static void* operator new(std::size_t bytes);
    static void operator delete(void* place) noexcept;
};

// What a node needs to run: inputs, numbers, the stream. Under the lock.
void release_parts(Node& node) noexcept;
// The pending node has run: its values lie in its memory, and it waits no more.
void turn_into_memory(Node& node) noexcept;
// Nobody sees the memory that the pending node would write, or it is overwritten before: pending
// nodes that read its values get them elsewhere. One that writes a part of memory stays as it is.
void turn_into_value(Node& node) noexcept;

}  // namespace warpwise::graph
