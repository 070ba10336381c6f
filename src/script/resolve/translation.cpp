// The fixpoint over all instances.
#include "src/script/resolve/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "src/base/text.hpp"
#include "src/script/resolve/resolver.hpp"
#include "warpwise/error.hpp"

namespace warpwise::script {
namespace {

// Types only grow, so that the fixpoint ends by itself; this ends programs that need more than
// anybody would wait for.
constexpr int kMostPasses = 200;
constexpr std::size_t kMostInstances = 500;
constexpr int kMostDepth = 200;

}  // namespace

Translation::Translation(const Program& program, std::vector<Type> arguments,
                         const TranslateOptions& options, bool is_kernel)
    : program_(program), options_(options) {
    Instance& kernel = instances_.emplace_back();
    kernel.function = &program.kernel();
    kernel.node = program.kernel().node;
    kernel.arguments = std::move(arguments);
    kernel.is_kernel = is_kernel;
    kernel.is_checked = options.checks;
    kernel.last_extents = options.last_extents;
    kernel.last_extents.resize(kernel.arguments.size());
    const std::size_t wanted = parameters_of(*kernel.node).size();
    if (kernel.arguments.size() != wanted) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            fmt::format("{}() takes {} argument{}, got {}", program.kernel().name,
                                        wanted, wanted == 1 ? "" : "s", kernel.arguments.size()));
    }
}

void Translation::run() {
    int passes = 0;
    do {
        changed_ = false;
        unknown_source_ = nullptr;
        for (std::size_t i = 0; i < instances_.size(); ++i) {
            if (!is_outdated(instances_[i])) resolve(instances_[i]);
        }
        if (++passes > kMostPasses) {
            refuse(program_.kernel().source, program_.kernel().node->place,
                   "the types of its variables do not settle; convert them where they change");
        }
    } while (changed_);
    if (unknown_source_ != nullptr) {
        if (unknown_what_.ends_with("()")) {
            refuse(
                *unknown_source_, unknown_place_,
                fmt::format("cannot type infer runaway recursion: {} calls itself on every path; "
                            "let one path return a value",
                            unknown_what_));
        }
        refuse(*unknown_source_, unknown_place_,
               fmt::format("the type of {} cannot be found out, because it depends on itself; give "
                           "it a first value of its own",
                           unknown_what_));
    }
    check_kernel();
    std::set<const Instance*> open;
    std::set<const Instance*> done;
    put_in_order(instances_.front(), open, done);
}

// Of versions that earlier passes made, only those that are called in the end.
void Translation::put_in_order(Instance& instance, std::set<const Instance*>& open,
                               std::set<const Instance*>& done) {
    if (open.contains(&instance)) recursive_.insert(&instance);
    if (done.contains(&instance) || !open.insert(&instance).second) return;
    for (Instance* const called : instance.calls) put_in_order(*called, open, done);
    open.erase(&instance);
    done.insert(&instance);
    order_.push_back(&instance);
}

void Translation::check_kernel() const {
    const Instance& kernel = instances_.front();
    if (!kernel.is_kernel) return;
    if (kernel.result->family == Family::None || kernel.result->family == Family::Unknown) return;
    refuse(kernel.function->source,
           kernel.returns != nullptr ? kernel.returns->place : kernel.node->place,
           fmt::format("a kernel returns nothing, but {}() returns {}; write the result to an "
                       "array, or make it a device function",
                       kernel.function->name, described(kernel.result)));
}

void Translation::resolve(Instance& instance) {
    if (instance.is_running) return;
    if (++depth_ > kMostDepth) {
        refuse(instance.function->source, instance.node->place,
               "calls are nested too deeply, or a function calls itself with ever new types");
    }
    instance.is_running = true;
    Resolver(*this, instance).run();
    instance.is_running = false;
    --depth_;
    ++instance.passes;
}

