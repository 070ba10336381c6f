// The class ww.sparse.PacketedArray, and the function that makes one.
#include <nanobind/stl/string.h>

#include <string>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/sparse/sparse_values.hpp"
#include "warpwise/sparse_packets.hpp"

namespace warpwise::python {
namespace {

using sparse::Matrix;
using sparse::PacketedMatrix;

PacketedMatrix packets_of(nb::handle object, nb::handle shape, nb::handle dtype,
                          nb::handle device) {
    const Matrix matrix = matrix_of(object, sparse::Format::Csr, shape, dtype, device);
    GilRelease unlocked;
    return PacketedMatrix(matrix);
}

Array product(const PacketedMatrix& self, nb::handle x) {
    return self.dot(array_of(x, "a sparse product"));
}

}  // namespace

void bind_sparse_packets(nb::module_& module) {
    nb::class_<PacketedMatrix>(
        module, "PacketedArray",
        "A sparse matrix in packets of rows (Bell and Garland, 2008), for products with vectors.")
        .def_prop_ro(
            "shape",
            [](const PacketedMatrix& self) { return nb::make_tuple(self.rows(), self.columns()); },
            nb::sig("def shape(self) -> tuple[int, int]"), "Rows and columns.")
        .def_prop_ro(
            "ndim", [](const PacketedMatrix&) { return 2; }, "2.")
        .def_prop_ro("nnz", &PacketedMatrix::nnz, "Entries, zeros among them too.")
        .def_prop_ro("packets", &PacketedMatrix::packets, "How many packets there are.")
        .def_prop_ro("remainder", &PacketedMatrix::remainder,
                     "Entries of rows that are too long for a packet.")
        .def_prop_ro(
            "dtype", [](const PacketedMatrix& self) { return numpy_dtype(self.dtype()); },
            nb::sig("def dtype(self) -> typing.Any"), "The NumPy dtype of the values.")
        .def_prop_ro(
            "device", [](const PacketedMatrix& self) { return self.device(); },
            "Where the arrays are.")
        .def("tocsr", &PacketedMatrix::to_csr, "In compressed rows, entry by entry.")
        .def(
            "toarray", [](const PacketedMatrix& self) { return self.to_csr().to_dense(); },
            "The dense array.")
        .def(
            "get", [](const PacketedMatrix& self) { return to_scipy(self.to_csr()); },
            nb::sig("def get(self) -> typing.Any"), "SciPy's csr_array, on the host.")
        .def("dot", &product, "x"_a, nb::sig("def dot(self, x: Array) -> Array"),
             "The product with a vector.")
        .def("__matmul__", &product, nb::arg(),
             nb::sig("def __matmul__(self, x: Array, /) -> Array"))
        .def(
            "__reduce__",
            [](const PacketedMatrix& self) {
                const nb::object shape = nb::make_tuple(self.rows(), self.columns());
                return nb::make_tuple(
                    nb::module_::import_("warpwise._arrays").attr("restored_sparse"),
                    nb::make_tuple("pkt", self.to_csr(), shape));
            },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
        .def("__repr__", [](const PacketedMatrix& self) {
            return "<PacketedArray (" + std::to_string(self.rows()) + ", " +
                   std::to_string(self.columns()) + "), " + self.dtype().name() + ", " +
                   std::to_string(self.nnz()) + " entries in " + std::to_string(self.packets()) +
                   " packets on " + self.device().name() + ">";
        });
    module.def("pkt_array", &packets_of, nb::arg(), "shape"_a = nb::none(), "dtype"_a = nb::none(),
               nb::kw_only(), "device"_a = nb::none(),
               nb::sig("def pkt_array(arg: typing.Any, /, shape: tuple[int, int] | None = None, "
                       "dtype: typing.Any = None, *, device: Device | str | None = None) -> "
                       "PacketedArray"),
               "A matrix in packets of rows, of what csr_array takes.");
}

}  // namespace warpwise::python
