// From the syntax of one instance to typed statements: one pass over its body.
//
// The class is one; its functions lie in a file for each kind of syntax: names.cpp, operators.cpp,
// subscripts.cpp, attributes.cpp, members.cpp, calls.cpp, whole_arrays.cpp; those for statements
// in statements/, for lists, dicts and what loops go over in containers/, for functions of
// libraries in library/. What has few ties to the rest is a class of its own over it: Chars, Times,
// SmallArrays, UnmadeArrays.
//
// Threading: used by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/script/resolve/build.hpp"
#include "src/script/resolve/facts.hpp"
#include "src/script/resolve/library/whole_values.hpp"
#include "src/script/resolve/translation.hpp"

namespace warpwise::script {

constexpr std::uint64_t kFewItems = 4;  // of an axis that kernels are compiled for

class Resolver {
  public:
    Resolver(Translation& translation, Instance& instance);
    void run();

  private:
    friend class Chars;
    friend class SmallArrays;
    friend class Times;
    friend class UnmadeArrays;

    using Values = std::vector<ExpressionRef>;
    struct Loop {
        int number = 0;
        int copy = 0;  // of its body, where it is written out; else the number
        bool has_else = false;
        const Syntax* test = nullptr;                      // of a while
        std::optional<std::int64_t> turns = std::nullopt;  // at most, where that is known
    };
    struct Argument {
        std::string keyword;  // empty: by position
        ExpressionRef value;
        const Syntax* node = nullptr;
    };
    using Arguments = std::vector<Argument>;
    // One entry of an index.
    struct Index {
        ExpressionRef at = nullptr;  // null: a slice
        ExpressionRef start = nullptr, stop = nullptr, step = nullptr;
        const Syntax* node = nullptr;
        bool is_checked = false;  // against the extent
        bool is_new = false;      // None: another axis, of one item
    };

    // Messages.
    [[noreturn]] void fail(const Syntax& node, const std::string& message) const;
    [[noreturn]] void unsupported(const Syntax& node, const std::string& message) const;
    [[noreturn]] void refuse_growth(const Syntax& node) const;

    // names.cpp: names, literals, values of globals.
    void set_up();
    static std::shared_ptr<Variable> temporary(std::string_view name, Type type);
    std::shared_ptr<Variable> total(std::string_view name, Type type);
    std::shared_ptr<Variable> temporary_for(const ExpressionRef& value,
                                            std::string_view name) const;
    ExpressionRef name(const Syntax& node);
    ExpressionRef literal(const Syntax& node);
    ExpressionRef frozen(const Syntax& value, const Syntax& node, const std::string& name);
    ExpressionRef frozen_records(const Syntax& value, const Syntax& node, const std::string& name);
    ExpressionRef frozen_dict(const Syntax& value, const Syntax& node, const std::string& name);
    ExpressionRef frozen_partial(const Syntax& value, const Syntax& node, const std::string& name);
    ExpressionRef frozen_array(const Syntax& value, const Syntax& node, const std::string& name);
    std::optional<std::string> dotted(const Syntax& node) const;
    const Syntax* scope_value(const std::string& name) const;
    ExpressionRef read(const Syntax& node, std::size_t number);
    int known_truth(const Syntax& test) const;

    // optional.cpp: variables that may be None.
    void add_flag(Variable& variable);
    void find_optional();
    ExpressionRef presence_of(const Syntax& node) const;
    ExpressionRef behind_flag(const ExpressionRef& value, const ExpressionRef& presence, int raise);
    ExpressionRef present(const Syntax& node, const ExpressionRef& value);
    ExpressionRef optional_comparison(const Syntax& node);
    void set_presence(const Variable& variable, ExpressionRef presence, const Syntax& node,
                      Block& out);
    void assign_none(const std::shared_ptr<Variable>& variable, const Syntax& node, Block& out);
    void require_optional(const Variable& variable, Type type, const Syntax& node) const;
    std::optional<bool> assign_optional(const Syntax& node, Block& out);
    Values known_presence(const Facts& facts) const;
    void join_presence(const Values& one, const Values& other);
    void assume_presence(const Syntax& target);
    bool is_operand(const Syntax& node);

    // optional_results.cpp: results of functions that may be None.
    std::optional<Type> result_with(Type type) const;
    ExpressionRef as_result(ExpressionRef value, Type result) const;
    ExpressionRef may_be_none(const Syntax& node);
    ExpressionRef called(const Syntax& node);
    ExpressionRef has_result(const Syntax& node, bool is_truth);
    void assign_result(const Syntax& node, const ExpressionRef& value, Block& out);

