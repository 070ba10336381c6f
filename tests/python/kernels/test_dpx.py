"""The functions of dynamic programming, of words and of halves of words, against NumPy."""

import numpy as np
import pytest

import warpwise as ww

N = 200


@pytest.mark.parametrize(
    ("suffix", "dtype", "ctype"),
    [("s32", np.int32, "int"), ("u32", np.uint32, "unsigned"),
     ("s16x2", np.int16, "unsigned"), ("u16x2", np.uint16, "unsigned")],
)  # fmt: skip
@pytest.mark.parametrize("relu", ["", "_relu"])
def test_of_three_numbers(run, rng, suffix, dtype, ctype, relu):
    if relu and suffix.startswith("u"):
        pytest.skip("no number without a sign is below 0")
    words = rng.integers(0, 2**32, (3, N), dtype=np.uint64).astype(np.uint32)
    out, kind = np.zeros((4, N), np.uint32), np.int32 if ctype == "int" else np.uint32
    run(
        f"""__global__ void kernel({ctype} *out, const {ctype} *x) {{
            int i = threadIdx.x;
            {ctype} a = x[i], b = x[i + {N}], c = x[i + 2 * {N}];
            out[i] = __vimax3_{suffix}{relu}(a, b, c);
            out[i + {N}] = __vimin3_{suffix}{relu}(a, b, c);
            out[i + 2 * {N}] = __viaddmax_{suffix}{relu}(a, b, c);
            out[i + 3 * {N}] = __viaddmin_{suffix}{relu}(a, b, c);
        }}""",
        ww.Out(out.view(kind)), ww.In(words.view(kind)), block=N,
    )  # fmt: skip
    a, b, c = (w.view(dtype) for w in words)
    want = [np.maximum(np.maximum(a, b), c), np.minimum(np.minimum(a, b), c),
            np.maximum(a + b, c), np.minimum(a + b, c)]  # fmt: skip
    for row, expected in zip(out, want, strict=True):
        if relu:
            expected = np.maximum(expected, 0)
        assert np.array_equal(row.view(dtype), expected)


def test_of_two_numbers_and_which_was_taken(run, rng):
    x = rng.integers(-2, 2, (2, N)).astype(np.int32)
    out = np.zeros((3, N), np.int32)
    run(
        """__global__ void kernel(int *out, const int *x, int n) {
            int i = threadIdx.x, a = x[i], b = x[i + n];
            bool first, high, low;
            out[i] = __vibmax_s32(a, b, &first) * 2 + first;
            out[i + n] = __vimin_s32_relu(a, b);
            unsigned pair = __vibmin_s16x2(a << 16 | 5, b << 16 | 4, &high, &low);
            out[i + 2 * n] = (short)(pair >> 16) * 4 + high * 2 + low + (pair & 0xffff) * 100;
        }""",
        ww.Out(out), ww.In(x), N, block=N,
    )  # fmt: skip
    a, b = x
    assert np.array_equal(out[0], np.maximum(a, b) * 2 + (a >= b))
    assert np.array_equal(out[1], np.maximum(np.minimum(a, b), 0))
    assert np.array_equal(out[2], np.minimum(a, b) * 4 + (a <= b) * 2 + 400)