Instance& Translation::instance(const Function& function, const Syntax& node,
                                std::vector<Type> arguments, std::vector<std::string> captured,
                                std::map<std::size_t, std::vector<std::int64_t>> constants,
                                const SourceText& caller, const Place& place) {
    for (Instance& known : instances_) {
        const bool is_same = known.node == &node && known.arguments == arguments &&
                             known.constants == constants && !known.is_kernel;
        if (is_same) return known;
    }
    if (instances_.size() == kMostInstances) {
        refuse(caller, place,
               fmt::format("the kernel needs more than {} versions of its functions; call them "
                           "with fewer combinations of types",
                           kMostInstances));
    }
    Instance& made = instances_.emplace_back();
    made.function = &function;
    made.node = &node;
    made.arguments = std::move(arguments);
    made.captured = std::move(captured);
    made.constants = std::move(constants);
    made.is_checked = options_.checks;
    changed_ = true;
    resolve(made);
    return made;
}

void Translation::want_constant(const Syntax& function, std::size_t parameter) {
    if (wanted_constants_.insert({&function, parameter}).second) changed_ = true;
}

bool Translation::is_outdated(const Instance& instance) const {
    return !instance.is_kernel &&
           std::ranges::any_of(wanted_constants_, [&instance](const auto& wanted) {
               return wanted.first == instance.node && !instance.constants.contains(wanted.second);
           });
}

std::size_t Translation::add_local(LocalFunction local) {
    const auto [found, is_new] =
        local_numbers_.try_emplace({local.node, local.owner}, locals_.size());
    if (is_new) {
        locals_.push_back(std::move(local));
    } else {
        locals_[found->second] = std::move(local);
    }
    return found->second;
}

std::string Translation::constant_array(const std::string& name, Type element,
                                        const std::vector<std::int64_t>& shape,
                                        std::string initializer) {
    std::size_t same_name = 0;
    for (const StorageDeclaration& known : constants_) {
        const bool is_same =
            known.element == element && known.shape == shape && known.initializer == initializer;
        if (is_same) return known.name;
        same_name += known.name.starts_with("__ww_py_const_" + name) ? 1 : 0;
    }
    StorageDeclaration made{.name = "__ww_py_const_" + name,
                            .qualifier = "__device__ const",
                            .element = element,
                            .shape = shape,
                            .initializer = std::move(initializer)};
    if (same_name > 0) made.name += fmt::format("_{}", same_name + 1);
    constants_.push_back(std::move(made));
    return constants_.back().name;
}

int Translation::add_raise(Raise raise) {
    const auto is_same = [&raise](const Raise& known) {
        return known.exception == raise.exception && known.message == raise.message &&
               known.file == raise.file && known.function == raise.function &&
               known.place.line == raise.place.line && known.place.column == raise.place.column;
    };
    const auto found = std::ranges::find_if(raises_, is_same);
    const auto number = static_cast<int>(found - raises_.begin()) + 1;
    if (found == raises_.end()) raises_.push_back(std::move(raise));
    return number;
}

std::string Translation::external(const TypeData& function) {
    std::string parameters;
    std::string arguments;
    std::string types;
    std::string name = "__ww_py_external_" + function.name;
    for (std::size_t i = 0; i < function.items.size(); ++i) {
        const Type type = function.items[i];
        const std::string separator = i == 0 ? "" : ", ";
        if (type->is_array()) {
            types += fmt::format("{}class T{}", types.empty() ? "" : ", ", i);
            parameters += fmt::format("{}T{} a{}", separator, i, i);
        } else {
            parameters += fmt::format("{}{} a{}", separator, spelling_of(type), i);
        }
        arguments += fmt::format(", a{}{}", i, type->is_array() ? ".data" : "");
        for (const char c : text_of(type)) {
            name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
        }
    }
    const bool has_result = function.element->family != Family::None;
    const std::string result = has_result ? spelling_of(function.element) : "void";
    std::string text = types.empty() ? "" : fmt::format("template <{}>\n", types);
    text += fmt::format("static __device__ {} {}({}) {{\n", result, name, parameters);
    if (has_result) {
        text += fmt::format("    {} result{{}};\n    ::{}(&result{});\n    return result;\n}}\n\n",
                            result, function.name, arguments);
    } else {
        text += fmt::format("    ::{}(nullptr{});\n}}\n\n", function.name, arguments);
    }
    externals_[name] = text;
    return name;
}

void Translation::note_unknown(const SourceText& source, const Place& place,
                               const std::string& what) {
    if (unknown_source_ != nullptr) return;
    unknown_source_ = &source;
    unknown_place_ = place;
    unknown_what_ = what;
}

}  // namespace warpwise::script
