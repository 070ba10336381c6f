// One call of a distribution: its shape, device and type, its parameters, and the numbers it takes.
//
// Threading: one object a call.
#pragma once

#include <initializer_list>
#include <string_view>
#include <variant>

#include "src/array/parts.hpp"
#include "src/graph/graph.hpp"
#include "src/ir/draw.hpp"
#include "warpwise/random.hpp"

namespace warpwise::random {

// Which numbers a parameter may be.
enum class Domain : std::uint8_t {
    Any,
    NotNegative,
    Positive,
    Probability,
    PositiveProbability,
    BelowOne,
    AboveOne
};

// Throws ArgumentError, naming both, for a number out of the domain and for what is no real number.
// Arrays are not looked into.
void require_domain(std::string_view function, std::string_view parameter, const Operand& value,
                    Domain domain);

using BitState = std::variant<PhiloxState, XORWOWState>;

// What the host draws `elements` elements from: of XORWOW a Philox whose key is its next words.
PhiloxState host_state(BitGenerator& bits, std::int64_t elements);

class Call {
  public:
    // `parameters`: what broadcasts to the shape. `kind`: without a dtype.
    Call(std::string_view function, BitGenerator& bits, const Sample& sample,
         std::initializer_list<const Operand*> parameters, Kind kind = Kind::Float64);

    const Shape& shape() const noexcept { return shape_; }
    runtime::Context& context() const noexcept { return *context_; }
    Kind kind() const noexcept { return kind_; }
    // Throws ArgumentError for every dtype but float32 and float64.
    void require_float() const;

    // Random numbers of the next elements of the generator, of `kind`. Parameters are converted to
    // `computation`.
    Array draw(ir::Draw draw, Kind kind, Kind computation = Kind::Float64,
               std::initializer_list<Operand> parameters = {}) const;
    // The same, from a state that was taken before: two draws of the same numbers.
    BitState take(ir::Draw draw, Kind kind) const;
    Array draw_from(const BitState& state, ir::Draw draw, Kind kind, Kind computation,
                    std::initializer_list<Operand> parameters) const;
    // As the first, of and in the kind of the call.
    Array draw(ir::Draw draw, std::initializer_list<Operand> parameters = {}) const {
        return this->draw(draw, kind_, kind_, parameters);
    }
    // loc + scale * values, in the kind of the values.
    Array shifted(const Array& values, const Operand& loc, const Operand& scale) const;
    // What the call returns: converted to its kind, written to `out` where that is given.
    Array result(const Array& values) const;

  private:
    std::string_view function_;
    BitGenerator& bits_;
    const Sample& sample_;
    Shape shape_;
    runtime::Context* context_ = nullptr;
    Kind kind_;
};

// Of an array or a number: of this kind.
Operand converted(const Operand& value, Kind kind, Array& holder);

}  // namespace warpwise::random
