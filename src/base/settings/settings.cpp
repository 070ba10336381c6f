// Reads the environment strictly: an empty variable counts as not set, any other value must be one
// of the allowed forms, which the error names.
#include "src/base/settings/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "src/base/log.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise {
namespace {

using Registry = std::map<SettingGroup::Owner, std::vector<SettingDefinition>>;

// Filled by constructors of other files, in whatever order these run.
Registry& registry() {
    static auto* const groups = new Registry;
    return *groups;
}

std::optional<std::string> get(const Environment& environment, const std::string& variable) {
    std::optional<std::string> value = environment(variable);
    if (value && value->empty()) value.reset();
    return value;
}

void set_preset(const SettingDefinition& definition, Settings& settings,
                const Environment& environment) {
    if (definition.set_preset) {
        definition.set_preset(settings, environment);
    } else {
        definition.parse(settings, definition.preset);
    }
}

void parse(const SettingDefinition& definition, Settings& settings, const std::string& value) {
    if (definition.parse(settings, value)) return;
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format("the environment variable {} is {}; allowed: {}",
                                    definition.variable, quote(value), definition.values));
}

// The name that has all words of the given one: NUM_THREADS for THREADS.
std::optional<std::string> name_of_words(std::string_view given,
                                         std::span<const std::string> known) {
    const auto words_of = [](std::string_view name) {
        std::set<std::string> words;
        for (const auto word : std::views::split(name, '_'))
            words.emplace(word.begin(), word.end());
        return words;
    };
    const std::set<std::string> words = words_of(given);
    for (const std::string& name : known) {
        if (std::ranges::includes(words_of(name), words)) return name;
    }
    return std::nullopt;
}

}  // namespace

SettingGroup::SettingGroup(Owner owner, std::vector<SettingDefinition> definitions) {
    auto& group = registry()[owner];
    std::ranges::move(definitions, std::back_inserter(group));
}

std::vector<SettingDefinition> setting_definitions() {
    std::vector<SettingDefinition> all;
    for (const auto& [owner, group] : registry()) all.insert(all.end(), group.begin(), group.end());
    return all;
}

Settings read_settings(const Environment& environment) {
    Settings settings;
    const std::vector<SettingDefinition> all = setting_definitions();
    for (const SettingDefinition& definition : all) set_preset(definition, settings, environment);
    // From the last to the first, which so decides.
    for (const SettingDefinition& definition : std::views::reverse(all)) {
        if (const auto value = get(environment, definition.variable)) {
            parse(definition, settings, *value);
        }
    }
    return settings;
}

std::vector<SettingRow> setting_rows(const Environment& environment) {
    const Settings settings = read_settings(environment);
    std::vector<SettingRow> rows;
    for (const SettingDefinition& definition : setting_definitions()) {
        const std::optional<std::string> given = get(environment, definition.variable);
        std::string value = definition.show ? definition.show(settings) : given.value_or("");
        if (value.empty()) value = definition.preset;
        rows.push_back(
            {definition.variable, std::move(value), given.has_value(), definition.meaning});
    }
    return rows;
}

std::vector<std::string> misspelt_settings(std::span<const std::string> variables) {
    constexpr std::string_view kPrefix = "WARPWISE_";
    std::vector<std::string> known;  // without the prefix, which is no part of the likeness
    for (const SettingDefinition& definition : setting_definitions()) {
        const std::string_view name = definition.variable;
        if (name.starts_with(kPrefix)) known.emplace_back(name.substr(kPrefix.size()));
    }
    std::vector<std::string> warnings;
    for (const std::string_view variable : variables) {
        const std::string_view full = variable.substr(0, variable.find('='));
        if (!full.starts_with(kPrefix)) continue;
        const std::string_view name = full.substr(kPrefix.size());
        std::optional<std::string> nearest = nearest_name(name, known);
        if (!nearest) nearest = name_of_words(name, known);
        if (!nearest || *nearest == name) continue;
        warnings.push_back(
            fmt::format("the environment variable {} is no setting and has no effect; did you mean "
                        "{}{}?",
                        quote(full), kPrefix, *nearest));
    }
    return warnings;
}

const Settings& settings() {
    // When reading throws, the next call reads again and throws again. Never destroyed: threads may
    // still read while the process ends.
    static const Settings* const instance = [] {
        auto* const read = new Settings(read_settings(process_environment));
        for (const std::string& warning : misspelt_settings(environment_snapshot())) {
            log::warning("{}", warning);
        }
        return read;
    }();
    return *instance;
}

std::vector<SettingRow> setting_rows() {
    return setting_rows(process_environment);
}

}  // namespace warpwise
