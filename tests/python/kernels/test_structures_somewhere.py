"""Fields of structures that lanes find by indices that were read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.cpu_only("levels of processors")

PROGRAM = '''
import numpy as np

import warpwise as ww

KINDS = {
    # type: elements, their number, fields that are read
    "float4": (np.float32, 4, "xyz"),
    "int4": (np.int32, 4, "wy"),
    "float2": (np.float32, 2, "yx"),
    "double2": (np.float64, 2, "xy"),
    "uchar4": (np.uint8, 4, "xyzw"),
    "short4": (np.int16, 4, "xzw"),
    "char2": (np.int8, 2, "xy"),
}
KERNEL = """
__global__ void k_{kind}({kind} *items, const int *place, double *z, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || place[i] < 0) return;  // far out of bounds
    double sum = 0;
    for (int at = place[i]; at >= 0; at = at / 3 - 1) {{
        {kind} item = items[at];
        sum = sum / 2 + {terms};
    }}
    z[i] = sum;
}}
"""


def source():
    kernels = []
    for kind, (_, _, fields) in KINDS.items():
        terms = " + ".join(f"{j + 1} * (double)item.{field}" for j, field in enumerate(fields))
        kernels.append(KERNEL.format(kind=kind, terms=terms))
    return "".join(kernels)


def expected(items, place, fields):
    factors = np.zeros(items.shape[1])
    for j, field in enumerate(fields):
        factors["xyzw".index(field)] = j + 1
    values = items @ factors
    z = np.zeros(len(place))
    for i, at in enumerate(place):
        while at >= 0:
            z[i] = z[i] / 2 + values[at]
            at = at // 3 - 1
    return z


rng = np.random.default_rng(7)
for n in (1000, 37, 6):
    place = rng.integers(0, n, n).astype(np.int32)
    place[rng.random(n) < 0.2] = -(2**31) + 5
    place[-1] = n - 1
    for block in (128, 32):
        for options in ([], [f"--warpwise-block={block}"]):
            module = ww.SourceModule(source(), options=options)
            for kind, (dtype, count, fields) in KINDS.items():
                items = rng.integers(-100, 100, (n, count)).astype(dtype)
                for places in (place, np.full(n, -1, np.int32)):
                    z = np.zeros(n)
                    launch = {"grid": -(-n // block), "block": block}
                    module[f"k_{kind}"](ww.In(items), ww.In(places), ww.InOut(z), n, **launch)
                    np.testing.assert_array_equal(z, expected(items * 1.0, places, fields))
'''


def test_agree_with_numpy(at_each_level: Callable[[str], None]) -> None:
    at_each_level(PROGRAM)
