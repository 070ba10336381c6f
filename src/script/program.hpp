// The functions of a program, and their instances: a function for given types of its arguments.
//
// Threading: a program is immutable; instances belong to one translation.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/script/flow.hpp"
#include "src/script/syntax.hpp"
#include "src/script/type.hpp"
#include "src/script/typed.hpp"

namespace warpwise::script {

struct Signature {
    Type result = unknown_type();  // unknown: what the function returns
    std::vector<Type> arguments;
};

struct Function {
    std::string name;
    SourceText source;
    const Syntax* node = nullptr;                   // FunctionDef or Lambda
    std::map<std::string, const Syntax*> scope;     // globals, closures, attributes: by dotted name
    std::map<std::string, const Syntax*> defaults;  // by parameter
    // Declared ones: calls convert their arguments to those of one of them. Empty: to none.
    std::vector<Signature> signatures;
};

class Program {
  public:
    // Throws ArgumentError for texts that are none.
    explicit Program(std::string_view text);

    const std::vector<Function>& functions() const noexcept { return functions_; }
    // An attribute of the values of a class, by the class's number; null: it has none.
    const Syntax* member(std::size_t class_number, const std::string& name) const noexcept;
    const Function& kernel() const noexcept { return functions_.front(); }

  private:
    SyntaxTree tree_;
    std::vector<Function> functions_;
    std::map<std::size_t, std::map<std::string, const Syntax*>> members_;
};

// A local function or a lambda, as a value.
struct LocalFunction {
    const Syntax* node = nullptr;
    const Function* function = nullptr;  // around it
    const void* owner = nullptr;         // the instance around it
    std::vector<const Syntax*> captures;
};

struct Instance {
    const Function* function = nullptr;
    const Syntax* node = nullptr;
    std::vector<Type> arguments;        // of all parameters, then of what it captures
    std::vector<std::string> captured;  // names
    // Of parameters that must be known when compiled, by number: one number, or those of a tuple.
    std::map<std::size_t, std::vector<std::int64_t>> constants;
    std::vector<int> last_extents;  // of a kernel: see TranslateOptions
    bool is_kernel = false;
    bool is_checked = false;  // what it raises reaches the host
    std::string text;         // its name in C++
    Flow flow;

    // What resolving it finds; repeated until nothing changes.
    Type result = unknown_type();
    const Syntax* returns = nullptr;  // the first statement that gives it a value
    Effect effect = Effect::Pure;
    std::set<std::size_t> written;  // arguments whose arrays it writes
    // Arguments that are arrays whose last axis may have few items: indices of constants, or of
    // the counters of loops along it.
    std::set<std::size_t> few_items;
    std::set<std::size_t> returned;  // arguments whose memory the result may show
    bool result_is_never_negative = true;
    std::uint64_t result_most = 0;
    std::vector<std::shared_ptr<Variable>> parameters;
    std::vector<std::shared_ptr<Variable>> variables;  // by the flow's numbers
    std::vector<std::shared_ptr<Variable>> totals;     // of the translation's own, which change
    std::vector<StorageDeclaration> storage;
    std::vector<Instance*> calls;  // in order, with repetitions
    Block body;
    // Lists whose items are assigned: where they are written, and the type of all items.
    struct List {
        const Syntax* node = nullptr;
        Type element = unknown_type();
        bool is_in_loop = false;
        bool is_grown = false;      // by append(), from no more items than `capacity` on
        std::int64_t capacity = 0;  // what is appended at most
    };
    std::vector<List> lists;
    std::set<int> copies;              // numbers of copies of loops' bodies
    bool uses_dynamic_shared = false;  // then a kernel gets the size of that memory
    bool may_end = false;              // it, or what it calls, can end the thread
    bool is_running = false;
    int passes = 0;
};

}  // namespace warpwise::script
