"""A PyCUDA program: Poisson's equation by conjugate gradients with a sparse matrix."""

import warnings

import numpy as np
import pycuda.autoinit  # noqa: F401
import scipy.sparse
from pycuda import gpuarray

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pycuda.sparse.cg import solve_pkt_with_cg
    from pycuda.sparse.operator import DiagonalPreconditioner
    from pycuda.sparse.packeted import PacketedSpMV

M = 24
line = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(M, M))
eye = scipy.sparse.eye(M)
matrix = scipy.sparse.csr_matrix(scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line))
source = np.zeros((M, M))
source[M // 2, M // 2] = 1
spmv = PacketedSpMV(matrix, True, matrix.dtype)
precon = DiagonalPreconditioner(spmv.permute(gpuarray.to_gpu(1 / matrix.diagonal())))
x, iterations, _ = solve_pkt_with_cg(spmv, gpuarray.to_gpu(source.ravel()), precon, tol=1e-10)
field = x.get().reshape(M, M)
assert np.allclose(matrix @ field.ravel(), source.ravel(), atol=1e-8)
assert field.argmax() == source.argmax()
assert 10 < iterations < 200
print("done")
