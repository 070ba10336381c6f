"""A PyCUDA program: an argument class of its own, and pointers computed by objects."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule


class Padded(cuda.ArgumentHandler):
    """An array of any length, on the device with zeros up to a multiple of 32."""

    def __init__(self, array):
        super().__init__(array)
        self.padded = np.zeros(-(-array.size // 32) * 32, array.dtype)

    def get_device_alloc(self):
        if self.dev_alloc is None:
            self.dev_alloc = cuda.mem_alloc_like(self.padded)
        return self.dev_alloc

    def pre_call(self, stream):
        self.padded[: self.array.size] = self.array
        cuda.memcpy_htod(self.get_device_alloc(), self.padded)

    def post_call(self, stream):
        cuda.memcpy_dtoh(self.padded, self.get_device_alloc())
        self.array[:] = self.padded[: self.array.size]


class Row:
    """A row of a matrix on the device: an object with `gpudata` is a pointer to a kernel."""

    def __init__(self, memory, offset):
        self.memory, self.offset = memory, offset

    @property
    def gpudata(self):
        return int(self.memory) + self.offset


increment = SourceModule(
    "__global__ void increment(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }"
).get_function("increment")
values = np.arange(70, dtype=np.int32)
increment(Padded(values), block=(32, 1, 1), grid=(3, 1))
np.testing.assert_array_equal(values, np.arange(1, 71))

matrix = np.arange(4 * 32, dtype=np.int32).reshape(4, 32)
memory = cuda.to_device(matrix)
increment(Row(memory, 2 * 32 * 4), block=(32, 1, 1))
matrix[2] += 1
back = cuda.from_device_like(memory, matrix)
np.testing.assert_array_equal(back, matrix)
print(values.sum(), back.sum())
print("done")
