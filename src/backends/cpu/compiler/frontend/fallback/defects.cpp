// Which errors belong to host code, by place and by kind.
#include "src/backends/cpu/compiler/frontend/fallback/defects.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "src/backends/cpu/compiler/frontend/parse/files.hpp"

namespace warpwise::cpu_compiler {

namespace {

// The user's own mistakes are errors. Names like __this, and members of the libraries that are
// carried in part, are more likely to be missing here.
bool is_name_of_cuda(const std::string& message) {
    constexpr std::string_view kSigns[] = {
        "'__",
        "in namespace 'std'",
        "in namespace 'thrust",
        "in namespace 'cub",
        "in namespace 'cuda",
        "in namespace 'cooperative_groups",
        "in namespace 'nvcuda",
    };
    return std::any_of(std::begin(kSigns), std::end(kSigns),
                       [&](std::string_view sign) { return message.find(sign) != message.npos; });
}

// The defect that an error makes of the device function or declaration around it.
std::optional<DeviceDefect> device_defect_at(const FailedParse& failed,
                                             const DiagnosticCollector::ErrorSite& site) {
    const clang::SourceManager& sources = failed.sources;
    DeviceDefect defect;
    if (auto body = failed.declarations.body_at(sources, site.location)) {
        defect.body = *std::move(body);
    } else if (auto head = failed.declarations.head_at(sources, site.location)) {
        defect.is_whole = !head->body;
        defect.body = head->body ? *std::move(head->body) : std::move(head->whole);
        defect.parameters = std::move(head->parameters);
    } else {
        return std::nullopt;
    }
    const clang::PresumedLoc place = sources.getPresumedLoc(sources.getFileLoc(site.location));
    defect.file = std::string(user_path(place.getFilename()));
    defect.line = static_cast<int>(place.getLine());
    defect.column = static_cast<int>(place.getColumn());
    defect.reason = site.message;
    defect.is_unsupported = site.is_unsupported;
    return defect;
}

// Without those inside a declaration that is left out as a whole.
std::vector<DeviceDefect> outermost(std::vector<DeviceDefect> defects) {
    const std::vector<DeviceDefect> all = defects;
    std::erase_if(defects, [&](const DeviceDefect& defect) {
        return std::any_of(all.begin(), all.end(), [&](const DeviceDefect& other) {
            const bool is_itself =
                other.body.begin == defect.body.begin && other.body.end == defect.body.end;
            return other.is_whole && !is_itself && other.body.contains(defect.body);
        });
    });
    return defects;
}

}  // namespace

std::vector<HostDefect> find_host_defects(const FailedParse& failed) {
    std::vector<HostDefect> defects;
    for (const DiagnosticCollector::ErrorSite& site : failed.log.error_sites()) {
        if (site.location.isInvalid()) continue;
        // A launch in the initialiser of a host variable is no slip either.
        if (!failed.lacks_headers && !is_missing_name(site.id) && !site.is_unsupported) continue;
        auto range = failed.declarations.removable_at(failed.sources, site.location);
        if (range) defects.push_back({*std::move(range), site.message});
    }
    return defects;
}

std::vector<DeviceDefect> find_device_defects(const FailedParse& failed) {
    // Last first, because a call put into a body moves what follows; the first error of each.
    std::map<std::pair<std::string, std::size_t>, DeviceDefect, std::greater<>> first;
    for (const DiagnosticCollector::ErrorSite& site : failed.log.error_sites()) {
        if (site.location.isInvalid()) continue;
        const bool is_missing_here = is_missing_name(site.id) && is_name_of_cuda(site.message);
        if (!site.is_unsupported && !failed.lacks_headers && !is_missing_here) continue;
        if (auto defect = device_defect_at(failed, site)) {
            const std::pair key(defect->body.path, std::size_t{defect->body.begin});
            first.try_emplace(key, *std::move(defect));
        }
    }
    std::vector<DeviceDefect> defects;
    defects.reserve(first.size());
    for (auto& [key, defect] : first) defects.push_back(std::move(defect));
    return outermost(std::move(defects));
}

}  // namespace warpwise::cpu_compiler
