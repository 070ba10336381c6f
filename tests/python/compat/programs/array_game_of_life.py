"""A PyCUDA program: the game of life by shifted parts of a padded board."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

N, TURNS = 64, 15
SHIFTS = [(i, j) for i in range(3) for j in range(3) if (i, j) != (1, 1)]
board = np.zeros((N + 2, N + 2), np.int32)
board[1:-1, 1:-1] = np.random.default_rng(3).random((N, N)) < 0.35
cells = gpuarray.to_gpu(board)


def part(i, j):
    """A contiguous copy: operators are only for contiguous arrays."""
    result = gpuarray.empty((N, N), np.int32)
    result[:, :] = cells[i : i + N, j : j + N]
    return result


for _ in range(TURNS):
    around = gpuarray.zeros((N, N), np.int32)
    for i, j in SHIFTS:
        around += part(i, j)
    born = around == 3
    stays = (around == 2) * part(1, 1)
    cells[1:-1, 1:-1] = born + stays
for _ in range(TURNS):
    near = sum(board[i : i + N, j : j + N] for i, j in SHIFTS)
    board[1:-1, 1:-1] = (near == 3) | ((near == 2) & (board[1:-1, 1:-1] == 1))
assert (cells.get() == board).all()
print("alive:", gpuarray.sum(cells).get())
print("done")
