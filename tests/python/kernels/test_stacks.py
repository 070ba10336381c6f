"""Trees that threads walk through by stacks of their own: with bits of executor *reference*."""

from __future__ import annotations

from collections.abc import Callable

PROGRAM = """
import numpy as np
import warpwise as ww

SOURCE = '''
struct Node { float least, most; int left, right; };
extern "C" __global__ void k(const Node *tree, const float *x, int *found, float *sum, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float at = x[i], total = 0;
        int stack[24], top = 0, count = 0;
        stack[top++] = 0;
        while (top > 0) {
            int one = stack[--top];
            const Node &node = tree[one];
            if (at < node.least || at > node.most) continue;
            if (node.left < 0) {
                ++count;
                total = total * 0.5f + node.least;
                if (count == 20) break;
            } else {
                stack[top++] = node.left;
                for (int r = node.right; r == node.right; ++r) stack[top++] = r;
            }
        }
        found[i] = count;
        sum[i] = total;
    }
}'''
rng = np.random.default_rng(3)
DEPTH = 9
tree = np.zeros(2**DEPTH - 1, [("least", "f4"), ("most", "f4"), ("left", "i4"), ("right", "i4")])
for node in range(tree.size):
    at = rng.random() if node > 2 else 0.5
    tree[node] = (at - 0.5, at + 0.5, 2 * node + 1, 2 * node + 2)
    if 2 * node + 1 >= tree.size or (node > 6 and rng.random() < 0.1):
        tree[node]["left"] = -1
x = rng.random(3000, dtype=np.float32)
left = []
for options in (["--warpwise-executor=reference"], [], ["--warpwise-executor=gang"]):
    kernel = ww.SourceModule(SOURCE, options=options)["k"]
    for n, grid in ((3000, 24), (2999, 5), (1, 1)):
        if len(left) > 3: kernel.compile_fully((128,))
        found, sums = ww.zeros(3000, np.int32), ww.zeros(3000, np.float32)
        kernel[grid, 128](ww.In(tree), ww.asarray(x), found, sums, n)
        left.append(found.get().tobytes() + sums.get().tobytes())
assert left[:3] == left[3:6] == left[6:]
assert len(set(np.frombuffer(left[0][:12000], np.int32))) > 3
"""


def test_lanes_keep_their_own(at_each_level: Callable[[str], None]) -> None:
    at_each_level(PROGRAM)