    // operators.cpp
    ExpressionRef expression(const Syntax& node);
    ExpressionRef resolve_expression(const Syntax& node);
    ExpressionRef condition(const Syntax& node);
    ExpressionRef truth_of(const ExpressionRef& value, const Syntax& node);
    ExpressionRef binary(std::string_view op, ExpressionRef a, ExpressionRef b, const Syntax& node);
    ExpressionRef near_remainder(const ExpressionRef& a, const ExpressionRef& b) const;
    ExpressionRef number_operation(std::string_view op, ExpressionRef a, ExpressionRef b, Kind kind,
                                   const Syntax& node);
    ExpressionRef power(ExpressionRef a, ExpressionRef b, const Syntax& node);
    ExpressionRef unary(const Syntax& node);
    ExpressionRef comparison(const Syntax& node);
    ExpressionRef compare(const Syntax& op, ExpressionRef a, ExpressionRef b, const Syntax& node);
    ExpressionRef ordered(const Syntax& op, ExpressionRef a, ExpressionRef b, const Syntax& node);
    ExpressionRef contained(ExpressionRef value, const ExpressionRef& items, const Syntax& node);
    ExpressionRef in_range(const ExpressionRef& value, const Arguments& range, const Syntax& node);
    ExpressionRef bool_operation(const Syntax& node);
    ExpressionRef conditional(const Syntax& node);
    ExpressionRef named(const Syntax& node);
    ExpressionRef tuple_of(const Syntax& node);
    Type common_type(const ExpressionRef& a, const ExpressionRef& b, const Syntax& node,
                     std::string_view what);
    // Bound to a temporary where repeating it would evaluate it again.
    using Lets = std::vector<std::pair<std::shared_ptr<Variable>, ExpressionRef>>;
    ExpressionRef once(ExpressionRef value, std::string_view name, Lets& lets) const;
    static ExpressionRef wrapped(Lets& lets, ExpressionRef body);
    // order.cpp: what is evaluated once, in its turn.
    ExpressionRef fixed(const ExpressionRef& value, Lets& lets) const;
    ExpressionRef before(ExpressionRef value, const ExpressionRef& later, Lets& lets) const;
    ExpressionRef opened(ExpressionRef tuple, Lets& lets) const;
    Values items_in_turn(const ExpressionRef& tuple) const;
    Arguments in_order(Arguments arguments, Lets& lets) const;
    ExpressionRef bounded(ExpressionRef value) const;
    // A node of an operator, "Eq", for compare().
    static const Syntax& operator_node(std::string_view kind);
    static ExpressionRef both(Expression::Op how, ExpressionRef a, ExpressionRef b);
    ExpressionRef inverted(const ExpressionRef& element, const Syntax& node);
    ExpressionRef negated(std::string_view op, const ExpressionRef& operand, const Syntax& node);

    // constants.cpp: null where a value is not known.
    ExpressionRef literal_result(const Syntax& node) const;
    ExpressionRef folded(std::string_view op, const ExpressionRef& a, const ExpressionRef& b) const;
    static ExpressionRef folded_comparison(std::string_view op, const ExpressionRef& a,
                                           const ExpressionRef& b);

    // subscripts.cpp
    ExpressionRef subscript(const Syntax& node);
    ExpressionRef indexed(const ExpressionRef& base, const Syntax& node);
    // An element or a field of one, to be written.
    ExpressionRef place_of(const Syntax& target);
    // x[i]["name"] and x[i].name of an array of records: an element of the field's array.
    static bool is_field(const Syntax& node);
    static const Syntax& full_slice();  // ':' in an index
    ExpressionRef field_of_element(const Syntax& base, const std::string& name, const Syntax& node);
    ExpressionRef field(const ExpressionRef& records, const std::string& name, const Syntax& node);
    ExpressionRef field_at(const ExpressionRef& records, std::size_t number, const Syntax& node);
    ExpressionRef records_at(const ExpressionRef& records, std::vector<Index> indices,
                             const Syntax& node);
    ExpressionRef fields_at(const ExpressionRef& records, const std::vector<Index>& indices,
                            const Syntax& node);
    static ExpressionRef first_array(const ExpressionRef& records);
    void store_record(const ExpressionRef& place, const ExpressionRef& value, const Syntax& node,
                      Block& out);
    // Of an array of so many axes: for `...`, which stands for those that have no entry.
    std::vector<Index> indices(const Syntax& node, int rank);
    ExpressionRef element(const ExpressionRef& array, const std::vector<Index>& indices,
                          const Syntax& node);
    ExpressionRef item_number(const Index& index, const ExpressionRef& count,
                              const std::string& error, const Syntax& node);
    ExpressionRef tuple_item(const ExpressionRef& tuple, const Index& index, const Syntax& node);
    ExpressionRef index_value(const Syntax& node);
    ExpressionRef extent(const ExpressionRef& array, int axis);
    // Of the first `rank` axes.
    ExpressionRef shape_of(const ExpressionRef& array, int rank);
    ExpressionRef size_of(const ExpressionRef& array, int rank);

    // attributes.cpp
    ExpressionRef attribute(const Syntax& node);
    ExpressionRef known_object(const std::string& name, const Syntax& node);

