"""Arithmetic of vector types from CUDA's samples, where a program brings no header of its own."""

import numpy as np
import pytest

import warpwise as ww

EXECUTORS = ["gang", "reference"]


@pytest.fixture(params=EXECUTORS)
def each(run, request):
    def launch(source, *args, **kw):
        run(source, *args, options=[f"--warpwise-executor={request.param}"], **kw)

    return launch


def test_vectors_have_operators_and_geometry(each, rng):
    a, b = rng.normal(size=(2, 33, 3)).astype(np.float32)
    out = np.zeros((33, 4, 4), np.float32)
    each(
        """#include <helper_math.h>
        __global__ void kernel(const float3 *a, const float3 *b, float4 *out) {
            const float3 u = a[threadIdx.x], v = b[threadIdx.x];
            float3 sum = u + v * 2.0f - 3.0f * u / make_float3(2.0f);
            sum += cross(u, v);
            float4 *row = out + 4 * threadIdx.x;
            row[0] = make_float4(sum, dot(u, v));
            row[1] = make_float4(normalize(u), length(v));
            row[2] = make_float4(lerp(u, v, 0.25f), clamp(u.x, -0.5f, 0.5f));
            row[3] = make_float4(clamp(fminf(u, -v), -1.0f, 1.0f), fracf(v.y));
        }""",
        ww.In(a), ww.In(b), ww.Out(out), block=33,
    )  # fmt: skip
    x, y = a.astype(np.float64), b.astype(np.float64)
    want = np.zeros((33, 4, 4))
    want[:, 0, :3] = x + 2 * y - 1.5 * x + np.cross(x, y)
    want[:, 0, 3] = (x * y).sum(1)
    want[:, 1, :3] = x / np.linalg.norm(x, axis=1)[:, None]
    want[:, 1, 3] = np.linalg.norm(y, axis=1)
    want[:, 2, :3] = x + 0.25 * (y - x)
    want[:, 2, 3] = np.clip(x[:, 0], -0.5, 0.5)
    want[:, 3, :3] = np.clip(np.minimum(x, -y), -1, 1)
    want[:, 3, 3] = y[:, 1] - np.floor(y[:, 1])
    np.testing.assert_allclose(out, want, rtol=2e-5, atol=2e-6)


def test_whole_numbers_have_them_too(each):
    out = np.zeros((4, 2), np.int32)
    each(
        """#include "cutil_math.h"
        __global__ void kernel(int2 *out) {
            int2 v = make_int2(threadIdx.x, 5) * 3 - make_int2(1);
            v += make_int2(make_float2(2.7f, -2.7f));
            out[threadIdx.x] = max(v, make_int2(make_uint2(4u, 4u)));
        }""",
        ww.Out(out), block=4,
    )  # fmt: skip
    assert out.tolist() == [[max(3 * i + 1, 4), 12] for i in range(4)]


def test_a_header_of_the_programs_own_comes_first(tmp_path):
    (tmp_path / "helper_math.h").write_text("__device__ int dot(int a) { return 7 * a; }\n")
    module = ww.SourceModule(
        "#include <helper_math.h>\n__global__ void kernel(int *x) { *x = dot(6); }",
        include_dirs=[tmp_path],
    )
    x = np.zeros(1, np.int32)
    module["kernel"](ww.Out(x), block=1)
    assert x[0] == 42
