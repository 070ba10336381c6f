// Groups for tests: a builder, random ones with the memory they work on, and what the graph decides
// about a group once it knows where the operands lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "src/codegen/group.hpp"

namespace warpwise::codegen {

// Builds a body: b.op(Op::Add, {b.input(0), b.scalar(0)}).
class BodyBuilder {
  public:
    BodyBuilder(ir::Body& body, const std::vector<Kind>& inputs, const std::vector<Kind>& scalars)
        : body_(body), inputs_(inputs), scalars_(scalars) {}
    ir::ValueId input(std::size_t number);
    ir::ValueId scalar(std::size_t number);
    ir::ValueId index(int axis);
    ir::ValueId cast(ir::ValueId value, Kind kind);
    // Of operands of one kind; the result has the kind that the op's rule gives.
    ir::ValueId op(ir::Op op, std::initializer_list<ir::ValueId> operands);
    Kind kind_of(ir::ValueId value) const { return body_.instructions[value].kind; }

  private:
    ir::Body& body_;
    const std::vector<Kind>& inputs_;
    const std::vector<Kind>& scalars_;
};

// Memory of one operand: bytes around what is addressed show writes outside of it.
struct Memory {
    std::vector<std::byte> bytes;
    std::size_t origin = 0;  // where the element at coordinates 0 lies
    Strides strides;
    Kind kind = Kind::Void;
    bool is_store = false;
};

// A group, where its operands lie, and their memory.
struct Case {
    Group group;
    Binding binding;
    std::vector<std::unique_ptr<Memory>> inputs, stores, kept_inputs, kept_stores;
    std::string text() const;  // for messages
};

// Access, unit and fixed of each operand, wide, lanes and rows: from the binding, as the graph
// does.
void describe(Case& sample);
// Where the operands' addresses are taken from their memory.
void bind(Case& sample);
std::unique_ptr<Memory> make_memory(Kind kind, const Shape& extents, const Strides& strides,
                                    std::size_t lead = 0);
void fill(Memory& memory, std::mt19937_64& random);

// By seed alone. Extents, layouts, kinds and bodies are random; about half are reductions.
Case random_case(std::uint64_t seed);
// The same over the kinds that are interpreted.
Case random_interpreted_case(std::uint64_t seed);

}  // namespace warpwise::codegen