    // calls.cpp
    ExpressionRef call_of(const Syntax& node);
    Arguments arguments_of(const Syntax& node);
    // A function of the program, or a local one and its value.
    struct Callee {
        const Function* function = nullptr;
        const Syntax* node = nullptr;
        const LocalFunction* local = nullptr;
        ExpressionRef value = nullptr;
        bool knows_captures = false;  // its instances have the captured numbers that are known
    };
    ExpressionRef call_value(const ExpressionRef& function, const Arguments& arguments,
                             const Syntax& callee, const Syntax& node);
    ExpressionRef call_function(const Callee& called, const Arguments& arguments,
                                const Syntax& node);
    void fill_defaults(const Callee& called, Values& values, const Syntax& node);
    using Constants = std::map<std::size_t, std::vector<std::int64_t>>;
    static void add_known(const Values& values, std::size_t first, Constants& constants);
    // Of a field of a named tuple; null where there is none.
    ExpressionRef default_of(const TypeData& fields, std::size_t field, const Syntax& node);
    std::optional<Constants> constants_wanted(const Syntax& callee, const Values& values,
                                              const Syntax& node);
    // declared_calls.cpp: what declared signatures make of arguments and results.
    Type as_declared(const Function& function, Values& values, const Syntax& node);
    ExpressionRef declared_result(ExpressionRef value, Type declared, const Syntax& node);
    ExpressionRef call_element(Type type, const Arguments& arguments, const Syntax& node);
    ExpressionRef method(const ExpressionRef& value, const std::string& name,
                         const Arguments& arguments, const Syntax& node);
    const ExpressionRef& only(const Arguments& arguments, const Syntax& node,
                              std::string_view name);

    // closures.cpp
    ExpressionRef local_value(const Syntax& node, const std::string& name);
    void capture(const LocalFunction& local, std::vector<std::string>& names, Values& values);
    void pass_captured(std::vector<std::string>& names, Values& values) const;
    bool is_closed(Type type) const;
    ExpressionRef closed(const ExpressionRef& value);
    ExpressionRef call_local(const ExpressionRef& function, const Arguments& arguments,
                             const Syntax& node);
    ExpressionRef partial_of(const Arguments& arguments, const Syntax& node);
    ExpressionRef call_partial(const ExpressionRef& function, const Arguments& arguments,
                               const Syntax& callee, const Syntax& node);

    // lists.cpp: lists whose items are assigned.
    bool is_changed_list(const Syntax& node) const;
    ExpressionRef list_storage(const Syntax& node, Type items,
                               const std::vector<std::int64_t>& shape);
    bool assign_list(const Syntax& node, Block& out);
    void assign_all(const Syntax& node, const ExpressionRef& value, Block& out);
    void check_other_name(Type type, const Syntax& node) const;
    void store_items(const ExpressionRef& list, const ExpressionRef& items, const Syntax& node,
                     Block& out);
    bool fits_list(Type list, Type value, const Syntax& node);
    static ExpressionRef lent(const ExpressionRef& value);
    ExpressionRef items_as_tuple(const ExpressionRef& array, const Syntax& node);
    ExpressionRef returned_list(const ExpressionRef& value, const Syntax& node);

    // grown_lists.cpp: lists that append() makes longer.
    struct GrownList {
        std::size_t number = 0;               // among those of the instance
        ExpressionRef place = nullptr;        // where the items lie
        std::vector<std::vector<int>> loops;  // around each of the places that make it
        std::int64_t items = 0;               // that it has in the longest case
    };
    bool is_grown_list(const Syntax& node) const;
    bool assign_grown_list(const Syntax& node, Block& out);
    GrownList* grown_list(const Syntax& node);
    ExpressionRef grow(const ExpressionRef& list, std::string_view name, const Arguments& arguments,
                       const Syntax& node);
    void append_items(GrownList& grown, const Syntax& name, const Values& items, const Syntax& node,
                      Block& out);
    std::int64_t most_turns(const GrownList& grown, const Syntax& node) const;
    void note_lengths();

    // dicts.cpp: dicts whose keys are known when compiled.
    ExpressionRef dict_of(const Syntax& node);
    ExpressionRef dict_value(const Values& keys, Values values,
                             const std::vector<const Syntax*>& nodes);
    static ExpressionRef dict_key(const std::string& text, Type dict);
    ExpressionRef dict_item(const ExpressionRef& dict, const ExpressionRef& key,
                            const ExpressionRef& otherwise, const Syntax& node);
    ExpressionRef has_key(const ExpressionRef& dict, const ExpressionRef& key, const Syntax& node);
    ExpressionRef dict_method(const ExpressionRef& dict, const std::string& name,
                              const Arguments& arguments, const Syntax& node);
    std::string key_text(const ExpressionRef& key, const Syntax& node) const;
    const Expression* held_of(const ExpressionRef& member) const;

