// The order of attempts: exact name, symbol, overload text, template instance, name without
// namespaces. A later one never takes over what an earlier one finds ambiguous.
#include "src/runtime/module/name_lookup.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "src/base/text.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise::runtime {
namespace {

using compiler::GlobalInfo;
using compiler::KernelInfo;
using Kernels = std::span<const KernelInfo* const>;

constexpr std::size_t kListed = 20;  // names in a message, at most

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The last part of a qualified name; "::" inside template arguments or parameters does not count.
std::string_view without_namespaces(std::string_view name) {
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i + 1 < name.size(); ++i) {
        if (name[i] == '<' || name[i] == '(') ++depth;
        if (name[i] == '>' || name[i] == ')') --depth;
        if (depth == 0 && name[i] == ':' && name[i + 1] == ':') start = i + 2;
    }
    return name.substr(start);
}

// "scale<float>(float*,int)": the types as the source spells them, but for const of values.
std::string overload_text(const KernelInfo& kernel) {
    std::string text = kernel.signature.name + "(";
    const char* separator = "";
    for (const Parameter& parameter : kernel.signature.parameters) {
        std::string_view type = parameter.type;
        if (parameter.passing != Parameter::Passing::Pointer && type.starts_with("const ")) {
            type.remove_prefix(6);
        }
        text += separator;
        text += type;
        separator = ", ";
    }
    return text + ")";
}

std::string listed(std::vector<std::string> names, const char* what) {
    if (names.empty()) return fmt::format("the module has no {}", what);
    const std::size_t count = names.size();
    if (count > kListed) names.resize(kListed);
    std::string text = fmt::format("the module has {}", join(names));
    if (count > kListed) text += fmt::format(" and {} more", count - kListed);
    return text;
}

[[noreturn]] void ambiguous(std::string_view name, const std::vector<const KernelInfo*>& found) {
    std::vector<std::string> texts;
    texts.reserve(found.size());
    for (const auto* kernel : found) texts.push_back(overload_text(*kernel));
    refuse_value("{} is the name of {} kernels; ask for one of: {}", quote(name), found.size(),
                 join(texts));
}

template <class Matches>
const KernelInfo* only_match(std::string_view name, Kernels kernels, Matches&& matches) {
    std::vector<const KernelInfo*> found;
    std::ranges::copy_if(kernels, std::back_inserter(found),
                         [&](const KernelInfo* kernel) { return matches(*kernel); });
    if (found.size() > 1) ambiguous(name, found);
    return found.empty() ? nullptr : found.front();
}

// "ns::scale<float>" -> "ns::scale", and "<float>"; both empty when it is no instance.
std::pair<std::string_view, std::string_view> split_instance(std::string_view name) {
    if (!name.ends_with('>')) return {};
    int depth = 0;
    for (std::size_t i = name.size(); i-- > 0;) {
        if (name[i] == '>') ++depth;
        if (name[i] == '<' && --depth == 0) return {name.substr(0, i), name.substr(i)};
    }
    return {};
}

const std::string* match_template(std::string_view name, std::span<const std::string> templates) {
    const auto exact = std::ranges::find(templates, name);
    if (exact != templates.end()) return &*exact;
    const std::string* found = nullptr;
    std::vector<std::string> all;
    for (const std::string& candidate : templates) {
        if (without_namespaces(candidate) != name) continue;
        found = &candidate;
        all.push_back(candidate + "<...>");
    }
    if (all.size() > 1) {
        refuse_value("{} is the name of {} kernel templates; ask for one of: {}", quote(name),
                     all.size(), join(all));
    }
    return found;
}

const KernelInfo* match_existing(const std::string& target, Kernels kernels) {
    if (const auto* kernel = only_match(target, kernels, [&](const KernelInfo& k) {
            return normalised_name(k.signature.name) == target;
        })) {
        return kernel;
    }
    if (const auto* kernel = only_match(
            target, kernels, [&](const KernelInfo& k) { return k.signature.symbol == target; })) {
        return kernel;
    }
    if (target.ends_with(')')) {
        if (const auto* kernel = only_match(target, kernels, [&](const KernelInfo& k) {
                return normalised_name(overload_text(k)) == target;
            })) {
            return kernel;
        }
        return only_match(target, kernels, [&](const KernelInfo& k) {
            return without_namespaces(normalised_name(overload_text(k))) == target;
        });
    }
    return only_match(target, kernels, [&](const KernelInfo& k) {
        return without_namespaces(normalised_name(k.signature.name)) == target;
    });
}

}  // namespace

std::string normalised_name(std::string_view name) {
    std::string result;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (std::isspace(static_cast<unsigned char>(name[i])) == 0) {
            result += name[i];
            continue;
        }
        const std::size_t next = name.find_first_not_of(" \t\n\r", i);
        if (next == std::string_view::npos) break;
        if (!result.empty() && is_word(result.back()) && is_word(name[next])) result += ' ';
        i = next - 1;
    }
    return result;
}

KernelMatch match_kernel(std::string_view name, Kernels kernels,
                         std::span<const std::string> templates,
                         std::span<const GlobalInfo* const> globals) {
    const std::string target = normalised_name(name);
    if (const KernelInfo* kernel = match_existing(target, kernels)) return {.kernel = kernel};
    const auto [base, arguments] = split_instance(target);
    if (!base.empty()) {
        if (const std::string* found = match_template(base, templates)) {
            return {.expression = *found + std::string(arguments)};
        }
    }
    if (const std::string* found = match_template(target, templates)) {
        refuse_value("{} is a template; name an instance, such as {}<float>", quote(name), *found);
    }
    for (const auto* global : globals) {
        if (global->name != target && without_namespaces(global->name) != target) continue;
        refuse_value("there is no kernel {}: it is a variable, which get_global('{}') returns",
                     quote(name), global->name);
    }
    std::vector<std::string> names = function_names(kernels, templates);
    std::vector<std::string> bare(templates.begin(), templates.end());
    for (const auto* kernel : kernels) bare.push_back(kernel->signature.name);
    const std::string guess = suggestion(base.empty() ? target : std::string(base), bare);
    refuse_value("there is no kernel {}; {}{}", quote(name), listed(std::move(names), "kernels"),
                 guess);
}

const GlobalInfo& match_global(std::string_view name, std::span<const GlobalInfo* const> globals,
                               const char* what) {
    const std::string target = normalised_name(name);
    std::vector<std::string> names;
    std::vector<std::string> same;
    const GlobalInfo* found = nullptr;
    for (const auto* global : globals) {
        if (global->name == target || global->symbol == target) return *global;
        names.push_back(global->name);
        if (without_namespaces(global->name) != target) continue;
        found = global;
        same.push_back(global->name);
    }
    if (same.size() == 1) return *found;
    if (same.size() > 1) {
        refuse_value("{} is the name of {} variables; ask for one of: {}", quote(name), same.size(),
                     join(same));
    }
    const std::string guess = suggestion(target, names);
    refuse_value("there is no {} {}; {}{}", what, quote(name),
                 listed(std::move(names), "such variables"), guess);
}

std::vector<std::string> function_names(Kernels kernels, std::span<const std::string> templates) {
    std::vector<std::string> names;
    for (const auto* kernel : kernels) {
        const auto same = std::ranges::count_if(kernels, [&](const KernelInfo* other) {
            return other->signature.name == kernel->signature.name;
        });
        names.push_back(same > 1 ? overload_text(*kernel) : kernel->signature.name);
    }
    for (const std::string& name : templates) names.push_back(name + "<...>");
    return names;
}

}  // namespace warpwise::runtime
