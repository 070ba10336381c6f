"""Elements of arrays that other arrays choose: x[i] of whole numbers, x[condition] of bools."""

from __future__ import annotations

import numpy as np
import pytest
from part_kernels import arguments, check, kernel_of

import warpwise as ww
from warpwise._script import Function

GATHERED = """\
out[:3] = a[w[:3]]
out[:10] = a[w]
out[:10] = a[w] * 2 + b[w]
out[:10] = a[w - 1]
out[:10] = a[-w]
out[:10] = a[(w + n) % 8]
out[0] = a[w].sum()
out[0] = np.max(a[w] - b[w])
out[:4] = m[w[:4] % 4, w[1:5]]
out[:10] = m[1, w % 6]
out[:10] = m[w % 4, 2]
out[:3] = a[w[:3]] @ m[:3, :3]
a[:3] = a[w[:3]]""".splitlines()

CHOSEN = """\
out[0] = a[a > 1].sum()
out[0] = a[a > 1].mean()
out[0] = np.sum(a[a > 1] * b[a > 1])
out[0] = a[(a > 1) & (b < 2)].max()
out[0] = a[b > 1].std()
out[0] = a[b > 1].var() + a[b > 1].min()
out[0] = a[a > 1].argmax()
out[0] = np.min(m[m > 2])
out[0] = (a[a > 1] > 2).any()
out[0] = (a[a > 1] > 1).all()
out[0] = np.count_nonzero(a[a > 1] > 2)
out[0] = a[~(a > 1)].prod()
out[0] = np.abs(a[a > 1] - 2).argmin()
out[0] = m[0][m[0] > m[0].mean()].sum()
out[0] = sum(a[a > 1]) + max(a[b > 1])
out[0] = len(a[a > 1])
out[0] = w[w > 2].sum() + w[w > 200].sum()
out[0] = np.linalg.norm(a[a > 1])
out[0] = a[w[:8] % 2 == 0].sum()""".splitlines()


@pytest.mark.parametrize("body", [*GATHERED, *CHOSEN])
def test_elements_that_are_chosen(body):
    check(body, rtol=1e-13)


def test_elements_of_small_arrays():
    check(
        "q = np.array([3.0, 4.0, 5.0])\nj = np.array([2, 0])\nr = q[j] + 1\nout[:2] = r\n"
        "out[2] = q[q > 3.5].sum()\nx = a[w[:3]]\nout[3] = x[1] + x.sum()"
    )


def test_elements_by_masks_that_are_arguments():
    def kernel(x, mask, at, out):
        out[0] = x[mask].sum()
        out[1] = x[~mask].max()
        out[2] = x[at].sum()

    x = np.arange(6, dtype=np.float32)
    mask = np.array([True, False, True, True, False, False])
    at = np.array([5, 0, -1], np.int8)
    out, expected = np.zeros(3), np.zeros(3)
    kernel(x, mask, at, expected)
    Function(kernel)[1, 1](x, mask, at, out)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    "body", ["out[0] = a[a > 100].max()", "out[0] = a[a > 9].argmin()", "out[0] = a[w > 1].sum()"]
)
def test_none_to_choose_from_ends_the_thread(body):
    out = np.zeros(64)
    given = arguments()
    Function(kernel_of(body))[1, 1](*given[:4], out, 5)
    assert not out.any()


@pytest.mark.parametrize(
    "body, message",
    [
        ("out[:3] = a[a > 1]", "how many elements a condition chooses is not known"),
        ("out[0] = (a[a > 1] * b).sum()", "arrays beside x.condition. are chosen from by the same"),
        ("out[0] = (a[a > 1] * b[b > 1]).sum()", "chosen from by one condition"),
        ("out[0] = m[a[:4] > 1].sum()", "a condition has as many axes"),
        ("a[:] = a[w[:8]] + a[w]", "write to another array"),
        ("mask = a > 1", r"kernels compare elements; .* z\[:\] = x > y"),
    ],
)
def test_what_is_refused(body, message):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=message):
        Function(kernel_of(body))[1, 1](*arguments())


def test_they_compile_for_gpus():
    def kernel(x, w, out):
        out[:4] = x[w[:4] + 1]
        out[4] = x[(x > 1) & (w > 2)].mean() + x[w].max()

    source = Function(kernel).inspect_source("float32[:], int32[::1], float64[::1]")
    for target in ("sm_75", "sm_120"):
        assert ww.compile(source, target=target, format="cubin")[:4] == b"\x7fELF"