    // consumed.cpp: null where the call consumes no sequence but a tuple.
    ExpressionRef consumed(const std::string& name, const Syntax& node);
    void check_comprehension(const Syntax& node) const;
    void check_named(const Syntax& node) const;
    ExpressionRef list_of(const Syntax& node, const Syntax& captures);
    const Syntax* generator_in(const Syntax& node);
    ExpressionRef sorted(const Syntax& items, const Syntax& node);
    Type sorted_type(Type items, const Syntax& node) const;
    ExpressionRef tuple_of_sequence(const Syntax& items);
    ExpressionRef call_written(const Syntax& function, const Syntax& captures, bool is_fixed,
                               const Syntax& node);
    bool returned_items(const Syntax& node, Block& out);
    bool add_items(const Syntax& node, std::size_t generator, Values& items, Block& out);
    void bind_item(const Syntax& target, const ExpressionRef& value, Block& out);

    // library_calls.cpp
    ExpressionRef call_known(const std::string& name, const Arguments& arguments,
                             const Syntax& node);
    ExpressionRef call_row(const std::string& name, const Arguments& arguments, const Syntax& node);
    ExpressionRef built_in(const std::string& name, const Arguments& arguments, const Syntax& node);
    ExpressionRef folded_items(
        const std::string& name, const Arguments& arguments, const Syntax& node,
        ExpressionRef start,
        const std::function<ExpressionRef(ExpressionRef, ExpressionRef)>& join);
    ExpressionRef least_or_greatest(bool is_least, const Arguments& arguments, const Syntax& node);
    ExpressionRef rounded(const Arguments& arguments, const Syntax& node);
    ExpressionRef numpy_rounded(const Arguments& arguments, const Syntax& node);
    ExpressionRef divmod(const Arguments& arguments, const Syntax& node);
    // members.cpp: null where the class has no such attribute.
    const Syntax* member_of(Type type, const std::string& name) const;
    bool is_enum(Type type) const;
    void require_members(std::string_view op, const ExpressionRef& a, const ExpressionRef& b,
                         const Syntax& node) const;
    ExpressionRef flags_operation(std::string_view op, const ExpressionRef& a,
                                  const ExpressionRef& b, const Syntax& node);
    ExpressionRef place_in_tuple(const ExpressionRef& tuple, const std::string& name,
                                 const Arguments& arguments, const Syntax& node);
    // Dataclasses have fields, but are no sequences of them.
    void require_items(Type type, const Syntax& node) const;
    ExpressionRef class_operation(std::string_view op, const ExpressionRef& a,
                                  const ExpressionRef& b, const Syntax& node);
    ExpressionRef class_update(std::string_view op, const ExpressionRef& a, const ExpressionRef& b,
                               const Syntax& node);
    ExpressionRef class_sign(std::string_view op, const ExpressionRef& value, const Syntax& node);
    ExpressionRef class_method(const std::string& name, const Values& values, const Syntax& node);
    bool is_of_class(Type type, Type wanted) const;
    ExpressionRef has_attribute(const ExpressionRef& value, const ExpressionRef& name,
                                const Syntax& node) const;
    std::optional<bool> is_instance(const ExpressionRef& value, const Syntax& wanted);
    std::optional<bool> is_instance_of(const ExpressionRef& value, const ExpressionRef& given,
                                       const Syntax& wanted);
    ExpressionRef call_member(const Syntax& member, const Arguments& arguments, const Syntax& node);
    ExpressionRef replaced(const ExpressionRef& value, const Arguments& arguments,
                           const Syntax& node);
    ExpressionRef print(const Arguments& arguments);

    // library/math_calls.cpp: null for other names.
    ExpressionRef math_call(const std::string& name, const Arguments& arguments,
                            const Syntax& node);
    ExpressionRef folded_call(const std::string& name, const Values& values, const Syntax& node);
    ExpressionRef counted(const std::string& name, Arguments arguments, const Syntax& node);
    ExpressionRef modular_power(const Arguments& arguments, const Syntax& node);
    ExpressionRef point_distance(const Arguments& arguments, const Syntax& node);
    ExpressionRef limit_of(const std::string& info, const std::string& name, const Syntax& node);
    ExpressionRef exact_sum(const ExpressionRef& given, const Syntax& node);
    ExpressionRef is_near(const std::string& name, const Arguments& arguments, const Syntax& node);
    ExpressionRef is_close(const Arguments& arguments, const Syntax& node);
    ExpressionRef chosen_value(const Arguments& arguments, const Syntax& node);

    // numpy_calls.cpp
    static bool is_elementwise(const std::string& name);
    ExpressionRef numpy_call(const std::string& name, const Arguments& arguments,
                             const Syntax& node);

