"""A PyCUDA program: two processes that share device memory by its handle."""

import multiprocessing

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SHAPE, DTYPE = (64, 50), np.float32
ADD_ROW = """
__global__ void add_row(float *x, int width)
{
    x[blockIdx.x * width + threadIdx.x] += blockIdx.x;
}
"""


def change(pipe):
    """In the second process: memory of the first, used by an array and by a kernel."""
    handle = pipe.recv()
    memory = cuda.IPCMemoryHandle(handle)
    array = gpuarray.GPUArray(SHAPE, DTYPE, gpudata=memory)
    before = array.get()
    array *= 2
    add_row = SourceModule(ADD_ROW).get_function("add_row")
    add_row(array, np.int32(SHAPE[1]), block=(SHAPE[1], 1, 1), grid=(SHAPE[0], 1))
    cuda.Context.synchronize()
    del array
    memory.close()
    pipe.send(before)


if __name__ == "__main__":
    values = np.random.default_rng(8).random(SHAPE).astype(DTYPE)
    memory = cuda.mem_alloc(values.nbytes)
    cuda.memcpy_htod(memory, values)
    handle = cuda.mem_get_ipc_handle(memory)
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=change, args=(there,))
    process.start()
    here.send(handle)
    seen = here.recv() if here.poll(60) else None
    process.join()
    assert process.exitcode == 0
    np.testing.assert_array_equal(seen, values)
    changed = cuda.from_device(memory, SHAPE, DTYPE)
    np.testing.assert_allclose(changed, values * 2 + np.arange(SHAPE[0])[:, None], rtol=1e-6)
    print("done")
