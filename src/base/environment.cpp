// One copy of `environ`.
#include "src/base/environment.hpp"

#include <unistd.h>

#include <string_view>

namespace warpwise {

const std::vector<std::string>& environment_snapshot() {
    static const auto* const snapshot = [] {
        auto* const variables = new std::vector<std::string>;
        for (char** one = environ; one != nullptr && *one != nullptr; ++one) {
            variables->emplace_back(*one);
        }
        return variables;
    }();
    return *snapshot;
}

std::vector<char*> environment_block() {
    std::vector<char*> block;
    for (const std::string& variable : environment_snapshot()) {
        block.push_back(const_cast<char*>(variable.c_str()));
    }
    block.push_back(nullptr);
    return block;
}

std::optional<std::string> process_environment(const std::string& name) {
    for (const std::string_view variable : environment_snapshot()) {
        if (variable.size() <= name.size() || variable[name.size()] != '=') continue;
        if (variable.starts_with(name)) return std::string(variable.substr(name.size() + 1));
    }
    return std::nullopt;
}

}  // namespace warpwise