    // whole_arrays.cpp
    ExpressionRef row_of(const ExpressionRef& array, const ExpressionRef& k, const Syntax& node);
    ExpressionRef held_array(const ExpressionRef& value, std::string_view name, const Syntax& node,
                             Block& out);
    Values broadcast_places(const ExpressionRef& array, const ExpressionRef& target,
                            const Values& counters);
    ExpressionRef broadcast_element(const ExpressionRef& array, const ExpressionRef& target,
                                    const Values& counters, const Syntax& node);
    void require_broadcast(const ExpressionRef& array, const ExpressionRef& target,
                           const Syntax& node, Block& out);
    // Each axis from its end where `backwards` holds, unless that is null. `before_last`: what is
    // done before the loop over the last axis.
    using AtPlaces = std::function<void(const Values&, Block&)>;
    void for_each_element(const ExpressionRef& target, const ExpressionRef& backwards,
                          const Syntax& node, Block& out, const AtPlaces& body,
                          const AtPlaces& before_last = nullptr);
    ExpressionRef target_element(const ExpressionRef& target, const Values& counters,
                                 const Syntax& node);
    // `source` is the value's syntax, unless that is not known.
    void store_part(const ExpressionRef& view, ExpressionRef value, const Syntax& target,
                    const Syntax* source, Block& out);
    // From an array that lies elsewhere, or of the same place.
    void copy_part(const ExpressionRef& part, ExpressionRef value, const Syntax& node, Block& out);
    void change_part(std::string_view op, const ExpressionRef& view, ExpressionRef value,
                     const Syntax& target, const Syntax& source, Block& out);
    // Elsewhere, at the same places, or at others in the same order.
    enum class Beside : std::uint8_t { Elsewhere, Same, Shifted };
    Beside beside(const ExpressionRef& view, const ExpressionRef& value, const Syntax& target,
                  const Syntax* source);
    static ExpressionRef backwards_of(const ExpressionRef& part, const ExpressionRef& value);
    void require_same_shape(const ExpressionRef& part, const ExpressionRef& value,
                            const Syntax& node, Block& out);
    // Of syntax: whether both give one value, with nothing in between that acts.
    static bool is_same_value(const Syntax& a, const Syntax& b);
    static bool is_same_array(const Syntax& a, const Syntax& b);
    bool are_numbers(const Syntax& a, const Syntax& b);
    bool are_parallel(const Syntax& a, const Syntax& b);
    bool are_same_axes(const Syntax& a, const Syntax& b);
    ExpressionRef elementwise_call(const std::string& name, Arguments arguments,
                                   const Syntax& node);

    // array_views.cpp
    ExpressionRef view(const ExpressionRef& array, const std::vector<Index>& indices);
    ExpressionRef view_with_axes(const ExpressionRef& array, const std::vector<Index>& indices,
                                 const Syntax& node);
    static std::vector<std::int64_t> shape_of_view(const std::vector<std::int64_t>& shape,
                                                   const std::vector<Index>& indices);
    static std::optional<std::int64_t> bounded_length(const Index& index);
    static std::vector<std::int64_t> bounded_shape(const ExpressionRef& array,
                                                   const std::vector<Index>& indices);
    ExpressionRef shaped(const ExpressionRef& value, const Syntax& node);
    ExpressionRef complex_parts(const ExpressionRef& array, bool is_imaginary, const Syntax& node);
    ExpressionRef reshaped(const ExpressionRef& array, const Arguments& arguments,
                           const Syntax& node);
    ExpressionRef reinterpreted(const ExpressionRef& array, const Arguments& arguments,
                                const Syntax& node);

    // library/array_calls.cpp
    ExpressionRef checked_size(const ExpressionRef& array, std::string message, const Syntax& node);
    ExpressionRef dot(const ExpressionRef& left, const ExpressionRef& right, const Syntax& node);
    ExpressionRef array_reduction(std::string_view name, const ExpressionRef& value,
                                  const Arguments& arguments, const Syntax& node);
    ExpressionRef numpy_reduction(const std::string& name, const Arguments& arguments,
                                  const Syntax& node);
    ExpressionRef array_method(const ExpressionRef& array, const std::string& name,
                               const Arguments& arguments, const Syntax& node);
    ExpressionRef transposed(const ExpressionRef& array);
    ExpressionRef flat(const ExpressionRef& array, const Syntax& node);

