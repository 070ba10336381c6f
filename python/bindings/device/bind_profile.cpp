// Profile and its records, ranges and marks.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/device.hpp"
#include "warpwise/error.hpp"
#include "warpwise/profile.hpp"
#include "warpwise/range.hpp"

namespace warpwise::python {
namespace {

constexpr const char* kKinds[] = {"kernel", "copy", "fill", "graph", "range", "mark"};
constexpr const char* kDirections[] = {
    "", "host to device", "device to host", "on the device", "on the host", "between devices"};

// A profile from __enter__ to __exit__, and its records afterwards.
class ProfileBlock {
  public:
    ProfileBlock(std::optional<Device> device, std::string source)
        : device_(std::move(device)), source_(std::move(source)) {}

    void enter() {
        if (profile_)
            throw ArgumentError(ArgumentError::Kind::Value,
                                "this profile has been used; make another one with ww.profile()");
        GilRelease unlocked;
        profile_.emplace(device_ ? *device_ : Device(), source_);
    }
    // After an error the device is not waited for, so that this error is the one raised.
    void leave(bool has_failed) {
        get();
        GilRelease unlocked;
        if (has_failed) return profile_->stop_at_once();
        profile_->stop();
    }
    const Profile& get() const {
        if (!profile_)
            throw ArgumentError(ArgumentError::Kind::Value,
                                "this profile has not begun; use it as `with ww.profile() as p:`");
        return *profile_;
    }

    // "<Profile of 'cpu', 3 records>"; before that: not begun, recording.
    std::string representation() const {
        const std::string name = profile_  ? profile_->device()
                                 : device_ ? device_->name()
                                           : Device().name();
        std::string state = "not begun";
        if (profile_) state = "recording";
        if (profile_ && !profile_->is_running()) {
            const std::size_t count = profile_->records().size();
            state = std::to_string(count) + (count == 1 ? " record" : " records");
        }
        return "<Profile of '" + name + "', " + state + ">";
    }

