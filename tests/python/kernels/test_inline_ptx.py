"""Inline PTX as people write it: every frequent form against what NumPy says."""

import numpy as np
import pytest

import warpwise as ww

N = 61


def values(rng, dtype=np.uint32):
    words = rng.integers(0, 2**32, N, dtype=np.uint64).astype(np.uint32)
    words[:6] = [0, 1, 2**31, 2**32 - 1, 31, 32]
    return words.view(dtype)


def one_word(run, text, *columns, outputs="=r", inputs="r"):
    """What ``asm(text)`` gives for each row of ``columns``."""
    out = np.zeros(N, np.uint32)
    names = [f"a{i}" for i in range(len(columns))]
    operands = ", ".join(f'"{inputs}"({name}[i])' for name in names)
    parameters = ", ".join(f"const unsigned *{name}" for name in names)
    run(
        f"""__global__ void kernel(unsigned *out, {parameters}) {{
            int i = threadIdx.x;
            asm volatile("{text}" : "{outputs}"(out[i]) : {operands});
        }}""",
        ww.Out(out), *(ww.In(column.view(np.uint32)) for column in columns), block=N,
    )  # fmt: skip
    return out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add.u32 %0, %1, %2;", lambda a, b: a + b),
        ("sub.s32 %0, %1, %2;", lambda a, b: a - b),
        ("mul.lo.u32 %0, %1, %2;", lambda a, b: a * b),
        ("mul.hi.u32 %0, %1, %2;", lambda a, b: (a.astype(object) * b.astype(object)) >> 32),
        ("mul24.lo.u32 %0, %1, %2;", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
        ("and.b32 %0, %1, %2;", lambda a, b: a & b),
        ("xor.b32 %0, %1, %2;", lambda a, b: a ^ b),
        ("min.u32 %0, %1, %2;", np.minimum),
        ("max.s32 %0, %1, %2;", lambda a, b: np.maximum(a.view(np.int32), b.view(np.int32))),
        ("lop3.b32 %0, %1, %2, 0, 0x3c;", lambda a, b: a ^ b),
        ("{ .reg .u32 t; add.u32 t, %1, 7; sub.u32 %0, t, %2; }", lambda a, b: a + 7 - b),
        (
            "{ .reg .pred p; setp.lt.u32 p, %1, %2; selp.u32 %0, 1, 0, p; }",
            lambda a, b: a < b,
        ),
        (
            "{ .reg .pred p; mov.u32 %0, %1; setp.ge.s32 p, %1, %2; @p mov.u32 %0, %2; }",
            lambda a, b: np.minimum(a.view(np.int32), b.view(np.int32)),
        ),
    ],
)
def test_words(run, rng, text, expected):
    a, b = values(rng), values(rng)[::-1].copy()
    want = np.array([int(w) & 0xFFFFFFFF for w in expected(a, b)], np.uint64).astype(np.uint32)
    assert np.array_equal(one_word(run, text, a, b), want)


def test_shifts_beyond_the_width(run, rng):
    a, by = values(rng), rng.integers(0, 40, N).astype(np.uint32)
    want = np.where(by < 32, a.astype(np.uint64) << by, 0).astype(np.uint32)
    assert np.array_equal(one_word(run, "shl.b32 %0, %1, %2;", a, by), want)
    signed = a.view(np.int32).astype(np.int64) >> np.minimum(by, 31)
    assert np.array_equal(
        one_word(run, "shr.s32 %0, %1, %2;", a, by), signed.astype(np.int32).view(np.uint32)
    )


@pytest.mark.parametrize("kind", ["u32", "s32"])
def test_bit_fields(run, rng, kind):
    a = values(rng)
    start, length = (rng.integers(0, 40, N).astype(np.uint32) for _ in range(2))
    want = []
    for word, begin, bits in zip(a.tolist(), start.tolist(), length.tolist(), strict=True):
        source = word - 2**32 if kind == "s32" and word >= 2**31 else word
        field = (source >> min(begin, 32)) & ((1 << min(bits, 32)) - 1)
        if kind == "s32" and bits:
            last = min(begin + bits - 1, 31)
            if word >> last & 1:
                field |= -1 << min(bits, 32)
        want.append(field & 0xFFFFFFFF)
    got = one_word(run, f"bfe.{kind} %0, %1, %2, %3;", a, start, length)
    assert got.tolist() == want


