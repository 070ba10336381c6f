// The parts of a generated kernel's text that all skeletons share: types, loads, the body, stores.
//
// Threading: one Emitter a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/codegen/group.hpp"

namespace warpwise::codegen {

// The type of a value in generated code: "float", "__ww_complex<double>".
std::string_view type_of(Kind kind) noexcept;
// The type that it is read and written as: a bool is a byte, true where it is not 0.
std::string_view memory_type_of(Kind kind) noexcept;

class Emitter {
  public:
    explicit Emitter(const Group& group) : group_(group) {}

    void line(std::string_view text);
    void open(std::string_view text);  // and indents what follows
    void close(std::string_view text = "}");
    std::string take() { return std::move(text_); }

    // Typed pointers and scalars, from the parameters.
    void prologue();
    // Declares {prefix}{first} to {prefix}{end - 1}: the coordinates along these axes of point
    // `from`, a number in C order over them.
    void decompose(std::string_view from, int first, int end, std::string_view prefix);
    // "in0[index]": where the operand lies at the point with these coordinates; `linear`: its
    // number in C order. A bool is read as a byte.
    std::string element(std::string_view name, const Operand& operand, std::string_view linear,
                        const std::vector<std::string>& coordinates) const;
    std::string loaded(std::string_view name, const Operand& operand, std::string_view linear,
                       const std::vector<std::string>& coordinates) const;
    // The value of an operand that is a counter.
    std::string counter(std::string_view name, const Operand& operand, std::string_view linear,
                        const std::vector<std::string>& coordinates) const;
    // Declares the numbers of `count` elements, kThreads apart from the start of `tile` on, of
    // every draw that is_drawn_by_tiles(). Behind it body() reads them at [item], while `reads` is
    // set.
    void draw_tiles(int count, std::string_view tile);
    void read_drawn(bool reads) noexcept { reads_drawn_ = reads; }
    // "in0[...]" of a gathered input, `offset` bytes from where the point lies.
    std::string gathered(std::size_t number, std::string_view offset,
                         const std::vector<std::string>& coordinates) const;
    // One declaration a value: "const float v3 = ...". Inputs are given as expressions.
    void body(const ir::Body& body, std::string_view prefix, const std::vector<std::string>& inputs,
              const std::vector<std::string>& coordinates);

  private:
    std::string index_type() const { return group_.wide ? "long long" : "int"; }
    // The bytes from the origin, but for the axis of neighbours.
    std::string offset(std::string_view name, const Operand& operand,
                       const std::vector<std::string>& coordinates) const;
    // The number of elements along that axis.
    std::string unit(const Operand& operand, const std::vector<std::string>& coordinates) const;
    std::string draw(const ir::Instruction& one, std::string_view place,
                     std::string_view prefix) const;
    std::string expression(const ir::Instruction& one, std::string_view prefix,
                           const std::vector<std::string>& inputs,
                           const std::vector<std::string>& coordinates) const;

    const Group& group_;
    std::string text_;
    int depth_ = 0;
    bool reads_drawn_ = false;
};

// The texts of whole kernels, without includes.
void emit_elementwise(const Group& group, Emitter& out);
void emit_reduction(const Group& group, Emitter& out);
// In a loop over `row`, on the CPU: asks for those elements of a later row of its `points` whose
// place the row's number decides. `position`: the type of `row` and `last`.
void ask_for_rows_ahead(const Group& group, Emitter& out, std::string_view position);
// The loops of an elementwise kernel that has Group::across.
void emit_tiles(const Group& group, Emitter& out);

}  // namespace warpwise::codegen
