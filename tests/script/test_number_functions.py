"""Number theory, combinatorics, bits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from launching import over

from warpwise import cuda
from warpwise.cuda.types import int64, uint32, uint64


@cuda.jit
def is_prime(n, out):
    i = cuda.grid(1)
    if i < n.size:
        value = n[i]
        prime = value >= 2
        d = 2
        while d * d <= value:
            if value % d == 0:
                prime = False
                break
            d += 1 if d == 2 else 2
        out[i] = prime


def test_primes_by_division():
    n = np.arange(-3, 400)
    out = np.empty(n.size, np.bool_)
    over(is_prime, n.size, n, out)
    expected = [v > 1 and all(v % d for d in range(2, math.isqrt(v) + 1)) for v in n.tolist()]
    assert out.tolist() == expected


@cuda.jit
def cross_out(composite, limit):
    p = cuda.grid(1) + 2
    if p * p < limit:
        for multiple in range(p * p, limit, p):
            composite[multiple] = True


def test_the_sieve_of_eratosthenes():
    composite = np.zeros(1000, np.bool_)
    over(cross_out, 31, composite, 1000)
    primes = np.flatnonzero(~composite)[2:]
    assert primes.size == 168 and primes[-1] == 997


@cuda.jit
def collatz(n, steps):
    i = cuda.grid(1)
    if i < n.size:
        value, count = n[i], 0
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            count += 1
        steps[i] = count


def test_collatz_sequences():
    n = np.arange(1, 200)
    steps = np.empty_like(n)
    over(collatz, n.size, n, steps)

    def length(v):
        count = 0
        while v != 1:
            v, count = (v // 2 if v % 2 == 0 else 3 * v + 1), count + 1
        return count

    assert steps.tolist() == [length(int(v)) for v in n]


@cuda.jit(device=True)
def power_modulo(base, exponent, modulus):
    result = 1
    base %= modulus
    while exponent > 0:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result


@cuda.jit
def powers(base, exponent, modulus, out):
    i = cuda.grid(1)
    if i < base.size:
        out[i] = power_modulo(base[i], exponent[i], modulus)


def test_modular_powers(rng):
    base, exponent = rng.integers(-1000, 1000, 100), rng.integers(0, 10**9, 100)
    out = np.empty_like(base)
    over(powers, 100, base, exponent, 1_000_003, out)
    assert out.tolist() == [pow(int(b), int(e), 1_000_003) for b, e in zip(base, exponent)]


@cuda.jit
def miller_rabin(n, out):
    i = cuda.grid(1)
    if i >= n.size:
        return
    value = n[i]
    d, s = value - 1, 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for a in (2, 3, 5, 7):
        if value % a == 0:
            out[i] = value == a
            return
        x = power_modulo(a, d, value)
        if x == 1 or x == value - 1:
            continue
        for _ in range(s - 1):
            x = x * x % value
            if x == value - 1:
                break
        else:
            out[i] = False
            return
    out[i] = True


def test_primes_by_miller_and_rabin(rng):
    n = rng.integers(10, 10**6, 120) | 1
    out = np.empty(120, np.bool_)
    over(miller_rabin, 120, n, out)
    assert out.tolist() == [all(v % d for d in range(2, math.isqrt(v) + 1)) for v in n.tolist()]


@cuda.jit(device=True)
def gcd(a, b):
    while b:
        a, b = b, a % b
    return abs(a)


@cuda.jit
def gcd_and_lcm(a, b, out):
    i = cuda.grid(1)
    if i < a.size:
        g = gcd(a[i], b[i])
        out[i, 0] = g
        out[i, 1] = abs(a[i] * b[i]) // g if g else 0


def test_divisors_and_multiples(rng):
    a, b = rng.integers(-500, 500, (2, 150))
    a[:3], b[1:5] = 0, 0
    out = np.empty((150, 2), np.int64)
    over(gcd_and_lcm, 150, a, b, out)
    assert out.tolist() == [
        [math.gcd(x, y), math.lcm(x, y)] for x, y in zip(a.tolist(), b.tolist())
    ]


@cuda.jit
def inverse(a, modulus, out):
    i = cuda.grid(1)
    if i < a.size:
        old_r, r, old_s, s = a[i], modulus, 1, 0
        while r != 0:
            q = old_r // r
            old_r, r = r, old_r - q * r
            old_s, s = s, old_s - q * s
        out[i] = old_s % modulus


def test_modular_inverses(rng):
    a = rng.integers(1, 10006, 100)
    out = np.empty_like(a)
    over(inverse, 100, a, 10007, out)
    assert out.tolist() == [pow(v, -1, 10007) for v in a.tolist()]


@cuda.jit
def totient(n, out):
    i = cuda.grid(1)
    if i < n.size:
        rest, result, p = n[i], n[i], 2
        while p * p <= rest:
            if rest % p == 0:
                while rest % p == 0:
                    rest //= p
                result -= result // p
            p += 1
        if rest > 1:
            result -= result // rest
        out[i] = result


def test_eulers_function():
    n = np.arange(1, 150)
    out = np.empty_like(n)
    over(totient, n.size, n, out)
    assert out.tolist() == [sum(math.gcd(k, v) == 1 for k in range(v)) or 1 for v in n.tolist()]


@cuda.jit
def digit_sums(n, base, out):
    i = cuda.grid(1)
    if i < n.size:
        total, rest = 0, n[i]
        while rest:
            rest, digit = divmod(rest, base)
            total += digit
        out[i] = total


def test_digit_sums(rng):
    n = rng.integers(0, 2**62, 80)
    out = np.empty_like(n)
    over(digit_sums, 80, n, 10, out)
    assert out.tolist() == [sum(map(int, str(v))) for v in n]


@cuda.jit
def binomials(n, k, out):
    i = cuda.grid(1)
    if i < n.size:
        result = 1
        for j in range(1, min(k[i], n[i] - k[i]) + 1):
            result = result * (n[i] - j + 1) // j
        out[i] = result if k[i] <= n[i] else 0


def test_binomial_coefficients(rng):
    n, k = rng.integers(0, 40, (2, 120))
    out = np.empty_like(n)
    over(binomials, 120, n, k, out)
    assert out.tolist() == [math.comb(a, b) for a, b in zip(n.tolist(), k.tolist())]


@cuda.jit
def queens(n, first, counts):
    i = cuda.grid(1)
    if i >= first.size:
        return
    columns = cuda.local.array(10, int64)
    columns[0] = first[i]
    row, count = 1, 0
    columns[1] = -1
    while row > 0:
        columns[row] += 1
        if columns[row] >= n:
            row -= 1
            continue
        fits = True
        for r in range(row):
            d = columns[row] - columns[r]
            if d == 0 or d == row - r or d == r - row:
                fits = False
                break
        if fits:
            if row == n - 1:
                count += 1
            else:
                row += 1
                columns[row] = -1
    counts[i] = count


def test_queens_on_a_board():
    first, counts = np.arange(6), np.zeros(6, np.int64)
    over(queens, 6, 6, first, counts)
    assert counts.tolist() == [0, 1, 1, 1, 1, 0]


@cuda.jit
def permutation(ranks, out):
    i = cuda.grid(1)
    if i < ranks.size:
        n = out.shape[1]
        for j in range(n):
            out[i, j] = j
        rank, total = ranks[i], 1
        for j in range(2, n):
            total *= j
        for j in range(n - 1):
            at = j + rank // total
            rank %= total
            chosen = out[i, at]
            for k in range(at, j, -1):
                out[i, k] = out[i, k - 1]
            out[i, j] = chosen
            if j < n - 2:
                total //= n - 1 - j


def test_permutations_by_rank(rng):
    import itertools

    known = list(itertools.permutations(range(5)))
    ranks = rng.permutation(120)
    out = np.empty((120, 5), np.int64)
    over(permutation, 120, ranks, out)
    assert [tuple(row) for row in out.tolist()] == [known[r] for r in ranks]


@cuda.jit
def morton(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        code = uint32(0)
        for bit in range(16):
            code |= ((x[i] >> uint32(bit)) & uint32(1)) << uint32(2 * bit)
            code |= ((y[i] >> uint32(bit)) & uint32(1)) << uint32(2 * bit + 1)
        out[i] = code


def test_morton_codes(rng):
    x, y = rng.integers(0, 2**16, (2, 90)).astype(np.uint32)
    out = np.empty_like(x)
    over(morton, 90, x, y, out)
    expected = [
        sum(((int(a) >> b & 1) << 2 * b) | ((int(c) >> b & 1) << 2 * b + 1) for b in range(16))
        for a, c in zip(x, y)
    ]
    assert out.tolist() == expected


@cuda.jit
def xorshift(seeds, steps, out):
    i = cuda.grid(1)
    if i < seeds.size:
        x = seeds[i]
        for _ in range(steps):
            x ^= x << uint64(13)
            x ^= x >> uint64(7)
            x ^= x << uint64(17)
        out[i] = x


def test_xorshift_generators(rng):
    seeds = rng.integers(1, 2**63, 60).astype(np.uint64)
    out = np.empty_like(seeds)
    over(xorshift, 60, seeds, 10, out)

    def advance(x):
        for _ in range(10):
            x ^= x << 13 & (2**64 - 1)
            x ^= x >> 7
            x ^= x << 17 & (2**64 - 1)
        return x

    assert out.tolist() == [advance(int(s)) for s in seeds]


@cuda.jit
def josephus(n, k, out):
    i = cuda.grid(1)
    if i < n.size:
        place = 0
        for size in range(2, n[i] + 1):
            place = (place + k) % size
        out[i] = place


def test_josephus():
    n = np.arange(1, 60)
    out = np.empty_like(n)
    over(josephus, n.size, n, 7, out)

    def last(size):
        circle, at = list(range(size)), 0
        while len(circle) > 1:
            at = (at + 6) % len(circle)
            circle.pop(at)
        return circle[0]

    assert out.tolist() == [last(int(v)) for v in n]


def wrapped(value, bits=64):
    """As a signed number of so many bits."""
    return (int(value) + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


@cuda.jit
def marsaglia(seeds, steps, out):
    i = cuda.grid(1)
    if i < seeds.size:
        x = seeds[i]  # uint32 that becomes uint64, as in Numba
        for _ in range(steps):
            x ^= uint32(x << 13)
            x ^= x >> 17
            x ^= uint32(x << 5)
        out[i] = x


def test_shifts_of_32_bits_in_a_variable_of_64():
    seeds = np.arange(1, 50, dtype=np.uint32) * 2654435
    out = np.empty(seeds.size, np.int64)
    over(marsaglia, seeds.size, seeds, 9, out)

    def advance(x):
        for _ in range(9):
            x ^= x << 13 & 0xFFFFFFFF
            x ^= x >> 17
            x ^= x << 5 & 0xFFFFFFFF
        return x

    assert out.tolist() == [advance(int(seed)) for seed in seeds]


@cuda.jit
def narrowed(x, wide, narrow, out):
    i = cuda.grid(1)
    if i < wide.size:
        out[i, 0] = np.uint32(wide[i])
        out[i, 1] = np.uint8(np.int32(narrow[i]))
        out[i, 2] = np.int64(wide[i]) // 3
        out[i, 3] = np.int32(narrow[i]) % 7
        out[i, 4] = x[np.int32(narrow[i])]
        out[i, 5] = np.int64(np.uint32(np.int64(wide[i]))) // 3


def test_conversions_to_fewer_bits_and_to_signed_numbers():
    x = np.arange(10) * 11
    wide = np.array([3, 2**33 + 5, 2**63 + 9, 2**64 - 4], np.uint64)
    narrow = np.array([3, 9, 2**32 - 10, 2**32 - 3], np.uint32)
    out = np.empty((4, 6), np.int64)
    over(narrowed, 4, x, wide, narrow, out)
    for row, w, n in zip(out.tolist(), wide.tolist(), narrow.tolist()):
        place = wrapped(n, 32)
        assert row == [
            w % 2**32,
            n % 256,
            wrapped(w) // 3,
            place % 7,
            x[place],
            w % 2**32 // 3,
        ]


def limits_of(dtype):
    @cuda.jit
    def kernel(out):
        out[0] = np.finfo(dtype).max
        out[1] = np.finfo(dtype).min
        out[2] = np.finfo(dtype).eps
        out[3] = np.finfo(dtype).tiny
        out[4] = np.finfo(dtype).smallest_normal
        out[5] = np.finfo(dtype).smallest_subnormal
        out[6] = np.finfo(dtype).resolution
        out[7] = np.finfo(dtype).bits

    return kernel


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_limits_of_floating_point_numbers(dtype):
    out = np.zeros(8, dtype)
    limits_of(dtype)[1, 1](out)
    names = "max min eps tiny smallest_normal smallest_subnormal resolution bits"
    assert out.tolist() == [float(getattr(np.finfo(dtype), name)) for name in names.split()]


def ends_of(dtype):
    @cuda.jit
    def kernel(out):
        out[0] = np.iinfo(dtype).min
        out[1] = np.iinfo(dtype).max

    return kernel


@pytest.mark.parametrize("dtype", "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split())
def test_limits_of_integers(dtype):
    kind = np.dtype(dtype).type
    out = np.zeros(2, kind)
    ends_of(kind)[1, 1](out)
    assert out.tolist() == [np.iinfo(kind).min, np.iinfo(kind).max]


@cuda.jit
def into_buckets(text, places, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        h = 5381
        for c in text[i]:
            h = h * 33 + c
        out[i, 0] = places[h % places.size]
        g = 1469598103
        for c in text[i]:
            g ^= c
            g *= 1099511628211
        out[i, 1] = places[g % places.size]
        out[i, 2] = g // 7
        k = 1
        while k >= 0 and k % 1024 != 99:
            k = (k << 4) + k
        out[i, 3] = k % 1024


def test_hashes_that_pass_the_largest_number():
    text = np.random.default_rng(3).integers(32, 127, (20, 24)).astype(np.uint8)
    places = np.arange(101) * 3
    out = np.empty((20, 4), np.int64)
    over(into_buckets, 20, text, places, out)
    k = 1
    while k >= 0 and k % 1024 != 99:
        k = wrapped(k * 17)
    for row, letters in zip(out.tolist(), text.tolist()):
        h, g = 5381, 1469598103
        for c in letters:
            h = wrapped(h * 33 + c)
            g = wrapped((g ^ c) * 1099511628211)
        assert row == [places[h % 101], places[g % 101], g // 7, k % 1024]
