"""A PyCUDA program: all distances between two sets of points, by one elementwise kernel."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel

rng = np.random.default_rng(5)
a, b = rng.standard_normal((150, 3)), rng.standard_normal((70, 3))
x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
measure = ElementwiseKernel(
    "double *distance, double *x, double *y, int columns, int axes",
    """
    const int row = i / columns, column = i % columns;
    double sum = 0;
    for (int k = 0; k < axes; ++k) {
        const double difference = x[row * axes + k] - y[column * axes + k];
        sum += difference * difference;
    }
    distance[i] = sqrt(sum);
    """,
    "measure",
)
distances = gpuarray.empty((150, 70), np.float64)
measure(distances, x, y, 70, 3)
expected = np.linalg.norm(a[:, np.newaxis] - b, axis=2)
assert np.allclose(distances.get(), expected)
farthest, nearest = gpuarray.max(distances).get(), gpuarray.min(distances).get()
assert np.isclose(farthest, expected.max()) and np.isclose(nearest, expected.min())
print(round(float(farthest), 3), round(float(nearest), 3))
print("done")
