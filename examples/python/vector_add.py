"""Vector addition: the traditional first kernel."""

import numpy as np
import numpy.typing as npt

import warpwise as ww

SOURCE = r"""
__global__ void add(float *sum, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}
"""
KERNEL = "add"

rng = np.random.default_rng(1)
a = rng.random(1_000_000, dtype=np.float32)
b = rng.random(a.size, dtype=np.float32)


def compute(add: ww.Kernel) -> npt.NDArray[np.float32]:
    total = np.empty_like(a)
    add.forall(a.size)(ww.Out(total), ww.In(a), ww.In(b), a.size)
    return total


def is_right(total: npt.NDArray[np.float32]) -> bool:
    return bool((total == a + b).all())


if __name__ == "__main__":
    module = ww.SourceModule(SOURCE, name="vector_add.cu")
    print("a + b is", "right" if is_right(compute(module.get_function(KERNEL))) else "WRONG")
