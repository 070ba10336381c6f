// Graph, and the context manager that captures one.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <string>

#include "python/bindings/bindings.hpp"
#include "python/bindings/capture.hpp"
#include "python/bindings/scope.hpp"
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

void launch(const CapturedGraph& captured, const Stream* stream) {
    const Graph& graph = finished(captured);
    nb::gil_scoped_release unlocked;
    stream != nullptr ? graph.launch(*stream) : graph.launch();
}

}  // namespace

std::shared_ptr<CapturedGraph> Capture::enter() {
    close_kept_group();
    stream_.begin_capture();
    enter_scope(this, stream_);
    graph_ = std::make_shared<CapturedGraph>();
    return graph_;
}

void Capture::leave(bool has_failed) {
    leave_scope(this);
    std::vector<HostMemory> memory = take_captured(stream_);
    Graph graph = stream_.end_capture();
    if (has_failed) return;
    graph_->graph.emplace(std::move(graph));
    graph_->host_memory = std::move(memory);
}

void bind_graph(nb::module_& module) {
    nb::class_<CapturedGraph>(module, "Graph", "A captured sequence of device work.")
        .def("launch", &launch, "stream"_a = nb::none(),
             "Runs it on a stream (default: the current one).")
        .def("__len__", [](const CapturedGraph& self) { return finished(self).size(); })
        .def("__repr__", [](const CapturedGraph& self) {
            return self.graph ? "Graph(" + std::to_string(self.graph->size()) + " operations)"
                              : std::string("Graph(not captured)");
        });
    nb::class_<Capture>(module, "Capture", "The block in which a stream's work is recorded.")
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