  private:
    std::optional<Device> device_;
    std::string source_;
    std::optional<Profile> profile_;
};

nb::tuple extents(const std::array<std::uint32_t, 3>& values) {
    return nb::make_tuple(values[0], values[1], values[2]);
}

void bind_record(nb::module_& module) {
    nb::class_<ProfileRecord>(
        module, "ProfileRecord",
        "One operation, range or mark. Fields that a kind does not have, or the "
        "source does not provide, are 0 or empty.")
        .def_prop_ro(
            "kind",
            [](const ProfileRecord& self) { return kKinds[static_cast<std::size_t>(self.kind)]; },
            "\"kernel\", \"copy\", \"fill\", \"graph\", \"range\" or \"mark\".")
        .def_ro("name", &ProfileRecord::name)
        .def_ro("device", &ProfileRecord::device, "Empty for ranges and marks.")
        .def_ro("start", &ProfileRecord::start, "Nanoseconds since the profile began.")
        .def_ro("duration", &ProfileRecord::duration, "Nanoseconds.")
        .def_ro("stream", &ProfileRecord::stream, "Identifies a stream of the device.")
        .def_ro("thread", &ProfileRecord::thread, "Of ranges and marks.")
        .def_prop_ro(
            "grid", [](const ProfileRecord& self) { return extents(self.grid); },
            nb::sig("def grid(self) -> tuple[int, int, int]"))
        .def_prop_ro(
            "block", [](const ProfileRecord& self) { return extents(self.block); },
            nb::sig("def block(self) -> tuple[int, int, int]"))
        .def_ro("registers", &ProfileRecord::registers, "Of a thread.")
        .def_ro("static_shared_bytes", &ProfileRecord::static_shared_bytes, "Of a block.")
        .def_ro("dynamic_shared_bytes", &ProfileRecord::dynamic_shared_bytes, "Of a block.")
        .def_ro("local_bytes", &ProfileRecord::local_bytes, "Of a thread.")
        .def_ro("bytes", &ProfileRecord::bytes, "Of copies and fills.")
        .def_prop_ro(
            "direction",
            [](const ProfileRecord& self) {
                return kDirections[static_cast<std::size_t>(self.direction)];
            },
            "Of a copy: \"host to device\", \"device to host\", \"on the device\", \"on the "
            "host\", \"between devices\".")
        .def_prop_ro("bytes_per_second", &ProfileRecord::bytes_per_second,
                     "Of copies and fills; 0 where the duration is.")
        .def("__repr__", [](nb::handle_t<ProfileRecord> self) {
            return fields_text(self, {"kind", "name", "start", "duration"});
        });
}

}  // namespace

void bind_profile(nb::module_& module) {
    bind_record(module);
    nb::class_<ProfileBlock>(module, "Profile",
                             "A device's operations inside a `with` block, with times. Created by "
                             "ww.profile(); has its records when the block has ended.")
        .def(
            "__enter__",
            [](nb::handle_t<ProfileBlock> self) {
                nb::cast<ProfileBlock&>(self).enter();
                return nb::borrow(self);
            },
            nb::sig("def __enter__(self) -> Profile"))
        .def(
            "__exit__",
            [](ProfileBlock& self, nb::handle type, nb::handle, nb::handle) {
                self.leave(!type.is_none());
            },
            "type"_a.none(), "value"_a.none(), "traceback"_a.none(),
            nb::sig("def __exit__(self, type: object, value: object, traceback: object) -> None"))
        .def("__repr__", &ProfileBlock::representation)
        .def_prop_ro(
            "device", [](const ProfileBlock& self) { return self.get().device(); },
            "The device's name.")
        .def_prop_ro(
            "source", [](const ProfileBlock& self) { return self.get().source(); },
            "Where the times come from: \"cupti\", \"events\" or \"clock\".")
        .def_prop_ro(
            "note", [](const ProfileBlock& self) { return self.get().note(); },
            "Why it is that source, and what is missing; empty otherwise.")
        .def_prop_ro(
            "records", [](const ProfileBlock& self) { return self.get().records(); },
            "All records, in order of their start.")
        .def(
            "table", [](const ProfileBlock& self) { return self.get().table(); },
            "A text: for each name how often, total, mean and share of the time; the longest "
            "first.")
        .def(
            "trace", [](const ProfileBlock& self) { return self.get().trace(); },
            "Chrome's trace events (JSON), for ui.perfetto.dev and chrome://tracing.")
        .def(
            "save",
            [](const ProfileBlock& self, const std::string& path) { self.get().save(path); },
            "path"_a, nb::call_guard<GilRelease>(), "Writes trace() into a file.")
        .def(
            "plot",
            [](nb::handle_t<ProfileBlock> self, nb::handle ax) {
                return nb::module_::import_("warpwise._plot").attr("timeline")(self, ax);
            },
            "ax"_a = nb::none(), nb::sig("def plot(self, ax: Any = None) -> Any"),
            "Draws the time line with matplotlib: a row for each stream and each thread with "
            "ranges, a colour for each of the names that took longest. Returns the Axes: `ax`, or "
            "those of a new figure. Raises UnsupportedError without matplotlib (pip install "
            "warpwise[plot]).");
    module.def(
        "profile",
        [](std::optional<Device> device, const std::string& source) {
            if (!source.empty()) Profile::check_source(device ? *device : Device(), source);
            return ProfileBlock(std::move(device), source);
        },
        nb::kw_only(), "device"_a = nb::none(), "source"_a = "",
        "Records what a device (default: the current one) does inside `with ww.profile() as p:`; "
        "leaving the block waits for it. `source` is \"cupti\" or \"events\" on a GPU, \"clock\" "
        "on the CPU device; default: the best available. Raises ArgumentError for another source "
        "and inside another profile of the device, DeviceError when CUPTI was requested and "
        "is not found or refuses.");
    module.def("push_range", &push_range, "name"_a,
               "Begins a range of this thread; ww.range does both.");
    module.def("pop_range", &pop_range,
               "Ends the innermost range of this thread that push_range() began.");
    module.def("mark", &mark, "name"_a,
               "A point in time, for profiles and for tools that listen to NVTX.");
}

}  // namespace warpwise::python
