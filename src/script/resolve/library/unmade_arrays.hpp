// Arrays that lie nowhere: each element is computed where it is asked for. What parts of arrays
// get, out[:] = m.sum(axis=1), c[:] = a @ b, out[:] = np.roll(x, 1), where shapes are not known
// when compiled.
//
// Threading: used by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {

class UnmadeArrays {
  public:
    explicit UnmadeArrays(Resolver& resolver) : resolver_(resolver) {}

    // Whether the syntax gives one; nothing: a type is not known yet.
    std::optional<bool> is_one(const Syntax& node);
    // With what it is computed from in variables.
    WholeValue::Leaf leaf(const Syntax& node, Block& out);
    // x[i], of whole numbers: an element for each, and x[condition]; nothing: a type is not known.
    // `array`: the value of x, where it is at hand.
    std::optional<bool> is_gathered(const Syntax& node, ExpressionRef array = nullptr);
    std::optional<bool> is_chosen(const Syntax& node);
    // Of the elements that an entry of an index has; null: it is one number or a slice.
    Type index_type(const Syntax& entry);
    // x[i] of an index whose shape is known; null for others.
    ExpressionRef gathered_few(const ExpressionRef& array, const Syntax& node);
    // x[condition] and its condition among the leaves of an expression.
    void add_chosen(WholeValue& whole, const Syntax& node, Block& out);
    void check_chosen(const WholeValue& whole, const Syntax& node, Block& out);

  private:
    using Values = std::vector<ExpressionRef>;
    // sum(), dot(), roll() and their like of these operands.
    struct Computation {
        std::string name;
        std::vector<const Syntax*> operands;
        const Syntax* number = nullptr;  // an axis, a shift
    };

    std::optional<Computation> computation(const Syntax& node);
    std::optional<bool> has_unknown_shape(const Syntax& node, int least, int most);
    WholeValue::Leaf reduction(const Computation& made, Block& out);
    WholeValue::Leaf product(const Computation& made, const Syntax& node, Block& out);
    WholeValue::Leaf outer(const Computation& made, const Syntax& node, Block& out);
    WholeValue::Leaf gathered(const Syntax& node, Block& out);
    WholeValue::Leaf moved(const Computation& made, const Syntax& node, Block& out);
    ExpressionRef held(const Syntax& node, WholeValue::Leaf& leaf, Block& out);
    WholeValue row_of(const WholeValue& whole, std::size_t gone, const Values& places,
                      const Syntax& node, Block& body);
    void set_shape(WholeValue::Leaf& leaf, Values extents, const Syntax& node, Block& out);

    Resolver& resolver_;
};

}  // namespace warpwise::script
