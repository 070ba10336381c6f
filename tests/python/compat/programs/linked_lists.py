"""A PyCUDA program: lists made by kernels with malloc, walked by another, the heap's size set."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, 16 << 20)
assert cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE) >= 16 << 20
module = SourceModule(
    """
struct Node { int value; Node *next; };

extern "C" {
__global__ void grow(Node **heads, int length)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Node *head = 0;
    for (int k = 0; k < length; ++k) {
        Node *node = (Node *)malloc(sizeof(Node));
        node->value = i * k;
        node->next = head;
        head = node;
    }
    heads[i] = head;
}
__global__ void drain(Node **heads, int *sums)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (Node *node = heads[i]; node;) {
        Node *next = node->next;
        sum += node->value;
        free(node);
        node = next;
    }
    sums[i] = sum;
}
}
""",
    no_extern_c=True,
)
N, LENGTH = 128, 20
heads, sums = cuda.mem_alloc(8 * N), np.zeros(N, np.int32)
module.get_function("grow")(heads, np.int32(LENGTH), block=(64, 1, 1), grid=(2, 1))
module.get_function("drain")(heads, cuda.Out(sums), block=(64, 1, 1), grid=(2, 1))
np.testing.assert_array_equal(sums, np.arange(N) * (LENGTH * (LENGTH - 1) // 2))
print("done")
