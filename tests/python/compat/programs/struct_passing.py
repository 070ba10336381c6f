"""A PyCUDA program: structs with pointers in them, in device memory, filled by the host."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(
    """
struct Row {
    int length, padding;  // so that the pointer is at a multiple of 8 bytes
    float *values;
};
__global__ void double_rows(Row *rows)
{
    Row row = rows[blockIdx.x];
    for (int i = threadIdx.x; i < row.length; i += blockDim.x) row.values[i] *= 2;
}
"""
)


class Row:
    """A row's numbers on the device, and the struct that points to them."""

    size = 8 + np.intp(0).nbytes

    def __init__(self, values, address):
        self.data = cuda.to_device(values)
        self.shape, self.dtype = values.shape, values.dtype
        cuda.memcpy_htod(int(address), np.int32(values.size))
        cuda.memcpy_htod(int(address) + 8, np.intp(int(self.data)))

    def get(self):
        return cuda.from_device(self.data, self.shape, self.dtype)


rows = [np.arange(n, dtype=np.float32) for n in (5, 100, 1, 33)]
memory = cuda.mem_alloc(len(rows) * Row.size)
structs = [Row(row, int(memory) + i * Row.size) for i, row in enumerate(rows)]
double_rows = module.get_function("double_rows")
double_rows(memory, block=(32, 1, 1), grid=(len(rows), 1))
double_rows(np.intp(int(memory) + Row.size), block=(32, 1, 1), grid=(1, 1))
for i, (struct, row) in enumerate(zip(structs, rows)):
    np.testing.assert_array_equal(struct.get(), row * (4 if i == 1 else 2))
print("done")
