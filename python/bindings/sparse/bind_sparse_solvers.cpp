// ww.sparse.linalg: LinearOperator, preconditioners, and the solvers.
#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/sparse/sparse_values.hpp"
#include "warpwise/error.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::python {
namespace {

using sparse::LinearOperator;
using sparse::Solution;
using sparse::Solve;

using Solver = Solution (*)(const LinearOperator&, const Array&, const Solve&);

double number_at(nb::handle object, const char* role) {
    return number_of(object, role).real();
}

void require_function(nb::handle object) {
    if (object.is_none() || PyCallable_Check(object.ptr()) != 0) return;
    throw ArgumentError(ArgumentError::Kind::Type,
                        "callback expects a function, got " + value_text(object));
}

// A call of a solver: what the options refer to, and the functions of Python.
struct Call {
    LinearOperator a;
    std::optional<LinearOperator> m;
    Solve options;

    Call(nb::handle matrix, nb::handle x0, nb::handle rtol, nb::handle maxiter, nb::handle inverse,
         nb::handle callback)
        : a(operator_of(matrix, "A")) {
        require_function(callback);
        options.x0 = optional_array(x0, "x0");
        options.rtol = number_at(rtol, "rtol");
        if (!maxiter.is_none()) options.maxiter = integer_of(maxiter, "maxiter");
        if (!inverse.is_none()) m = operator_of(inverse, "M");
        if (m) options.preconditioner = &*m;
    }
    Call(const Call&) = delete;

    // With x.
    void call_with_x(nb::handle callback) {
        if (callback.is_none()) return;
        options.callback = [owner = share(callback), function = callback.ptr()](const Array& x) {
            const PythonEntry entry;
            if (entry) nb::borrow(function)(nb::cast(x));
        };
    }
    void call_with_residual(nb::handle callback) {
        if (callback.is_none()) return;
        options.residual_callback = [owner = share(callback),
                                     function = callback.ptr()](double residual) {
            const PythonEntry entry;
            if (entry) nb::borrow(function)(residual);
        };
    }

    nb::tuple run(Solver solver, nb::handle right) {
        const Array& b = array_of(right, "b");
        Solution found;
        {
            GilRelease unlocked;
            found = solver(a, b, options);
        }
        return nb::make_tuple(found.x, found.info);
    }
};

template <Solver kSolver>
void bind_solver(nb::module_& module, const char* name, const char* signature, const char* doc) {
    module.def(
        name,
        [](nb::handle a, nb::handle b, nb::handle x0, nb::handle rtol, nb::handle atol,
           nb::handle maxiter, nb::handle m, nb::handle callback) {
            Call call(a, x0, rtol, maxiter, m, callback);
            call.options.atol = number_at(atol, "atol");
            call.call_with_x(callback);
            return call.run(kSolver, b);
        },
        "A"_a, "b"_a, "x0"_a = nb::none(), nb::kw_only(), "rtol"_a = 1e-5, "atol"_a = 0.0,
        "maxiter"_a = nb::none(), "M"_a = nb::none(), "callback"_a = nb::none(), nb::sig(signature),
        doc);
}

nb::tuple run_gmres(nb::handle a, nb::handle b, nb::handle x0, nb::handle rtol, nb::handle atol,
                    nb::handle restart, nb::handle maxiter, nb::handle m, nb::handle callback,
                    nb::handle callback_type) {
    Call call(a, x0, rtol, maxiter, m, callback);
    call.options.atol = number_at(atol, "atol");
    if (!restart.is_none()) call.options.restart = integer_of(restart, "restart");
    const std::string type = callback_type.is_none() ? "legacy" : text_of(callback_type);
    call.options.counts_steps = type == "legacy" && !callback.is_none();
    if (type == "x") {
        call.call_with_x(callback);
    } else if (type == "legacy" || type == "pr_norm") {
        call.call_with_residual(callback);
    } else {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            "callback_type is 'x', 'pr_norm' or 'legacy'; got " + value_text(callback_type));
    }
    return call.run(&sparse::gmres, b);
}

nb::tuple run_minres(nb::handle a, nb::handle b, nb::handle x0, nb::handle rtol, nb::handle shift,
                     nb::handle maxiter, nb::handle m, nb::handle callback, bool show, bool check) {
    Call call(a, x0, rtol, maxiter, m, callback);
    call.options.shift = number_at(shift, "shift");
    call.options.check = check;
    if (show) call.options.show = print_line;
    call.call_with_x(callback);
    return call.run(&sparse::minres, b);
}

