// One function for each kind of defect, and the sentences for the log.
#include "src/backends/cpu/compiler/frontend/fallback/fallback.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/backends/cpu/compiler/frontend/fallback/shared_objects.hpp"
#include "src/backends/cpu/compiler/frontend/fallback/spellings.hpp"
#include "src/backends/cpu/compiler/frontend/parse/files.hpp"
#include "src/base/text.hpp"

namespace warpwise::cpu_compiler {

namespace {

constexpr std::string_view kRefused = "__ww_refused";  // of services.cuh

std::string shown_file(const std::string& path) {
    return path.empty() ? "the source" : std::string(user_path(path));
}

}  // namespace

bool Fallback::adapt(const FailedParse& failed, bool has_launches) {
    bool is_new = false;
    for (const TextRange& line : find_idle_pragmas(failed)) {
        if (edits_.blank_line(line, failed.sources)) is_new = true;
    }
    std::vector<Replacement> replacements;
    if (has_launches) replacements = launches_.replacements(failed, edits_);
    for (Replacement& attribute : find_late_attributes(failed)) {
        replacements.push_back(std::move(attribute));
    }
    for (const TextRange& place : find_bare_percents(failed)) {
        replacements.push_back({place, "%%"});
    }
    for (SharedObjects& objects : find_shared_objects(failed)) {
        const std::string& path = objects.declaration.range.path;
        notes_.push_back(
            fmt::format("line {} of {}: constructors of variables in shared memory do "
                        "not run: {}",
                        objects.line, shown_file(path), join(objects.names)));
        replacements.push_back(std::move(objects.declaration));
    }
    if (edits_.replace(std::move(replacements), failed.sources)) is_new = true;
    // After the rest, whose places are those of the parse: these have marks.
    return (has_launches && launches_.rewrite_failed(failed, edits_)) || is_new;
}

bool Fallback::leave_out_host_code(const FailedParse& failed) {
    bool is_new = false;
    for (const HostDefect& defect : find_host_defects(failed)) {
        const std::string* text = edits_.text_of(defect.range, failed.sources);
        if (text == nullptr) continue;
        const auto line = std::count(text->begin(), text->begin() + defect.range.begin, '\n') + 1;
        if (!edits_.blank_declaration(defect.range, failed.sources)) continue;
        const std::string name = shown_file(defect.range.path);
        left_out_.push_back(
            fmt::format("line {} of {}: host code that does not compile here is left out: {}", line,
                        name, defect.reason));
        is_new = true;
    }
    return is_new;
}

bool Fallback::refuse_device_code(const FailedParse& failed) {
    bool is_new = false;
    for (const DeviceDefect& defect : find_device_defects(failed)) {
        const TextRange& body = defect.body;
        std::string* text = edits_.text_of(body, failed.sources);
        if (text == nullptr) continue;
        if (defect.is_whole) {
            if (!edits_.blank_declaration(body, failed.sources)) continue;
            left_out_.push_back(fmt::format("line {} of {}: left out: {}", defect.line, defect.file,
                                            defect.reason));
            is_new = true;
            continue;
        }
        if (text->compare(body.begin, kRefused.size(), kRefused) == 0) continue;
        edits_.blank_declaration(body, failed.sources);
        text->insert(body.begin, fmt::format("{}({});", kRefused, refusals_.size()));
        if (defect.parameters) blank(*text, *defect.parameters);
        refusals_.push_back(defect);
        is_new = true;
    }
    return is_new;
}

std::vector<std::string> Fallback::notes() const {
    std::vector<std::string> notes;
    if (!left_out_.empty() || !refusals_.empty()) {
        std::vector<std::string> parts;
        if (!left_out_.empty()) parts.push_back(fmt::format("{} declaration(s)", left_out_.size()));
        if (!refusals_.empty()) {
            parts.push_back(fmt::format("the bodies of {} device function(s)", refusals_.size()));
        }
        notes.push_back(
            fmt::format("the source does not parse as a whole; the fallback leaves out {}:",
                        fmt::join(parts, " and ")));
    }
    notes.insert(notes.end(), left_out_.begin(), left_out_.end());
    for (const DeviceDefect& defect : refusals_) {
        notes.push_back(fmt::format("line {} of {}: a device function is refused: {}", defect.line,
                                    defect.file, defect.reason));
    }
    notes.insert(notes.end(), notes_.begin(), notes_.end());
    notes.insert(notes.end(), launches_.notes().begin(), launches_.notes().end());
    return notes;
}

}  // namespace warpwise::cpu_compiler
