// Arrays that lie nowhere: each element is computed where it is asked for. What parts of arrays
// get, out[:] = m.sum(axis=1), c[:] = a @ b, out[:] = np.roll(x, 1), where shapes are not known
// when compiled.
//
// Threading: used by one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {

class UnmadeArrays {
  public:
    explicit UnmadeArrays(Resolver& resolver) : resolver_(resolver) {}

    // Of an index, x[i, j].
    static std::vector<const Syntax*> entries_of(const Syntax& node);
    // Whether the syntax gives one; nothing: a type is not known yet.
    std::optional<bool> is_one(const Syntax& node);
    // With what it is computed from in variables.
    WholeValue::Leaf leaf(const Syntax& node, Block& out);
    // (a @ b)[i], x.sum(axis=1)[i]: of what lies nowhere.
    std::optional<bool> is_item(const Syntax& node);
    // x[i], of whole numbers: an element for each, and x[condition]; nothing: a type is not known.
    // `array`: the value of x, where it is at hand.
    std::optional<bool> is_gathered(const Syntax& node, ExpressionRef array = nullptr);
    std::optional<bool> is_chosen(const Syntax& node);
    // The same as is_gathered() of what is written to: x[i] = v.
    std::optional<bool> is_scattered(const Syntax& target);
    // x[i] += v of an index whose shape is known: its new elements; null for others.
    ExpressionRef changed_few(std::string_view op, const Syntax& target, const Syntax& value);
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
        const Syntax* shift = nullptr;
        const Syntax* axis = nullptr;
        bool keeps_axis = false;
    };
    // An array, or an expression over arrays, by its leaves.
    struct Operand {
        const Syntax* node = nullptr;
        std::shared_ptr<WholeValue> whole;
    };

    std::optional<bool> takes_places(const Syntax& node, ExpressionRef array);
    std::optional<Computation> computation(const Syntax& node);
    std::optional<int> rank_of(const Syntax& node, bool& is_long);
    static bool has_two(const Computation& made);
    bool repeats_loops(const Syntax& node);
    static void add_sources(const WholeValue& whole, WholeValue::Leaf& leaf);
    void require_any_order(const WholeValue& whole) const;
    WholeValue::Leaf row_of_unmade(const WholeValue::Leaf& leaf, bool is_whole, std::size_t rank,
                                   std::size_t gone, const Values& places, Block& body);
    Operand operand(const Syntax& node, WholeValue::Leaf& leaf, Block& out);
    ExpressionRef element(const Operand& of, const Values& places, Block& body);
    std::size_t axis_of(const Computation& made, int rank);
    WholeValue::Leaf reduction(const Computation& made, Block& out);
    WholeValue::Leaf product(const Computation& made, const Syntax& node, Block& out);
    WholeValue::Leaf product_of_expressions(const Computation& made, Block& out);
    ExpressionRef sum_along(const ExpressionRef& length, Type element, const Syntax& node,
                            Block& body,
                            const std::function<ExpressionRef(const ExpressionRef&, Block&)>& term);
    WholeValue::Leaf outer(const Computation& made, const Syntax& node, Block& out);
    WholeValue::Leaf gathered(const Syntax& node, Block& out);
    ExpressionRef held(const Syntax& node, WholeValue::Leaf& leaf, Block& out);
    // moved_arrays.cpp
    WholeValue::Leaf moved(const Computation& made, const Syntax& node, Block& out);
    WholeValue::Leaf running(const Computation& made, const Syntax& node, Block& out);
    WholeValue::Leaf repeated(const Computation& made, const Syntax& node, Block& out);
    Values rolled_places(const Operand& of, const ExpressionRef& shift, const Values& places,
                         const Syntax& node, Block& body);
    WholeValue row_of(const WholeValue& whole, std::size_t gone, const Values& places,
                      const Syntax& node, Block& body);
    void set_shape(WholeValue::Leaf& leaf, Values extents, const Syntax& node, Block& out);

    Resolver& resolver_;
};

}  // namespace warpwise::script