void bind_solvers(nb::module_& module) {
    bind_solver<&sparse::cg>(
        module, "cg",
        "def cg(A: typing.Any, b: Array, x0: Array | None = None, *, rtol: float = 1e-5, atol: "
        "float = 0.0, maxiter: int | None = None, M: typing.Any = None, callback: "
        "typing.Callable[[Array], typing.Any] | None = None) -> tuple[Array, int]",
        "Conjugate gradients for Hermitian positive definite A: (x, info), where info is 0, or "
        "the iterations without convergence. Ends at |b - A x| <= max(rtol * |b|, atol).");
    bind_solver<&sparse::bicgstab>(
        module, "bicgstab",
        "def bicgstab(A: typing.Any, b: Array, x0: Array | None = None, *, rtol: float = 1e-5, "
        "atol: float = 0.0, maxiter: int | None = None, M: typing.Any = None, callback: "
        "typing.Callable[[Array], typing.Any] | None = None) -> tuple[Array, int]",
        "BiCGSTAB for any square A: (x, info); info below 0 is a breakdown.");
    module.def(
        "gmres", &run_gmres, "A"_a, "b"_a, "x0"_a = nb::none(), nb::kw_only(), "rtol"_a = 1e-5,
        "atol"_a = 0.0, "restart"_a = nb::none(), "maxiter"_a = nb::none(), "M"_a = nb::none(),
        "callback"_a = nb::none(), "callback_type"_a = nb::none(),
        nb::sig("def gmres(A: typing.Any, b: Array, x0: Array | None = None, *, rtol: float = "
                "1e-5, atol: float = 0.0, restart: int | None = None, maxiter: int | None = None, "
                "M: typing.Any = None, callback: typing.Callable[[typing.Any], typing.Any] | None "
                "= None, callback_type: str | None = None) -> tuple[Array, int]"),
        "GMRES with restarts for any square A: (x, info). callback gets |r| / |b| of each inner "
        "iteration, or x after each cycle (callback_type='x'). maxiter counts cycles; with a "
        "callback and no callback_type, inner iterations.");
    module.def(
        "minres", &run_minres, "A"_a, "b"_a, "x0"_a = nb::none(), nb::kw_only(), "rtol"_a = 1e-5,
        "shift"_a = 0.0, "maxiter"_a = nb::none(), "M"_a = nb::none(), "callback"_a = nb::none(),
        "show"_a = false, "check"_a = false,
        nb::sig("def minres(A: typing.Any, b: Array, x0: Array | None = None, *, rtol: float = "
                "1e-5, shift: float = 0.0, maxiter: int | None = None, M: typing.Any = None, "
                "callback: typing.Callable[[Array], typing.Any] | None = None, show: bool = False, "
                "check: bool = False) -> tuple[Array, int]"),
        "MINRES for symmetric A, which may be indefinite: (x, info) of (A - shift I) x = b. check "
        "refuses what is not symmetric; show prints the progress.");
}

}  // namespace

void bind_sparse_solvers(nb::module_& module) {
    nb::class_<LinearOperator>(module, "LinearOperator",
                               "What multiplies vectors: a function, or a matrix.")
        .def(
            "__init__",
            [](LinearOperator* self, nb::handle shape, nb::handle matvec, nb::handle rmatvec,
               nb::handle dtype) {
                new (self) LinearOperator(operator_of_functions(shape, matvec, rmatvec, dtype));
            },
            "shape"_a, "matvec"_a, "rmatvec"_a = nb::none(), "dtype"_a = nb::none(),
            nb::sig("def __init__(self, shape: tuple[int, int], matvec: typing.Callable[[Array], "
                    "Array], rmatvec: typing.Callable[[Array], Array] | None = None, dtype: "
                    "typing.Any = None) -> None"))
        .def_prop_ro(
            "shape",
            [](const LinearOperator& self) { return nb::make_tuple(self.rows(), self.columns()); },
            nb::sig("def shape(self) -> tuple[int, int]"), "Rows and columns.")
        .def_prop_ro(
            "dtype", [](const LinearOperator& self) { return numpy_dtype(self.dtype()); },
            nb::sig("def dtype(self) -> typing.Any"), "The NumPy dtype of products.")
        .def("matvec", &LinearOperator::operator(), "x"_a, "The product with a vector.")
        .def("rmatvec", &LinearOperator::adjoint, "x"_a,
             "The product of the conjugate transpose with a vector.")
        .def("__matmul__", &LinearOperator::operator(), nb::arg())
        .def("__repr__", [](const LinearOperator& self) {
            return "<LinearOperator (" + std::to_string(self.rows()) + ", " +
                   std::to_string(self.columns()) + "), " + self.dtype().name() + ">";
        });
    module.def(
        "aslinearoperator", [](nb::handle a) { return operator_of(a, "A"); }, "A"_a,
        nb::sig("def aslinearoperator(A: typing.Any) -> LinearOperator"),
        "The operator of a sparse matrix, a dense array, or an object with shape and matvec.");
    module.def(
        "jacobi",
        [](nb::handle a) {
            return sparse::jacobi(
                matrix_of(a, sparse::Format::Csr, nb::none(), nb::none(), nb::none()));
        },
        "A"_a, nb::sig("def jacobi(A: typing.Any) -> LinearOperator"),
        "A preconditioner: division by the diagonal.");
    bind_solvers(module);
}

}  // namespace warpwise::python
