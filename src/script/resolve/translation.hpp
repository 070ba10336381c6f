// One translation: the instances of functions that a kernel needs, resolved until types stand
// still.
//
// Threading: used by one thread.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/script/comprehensions.hpp"
#include "src/script/options.hpp"
#include "src/script/program.hpp"

namespace warpwise::script {

class Translation {
  public:
    Translation(const Program& program, std::vector<Type> arguments,
                const TranslateOptions& options, bool is_kernel = true);

    // Resolves everything. Throws CompileError and UnsupportedError.
    void run();

    const Program& program() const noexcept { return program_; }
    Instance& kernel() noexcept { return instances_.front(); }
    bool zero_unset() const noexcept { return options_.zero_unset; }
    // Whether exceptions reach the host, and indices and divisors are checked.
    bool has_checks() const noexcept { return options_.checks; }
    // Functions in an order in which callees come before their callers, the kernel last.
    const std::vector<Instance*>& order() const noexcept { return order_; }
    bool is_recursive(const Instance& instance) const { return recursive_.contains(&instance); }
    bool checks_divisors() const noexcept { return options_.checks && options_.checks_divisors; }
    bool is_small_launch() const noexcept { return options_.is_small_launch; }
    const std::vector<StorageDeclaration>& constants() const noexcept { return constants_; }
    const std::vector<Raise>& raises() const noexcept { return raises_; }

    // The instance for these arguments; resolved once already, unless that is under way.
    Instance& instance(const Function& function, const Syntax& node, std::vector<Type> arguments,
                       std::vector<std::string> captured,
                       std::map<std::size_t, std::vector<std::int64_t>> constants,
                       const SourceText& caller, const Place& place);
    // Of the last fields of a class of named tuples, by the class's number in the program.
    void set_defaults(std::size_t number, const Syntax& values) { defaults_[number] = &values; }
    const Syntax* defaults(std::size_t number) const {
        const auto found = defaults_.find(number);
        return found == defaults_.end() ? nullptr : found->second;
    }
    // Instances of this function have a parameter's value, a constant, from the next pass on.
    void want_constant(const Syntax& function, std::size_t parameter);
    bool wants_constant(const Syntax& function, std::size_t parameter) const {
        return wanted_constants_.contains({&function, parameter});
    }
    std::size_t add_local(LocalFunction local);
    const LocalFunction& local(std::size_t number) const { return locals_[number]; }
    Comprehensions& comprehensions() noexcept { return comprehensions_; }
    // The name of a constant array with these contents.
    std::string constant_array(const std::string& name, Type element,
                               const std::vector<std::int64_t>& shape, std::string initializer);
    // The C++ function that calls this one of another source.
    std::string external(const TypeData& function);
    const std::map<std::string, std::string>& externals() const noexcept { return externals_; }
    // The number, from 1, of what is raised there.
    int add_raise(Raise raise);
    void note_change() noexcept { changed_ = true; }
    // The first expression whose type is not known yet, in this pass.
    void note_unknown(const SourceText& source, const Place& place, const std::string& what);

  private:
    void resolve(Instance& instance);
    // Made before it was known that a parameter must be a constant.
    bool is_outdated(const Instance& instance) const;
    void check_kernel() const;
    void put_in_order(Instance& instance, std::set<const Instance*>& open,
                      std::set<const Instance*>& done);

    const Program& program_;
    const TranslateOptions options_;
    std::deque<Instance> instances_;
    std::vector<Instance*> order_;
    std::set<const Instance*> recursive_;
    Comprehensions comprehensions_;
    std::deque<LocalFunction> locals_;
    std::map<std::pair<const Syntax*, const void*>, std::size_t> local_numbers_;  // by owner
    std::set<std::pair<const Syntax*, std::size_t>> wanted_constants_;
    std::map<std::size_t, const Syntax*> defaults_;
    std::vector<StorageDeclaration> constants_;
    std::vector<Raise> raises_;
    std::map<std::string, std::string> externals_;  // their texts, by name
    bool changed_ = false;
    int depth_ = 0;
    const SourceText* unknown_source_ = nullptr;
    Place unknown_place_;
    std::string unknown_what_;
};

}  // namespace warpwise::script
