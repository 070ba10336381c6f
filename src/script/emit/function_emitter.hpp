// One instance of a function as CUDA C++.
//
// Threading: used by one thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/script/emit/declarations.hpp"
#include "src/script/emit/lines.hpp"
#include "src/script/program.hpp"

namespace warpwise::script {

// A parameter of a kernel in C++: an argument, or an item of a tuple.
inline constexpr std::size_t kSharedBytes = static_cast<std::size_t>(-1);
inline constexpr std::size_t kRaised = static_cast<std::size_t>(-2);
struct KernelWord {
    std::string name;
    Type type = nullptr;
    std::size_t argument = 0;       // or kSharedBytes: the launch's dynamic shared memory;
                                    // or kRaised: the record of what is raised
    std::vector<std::size_t> path;  // items of tuples, from the outside in
};

class FunctionEmitter {
  public:
    FunctionEmitter(const Instance& instance, bool zero_unset);

    // Without its body: "static __device__ double py_f(double x)".
    std::string head();
    Lines emit();
    // Of a kernel.
    const std::vector<KernelWord>& words() const noexcept { return words_; }

  private:
    // A C++ expression and how strongly it binds: 2 calls and members, 3 prefixes, 5 * / ...
    struct Text {
        std::string text;
        int precedence = 2;
    };

    // Names.
    void name_variables();
    std::string unique(std::string_view wanted);
    void flatten(Type type, const std::string& name, std::size_t argument,
                 std::vector<std::size_t> path);
    std::string rebuilt(Type type, std::size_t& next) const;
    // How many items the last axis of the argument is known to have; 0: not known.
    int last_extent(std::size_t argument) const;

    // Lines.
    void line(std::string text, bool acts = false);
    void open(std::string text);
    void close(std::string_view text = "}");
    Text spill(const Text& value, Type type, std::string_view name, bool acts);

    // expressions.cpp
    Text expression(const ExpressionRef& value, bool is_top = false);
    Text plain(const ExpressionRef& value, bool is_top = true);  // where C++ converts by itself
    std::vector<Text> operands(const std::vector<ExpressionRef>& values, bool drops_casts = false);
    static Text constant(const Expression& value, bool is_strict);
    Text cast(const Expression& value);
    Text converted(const Text& value, Type from, Type to) const;
    Text infix(const Expression& value);
    Text call(const Expression& value, bool is_top);
    Text element(const Expression& value);
    Text condition_pair(const Expression& value);
    Text selection(const Expression& value);
    Text let(const Expression& value);
    Text called(const Expression& value, const std::vector<Text>& operands) const;
    static std::string wrapped(const Text& text, int most);

    // statements.cpp
    void block(const Block& block);
    void statement(const Statement& statement);
    void assign(const Statement& statement);
    void branch(const Statement& statement, bool is_chained);
    void while_loop(const Statement& statement);
    void for_loop(const Statement& statement);
    void otherwise(const Statement& statement);
    void unrolled(const Statement& statement);
    void end_thread(int raise = 0);
    Text check(const Expression& value);

    const Instance& instance_;
    const bool zero_unset_;
    Declarations declarations_;
    std::vector<KernelWord> words_;
    std::set<std::string> used_;
    std::set<int> ends_;   // loops whose end a goto wants
    std::set<int> nexts_;  // copies of bodies whose end a goto wants
    Lines* out_ = nullptr;
    int depth_ = 0;
    int python_line_ = 0;
};

}  // namespace warpwise::script