def test_inserted_fields(run, rng):
    a, b = values(rng), values(rng)[::-1].copy()
    start, length = (rng.integers(0, 34, N).astype(np.uint32) for _ in range(2))
    want = []
    for row in zip(a.tolist(), b.tolist(), start.tolist(), length.tolist(), strict=True):
        x, into, begin, bits = row
        mask = (((1 << min(bits, 32)) - 1) << begin) & 0xFFFFFFFF
        want.append((into & ~mask) | ((x << begin) & mask))
    assert one_word(run, "bfi.b32 %0, %1, %2, %3, %4;", a, b, start, length).tolist() == want


def test_permuted_bytes(run, rng):
    a, b, selector = values(rng), values(rng)[::-1].copy(), values(rng)
    bytes_ = np.concatenate([a[:, None].view(np.uint8), b[:, None].view(np.uint8)], axis=1)
    want = np.zeros((N, 4), np.uint8)
    for k in range(4):
        nibble = selector >> (4 * k) & 15
        byte = bytes_[np.arange(N), nibble & 7]
        want[:, k] = np.where(nibble & 8, np.where(byte & 0x80, 0xFF, 0), byte)
    got = one_word(run, "prmt.b32 %0, %1, %2, %3;", a, b, selector)
    assert np.array_equal(got, want.view(np.uint32).ravel())


@pytest.mark.parametrize(
    ("text", "dtype", "expected"),
    [
        ("vabsdiff4.u32.u32.u32", np.uint8, lambda a, b: abs(a - b)),
        ("vadd4.u32.u32.u32.sat", np.uint8, lambda a, b: np.minimum(a + b, 255)),
        ("vsub4.s32.s32.s32.sat", np.int8, lambda a, b: np.clip(a - b, -128, 127)),
        ("vmax2.s32.s32.s32", np.int16, np.maximum),
        ("vavrg4.u32.u32.u32", np.uint8, lambda a, b: (a + b + 1) >> 1),
    ],
)
def test_parts_of_words(run, rng, text, dtype, expected):
    a, b, c = values(rng), values(rng)[::-1].copy(), values(rng)
    parts = 4 // np.dtype(dtype).itemsize
    x, y = (v.view(dtype).reshape(N, parts).astype(np.int64) for v in (a, b))
    want = expected(x, y).astype(dtype)
    got = one_word(run, f"{text} %0, %1, %2, %3;", a, b, c)
    assert np.array_equal(got.view(dtype).reshape(N, parts), want)
    if not text.endswith("sat"):
        total = (want.astype(np.int64).sum(1) + c).astype(np.uint32)
        assert np.array_equal(one_word(run, f"{text}.add %0, %1, %2, %3;", a, b, c), total)


def test_products_of_bytes_and_first_bits(run, rng):
    a, b, c = values(rng), values(rng)[::-1].copy(), values(rng)
    x, y = (v.view(np.int8).reshape(N, 4).astype(np.int64) for v in (a, b))
    want = ((x * y).sum(1) + c).astype(np.uint32)
    assert np.array_equal(one_word(run, "dp4a.s32.s32 %0, %1, %2, %3;", a, b, c), want)
    places = [(v.bit_length() - 1) & 0xFFFFFFFF for v in a.tolist()]
    assert one_word(run, "bfind.u32 %0, %1;", a).tolist() == places
    signed = [(v if v >= 0 else ~v).bit_length() - 1 for v in a.view(np.int32).tolist()]
    got = one_word(run, "bfind.s32 %0, %1;", a)
    assert got.tolist() == [v & 0xFFFFFFFF for v in signed]


def test_conversions_to_the_nearest_that_fits(run, rng):
    a = values(rng)
    got = one_word(run, "cvt.sat.u8.s32 %0, %1;", a)
    assert np.array_equal(got, np.clip(a.view(np.int32), 0, 255))
    x = rng.normal(size=N).astype(np.float32)
    x[0] = np.nan
    out = np.zeros(N, np.float32)
    run(
        """__global__ void kernel(float *out, const float *x) {
            asm("cvt.sat.f32.f32 %0, %1;" : "=f"(out[threadIdx.x]) : "f"(x[threadIdx.x]));
        }""",
        ww.Out(out), ww.In(x), block=N,
    )  # fmt: skip
    assert np.array_equal(out, np.clip(np.nan_to_num(x, nan=0), 0, 1))


def test_funnel_shift(run, rng):
    low, high, by = values(rng), values(rng)[::-1].copy(), values(rng)
    both = high.astype(np.uint64) << np.uint64(32) | low
    want = (both >> (by & 31).astype(np.uint64)).astype(np.uint32)
    assert np.array_equal(one_word(run, "shf.r.wrap.b32 %0, %1, %2, %3;", low, high, by), want)


