"""A PyCUDA program: a kernel unrolled by a Jinja2 template."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from jinja2 import Template
from pycuda.compiler import SourceModule

THREADS, UNROLLED = 64, 4
source = Template(
    """
    __global__ void add({{ type }} *target, {{ type }} *first, {{ type }} *second)
    {
        const int i = threadIdx.x + {{ threads * unrolled }} * blockIdx.x;
        {% for k in range(unrolled) -%}
        {% set offset = k * threads -%}
        target[i + {{ offset }}] = first[i + {{ offset }}] + second[i + {{ offset }}];
        {% endfor -%}
    }
    """
).render(type="float", threads=THREADS, unrolled=UNROLLED)
assert source.count("target[i") == UNROLLED
add = SourceModule(source).get_function("add")
first = np.random.default_rng(4).random(4 * THREADS * UNROLLED, np.float32)
second, target = first[::-1].copy(), np.empty_like(first)
add(cuda.Out(target), cuda.In(first), cuda.In(second), block=(THREADS, 1, 1), grid=(4, 1))
np.testing.assert_array_equal(target, first + second)
print("done")