    // library/elementwise.cpp
    std::vector<const Syntax*> elementwise_operands(const Syntax& node);
    void add_leaves(const Syntax& node, std::vector<const Syntax*>& leaves);
    std::optional<bool> is_over_arrays(const Syntax& node);
    ExpressionRef number_of_elements(std::string_view name, std::span<const Syntax* const> given,
                                     const Syntax& node);
    WholeValue held_leaves(const Syntax& value, Block& out);
    ExpressionRef element_of(const WholeValue& whole, const Syntax& value, const Values& counters,
                             Block& body);
    static bool is_unit_axis(const ExpressionRef& array, int from_last);
    void set_shape(WholeValue& whole, const Syntax& node, Block& out);
    static std::string_view method_of_elements(const Syntax& node);
    bool assign_elements(const Syntax& node, Block& out);
    bool store_scattered(std::string_view op, const Syntax& target, const Syntax& value,
                         Block& out);
    bool store_where(std::string_view op, const Syntax& target, const Syntax& value, Block& out);
    bool chooses_elements(const Syntax& assignment);
    bool assign_sorted(const Syntax& target, const Syntax& value, Block& out);
    bool change_elements(std::string_view op, const ExpressionRef& view, const Syntax& target,
                         const Syntax& value, Block& out);
    void store_elements(std::string_view op, const ExpressionRef& view, const ExpressionRef& part,
                        WholeValue& whole, const Syntax& target, const Syntax& value, Block& out);
    bool is_of_elements(const Syntax& node);
    void require_elements(const ExpressionRef& array, std::string message, const Syntax& node,
                          Block& out);
    void for_each_chosen(const WholeValue& whole, const Syntax& node, Block& out,
                         const std::function<void(const Values&, Block&)>& body);
    ExpressionRef count_of_chosen(const WholeValue& whole, Block& out);
    ExpressionRef total_of(const WholeValue& whole, const Syntax& value, std::string_view op,
                           Type type, Block& out,
                           const std::function<ExpressionRef(const ExpressionRef&, Block&)>& term);
    ExpressionRef extreme_of(const WholeValue& whole, const Syntax& value, const std::string& name,
                             Type type, bool has_nan, Block& out);
    ExpressionRef reduced_number(WholeValue& all, const Syntax& value, const std::string& name,
                                 bool is_python, Block& out);
    bool returned_number(const Syntax& node, Block& out);
    ExpressionRef item_of_expression(const Syntax& node);
    bool returned_item(const Syntax& node, Block& out);

    // library/made_arrays.cpp: arrays that NumPy's functions and operators make. Null where that is
    // another function, or a shape is not known.
    static const std::vector<std::int64_t>& known_shape(const ExpressionRef& array);
    ExpressionRef made_place(Type element, const std::vector<std::int64_t>& shape,
                             const Syntax& node, std::size_t part);
    ExpressionRef held_operand(const ExpressionRef& value, std::string_view name, Lets& lets);
    ExpressionRef made_of(Type element, const std::vector<std::int64_t>& shape, Values values,
                          const Syntax& node, std::size_t part = 0);
    ExpressionRef filled(Type element, const std::vector<std::int64_t>& shape,
                         const ExpressionRef& value, const Syntax& node);
    static ExpressionRef made_behind(Lets& lets, const ExpressionRef& made);
    ExpressionRef broadcast_item(const ExpressionRef& value, const std::vector<std::int64_t>& shape,
                                 const std::vector<std::int64_t>& place, const Syntax& node);
    ExpressionRef each_element(const Values& values, const Syntax& node,
                               const std::function<ExpressionRef(const Values&)>& compute);
    ExpressionRef array_of(const ExpressionRef& value, Type wanted, const Syntax& node);
    ExpressionRef series(const std::string& name,
                         const std::map<std::string_view, const Argument*>& given, Type wanted,
                         const Syntax& node);
    ExpressionRef numpy_array(const std::string& name, const Arguments& arguments,
                              const Syntax& node);
    // library/made_arrays.cpp: what functions return.
    ExpressionRef without_arrays(const ExpressionRef& value, const Syntax& node, Block& out);
    ExpressionRef with_arrays(const ExpressionRef& value, const Syntax& node, std::size_t& part);

    // vector_types.cpp: null for names of other things.
    ExpressionRef vector(const std::string& name, const Arguments& arguments, const Syntax& node);

    // cuda_calls.cpp
    ExpressionRef cuda_call(const std::string& name, const Arguments& arguments,
                            const Syntax& node);
    ExpressionRef grid(bool is_size, const Arguments& arguments, const Syntax& node);
    ExpressionRef storage(std::string_view space, const Arguments& arguments, const Syntax& node);
    ExpressionRef declared_storage(std::string_view space, Type element,
                                   const std::vector<std::int64_t>& shape,
                                   const std::string& wanted);
    ExpressionRef record_storage(std::string_view space, Type record,
                                 const std::vector<std::int64_t>& shape, const std::string& name,
                                 const Syntax& node);
    ExpressionRef pair_of_warp(const std::string& name, const Arguments& arguments);
    // Empty: known in the next pass, a parameter's.
    std::vector<std::int64_t> constant_shape(const Argument& argument);
    bool want_constant(const ExpressionRef& value);
    static std::optional<std::vector<std::int64_t>> constants_of(const ExpressionRef& value);
    Type element_type(const Argument& argument) const;
    std::string format_of(const ExpressionRef& value, const std::string& spec, const Syntax& node,
                          Values& operands);
    std::optional<std::string> number_format(const ExpressionRef& value, const std::string& spec,
                                             Values& operands);
    std::string tuple_format(const ExpressionRef& value, const Syntax& node, Values& operands);
    void require_plain_conversion(const Syntax& part);

    // memory_calls.cpp
    Arguments before_place(Arguments arguments, Lets& lets) const;
    ExpressionRef named_place(const std::string& name, const Arguments& arguments,
                              const Syntax& node);
    ExpressionRef atomic(const std::string& name, const Arguments& arguments, const Syntax& node);
    ExpressionRef hinted_access(const std::string& name, const Arguments& arguments,
                                const Syntax& node);