def test_a_sum_of_128_bits_by_carries(run, rng):
    a, b = (rng.integers(0, 2**64, (N, 2), dtype=np.uint64) for _ in range(2))
    a[0] = b[0] = 2**64 - 1
    out = np.zeros((N, 2), np.uint64)
    run(
        """__global__ void kernel(unsigned long long *out, const unsigned long long *a,
                                  const unsigned long long *b) {
            int i = 2 * threadIdx.x;
            asm("add.cc.u64 %0, %2, %4; addc.u64 %1, %3, %5;"
                : "=l"(out[i]), "=l"(out[i + 1])
                : "l"(a[i]), "l"(a[i + 1]), "l"(b[i]), "l"(b[i + 1]));
        }""",
        ww.Out(out), ww.In(a), ww.In(b), block=N,
    )  # fmt: skip
    for x, y, sum_ in zip(a.tolist(), b.tolist(), out.tolist(), strict=True):
        whole = (x[0] + (x[1] << 64) + y[0] + (y[1] << 64)) % 2**128
        assert sum_ == [whole % 2**64, whole >> 64]


def test_a_wide_product_and_its_sum(run, rng):
    a, b = values(rng), values(rng)[::-1].copy()
    c, out = rng.integers(0, 2**63, N), np.zeros(N, np.int64)
    run(
        """__global__ void kernel(long long *out, const int *a, const int *b, const long long *c) {
            int i = threadIdx.x;
            asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(out[i]) : "r"(a[i]), "r"(b[i]), "l"(c[i]));
        }""",
        ww.Out(out), ww.In(a.view(np.int32)), ww.In(b.view(np.int32)), ww.In(c), block=N,
    )  # fmt: skip
    with np.errstate(over="ignore"):
        want = a.view(np.int32).astype(np.int64) * b.view(np.int32) + c
    assert np.array_equal(out, want)


def test_halves_of_a_word_as_a_vector(run, rng):
    a, out = rng.integers(0, 2**64, N, dtype=np.uint64), np.zeros(N, np.uint64)
    run(
        """__global__ void kernel(unsigned long long *out, const unsigned long long *a) {
            unsigned low, high;
            asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(a[threadIdx.x]));
            asm("mov.b64 %0, {%1, %2};" : "=l"(out[threadIdx.x]) : "r"(high), "r"(low));
        }""",
        ww.Out(out), ww.In(a), block=N,
    )  # fmt: skip
    assert np.array_equal(out, a >> np.uint64(32) | a << np.uint64(32))


def test_loads_and_stores_with_hints(run, rng):
    x, out = rng.random(4 * N, np.float32), np.zeros(4 * N, np.float32)
    run(
        """__global__ void kernel(float *out, const float *x) {
            const float *from = x + 4 * threadIdx.x;
            float *to = out + 4 * threadIdx.x;
            float a, b, c, d;
            asm volatile("ld.global.nc.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "l"(from));
            asm volatile("ld.global.cs.f32 %0, [%1+8];" : "=f"(c) : "l"(from));
            asm volatile("ld.volatile.global.f32 %0, [%1+12];" : "=f"(d) : "l"(from));
            asm volatile("st.global.cg.v4.f32 [%0], {%1, %2, %3, %4};"
                         :: "l"(to), "f"(d), "f"(c), "f"(b), "f"(a) : "memory");
        }""",
        ww.Out(out), ww.In(x), block=N,
    )  # fmt: skip
    assert np.array_equal(out.reshape(N, 4), x.reshape(N, 4)[:, ::-1])


def test_shared_addresses_of_32_bits(run, rng):
    x, out = values(rng), np.zeros(N, np.uint32)
    run(
        """__global__ void kernel(unsigned *out, const unsigned *x, int n) {
            __shared__ unsigned tile[64];
            unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
            asm volatile("st.shared.u32 [%0], %1;" :: "r"(at), "r"(x[threadIdx.x]) : "memory");
            __syncthreads();
            at = (unsigned)__cvta_generic_to_shared(&tile[n - 1 - threadIdx.x]);
            asm volatile("ld.shared.u32 %0, [%1];" : "=r"(out[threadIdx.x]) : "r"(at) : "memory");
        }""",
        ww.Out(out), ww.In(x), N, block=N,
    )  # fmt: skip
    assert np.array_equal(out, x[::-1])


