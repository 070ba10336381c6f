"""Small arrays that NumPy's functions and operators make in a function: vectors, matrices, tables.

Each takes the number of an element and the arrays; a kernel gives what Python gives.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from launching import over

import warpwise as ww
from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")

COUNT = 48
SIZE = 4


class Body(NamedTuple):
    place: Any
    mass: float


def counts(i, x, y, k):
    table = np.zeros(8, dtype=np.int64)
    for v in k:
        table[v % 8] += 1
    ends = np.zeros(9, int)
    for j in range(8):
        ends[j + 1] = ends[j] + table[j]
    return table[i % 8] * 100 + ends[8] + ends[3]


def made_of_numbers(i, x, y, k):
    a = np.array([[x[i], y[i]], [1, 2]])
    b = np.ones(4, np.int32)
    b[k[i] % 4] += 7
    c = np.full(5, 7.5)
    c[k[i] % 5] = x[i]
    d = np.zeros_like(c)
    d[SIZE] = b[1]
    e = np.empty((2, SIZE), np.float32)
    for row in range(2):
        for column in range(SIZE):
            e[row, column] = row * SIZE + column + k[i]
    f = np.array([True, False, k[i] > 9])
    return a[0, 0] * a[1, 1] - a[0, 1] + b.max() + c.sum() + d[4] + e[1, 2] + e.size + f.sum()


def series(i, x, y, k):
    identity = np.eye(3)
    identity[0, 2] = x[i]
    places = np.arange(1, 10, 2) + np.arange(5)
    return (
        identity[k[i] % 3, 1]
        + identity[0, 2]
        + places[k[i] % 5]
        + np.linspace(0, y[i], 5)[k[i] % 5]
        + np.identity(2)[1, 1]
    )


def leapfrog(i, x, y, k):
    place = np.array([x[i], y[i], 0.0])
    speed = np.array([0.1, 0.2, -0.3])
    for _ in range(10):
        speed = speed - place * 0.005
        place = place + speed * 0.01
    return place[0] + speed[1] * 10 + place.sum()


def normal_to(a, b):
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def unit(v):
    return v / np.sqrt((v * v).sum())


def frame(i, x, y, k):
    w = unit(np.array([x[i], y[i], 1.0]))
    u = unit(normal_to(np.array([0.0, 1.0, 0.0]), w))
    v = np.cross(w, u)
    return u @ v + v[0] + 10 * w[2] + np.linalg.norm(u)


def two_buffers(i, x, y, k):
    now, then = np.zeros(5), np.zeros(5)
    now[2] = x[i]
    for _ in range(3):
        for j in range(5):
            then[j] = now[j] * 0.5 + now[(j + 1) % 5] * 0.25 + now[j - 1] * 0.25
        now, then = then, now
    return now[0] + 10 * now[1] + then[2]


def parted(v):
    return np.array([v[0], v[1]]), v[2]


def arrays_in_tuples(i, x, y, k):
    plane, height = parted(np.array([x[i], y[i], 2.0]))
    p, q = Body(plane, height), Body(np.zeros(2), mass=3.0)
    d = q.place - p.place
    return d[0] * p.mass + d[1] * q.mass + d @ d


def matrices(i, x, y, k):
    c, s = math.cos(x[i]), math.sin(x[i])
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    p = turn @ np.array([y[i], 1.0, 2.0])
    back = np.dot(turn.T, p)
    both = turn @ turn
    return p[0] + 2 * p[1] + back[0] + both[0, 1] + np.outer(p[:2], p[::-1])[1, 2]


def functions_of_elements(i, x, y, k):
    a = np.array([x[i], -2.0, y[i]])
    s = np.abs(a) + np.sqrt(np.abs(a))
    m = np.maximum(a, np.array([0.0, 0.5, 1.0]))
    t = np.where(a > 0, a, -1.0)
    is_near = (np.abs(a) < 1) & (a != 0)
    return s.sum() + m.max() + t[1] + np.exp(a)[0] + np.count_nonzero(is_near) + (-a)[1]


def along_axes(i, x, y, k):
    m = np.zeros((2, 3, 4))
    for a in range(2):
        for b in range(3):
            for c in range(4):
                m[a, b, c] = a * 12 + b * 4 + c + x[i]
    s = m.sum(axis=1)
    flat = np.array([[x[i], y[i], 0.5], [1.0, 2.0, 0.1]])
    return (
        s[1, 2] + s.max(axis=0)[3] + m.min(axis=-1)[0, 1] + np.argmax(flat, axis=1)[0]
        + np.mean(flat, 0)[1] + s[0].sum(axis=0) + flat.sum(axis=None)
    )  # fmt: skip


def rows(i, x, y, k):
    m = np.zeros((2, 3))
    m[0] = np.array([x[i], 1.0, 2.0])
    m[1, :] = m[0] * 2
    row = m[1]
    row[2] = y[i]
    both = row + m[0] + np.array([[1.0], [2.0]])
    return both[1, 0] + m[1, 2] + both.size


def copies(i, x, y, k):
    a = np.array([x[i], 1.0])
    other, copy = a, a.copy()
    copy[0] = 5
    other[1] = 9
    return a[0] + a[1] * copy[0] + a.astype(np.int32)[1] + np.array(a)[1]


def nearest(i, x, y, k):
    best, least = np.zeros(2), 1e9
    last = np.zeros(2)
    for j in range(8):
        point = np.array([x[(i + j) % x.size], y[(i + j) % y.size]])
        distance = (point * point).sum()
        if distance < least:
            least, best = distance, point.copy()
        last[:] = point
    return best[0] + 10 * best[1] + last[1]


def add_to(v, s):
    for j in range(len(v)):
        v[j] += s


def lent(i, x, y, k):
    weights = np.array([x[i], 2.0, 3.0])

    def weighted(v):
        return (weights * v).sum()

    parts = lambda v: (weights * v, weights[1:] + v)  # noqa: E731
    first, rest = parts(y[i])
    weights[0] += first[1] - rest[1]
    add_to(weights, y[i])
    return weighted(x[i]) + weighted(weights)


def last_of(n, v):
    a = np.zeros(n)
    a[n - 1] = v
    return a.sum() + len(a)


def sizes_of_callers(i, x, y, k):
    return last_of(3, x[i]) + last_of(SIZE + 1, y[i])


def pairs(n):
    if n == 0:
        return np.array([0, 1])
    p = pairs(n - 1)
    return np.array([p[1], p[0] + p[1]])


def recursive(i, x, y, k):
    return pairs(k[i] % 10)[0]


def in_place(i, x, y, k):
    a = np.ones(3)
    a *= x[i]
    a += np.array([1.0, 2.0, 3.0])
    a -= 1
    a /= 2
    p, q, r = a
    return p + 2 * q + 3 * r + sum(a) + max(a) + sorted(a)[0] + (3.5 in a)


def in_conditions(i, x, y, k):
    v = np.array([x[i], 2.0]) if k[i] > 9 else np.zeros(2)
    n = 0
    while np.linalg.norm(v) < 50 and n < 30:
        v = np.array([v[0] + v[1] * v[1], v[0] * 1.1 + 1])
        n += 1
    return v[0] + n + (np.ones(3) * k[i])[1]


def complex_numbers(i, x, y, k):
    z = np.zeros(3, np.complex128)
    z[1] = complex(x[i], y[i])
    z = z * 1j + np.ones(3)
    return z[1].real + z[1].imag * 10 + abs(z[2])


FUNCTIONS = [
    counts, made_of_numbers, series, leapfrog, frame, two_buffers, arrays_in_tuples, matrices,
    functions_of_elements, along_axes, rows, copies, nearest, lent, sizes_of_callers, recursive,
    in_place, in_conditions, complex_numbers,
]  # fmt: skip


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_kernel_gives_what_python_gives(function, debug, rng):
    @cuda.jit(debug=debug, opt=not debug)
    def kernel(x, y, k, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(i, x, y, k)

    x, y = rng.normal(size=(2, COUNT))
    k = rng.integers(0, 30, COUNT)
    out = np.zeros(COUNT)
    over(kernel, COUNT, x, y, k, out)
    expected = [float(function(i, x, y, k)) for i in range(COUNT)]
    np.testing.assert_allclose(out, expected, rtol=1e-6, atol=1e-9)


@cuda.jit
def half(x, out):
    shared = cuda.shared.array(SIZE, np.float64)
    t = cuda.threadIdx.x
    shared[t] = x[t]
    cuda.syncthreads()
    twice = shared * 2.0
    copy = np.array(shared)
    out[t] = twice.sum() + copy[t] + shared @ np.ones(SIZE) + shared.max()


def test_operators_of_shared_memory():
    x, out = np.arange(4.0), np.zeros(4)
    half[1, SIZE](x, out)
    assert out.tolist() == (x.sum() * 3 + x + 3).tolist()


REFUSED = {
    "a = np.zeros(n)": "must be constants",
    "a = np.zeros((100, 9)) * 2": "of up to 256 elements as a whole, this has the shape (100, 9)",
    "a = np.array(x)": "has no size that is known when the kernel is compiled",
    "a = np.array([[1, 2], [3]])": "in rows of one length",
    "a = np.array([])": "arrays of numbers in tuples and lists, got Tuple()",
    "a = np.zeros(3) + np.zeros(4)": "could not be broadcast together with shapes (3,) (4,)",
    "a = np.zeros((2, 3)) @ np.zeros(2)": "shapes (2, 3) and (2,) are not aligned",
    "a = [np.zeros(2) for _ in range(3)]": "make one array with another axis",
    "a = np.zeros(3, order='F')": "numpy.zeros() takes shape, dtype in kernels",
    "a = np.zeros(0)": "kernels make no empty arrays",
    "a = np.cross(x, x)": "takes two vectors of 3 numbers in kernels",
    "a = np.zeros((2, 2)).sum(axis=2)": "axis 2 is out of bounds for array of dimension 2",
    "a = np.zeros((2, 2)).sum(axis=0, dtype=int)": "takes an axis in kernels, keepdims and no",
    "a = np.zeros((2, 2)).sum(axis=n)": "the axis of a reduction is a constant",
    "a = np.diag(np.ones(2))": "take numpy.zeros(shape, dtype) of constants",
    "a = np.arange(n)": "takes whole numbers that are constants in kernels",
}


@pytest.mark.parametrize(("code", "message"), REFUSED.items())
def test_what_is_not_known_is_refused(code, message, tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(f"def kernel(x, n):\n    {code}\n")
    scope = {"np": np}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=":2:") as caught:
        cuda.jit(scope["kernel"])[1, 1](np.zeros(5), 3)
    assert message in str(caught.value)


def keep_one_of_a_loop(x):
    best = np.zeros(2)
    for j in range(3):
        point = np.array([x[j], 1.0])
        if x[j] > 0:
            best = point
    x[0] = best[0]


def test_an_array_of_a_loop_has_one_name():
    with pytest.raises(ww.UnsupportedError, match=r"one name in kernels; take a copy, a\.copy\(\)"):
        cuda.jit(keep_one_of_a_loop)[1, 1](np.zeros(5))
