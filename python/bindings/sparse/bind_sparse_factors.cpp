// ww.sparse.linalg: triangular systems, preconditioners of factors, least squares.
#include <nanobind/stl/string.h>

#include <string>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/sparse/sparse_values.hpp"
#include "warpwise/error.hpp"
#include "warpwise/sparse_factors.hpp"

namespace warpwise::python {
namespace {

using sparse::IncompleteLu;
using sparse::Matrix;

Matrix rows_of(nb::handle a) {
    return matrix_of(a, sparse::Format::Csr, nb::none(), nb::none(), nb::none());
}

Array solved(const IncompleteLu& self, nb::handle right, const std::string& trans) {
    if (trans != "N" && trans != "T" && trans != "H") {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "trans is 'N', 'T' or 'H'; got '" + trans + "'");
    }
    const Array& b = array_of(right, "rhs");
    const GilRelease unlocked;
    return self.solve(b, trans != "N", trans == "H");
}

nb::tuple least_squares(nb::handle a, nb::handle right, nb::handle damp, nb::handle atol,
                        nb::handle btol, nb::handle conlim, nb::handle iter_lim, bool show,
                        bool calc_var, nb::handle x0) {
    const sparse::LinearOperator matrix = operator_of(a, "A");
    sparse::LeastSquares options;
    options.damp = number_of(damp, "damp").real();
    options.atol = number_of(atol, "atol").real();
    options.btol = number_of(btol, "btol").real();
    options.conlim = number_of(conlim, "conlim").real();
    if (!iter_lim.is_none()) options.iter_lim = integer_of(iter_lim, "iter_lim");
    options.calc_var = calc_var;
    options.x0 = optional_array(x0, "x0");
    if (show) options.show = print_line;
    const Array& b = array_of(right, "b");
    sparse::LeastSquaresSolution found;
    {
        GilRelease unlocked;
        found = sparse::lsqr(matrix, b, options);
    }
    return nb::make_tuple(found.x, found.istop, found.itn, found.r1norm, found.r2norm, found.anorm,
                          found.acond, found.arnorm, found.xnorm, found.var);
}

void bind_functions(nb::module_& module) {
    module.def(
        "spsolve_triangular",
        [](nb::handle a, nb::handle right, bool lower, bool unit_diagonal) {
            const Matrix matrix = rows_of(a);
            const Array& b = array_of(right, "b");
            const GilRelease unlocked;
            return sparse::solve_triangular(matrix, b,
                                            {.lower = lower, .unit_diagonal = unit_diagonal});
        },
        "A"_a, "b"_a, "lower"_a = true, "unit_diagonal"_a = false,
        nb::sig("def spsolve_triangular(A: typing.Any, b: Array, lower: bool = True, "
                "unit_diagonal: bool = False) -> Array"),
        "x of A x = b for a triangular matrix; b has one or two axes.");
    module.def(
        "ilu0",
        [](nb::handle a) {
            const Matrix matrix = rows_of(a);
            const GilRelease unlocked;
            return sparse::ilu0(matrix);
        },
        "A"_a, nb::sig("def ilu0(A: typing.Any) -> IncompleteLU"),
        "Incomplete factors L U with the places of A's entries, ILU(0): a preconditioner.");
    module.def(
        "block_jacobi",
        [](nb::handle a, nb::handle block_size) {
            const Matrix matrix = rows_of(a);
            const std::int64_t size = integer_of(block_size, "block_size");
            const GilRelease unlocked;
            return sparse::block_jacobi(matrix, size);
        },
        "A"_a, "block_size"_a,
        nb::sig("def block_jacobi(A: typing.Any, block_size: int) -> LinearOperator"),
        "A preconditioner: the inverses of square blocks along the diagonal.");
    module.def(
        "lsqr", &least_squares, "A"_a, "b"_a, "damp"_a = 0.0, "atol"_a = 1e-6, "btol"_a = 1e-6,
        "conlim"_a = 1e8, "iter_lim"_a = nb::none(), "show"_a = false, "calc_var"_a = false,
        "x0"_a = nb::none(),
        nb::sig("def lsqr(A: typing.Any, b: Array, damp: float = 0.0, atol: float = 1e-06, btol: "
                "float = 1e-06, conlim: float = 1e8, iter_lim: int | None = None, show: bool = "
                "False, calc_var: bool = False, x0: Array | None = None) -> tuple[Array, int, int, "
                "float, float, float, float, float, float, Array]"),
        "Least squares by LSQR, for A of any shape: (x, istop, itn, r1norm, r2norm, anorm, acond, "
        "arnorm, xnorm, var), as SciPy's.");
}

}  // namespace

void bind_sparse_factors(nb::module_& module) {
    nb::class_<IncompleteLu>(
        module, "IncompleteLU",
        "Factors L U that approximate a matrix; ilu0() makes them, and solvers "
        "take them as M.")
        .def_prop_ro(
            "shape",
            [](const IncompleteLu& self) { return nb::make_tuple(self.rows(), self.rows()); },
            nb::sig("def shape(self) -> tuple[int, int]"), "Rows and columns.")
        .def_prop_ro("nnz", &IncompleteLu::nnz, "Entries of both factors.")
        .def_prop_ro(
            "dtype", [](const IncompleteLu& self) { return numpy_dtype(self.dtype()); },
            nb::sig("def dtype(self) -> typing.Any"), "The NumPy dtype of the factors.")
        .def_prop_ro(
            "L", [](const IncompleteLu& self) { return self.lower(); },
            "The lower factor in CSR, with ones on the diagonal.")
        .def_prop_ro(
            "U", [](const IncompleteLu& self) { return self.upper(); }, "The upper factor in CSR.")
        .def("solve", &solved, "rhs"_a, "trans"_a = "N",
             nb::sig("def solve(self, rhs: Array, trans: str = 'N') -> Array"),
             "x of L U x = rhs; of the transpose ('T') or the conjugate transpose ('H').")
        .def("__repr__", [](const IncompleteLu& self) {
            return "<IncompleteLU (" + std::to_string(self.rows()) + ", " +
                   std::to_string(self.rows()) + "), " + self.dtype().name() + ", " +
                   std::to_string(self.nnz()) + " entries>";
        });
    bind_functions(module);
}

}  // namespace warpwise::python
