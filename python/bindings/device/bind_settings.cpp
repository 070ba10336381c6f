// Settings and the cache of compiled programs, for `warpwise info` and `warpwise cache`.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/kernels/compile_options.hpp"
#include "warpwise/cache.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::python {
namespace {

// A thread leaves its `with` statements in the reverse order.
struct CacheScope {
    explicit CacheScope(std::string name) : folder(std::move(name)) {}
    CacheScope(const CacheScope&) = delete;
    CacheScope& operator=(const CacheScope&) = delete;

    std::string folder;
    std::vector<std::unique_ptr<CacheFolder>> scopes;

    void enter() { scopes.push_back(std::make_unique<CacheFolder>(folder)); }
    void leave() {
        if (scopes.empty()) {
            throw ArgumentError(ArgumentError::Kind::Value,
                                "CacheFolder was not entered: use it in a `with` statement");
        }
        scopes.pop_back();
    }
};

std::string folder_of(nb::handle given) {
    if (given.is_none()) return {};
    const std::string path = path_text(given, "CacheFolder");
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(path, error);
    if (error) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "CacheFolder got the path '" + path + "', which names no folder (" +
                                error.message() + "); pass a path, or None to keep nothing");
    }
    return absolute.string();
}

}  // namespace

void bind_settings(nb::module_& module) {
    nb::class_<SettingRow>(module, "SettingRow", "An environment variable that Warpwise reads.")
        .def_ro("variable", &SettingRow::variable)
        .def_ro("value", &SettingRow::value)
        .def_ro("is_set", &SettingRow::is_set, "Whether the user set it.")
        .def_ro("meaning", &SettingRow::meaning)
        .def("__repr__", [](nb::handle_t<SettingRow> self) {
            return fields_text(self, {"variable", "value", "is_set", "meaning"});
        });
    module.def("setting_rows", &setting_rows, "Every setting, its current value and its meaning.");

    nb::class_<CacheInfo>(module, "CacheInfo", "The disk cache of compiled programs.")
        .def_ro("folder", &CacheInfo::folder)
        .def_ro("usable", &CacheInfo::usable, "False: programs are always compiled.")
        .def_ro("reason", &CacheInfo::reason, "Why it is not usable.")
        .def_ro("entries", &CacheInfo::entries)
        .def_ro("bytes", &CacheInfo::bytes)
        .def_ro("limit", &CacheInfo::limit, "Bytes.")
        .def_ro("hits", &CacheInfo::hits, "Of this process.")
        .def_ro("misses", &CacheInfo::misses, "Of this process.")
        .def("__repr__", [](nb::handle_t<CacheInfo> self) {
            return fields_text(self, {"folder", "usable", "reason", "entries", "bytes", "limit",
                                      "hits", "misses"});
        });
    nb::class_<CacheScope>(
        module, "CacheFolder",
        "Keeps the programs that the thread compiles in a `with` statement in another folder.\n\n"
        "Parameters\n----------\nfolder : str, os.PathLike or None\n"
        "    None: they are compiled each time and kept nowhere.\n\n"
        "Code that the CPU device optimises in the background is kept in the usual folder. A\n"
        "folder that cannot be used is as good as None.")
        .def(
            "__init__",
            [](CacheScope* self, nb::handle folder) { new (self) CacheScope(folder_of(folder)); },
            "folder"_a.none(),
            nb::sig("def __init__(self, folder: str | os.PathLike[str] | None) -> None"))
        .def(
            "__enter__",
            [](nb::handle_t<CacheScope> self) {
                nb::cast<CacheScope&>(self).enter();
                return nb::borrow(self);
            },
            nb::sig("def __enter__(self) -> CacheFolder"))
        .def("__repr__",
             [](const CacheScope& self) {
                 return "CacheFolder(" + (self.folder.empty() ? "None" : "'" + self.folder + "'") +
                        ")";
             })
        .def(
            "__exit__", [](CacheScope& self, const nb::args&) { self.leave(); },
            nb::sig("def __exit__(self, *args: object) -> None"));
    module.def("cache_info", &cache_info, nb::call_guard<GilRelease>(),
               "The state of the disk cache.");
    module.def("cache_clear", &cache_clear, nb::call_guard<GilRelease>(),
               "Empties the disk cache; returns the number of bytes freed.");
}

}  // namespace warpwise::python
