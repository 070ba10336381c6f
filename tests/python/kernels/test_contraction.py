"""``a * b + c``: rounded once by default, twice with ``-fmad=false``, on every device."""

import numpy as np
import pytest

import warpwise as ww

SOURCE = """__global__ void kernel(const float *x, float *out) {
    const int i = threadIdx.x;
    out[i] = x[i] * x[i] + x[i + 32];
}"""
ODD = np.float32(1 + 2.0**-12)  # its square has one bit more than a float
SQUARE = np.float32(1 + 2.0**-11)


def compute(run, options):
    x = np.repeat([ODD, -SQUARE], 32).astype(np.float32)
    out = np.zeros(32, np.float32)
    run(SOURCE, ww.In(x), ww.Out(out), block=32, options=options)
    return out


@pytest.mark.parametrize("options", [[], ["-fmad=true"], ["--fmad=false", "--fmad=true"]])
def test_the_product_is_not_rounded(run, options):
    assert (compute(run, options) == np.float32(2.0**-24)).all()


@pytest.mark.parametrize("options", [["-fmad=false"], ["--fmad", "false"], ["-fmad=0"]])
def test_the_product_is_rounded_where_contraction_is_off(run, options):
    assert (compute(run, options) == 0).all()


def test_other_values_are_refused(run):
    with pytest.raises(ww.ArgumentError, match="-fmad expects true or false, got 'maybe'"):
        compute(run, ["-fmad=maybe"])
