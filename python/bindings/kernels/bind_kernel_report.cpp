// KernelReport: what the CPU device has made of a kernel.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "python/bindings/bindings.hpp"
#include "warpwise/kernel_report.hpp"

namespace warpwise::python {

void bind_kernel_report(nb::module_& module) {
    nb::class_<LineReport>(module, "LineReport",
                           "The memory accesses of one source line, counted in the code.")
        .def_ro("file", &LineReport::file)
        .def_ro("line", &LineReport::line)
        .def_ro("vectors", &LineReport::vectors, "Loads and stores of whole vectors.")
        .def_ro("strided", &LineReport::strided,
                "Loads in a constant step, put together from elements.")
        .def_ro("gathers", &LineReport::gathers, "Loads of unrelated places.")
        .def_ro("scatters", &LineReport::scatters, "Stores to unrelated places.")
        .def_ro("lane_by_lane", &LineReport::lane_by_lane,
                "Instructions that run for one thread after the other.")
        .def("__repr__", [](const LineReport& self) {
            const auto count = [](std::uint32_t number, const char* what) {
                return std::to_string(number) + what;
            };
            return "<LineReport " + self.file + ":" + count(self.line, ": ") +
                   count(self.vectors, " vectors, ") + count(self.strided, " strided, ") +
                   count(self.gathers, " gathers, ") + count(self.scatters, " scatters, ") +
                   count(self.lane_by_lane, " lane by lane>");
        });
    nb::class_<KernelForm>(module, "KernelForm",
                           "One compiled form of a kernel: for blocks of one shape, or of any.")
        .def_prop_ro(
            "block",
            [](const KernelForm& self) -> nb::object {
                if (self.block[0] == 0) return nb::none();
                return nb::make_tuple(self.block[0], self.block[1], self.block[2]);
            },
            nb::sig("def block(self) -> tuple[int, int, int] | None"),
            "The shape it is for; None: any.")
        .def_ro("executor", &KernelForm::executor, "'gang', 'regions' or 'reference'.")
        .def_ro("columns", &KernelForm::columns, "Threads that run as one, along x.")
        .def_ro("rows", &KernelForm::rows, "Threads that run as one, along y.")
        .def_ro("lane_by_lane", &KernelForm::lane_by_lane,
                "The share of its instructions that run for one thread after the other.")
        .def_ro("lines", &KernelForm::lines)
        .def("__repr__", [](const KernelForm& self) {
            const auto& [x, y, z] = self.block;
            const std::string block = x == 0 ? "any block"
                                             : "blocks of " + std::to_string(x) + "x" +
                                                   std::to_string(y) + "x" + std::to_string(z);
            return "<KernelForm for " + block + ", executor " + self.executor + ">";
        });
    nb::class_<KernelReport>(module, "KernelReport",
                             "The forms of a kernel on the CPU device and how their lines access "
                             "memory; str() is a table.")
        .def_ro("kernel", &KernelReport::kernel)
        .def_ro("device", &KernelReport::device)
        .def_ro("forms", &KernelReport::forms, "The form for any block first; empty on a GPU.")
        .def("__str__", &KernelReport::text)
        .def("__repr__", [](const KernelReport& self) {
            return "<KernelReport of '" + self.kernel + "', " + std::to_string(self.forms.size()) +
                   " forms>";
        });
}

}  // namespace warpwise::python
