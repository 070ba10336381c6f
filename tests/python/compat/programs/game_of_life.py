"""A PyCUDA program: Conway's game of life on a torus, two boards in turn."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

N, TURNS = 96, 20
turn = SourceModule(
    """
__global__ void turn(const unsigned char *board, unsigned char *next, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int neighbours = 0;
    for (int j = n - 1; j <= n + 1; ++j)
        for (int i = n - 1; i <= n + 1; ++i)
            if (i != n || j != n) neighbours += board[(y + j) % n * n + (x + i) % n];
    next[y * n + x] = neighbours == 3 || (neighbours == 2 && board[y * n + x]);
}
"""
).get_function("turn")
turn.prepare([np.intp, "P", np.dtype(np.int32)])
board = (np.random.default_rng(9).random((N, N)) < 0.3).astype(np.uint8)
now, following = cuda.to_device(board), cuda.mem_alloc_like(board)
for _ in range(TURNS):
    turn.prepared_call((N // 16, N // 16), (16, 16, 1), int(now), int(following), N)
    now, following = following, now
expected = board.astype(int)
for _ in range(TURNS):
    shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    neighbours = sum(np.roll(expected, shift, (0, 1)) for shift in shifts)
    expected = ((neighbours == 3) | ((neighbours == 2) & (expected == 1))).astype(int)
np.testing.assert_array_equal(cuda.from_device_like(now, board), expected)
print("done")
