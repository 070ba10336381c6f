"""Behind `if (column == k)` loads of `m[column][column]` are of the place that all lanes share (pass
`share-equal-lanes`). Kernels must leave the bits of executor *reference*, with lanes missing too."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

BLOCKS = ((16, 16), (100, 1), (32, 4), (7, 5))
PLACES = 2048

# Of the thread's place t in the block, its column x, its row y, and k, which all share; w columns.
BODIES = (
    ("float", "if (x == k && y > k) s[t] /= s[x * w + x];"),
    ("float", "if (x == k) seen += s[x * (w + 1)];"),
    ("int", "if (k == x && y >= k) seen += s[(x + 1) * 3 + x]; else seen -= s[t];"),
    ("double", "if (x != k || y < k) seen += s[x * 3]; else seen += s[x * w + x] + s[y * w];"),
    ("float", "if (x == y) seen += s[x * w + x] - s[x * (w - 1)];"),
    ("int", "for (int j = k; j < w; ++j) if (t == j) seen -= s[t * 2] + j;"),
    ("int", "for (int j = 0; j < t % 5; ++j) if (seen != 0 && x == j + k) seen += s[5 * x + j];"),
    ("int", "unsigned char b = k, c = x * 3; if (c == b) seen += s[c * 2];"),
    ("int", "if (x == s[k]) seen = s[2 * x] + s[x];"),
    ("double", "if ((long)x == limit) seen += s[x * 2] / (seen + s[x * 3] + 1);"),
)


def left_by(kind: str, body: str, block: tuple[int, int], options: list[str]) -> bytes:
    source = f"""
    __global__ void kernel({kind} *out, const {kind} *in, int n, long limit)
    {{
        __shared__ {kind} s[{PLACES}];
        int x = threadIdx.x, y = threadIdx.y, w = blockDim.x, t = y * w + x;
        for (int i = t; i < {PLACES}; i += w * blockDim.y)
            s[i] = in[i];
        {kind} seen = in[t];
        for (int k = 0; k < n; ++k) {{
            __syncthreads();
            {body}
        }}
        __syncthreads();
        out[blockIdx.x * w * blockDim.y + t] = seen + s[t];
    }}"""
    dtype = np.dtype({"float": "f4", "int": "i4", "double": "f8"}[kind])
    values = np.random.default_rng(7).integers(1, 9, PLACES).astype(dtype)
    left = np.zeros(2 * block[0] * block[1], dtype)
    kernel = ww.SourceModule(source, options=options).get_function("kernel")
    kernel(ww.Out(left), ww.In(values), np.int32(9), np.int64(4), grid=2, block=block)
    ww.Device().synchronize()
    return left.tobytes()


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize(("kind", "body"), BODIES)
def test_all_forms_leave_the_bits_of_reference(
    kind: str, body: str, block: tuple[int, int]
) -> None:
    expected = left_by(kind, body, block, ["--warpwise-executor=reference"])
    shape = f"--warpwise-block={block[0]},{block[1]},1"
    for options in (
        ["--warpwise-tier=quick"],
        ["--warpwise-tier=full", shape],
        ["--warpwise-executor=gang", "--warpwise-tier=full"],
    ):
        assert left_by(kind, body, block, options) == expected, options
