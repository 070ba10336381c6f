"""A PyCUDA program: edges of an image by Sobel's operator, of copies of its parts."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import cumath, gpuarray

rng = np.random.default_rng(4)
image = rng.integers(0, 256, (120, 90)).astype(np.float32)
g = gpuarray.to_gpu(image)


def part(a, i, j):
    """The inner part moved by (i - 1, j - 1); contiguous, which operators need on the device."""
    view = a[i : a.shape[0] - 2 + i, j : a.shape[1] - 2 + j]
    if isinstance(a, np.ndarray):
        return view
    copy = gpuarray.empty(view.shape, view.dtype)
    copy[:, :] = view
    return copy


def gradients(a):
    across = (part(a, 0, 2) + 2 * part(a, 1, 2) + part(a, 2, 2)) - (
        part(a, 0, 0) + 2 * part(a, 1, 0) + part(a, 2, 0)
    )
    down = (part(a, 2, 0) + 2 * part(a, 2, 1) + part(a, 2, 2)) - (
        part(a, 0, 0) + 2 * part(a, 0, 1) + part(a, 0, 2)
    )
    return across, down


gx, gy = gradients(g)
edges = cumath.sqrt(gx * gx + gy * gy)
hx, hy = gradients(image)
assert np.allclose(edges.get(), np.sqrt(hx * hx + hy * hy), rtol=1e-5)
strong = int(gpuarray.sum(edges > 500).get())
assert strong == (np.sqrt(hx * hx + hy * hy) > 500).sum()
print("strong edges:", strong)
print("done")