def test_an_asynchronous_copy_with_fewer_bytes_fills_with_zeros(run, rng):
    x, out = values(rng)[:4], np.full(4, 7, np.uint32)
    run(
        """__global__ void kernel(unsigned *out, const unsigned *x) {
            __shared__ __align__(16) unsigned tile[4];
            unsigned at = (unsigned)__cvta_generic_to_shared(tile);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                         :: "r"(at), "l"(x), "r"(8));
            asm volatile("cp.async.commit_group;");
            asm volatile("cp.async.wait_group 0;");
            for (int i = 0; i < 4; i++) out[i] = tile[i];
        }""",
        ww.Out(out), ww.In(x), block=1,
    )  # fmt: skip
    assert out.tolist() == [*x[:2].tolist(), 0, 0]


def test_atomics(run):
    out, old = np.array([5, 0, 100], np.uint32), np.zeros(64, np.uint32)
    run(
        """__global__ void kernel(unsigned *out, unsigned *old) {
            asm volatile("atom.global.add.u32 %0, [%1], 2;"
                         : "=r"(old[threadIdx.x]) : "l"(out) : "memory");
            asm volatile("red.global.max.u32 [%0], %1;" :: "l"(out + 1), "r"(threadIdx.x));
            asm volatile("red.relaxed.gpu.global.min.u32 [%0], %1;" :: "l"(out + 2), "r"(threadIdx.x + 3));
        }""",
        ww.InOut(out), ww.Out(old), block=64,
    )  # fmt: skip
    assert out.tolist() == [5 + 128, 63, 3]
    assert sorted(old.tolist()) == list(range(5, 133, 2))


def test_votes_and_shuffles(run, rng):
    x, out = values(rng)[:32].copy(), np.zeros((3, 32), np.uint32)
    run(
        """__global__ void kernel(unsigned *out, const unsigned *x) {
            int i = threadIdx.x;
            unsigned ballot, moved, any;
            asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 77; "
                         "vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(ballot) : "r"(x[i]));
            asm volatile("shfl.sync.bfly.b32 %0, %1, 3, 0x1f, 0xffffffff;" : "=r"(moved) : "r"(x[i]));
            asm volatile("{ .reg .pred p, q; setp.eq.u32 p, %1, 5; "
                         "vote.sync.any.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }"
                         : "=r"(any) : "r"(x[i] | 8));
            out[i] = ballot; out[32 + i] = moved; out[64 + i] = any;
        }""",
        ww.Out(out), ww.In(x), block=32,
    )  # fmt: skip
    assert set(out[0].tolist()) == {sum(1 << i for i in range(32) if x[i] > 77)}
    assert np.array_equal(out[1], x[np.arange(32) ^ 3])
    assert not out[2].any()


def test_conversions(run, rng):
    x = (rng.standard_normal(N) * 1000).astype(np.float32)
    x[0], x[1] = np.nan, 1e20
    out = np.zeros((3, N), np.int32)
    run(
        """__global__ void kernel(int *out, const float *x, int n) {
            int i = threadIdx.x;
            asm("cvt.rni.s32.f32 %0, %1;" : "=r"(out[i]) : "f"(x[i]));
            asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(out[n + i]) : "f"(x[i]));
            unsigned short h;
            float back;
            asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x[i]));
            asm("cvt.f32.f16 %0, %1;" : "=f"(back) : "h"(h));
            out[2 * n + i] = __float_as_int(back);
        }""",
        ww.Out(out), ww.In(x), N, block=N,
    )  # fmt: skip
    saturated = np.nan_to_num(x, nan=0).astype(np.float64)
    top = 2**31 - 1
    assert out[0].tolist() == [int(min(v, top)) for v in np.rint(saturated)]
    assert out[1].tolist() == [int(min(v, top)) for v in np.trunc(saturated)]
    with np.errstate(over="ignore"):
        half = x.astype(np.float16).astype(np.float32)
    assert np.array_equal(out[2].view(np.float32), half, equal_nan=True)


@pytest.mark.cpu_only("what it knows of PTX")
def test_what_has_no_row_is_refused_by_name(run):
    with pytest.raises(ww.UnsupportedError, match="mapa"):
        run('__global__ void kernel(int *x) { asm("mapa.u32 %0, %1, 3;" : "=r"(*x) : "r"(1)); }',
            ww.Out(np.zeros(1, np.int32)))  # fmt: skip


