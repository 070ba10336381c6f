// Names, parameters, declarations and lines of a function.
#include "src/script/emit/function_emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/script/identifiers.hpp"

namespace warpwise::script {
namespace {

// Written by the first thread that raises: see script/exceptions.cuh.
Type record_of_raised() {
    return array_type(number_type(Kind::Int64), 0, Layout::C);
}

}  // namespace

FunctionEmitter::FunctionEmitter(const Instance& instance, bool zero_unset)
    : instance_(instance),
      zero_unset_(zero_unset),
      declarations_(place_declarations(instance.body, zero_unset)) {
    for (const StorageDeclaration& one : instance.storage) used_.insert(one.name);
    name_variables();
}

std::string FunctionEmitter::unique(std::string_view wanted) {
    std::string name(wanted);
    for (int count = 2; !used_.insert(name).second; ++count) {
        name = fmt::format("{}_{}", wanted, count);
    }
    return name;
}

void FunctionEmitter::name_variables() {
    used_.insert("ended");
    for (std::size_t i = 0; i < instance_.parameters.size(); ++i) {
        Variable& variable = *instance_.parameters[i];
        variable.text = unique(identifier(variable.name));
    }
    for (const auto& variable : instance_.variables) {
        if (!variable->is_parameter) variable->text = unique(identifier(variable->name));
    }
    for (const auto& variable : instance_.totals) variable->text = unique(variable->name);
    for (auto& [block, variables] : declarations_.at_head) {
        std::ranges::sort(variables, {}, [](const Variable* one) { return one->text; });
    }
    if (!instance_.is_kernel) return;
    for (std::size_t i = 0; i < instance_.arguments.size(); ++i) {
        flatten(instance_.arguments[i], instance_.parameters[i]->text, i, {});
    }
    if (instance_.uses_dynamic_shared) {
        words_.push_back({"__ww_shared_bytes", number_type(Kind::Int64), kSharedBytes, {}});
    }
    if (!instance_.is_checked || !instance_.may_end) return;
    words_.push_back({"__ww_raised", record_of_raised(), kRaised, {}});
}

void FunctionEmitter::flatten(Type type, const std::string& name, std::size_t argument,
                              std::vector<std::size_t> path) {
    if (!type->has_value()) return;
    if (!type->has_items()) {
        const bool is_whole = path.empty() && type == instance_.parameters[argument]->type &&
                              last_extent(argument) == 0;
        words_.push_back(
            {is_whole ? name : unique(name + "_arg"), type, argument, std::move(path)});
        return;
    }
    for (std::size_t i = 0; i < type->items.size(); ++i) {
        std::vector<std::size_t> longer = path;
        longer.push_back(i);
        flatten(type->items[i], fmt::format("{}_{}", name, i), argument, std::move(longer));
    }
}

int FunctionEmitter::last_extent(std::size_t argument) const {
    return instance_.is_kernel ? instance_.last_extents[argument] : 0;
}

// A tuple of the words of an argument.
std::string FunctionEmitter::rebuilt(Type type, std::size_t& next) const {
    if (!type->has_items()) return words_[next++].name;
    std::string text = spelling_of(type) + "{";
    for (std::size_t i = 0; i < type->items.size(); ++i) {
        text += (i == 0 ? "" : ", ") + rebuilt(type->items[i], next);
    }
    return text + "}";
}

std::string FunctionEmitter::head() {
    std::string parameters;
    const auto add = [&](Type type, const std::string& name) {
        parameters +=
            fmt::format("{}{} {}", parameters.empty() ? "" : ", ", spelling_of(type), name);
    };
    if (instance_.is_kernel) {
        for (const KernelWord& word : words_) add(word.type, word.name);
        return fmt::format("extern \"C\" __global__ void {}({})", instance_.text, parameters);
    }
    for (std::size_t i = 0; i < instance_.arguments.size(); ++i) {
        const Variable& variable = *instance_.parameters[i];
        if (!instance_.arguments[i]->has_value()) continue;
        const bool is_same = variable.type == instance_.arguments[i];
        add(instance_.arguments[i], is_same ? variable.text : variable.text + "_arg");
    }
    if (instance_.may_end) {
        parameters += fmt::format("{}bool &ended", parameters.empty() ? "" : ", ");
        if (instance_.is_checked) add(record_of_raised(), "__ww_raised");
    }
    return fmt::format("static __device__ {} {}({})", spelling_of(instance_.result), instance_.text,
                       parameters);
}

Lines FunctionEmitter::emit() {
    Lines lines;
    out_ = &lines;
    python_line_ = instance_.node->place.line;
    line(head() + " {");
    python_line_ = 0;
    ++depth_;
    if (instance_.is_kernel && instance_.may_end) line("bool ended = false;");
    std::size_t next = 0;
    for (std::size_t i = 0; i < instance_.arguments.size(); ++i) {
        const Type given = instance_.arguments[i];
        const Variable& variable = *instance_.parameters[i];
        if (!given->has_value()) continue;
        std::string value = instance_.is_kernel ? rebuilt(given, next) : variable.text + "_arg";
        const int last = last_extent(i);
        const bool is_direct =
            given == variable.type && last == 0 && !(instance_.is_kernel && given->has_items());
        if (is_direct) continue;
        if (last != 0) value = fmt::format("__ww_py_of_last<{}>({})", last, value);
        line(fmt::format("{} {} = {};", spelling_of(variable.type), variable.text,
                         converted({value, 2}, given, variable.type).text));
    }
    for (const StorageDeclaration& one : instance_.storage) {
        std::string extents;
        for (const std::int64_t extent : one.shape) extents += fmt::format("[{}]", extent);
        line(fmt::format("{}{}{} {}{};", one.qualifier, one.qualifier.empty() ? "" : " ",
                         spelling_of(one.element), one.name, extents));
    }
    block(instance_.body);
    --depth_;
    python_line_ = 0;
    line("}");
    return lines;
}

void FunctionEmitter::line(std::string text, bool acts) {
    out_->push_back({std::move(text), depth_, python_line_, acts});
}

void FunctionEmitter::open(std::string text) {
    line(std::move(text));
    ++depth_;
}

void FunctionEmitter::close(std::string_view text) {
    --depth_;
    const int kept = std::exchange(python_line_, 0);
    line(std::string(text));
    python_line_ = kept;
}

FunctionEmitter::Text FunctionEmitter::spill(const Text& value, Type type, std::string_view name,
                                             bool acts) {
    if (!type->has_value()) {
        if (!value.text.empty()) line(value.text + ";", acts);
        return {"", 2};
    }
    const std::string held = unique(name);
    line(fmt::format("const {} {} = {};", spelling_of(type), held, value.text), acts);
    return {held, 2};
}

}  // namespace warpwise::script
