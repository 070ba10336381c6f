"""A PyCUDA program: threads that share the device's primary context, each with its arrays."""

import threading

import numpy as np
import pycuda.driver as drv
from pycuda import gpuarray

drv.init()
context = drv.Device(0).retain_primary_context()
sums = {}


def work(number):
    context.push()
    try:
        array = gpuarray.arange(1000, dtype=np.float64)
        for _ in range(number):
            array = array * 2
        sums[number] = float(gpuarray.sum(array).get())
    finally:
        drv.Context.pop()


threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sums == {number: 499500 * 2**number for number in range(6)}
print("done")