SIGNS_AND_SIZES = [0.0, -0.0, 1.0, -1.0, 3.0, np.inf, -np.inf, np.nan, 1e-30, -1e30, 3e38]


@pytest.mark.parametrize("executor", ["auto", "reference"])
@pytest.mark.parametrize("way", ["rz", "rm", "rp"])
@pytest.mark.parametrize(("real", "letter"), [("float", "f"), ("double", "d")])
def test_reals_are_rounded_as_the_instruction_specifies(run, rng, real, letter, way, executor):
    dtype = np.dtype({"float": np.float32, "double": np.float64}[real])
    bits = dtype.itemsize * 8
    special = np.array(SIGNS_AND_SIZES, dtype)
    pairs = np.stack(np.meshgrid(special, special), -1).reshape(-1, 2)
    numbers = rng.standard_normal((1000, 2)) * 10.0 ** rng.integers(-5, 6, (1000, 2))
    a, b = np.concatenate([pairs, numbers.astype(dtype)]).T.copy()
    suffix = {"rz": "rz", "rm": "rd", "rp": "ru"}[way]
    prefix = "f" if real == "float" else "d"
    rows = [  # inline PTX, and CUDA's function of the same meaning
        ("add", "%1, %2", f"__{prefix}add_{suffix}(x, y)"),
        ("sub", "%1, %2", f"__{prefix}sub_{suffix}(x, y)"),
        ("mul", "%1, %2", f"__{prefix}mul_{suffix}(x, y)"),
        ("fma", "%1, %2, %1", f"{'__fmaf' if real == 'float' else '__fma'}_{suffix}(x, y, x)"),
        ("div", "%1, %2", f"__{prefix}div_{suffix}(x, y)"),
        ("rcp", "%1", f"__{prefix}rcp_{suffix}(x)"),
        ("sqrt", "%1", f"__{prefix}sqrt_{suffix}(x)"),
    ]
    body = "".join(
        f'asm("{name}.{way}.f{bits} %0, {sources};" : "={letter}"(r) : "{letter}"(x), "{letter}"(y));'
        f"ptx[i * 7 + {k}] = r; functions[i * 7 + {k}] = {function};\n"
        for k, (name, sources, function) in enumerate(rows)
    )
    ptx, functions = (np.zeros((a.size, 7), dtype) for _ in range(2))
    run(
        f"""__global__ void kernel(const {real} *a, const {real} *b, {real} *ptx, {real} *functions,
                                   int n) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            {real} x = a[i], y = b[i], r;
            {body}
        }}""",
        ww.In(a), ww.In(b), ww.Out(ptx), ww.Out(functions), a.size, grid=9, block=128,
        options=[] if executor == "auto" else [f"--warpwise-executor={executor}"],
    )  # fmt: skip
    np.testing.assert_array_equal(ptx, functions)
    np.testing.assert_array_equal(np.signbit(ptx), np.signbit(functions))


def test_a_conversion_without_a_rounding_keeps_the_number(run, rng):
    x = rng.standard_normal(100).astype(np.float32)
    out = np.zeros((2, 100), np.float32)
    run(
        """__global__ void kernel(const float *x, float *out) {
            float same, whole;
            asm("cvt.ftz.f32.f32 %0, %2; cvt.rzi.f32.f32 %1, %2;"
                : "=f"(same), "=f"(whole) : "f"(x[threadIdx.x]));
            out[threadIdx.x] = same;
            out[100 + threadIdx.x] = whole;
        }""",
        ww.In(x), ww.Out(out), block=100,
    )  # fmt: skip
    np.testing.assert_array_equal(out, [x, np.trunc(x)])


def test_reciprocal_roots(run, rng):
    x = rng.uniform(0.25, 9, 64).astype(np.float32)
    single, double = np.zeros(64, np.float32), np.zeros(64)
    run(
        """__global__ void kernel(const float *x, float *single, double *wide) {
            int i = threadIdx.x;
            asm("rsqrt.approx.f32 %0, %1;" : "=f"(single[i]) : "f"(x[i]));
            asm("rsqrt.approx.f64 %0, %1;" : "=d"(wide[i]) : "d"((double)x[i]));
        }""",
        ww.In(x), ww.Out(single), ww.Out(double), block=64,
    )  # fmt: skip
    np.testing.assert_allclose(single, 1 / np.sqrt(x), rtol=1e-6)
    np.testing.assert_allclose(double, 1 / np.sqrt(x.astype(float)), rtol=1e-6)
