"""A store of a default and a branch that replaces it become one store, with the same results."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda, float32, int32
from warpwise._script import Function, JitOptions

N = 37
BLOCK = 16


def ran(function, *more):
    """The results, which are those of the kernel with checks, and the text."""
    x = np.random.default_rng(N).integers(1, 99, N).astype(np.int32)
    results, texts = [], []
    for debug in (False, True):
        made = Function(function, options=JitOptions(debug=debug))
        out = ww.zeros(4 * BLOCK, np.int32)
        made[4, BLOCK](ww.asarray(x), out, *more)
        results.append(out.get())
        texts += made.inspect_source().values()
    np.testing.assert_array_equal(*results)
    return x, results[0], texts[0]


def in_one_tile(x, out):
    tile = cuda.shared.array(BLOCK, int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = 0
    if i < x.size:
        tile[t] = x[i]
    cuda.syncthreads()
    out[i] = tile[BLOCK - 1 - t]


def in_two_tiles(x, out):
    a = cuda.shared.array(BLOCK, int32)
    b = cuda.shared.array(BLOCK, int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    a[t] = 0
    b[t] = 0
    if i < x.size:
        a[t] = x[i]
    if i > 5 and i - 5 < x.size:
        b[t] = x[i - 5]
    cuda.syncthreads()
    out[i] = a[BLOCK - 1 - t] + 100 * b[t]


def in_a_local_array(x, out):
    near = cuda.local.array(3, int32)
    i = cuda.grid(1)
    for k in range(3):
        near[k] = -1
        if i + k < x.size:
            near[k] = x[i + k]
    out[i] = near[0] + near[1] * near[2]


@pytest.mark.parametrize("function", [in_one_tile, in_two_tiles, in_a_local_array])
def test_they_are_one(function):
    _, _, text = ran(function)
    assert "?" in text
    assert text.count("if (") == 0


def test_results_of_a_tile():
    x, out, _ = ran(in_one_tile)
    padded = np.concatenate([x, np.zeros(4 * BLOCK - N, np.int32)])
    np.testing.assert_array_equal(out, padded.reshape(4, BLOCK)[:, ::-1].ravel())


# --- What stays as it is.


def reads_the_default(x, out):
    tile = cuda.local.array(BLOCK, int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = 5
    if i < x.size:
        tile[t] = tile[t] + x[i]
    out[i] = tile[t]


def reads_it_by_a_view(x, out):
    tile = cuda.local.array((2, BLOCK), int32)
    row = tile[1]
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[1, t] = 5
    if i < x.size:
        tile[1, t] = row[t] + x[i]
    out[i] = tile[1, t]


def reads_it_by_a_parameter(x, out):
    tile = cuda.shared.array(BLOCK, int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    if out.size > 0:
        x = tile
    tile[t] = 5
    if t < 9:
        tile[t] = x[t] + 1
    out[i] = tile[t]


def reads_it_by_a_functions_parameter(x, out):
    def shown(given, is_first):
        tile = cuda.shared.array(BLOCK, int32)
        t = cuda.threadIdx.x
        tile[t] = 5
        if not is_first:
            tile[t] = given[t] + 1
        return tile

    i = cuda.grid(1)
    out[i] = shown(shown(x, True), i % 3 > 0)[cuda.threadIdx.x]


def asks_for_the_default(x, out):
    tile = cuda.local.array(BLOCK, int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = 5
    if tile[t] == 5:
        tile[t] = x[i % x.size]
    out[i] = tile[t]


def has_an_alternative(x, out):
    tile = cuda.local.array(BLOCK, int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = 5
    if i < x.size:
        tile[t] = x[i]
    else:
        tile[t] += 1
    out[i] = tile[t]


def another_place(x, out):
    tile = cuda.local.array(BLOCK, int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = 5
    tile[(t + 1) % BLOCK] = 6
    if i < x.size:
        tile[(t + 1) % BLOCK] = x[i]
    out[i] = tile[t] + tile[(t + 1) % BLOCK]


def by_an_index_that_is_stored(x, out):
    tile = cuda.local.array(BLOCK, int32)
    at = cuda.local.array(1, int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    for k in range(BLOCK):
        tile[k] = 1
    at[0] = t
    tile[at[0]] = 5
    at[0] = (t + 1) % BLOCK
    if i < x.size:
        tile[at[0]] = x[i]
    out[i] = tile[t] + 100 * tile[(t + 1) % BLOCK]


def of_an_argument(x, out):
    i = cuda.grid(1)
    out[i] = 5
    if i < x.size:
        out[i] = x[i]


KEPT = [reads_the_default, reads_it_by_a_view, asks_for_the_default, has_an_alternative]
KEPT += [reads_it_by_a_parameter, reads_it_by_a_functions_parameter]
KEPT += [by_an_index_that_is_stored, of_an_argument]


@pytest.mark.parametrize("function", KEPT)
def test_two_are_kept(function):
    _, _, text = ran(function)
    assert "if (" in text


def test_another_place_keeps_its_store():
    _, _, text = ran(another_place)
    assert "= 5;" in text


def test_a_store_behind_a_barrier_is_another():
    def twice(x, out):
        tile = cuda.shared.array(BLOCK, int32)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        tile[t] = 5
        cuda.syncthreads()
        before = tile[BLOCK - 1 - t]
        if i < x.size:
            tile[t] = x[i]
        out[i] = tile[t] + 100 * before

    _, _, text = ran(twice)
    assert "if (" in text


def test_values_and_defaults_have_the_type_of_the_memory():
    def of_floats(x, out, scale):
        tile = cuda.shared.array(BLOCK, float32)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        tile[t] = 16777217
        if i < x.size:
            tile[t] = x[i] * scale
        cuda.syncthreads()
        out[i] = int(tile[BLOCK - 1 - t])

    _, out, text = ran(of_floats, 0.5)
    assert "?" in text
    assert out[-1] == 2**24
