// The loops that comprehensions, generator expressions and calls like sum(x) stand for: functions
// without parameters, written from the syntax of the call.
//
// Names of their own begin with '.', which no name of a program does.
//
// Threading: used by one thread.
#pragma once

#include <deque>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/script/syntax.hpp"

namespace warpwise::script {

// What a call makes of a sequence. Nodes of the call; null where it has none.
struct Consumer {
    std::string name;  // "sum", "prod", "any", "all", "min", "max", "len", "reduce", "next"
    const Syntax* items = nullptr;  // a comprehension, or anything that loops take
    const Syntax* start = nullptr;
    const Syntax* key = nullptr;
    const Syntax* otherwise = nullptr;  // of no items
    const Syntax* function = nullptr;
};

class Comprehensions {
  public:
    // A FunctionDef, the same for a call each time.
    const Syntax& function_of(const Consumer& consumer, const Syntax& call);
    // map(f, x) and filter(f, x), of the function "map" or "filter", as a generator expression.
    const Syntax& generator_of(std::string_view function, const Syntax& call);
    // Of a comprehension: it returns a tuple of the items.
    const Syntax& list_function_of(const Syntax& comprehension);

    // `name` of all elements of the value of an expression, or of the product of two.
    const Syntax& number_function_of(std::string_view name, std::span<const Syntax* const> given,
                                     const Syntax& call);

    // The same call of another function of a library, "numpy.isclose".
    const Syntax& call_of_known(std::string_view function, const Syntax& call);
    // x = a if c else b, return a if c else b, `a if c else b` and `c and a` alone, as an If.
    const Syntax& choice_of(const Syntax& statement);

    static bool is_comprehension(const Syntax& node) {
        return node.is("GeneratorExp") || node.is("ListComp");
    }

  private:
    using Nodes = std::vector<const Syntax*>;
    using Fields = std::initializer_list<std::pair<std::string, const Syntax*>>;

    Syntax& node(std::string_view kind, Fields fields = {});
    const Syntax& list(Nodes items);
    const Syntax& string(std::string_view text);
    const Syntax& name(std::string_view id, bool is_stored = false);
    const Syntax& constant(std::int64_t value);
    const Syntax& truth(bool value);
    const Syntax& assign(std::string_view id, const Syntax& value);
    const Syntax& operation(std::string_view op, const Syntax& a, const Syntax& b);
    const Syntax& if_true(const Syntax& test, Nodes body);
    const Syntax& if_not(const Syntax& test, Nodes body);
    const Syntax& returned(const Syntax& value);
    const Syntax& called(const Syntax& function, Nodes arguments);
    const Syntax& raised(std::string_view exception, std::string_view message);
    const Syntax& loop(const Syntax& items, Nodes body);
    const Syntax& item_of(const Syntax& items);
    Nodes body_of(const Consumer& consumer);
    Nodes extreme(const Consumer& consumer);
    Nodes reduced(const Consumer& consumer);
    const Syntax& function(const std::string& name, Nodes body, const Syntax& call);

    std::deque<Syntax> nodes_;
    std::map<const Syntax*, const Syntax*> functions_;
    std::map<const Syntax*, const Syntax*> generators_;
    std::map<const Syntax*, const Syntax*> renamed_;
    std::map<const Syntax*, const Syntax*> choices_;
    Place place_;  // of the call that is being written
};

}  // namespace warpwise::script