    // statements/
    bool block(std::span<const Syntax* const> nodes, Block& out);  // false: its end is not reached
    bool statement(const Syntax& node, Block& out);
    void assign(const Syntax& target, ExpressionRef value, Block& out);
    void assign_variable(const Syntax& node, const std::string& name, ExpressionRef value,
                         Block& out);
    // The value in a temporary that is assigned here; held() where it could change until it is
    // read.
    ExpressionRef assigned(const ExpressionRef& value, std::string_view name, const Syntax& node,
                           Block& out);
    ExpressionRef held(const ExpressionRef& value, std::string_view name, const Syntax& node,
                       Block& out);
    void store(const ExpressionRef& target, ExpressionRef value, const Syntax& node, Block& out);
    void unpack(const Syntax& target, const ExpressionRef& value, Block& out);
    ExpressionRef row_of_length(const ExpressionRef& row, std::int64_t length, std::string message,
                                const Syntax& node, Block& out);
    ExpressionRef array_items(const ExpressionRef& value, const Syntax& target, Block& out);
    void require_length(const ExpressionRef& length, std::int64_t count, std::string message,
                        const Syntax& node, Block& out);
    void store_row(const ExpressionRef& view, const ExpressionRef& values, const Syntax& target,
                   Block& out);
    void store_slice(const ExpressionRef& places, const ExpressionRef& values, const Syntax& target,
                     Block& out);
    void augmented(const Syntax& node, Block& out);
    bool branch(const Syntax& node, Block& out);
    bool returned(const Syntax& node, Block& out);
    void return_value(ExpressionRef value, const Syntax& node, Block& out);
    void note_result(const ExpressionRef& value);  // its sign and magnitude
    void note_argument(Variable& parameter, const ExpressionRef& value);
    bool match(const Syntax& node, Block& out);
    ExpressionRef pattern(const Syntax& pattern, const ExpressionRef& subject, Block& bindings);
    ExpressionRef sequence_pattern(const Syntax& pattern, const ExpressionRef& subject,
                                   Block& bindings);
    ExpressionRef class_pattern(const Syntax& pattern, const ExpressionRef& subject,
                                Block& bindings);
    void evaluate(ExpressionRef value, const Syntax& node, Block& out);
    void local_function(const Syntax& node, Block& out);
    bool raised(const Syntax& node, Block& out);

    // external_calls.cpp
    static ExpressionRef external(const Syntax& value);
    ExpressionRef call_external(Type function, const Arguments& arguments, const Syntax& node);

    // checks.cpp: what a kernel with checks raises.
    int raise_number(const Syntax& statement);
    std::string raised_text(const Syntax& node);
    int implicit_raise(std::string exception, std::string message, const Syntax& node,
                       Raise::Detail detail = Raise::Detail::None);
    // Where the thread ends as at an exception: the number of what is raised, 0 without checks.
    int implicit_end(std::string exception, std::string message, const Syntax& node);
    // The thread ends so, by a ValueError, where the condition holds.
    void end_if(ExpressionRef condition, std::string message, const Syntax& node, Block& out);
    ExpressionRef checked(std::string_view condition, std::vector<ExpressionRef> operands,
                          int raise);
    ExpressionRef checked_index(ExpressionRef at, const ExpressionRef& extent, std::size_t axis,
                                const Syntax& node);
    ExpressionRef checked_entry(const Index& index, const ExpressionRef& base, std::size_t axis);
    ExpressionRef checked_divisor(ExpressionRef divisor, const Syntax& node);

