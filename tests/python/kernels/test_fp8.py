"""Numbers of 8 bits, every one of them, against what their formats say."""

import numpy as np
import pytest

import warpwise as ww

FORMATS = {"e4m3": (4, 3, 7), "e5m2": (5, 2, 15)}


@pytest.fixture(params=FORMATS)
def kind(request):
    return request.param


def values_of(kind):
    """What the 256 words of a format are worth."""
    _, mantissa, bias = FORMATS[kind]
    word = np.arange(256)
    exponent, rest = (word & 127) >> mantissa, word & (2**mantissa - 1)
    size = np.where(
        exponent == 0,
        rest * 2.0 ** (1 - bias - mantissa),
        (1 + rest / 2**mantissa) * 2.0 ** (exponent - bias),
    )
    if kind == "e4m3":
        size[word & 127 == 127] = np.nan
    else:
        size[exponent == 31] = np.where(rest[exponent == 31] == 0, np.inf, np.nan)
    return np.where(word & 128, -size, size)


def rounded(kind, x):
    """The word nearest to each ``x``, the even one of two; beyond the last, the last."""
    table = values_of(kind)[:128]
    table = np.where(np.isfinite(table), table, np.inf)
    most = np.flatnonzero(np.isfinite(table))[-1]
    size = np.minimum(np.abs(x), table[most])
    above = np.clip(np.searchsorted(table, size), 0, most)
    below = np.maximum(above - 1, 0)
    up, down = table[above] - size, size - table[below]
    nearest = np.where(up < down, above, np.where(down < up, below, above & ~1))
    nearest = np.where((up == down) & (below % 2 == 0), below, nearest)
    return (nearest | np.where(np.signbit(x), 128, 0)).astype(np.uint8)


def test_all_words_have_their_value(run, kind):
    words = np.arange(256, dtype=np.uint8)
    out, halves = np.zeros(256, np.float32), np.zeros(256, np.float16)
    run(
        f"""#include <cuda_fp8.h>
        __global__ void kernel(float *out, __half *halves, const void *words) {{
            int i = threadIdx.x;
            const auto *x = (const __nv_fp8_{kind} *)words;
            out[i] = float(x[i]);
            halves[i] = __half(__nv_cvt_fp8_to_halfraw(x[i].__x, __NV_{kind.upper()}));
        }}""",
        ww.Out(out), ww.Out(halves), ww.In(words), block=256,
    )  # fmt: skip
    assert np.array_equal(out, values_of(kind), equal_nan=True)
    assert np.array_equal(halves, values_of(kind), equal_nan=True)


def test_numbers_go_to_the_nearest_word(run, rng, kind):
    finite = values_of(kind)
    finite = np.sort(finite[np.isfinite(finite)])
    between = (finite[1:] + finite[:-1]) / 2
    x = np.concatenate(
        [finite, between, np.nextafter(between, 1e9), rng.normal(size=500) * 30,
         rng.normal(size=300) * 1e-3, [1e30, -1e30, np.inf, -np.inf, 1e-30, -0.0]]
    )  # fmt: skip
    doubles, singles = np.zeros((2, x.size), np.uint8)
    fours = np.zeros(x.size // 4, np.uint32)
    run(
        f"""#include <cuda_fp8.h>
        __global__ void kernel(unsigned char *d, unsigned char *f, unsigned *fours,
                               const double *x, int n) {{
            for (int i = threadIdx.x; i < n; i += blockDim.x) {{
                d[i] = __nv_cvt_double_to_fp8(x[i], __NV_SATFINITE, __NV_{kind.upper()});
                f[i] = __nv_fp8_{kind}((float)x[i]).__x;
                if (i < n / 4) fours[i] = __nv_fp8x4_{kind}(
                    make_float4(x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3])).__x;
            }}
        }}""",
        ww.Out(doubles), ww.Out(singles), ww.Out(fours), ww.In(x), x.size, block=128,
    )  # fmt: skip
    assert np.array_equal(doubles, rounded(kind, x))
    narrow = rounded(kind, x.astype(np.float32).astype(np.float64))
    assert np.array_equal(singles, narrow)
    assert np.array_equal(fours.view(np.uint8), narrow[: fours.size * 4])


def test_what_is_too_large_without_saturation(run, kind):
    out = np.zeros(3, np.uint8)
    run(
        f"""#include <cuda_fp8.h>
        __global__ void kernel(unsigned char *out) {{
            out[0] = __nv_cvt_float_to_fp8(-1e6f, __NV_NOSAT, __NV_{kind.upper()});
            out[1] = __nv_cvt_float_to_fp8(nanf(""), __NV_SATFINITE, __NV_{kind.upper()});
            out[2] = int(__nv_fp8_{kind}(13.0f)) + (__nv_fp8_{kind}(-0.0f) ? 100 : 0);
        }}""",
        ww.Out(out),
    )
    whole = int(values_of(kind)[rounded(kind, np.array([13.0]))[0]])
    assert out.tolist() == [0xFF if kind == "e4m3" else 0xFC, 0x7F, whole]
