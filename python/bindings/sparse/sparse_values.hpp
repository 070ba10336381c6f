// Python objects as sparse matrices, and as linear operators.
//
// Everything needs the GIL and throws ArgumentError that says what was expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "python/bindings/bindings.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::python {

// "csr", "csc", "coo" or "bsr".
const char* name_of(sparse::Format format);
sparse::Format format_of(nb::handle object);

// A SparseArray, one of SciPy's sparse matrices, (data, indices, indptr), (data, (row, col)), the
// shape of one without entries, or a dense array.
sparse::Matrix matrix_of(nb::handle object, sparse::Format format, nb::handle shape,
                         nb::handle dtype, nb::handle device);
// The same in blocks; (data, indices, indptr) has them. Without a size the matrix' own, or the ones
// that fit.
using BlockSize = std::optional<std::pair<std::int64_t, std::int64_t>>;
sparse::Matrix blocks_of(nb::handle object, nb::handle shape, nb::handle dtype,
                         const BlockSize& size, nb::handle device);
sparse::Matrix in_blocks(const sparse::Matrix& matrix, const BlockSize& size);
// None or two ints.
BlockSize block_size_of(nb::handle object);
// A line of a solver's progress, on sys.stdout; takes the GIL.
void print_line(const std::string& line);
// A list of ints or of bools.
Array rows_of_list(nb::handle list);
// Arithmetic on elements, and reductions.
void bind_sparse_elements(nb::class_<sparse::Matrix>& scope);

// Formats, shapes, the order of entries, dense forms.
void bind_sparse_structure(nb::class_<sparse::Matrix>& scope);

// SciPy's matrix of the same format, on the host.
nb::object to_scipy(const sparse::Matrix& matrix);

// A LinearOperator, what matrix_of() takes, or an object with shape and matvec.
sparse::LinearOperator operator_of(nb::handle object, const char* role);
// Python functions from an array to an array; `adjoint` may be None.
sparse::LinearOperator operator_of_functions(nb::handle shape, nb::handle product,
                                             nb::handle adjoint, nb::handle dtype);

}  // namespace warpwise::python
