// Settings and the cache of compiled programs, for `warpwise info` and `warpwise cache`.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.hpp"
#include "python/bindings/describe.hpp"
#include "python/bindings/interpreter.hpp"
#include "warpwise/cache.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::python {

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
    module.def("cache_info", &cache_info, nb::call_guard<GilRelease>(),
               "The state of the disk cache.");
    module.def("cache_clear", &cache_clear, nb::call_guard<GilRelease>(),
               "Empties the disk cache; returns the number of bytes freed.");
}

}  // namespace warpwise::python
