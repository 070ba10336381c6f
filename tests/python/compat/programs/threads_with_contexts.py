"""A PyCUDA program: a worker thread for every device, each with a context of its own."""

import queue
import threading

import numpy as np
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = "__global__ void square(float *x) { x[threadIdx.x] *= x[threadIdx.x]; }"
cuda.init()
results = queue.Queue()


class Worker(threading.Thread):
    """Squares numbers on a device; makes and removes its context."""

    def __init__(self, number, values):
        super().__init__()
        self.number, self.values = number, values

    def run(self):
        context = cuda.Device(self.number).make_context()
        try:
            square = SourceModule(SOURCE).get_function("square")
            x = self.values.copy()
            square(cuda.InOut(x), block=(x.size, 1, 1))
            results.put((self.values, x, cuda.Context.get_device().name()))
        finally:
            context.pop()
            context.detach()


parts = np.arange(64, dtype=np.float32).reshape(4, 16)
workers = [Worker(i % cuda.Device.count(), part) for i, part in enumerate(parts)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
seen = [results.get_nowait() for _ in workers]
for values, squares, name in seen:
    np.testing.assert_array_equal(squares, values**2)
    assert name
print("done")
