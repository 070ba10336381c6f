// Graph and the launches in it, and the context manager that captures one.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <vector>

#include "python/bindings/bindings.hpp"
#include "python/bindings/device/capture.hpp"
#include "python/bindings/device/scope.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/stream_argument.hpp"
#include "python/bindings/kernels/argument.hpp"
#include "python/bindings/kernels/launch_config.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

const Graph& finished(const CapturedGraph& captured) {
    if (!captured.graph)
        throw ArgumentError(ArgumentError::Kind::Value,
                            "this graph is empty: its `with stream.capture()` block has not ended, "
                            "or ended with an error");
    return *captured.graph;
}

void launch(const CapturedGraph& captured, const StreamArgument& given) {
    const Graph& graph = finished(captured);
    const Stream target = stream_or_current(given);
    {
        GilRelease unlocked;
        graph.launch(target);
    }
    if (captured.host_memory) keep_until_done(captured.host_memory, target);
}

nb::tuple extents(const Dim3& dim) {
    return nb::make_tuple(dim.x, dim.y, dim.z);
}

void set_arguments(const GraphKernel& self, const nb::args& objects) {
    ArgumentPack pack(objects);
    self.set_argument_list(pack.view());
}

void set_config(const GraphKernel& self, nb::handle grid, nb::handle block, nb::handle shared) {
    LaunchConfig config = self.config();
    if (!grid.is_none()) config.grid = dimensions(grid, "grid");
    if (!block.is_none()) config.block = dimensions(block, "block");
    if (!shared.is_none()) config.shared = extent(shared, "shared");
    self.set_config(config);
}

std::string text(const Dim3& dim) {
    return "(" + std::to_string(dim.x) + ", " + std::to_string(dim.y) + ", " +
           std::to_string(dim.z) + ")";
}

void bind_graph_kernel(nb::module_& module) {
    nb::class_<GraphKernel>(
        module, "GraphKernel",
        "A launch of a kernel in a graph. A change affects later launches of the "
        "graph; earlier ones, finished or not, are unchanged.")
        .def_prop_ro("name", &GraphKernel::name)
        .def_prop_ro("signature", &GraphKernel::signature, nb::rv_policy::reference_internal)
        .def_prop_ro(
            "grid", [](const GraphKernel& self) { return extents(self.config().grid); },
            nb::sig("def grid(self) -> tuple[int, int, int]"))
        .def_prop_ro(
            "block", [](const GraphKernel& self) { return extents(self.config().block); },
            nb::sig("def block(self) -> tuple[int, int, int]"))
        .def_prop_ro(
            "shared", [](const GraphKernel& self) { return self.config().shared; },
            "Bytes of dynamic shared memory.")
        .def_prop_ro("cooperative",
                     [](const GraphKernel& self) { return self.config().cooperative; })
        .def("set_arguments", &set_arguments, "args"_a,
             nb::sig("def set_arguments(self, *args: typing.Any) -> None"),
             "Sets all of its arguments, checked as at a launch. Changes nothing if it "
             "raises ArgumentError.")
        .def("set_config", &set_config, nb::kw_only(), "grid"_a = nb::none(),
             "block"_a = nb::none(), "shared"_a = nb::none(),
             nb::sig("def set_config(self, *, grid: int | collections.abc.Sequence[int] | None = "
                     "None, block: int | collections.abc.Sequence[int] | None = None, shared: int "
                     "| None = None) -> None"),
             "Sets another grid, block or amount of shared memory; None leaves a value.")
        .def("__repr__", [](const GraphKernel& self) {
            const LaunchConfig config = self.config();
            return "<GraphKernel " + self.name() + " grid=" + text(config.grid) +
                   " block=" + text(config.block) + ">";
        });
}

}  // namespace

std::shared_ptr<CapturedGraph> Capture::enter() {
    close_kept_group();
    stream_.begin_capture();
    enter_scope(this, stream_);
    graph_ = std::make_shared<CapturedGraph>();
    is_recording_ = true;
    return graph_;
}

std::string Capture::representation() const {
    const char* state = is_recording_ ? "recording" : graph_ ? "ended" : "not begun";
    return "<Capture on '" + stream_.device().name() + "', " + state + ">";
}

void Capture::leave(bool has_failed) {
    leave_scope(this);
    is_recording_ = false;
    auto memory = take_captured(stream_);
    if (has_failed) return stream_.discard_capture();
    Graph graph = stream_.end_capture();
    graph_->graph.emplace(std::move(graph));
    graph_->host_memory = std::move(memory);
}

void bind_graph(nb::module_& module) {
    bind_graph_kernel(module);
    nb::class_<CapturedGraph>(module, "Graph",
                              "A captured sequence of device work. A GPU instantiates it at the "
                              "first launch and starts it with one call.")
        .def("launch", &launch, "stream"_a = nb::none(),
             "Runs it on a stream (default: the current one).")
        .def_prop_ro(
            "kernels", [](const CapturedGraph& self) { return finished(self).kernels(); },
            "The launches of kernels in it, in the order they were recorded; their arguments can "
            "be changed.")
        .def("__len__", [](const CapturedGraph& self) { return finished(self).size(); })
        .def("__repr__", [](const CapturedGraph& self) {
            return self.graph ? "Graph(" + std::to_string(self.graph->size()) + " operations)"
                              : std::string("Graph(not captured)");
        });
    nb::class_<Capture>(module, "Capture", "The block in which a stream's work is recorded.")
        .def("__repr__", &Capture::representation)
        .def("__enter__", &Capture::enter)
        .def(
            "__exit__",
            [](Capture& self, nb::handle type, nb::handle, nb::handle) {
                self.leave(!type.is_none());
            },
            "type"_a.none(), "value"_a.none(), "traceback"_a.none(),
            nb::sig("def __exit__(self, type: object, value: object, traceback: object) -> None"));
}

}  // namespace warpwise::python