    // statements/loops.cpp
    bool while_loop(const Syntax& node, Block& out);
    bool for_loop(const Syntax& node, Block& out);
    bool range_loop(const Syntax& node, const Arguments& range, Block& out);
    void note_loop_to(const ExpressionRef& stop);
    bool split_loop(const Syntax& node, Statement loop, Block& out);
    bool indexes(const Syntax& loop) const;
    bool combined_loop(const Syntax& node, const std::string& name, const Arguments& arguments,
                       Block& out);
    // A loop's items by a counter from 0; no length: a type is not known yet.
    struct Sequence {
        ExpressionRef length;
        std::function<ExpressionRef(const ExpressionRef&)> at;
        // What is done at the beginning of each turn, in their order; null: nothing.
        std::function<void(const ExpressionRef&, Block&)> step = nullptr;
    };
    void refuse_steps(const Sequence& part, const Syntax& node) const;
    Sequence accumulated_sequence(const Syntax& node, Block& out);
    Type callee_type(const Syntax& call);
    std::string sequence_name(const Syntax& node);
    Sequence range_sequence(const Arguments& range, const Syntax& node, Block& out);
    std::optional<Values> items_of(const Syntax& node);
    std::optional<Values> items_of(const Syntax& node, bool& has_tuple);
    Sequence sequence_of_items(ExpressionRef items, const Syntax& node, Block& out);
    Sequence sequence_of(const Syntax& node, Block& out);
    static Values place_of_number(const ExpressionRef& number, const Values& extents);
    ExpressionRef held_items(const ExpressionRef& value, const Syntax& node, Block& out);
    Sequence index_sequence(const Arguments& arguments, const Syntax& node, Block& out);
    // itertools.cpp
    static bool is_selection(std::string_view name);
    std::optional<std::int64_t> selection_number(const Syntax& node, std::size_t at,
                                                 std::string_view keyword);
    std::int64_t repeats_of(const Syntax& node);
    struct Accumulation {
        const Syntax* function = nullptr;  // null: adds
        ExpressionRef start;               // null: the first item
    };
    Accumulation accumulation_of(const Syntax& node);
    ExpressionRef joined_by(const Syntax* function, const ExpressionRef& one,
                            const ExpressionRef& other, const Syntax& node);
    std::optional<Values> accumulated(const Syntax& node, Values items);
    std::optional<Values> selected_items(const std::string& name, const Syntax& node,
                                         bool& has_tuple);
    Sequence joined_sequence(const std::string& name, const Syntax& node, Block& out);
    Sequence counted_sequence(const std::string& name, const Syntax& node, Block& out);
    Sequence element_sequence(const ExpressionRef& value, bool has_index, const Syntax& node,
                              Block& out);
    bool composed_loop(const Syntax& node, Block& out);
    std::shared_ptr<Variable> counter_of(const Syntax& node);
    bool sequence_loop(const Syntax& node, std::vector<ExpressionRef> arrays, bool is_zip,
                       const ExpressionRef& start, Block& out);
    void note_body(const Syntax& node);
    ExpressionRef kept(const ExpressionRef& value, const Syntax& node, Block& out);
    void require_few_copies(std::size_t count, const Syntax& node) const;
    void bind_copies(const Syntax& target, const Values& items);
    void assign_item(const Syntax& target, const ExpressionRef& value, Block& out);
    std::optional<std::int64_t> bounds_of(const Statement& loop) const;
    void assume_range(const Statement& loop, std::optional<std::int64_t> least);
    void assume_item(const Syntax& target, const ExpressionRef& value);
    bool unrolled_loop(const Syntax& node, const Values& items, Block& out);
    bool loop_body(const Syntax& node, Statement& loop, const Facts& before, Block& out);
    bool otherwise(const Syntax& loop, Block& out);
    bool leave(const Syntax& node, Block& out);

    // What a value may share memory with; what a store writes.
    std::set<std::size_t> origins(const ExpressionRef& value) const;
    void note_written(const ExpressionRef& array, const Syntax& node);
    bool is_from_start(const ExpressionRef& at, const ExpressionRef& length) const;
    // Whether a path reaches a use of it without an assignment.
    bool may_be_unset(const Variable& variable) const;
    void note_few_items(const ExpressionRef& array);
    // Whether the index is a constant, or the counter of a loop, of an axis with few items.
    bool is_among_few(const ExpressionRef& index) const;
    // Whether the test of a loop around says that the variable is less than something.
    bool is_bounded(const Variable& variable) const;
    bool bounds(const Syntax& test, const Variable& variable) const;
    bool is_in(const Syntax& node, const Variable& variable) const;
    void note_effect(Effect effect);
    void note_may_end();
    void set_type(Variable& variable, const ExpressionRef& value, const Syntax& node);
    ExpressionRef decayed(const ExpressionRef& value);

    Translation& translation_;
    Instance& instance_;
    const Function& function_;
    const std::set<std::string> locals_;
    std::vector<Loop> loops_;
    std::map<std::size_t, ExpressionRef> bound_;  // variables that stand for an item in a copy
    Facts facts_;                                 // of the place that is being resolved
    int loop_count_ = 0;
    std::string storage_name_;                 // what the statement assigns
    const Syntax* statement_value_ = nullptr;  // what it assigns to that
    const Syntax* statement_call_ = nullptr;   // the call that the statement is
    Block* statement_lines_ = nullptr;         // where that one's lines go
    bool makes_list_ = false;                  // the assignment that is being resolved does
    std::map<const Syntax*, ExpressionRef> list_places_;  // by what makes them
    std::map<std::size_t, GrownList> grown_lists_;        // by the variable
    std::map<std::pair<const Syntax*, std::size_t>, ExpressionRef> made_places_;
    std::set<const Syntax*> operands_;    // names and calls of which None is a TypeError
    const Syntax* takes_none_ = nullptr;  // a call whose value may be None
    std::map<const Syntax*, ExpressionRef> stands_for_;  // elements, of arrays of an expression
    int statements_ = 0;
    std::map<const Syntax*, std::shared_ptr<Variable>> counters_;
    std::set<const Variable*> few_counters_;  // of loops of no more turns than kFewItems
};

}  // namespace warpwise::script
