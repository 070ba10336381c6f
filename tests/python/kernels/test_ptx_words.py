"""PTX comparisons, bits, video and warp instructions, against what the PTX ISA says of each."""

import operator

import devices
import numpy as np
import pytest

import warpwise as ww

N = 256


def words_of(rng):
    words = rng.integers(0, 2**32, N, np.uint64) >> rng.integers(0, 32, N).astype(np.uint64)
    words[:8] = [0, 1, 2**31, 2**32 - 1, 31, 32, 33, 2**31 - 1]
    return rng.permutation(words).astype(np.uint32)


def reals_of(rng, dtype=np.float32):
    x = rng.normal(0, 1, N).astype(dtype)
    x[:10] = [0, -0.0, 1, 1, np.inf, -np.inf, np.nan, np.nan, np.finfo(dtype).tiny / 8, -1]
    return rng.permutation(x)


def results(run, text, *columns, letters="", result="r"):
    kinds = {np.uint32: ("unsigned", "r"), np.float32: ("float", "f"), np.uint64: ("long", "l")}
    kinds |= {np.float64: ("double", "d"), np.int32: ("int", "r")}
    out = np.zeros(N, {"r": np.uint32, "f": np.float32, "d": np.float64}[result])
    parameters, sources = "", []
    for i, column in enumerate(columns):
        name, letter = kinds[column.dtype.type]
        parameters += f", const {name} *a{i}"
        sources.append(f'"{letter}"(a{i}[i])')
    run(
        f"""__global__ void kernel({kinds[out.dtype.type][0]} *out{parameters}) {{
            int i = threadIdx.x;
            asm volatile("{text}" : "={result}"(out[i]) : {", ".join(sources)});
        }}""",
        ww.Out(out), *map(ww.In, columns), block=N,
    )  # fmt: skip
    return out


TESTS = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
UNSIGNED = {"lo": operator.lt, "ls": operator.le, "hi": operator.gt, "hs": operator.ge}


@pytest.mark.parametrize("test", [*TESTS, *UNSIGNED])
def test_integers_are_compared_and_joined_with_a_predicate(run, rng, test):
    a, b, c = (words_of(rng) for _ in range(3))
    b[::3] = a[::3]
    kind = "u32" if test in UNSIGNED else "s32"
    left, right = (a, b) if test in UNSIGNED else (a.view(np.int32), b.view(np.int32))
    holds = (TESTS | UNSIGNED)[test](left, right)
    other = c % 2 == 1
    for join, joined in (("and", holds & other), ("or", holds | other), ("xor", holds ^ other)):
        got = results(
            run,
            "{ .reg .pred p, q; .reg .u32 t; and.b32 t, %3, 1; setp.ne.u32 q, t, 0; "
            f"setp.{test}.{join}.{kind} p, %1, %2, q; selp.u32 %0, 1, 0, p; }}",
            a, b, c,
        )  # fmt: skip
        assert np.array_equal(got, joined)
    both = results(
        run,
        f"{{ .reg .pred p, q; .reg .u32 t; setp.{test}.{kind} p|q, %1, %2; "
        "selp.u32 t, 2, 0, q; selp.u32 %0, 1, 0, p; or.b32 %0, %0, t; }",
        a, b,
    )  # fmt: skip
    assert np.array_equal(both, np.where(holds, 1, 2))
    assert np.array_equal(
        results(run, f"set.{test}.u32.{kind} %0, %1, %2;", a, b), np.where(holds, 2**32 - 1, 0)
    )


@pytest.mark.parametrize("test", [*TESTS, "num", "nan"])
def test_reals_are_compared_with_and_without_nan(run, rng, test):
    x, y = reals_of(rng), reals_of(rng)
    y[::3] = x[::3]
    unordered = np.isnan(x) | np.isnan(y)
    if test in TESTS:
        holds = TESTS[test](x, y) & ~unordered
        cases = [(test, holds), (test + "u", holds | unordered)]
    else:
        cases = [(test, unordered if test == "nan" else ~unordered)]
    for name, expected in cases:
        text = f"{{ .reg .pred p; setp.{name}.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }}"
        assert np.array_equal(results(run, text, x, y), expected)
        one = results(run, f"set.{name}.f32.f32 %0, %1, %2;", x, y, result="f")
        assert np.array_equal(one, expected.astype(np.float32))


def test_halves_of_words_are_compared(run, rng):
    x, y = (rng.integers(-2, 3, (N, 2)).astype(np.float16) for _ in range(2))
    a, b = (v.copy().view(np.uint32).ravel() for v in (x, y))
    got = results(run, "set.ge.f16x2.f16x2 %0, %1, %2;", a, b)
    assert np.array_equal(got.view(np.float16).reshape(N, 2), (x >= y).astype(np.float16))


def test_choices_by_sign_and_copied_signs(run, rng):
    a, b, c = words_of(rng), words_of(rng), words_of(rng)
    x, y = reals_of(rng), reals_of(rng)
    got = results(run, "slct.u32.s32 %0, %1, %2, %3;", a, b, c)
    assert np.array_equal(got, np.where(c.view(np.int32) >= 0, a, b))
    assert np.array_equal(
        results(run, "slct.u32.f32 %0, %1, %2, %3;", a, b, x), np.where(x >= 0, a, b)
    )
    got = results(run, "copysign.f32 %0, %1, %2;", x, y, result="f")
    assert np.array_equal(got.view(np.uint32), np.copysign(y, x).view(np.uint32))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("finite", np.isfinite),
        ("infinite", np.isinf),
        ("number", lambda x: ~np.isnan(x)),
        ("notanumber", np.isnan),
        # The PTX ISA counts zeros as normal.
        ("normal", lambda x: np.isfinite(x) & ((abs(x) >= np.finfo(x.dtype).tiny) | (x == 0))),
        ("subnormal", lambda x: (x != 0) & (abs(x) < np.finfo(x.dtype).tiny)),
    ],
)
@pytest.mark.parametrize(("kind", "dtype"), [("f32", np.float32), ("f64", np.float64)])
def test_properties_of_reals(run, rng, name, expected, kind, dtype):
    x = reals_of(rng, dtype)
    text = f"{{ .reg .pred p; testp.{name}.{kind} p, %1; selp.u32 %0, 1, 0, p; }}"
    assert np.array_equal(results(run, text, x), expected(x))


def test_subnormal_numbers_are_flushed_where_the_instruction_says_so(run, rng):
    x, y = reals_of(rng), np.ones(N, np.float32)
    x[:3] = [1e-40, -1e-40, 3e-39]
    tiny = np.float32(2.0**-126)
    zeros = np.where(abs(x) < tiny, np.copysign(np.float32(0), x), x)
    kept = results(run, "mul.rn.f32 %0, %1, %2;", x, y, result="f")
    assert np.array_equal(kept, x, equal_nan=True)
    flushed = results(run, "mul.rn.ftz.f32 %0, %1, %2;", x, y, result="f")
    assert np.array_equal(flushed, zeros, equal_nan=True)
    assert np.array_equal(np.signbit(flushed[:3]), [False, True, False])
    halved = np.full(N, tiny * np.float32(1.5), np.float32)
    assert results(run, "add.ftz.f32 %0, %1, %2;", halved, -np.full(N, tiny), result="f")[0] == 0
    text = "{ .reg .pred p; setp.eq.ftz.f32 p, %1, 0f00000000; selp.u32 %0, 1, 0, p; }"
    assert np.array_equal(results(run, text, x), zeros == 0)


def test_negative_results_become_zero_where_the_instruction_says_so(run, rng):
    x, y, z = (rng.normal(0, 1, (N, 2)).astype(np.float16) for _ in range(3))
    x[0, 0] = np.nan
    a, b, c = (v.copy().view(np.uint32).ravel() for v in (x, y, z))
    plain = results(run, "fma.rn.f16x2 %0, %1, %2, %3;", a, b, c).view(np.float16)
    got = results(run, "fma.rn.relu.f16x2 %0, %1, %2, %3;", a, b, c).view(np.float16)
    assert (plain < 0).sum() > 50
    assert np.array_equal(got, np.where(plain < 0, np.float16(0), plain), equal_nan=True)
    p, q = words_of(rng).view(np.int32), words_of(rng).view(np.int32)
    least = np.maximum(np.minimum(p, q), 0)
    assert np.array_equal(results(run, "min.relu.s32 %0, %1, %2;", p, q), least.view(np.uint32))


@pytest.mark.parametrize("mode", ["clamp", "wrap"])
def test_masks_of_bits_and_extended_fields(run, rng, mode):
    a, b = words_of(rng), words_of(rng) % 40
    start = rng.integers(0, 40, N).astype(np.uint32)
    mask, signed, unsigned = [], [], []
    for word, first, count in zip(a.tolist(), start.tolist(), b.tolist(), strict=True):
        if mode == "wrap":
            first, count = first % 32, count % 32
        mask.append((((1 << count) - 1) << first) & 0xFFFFFFFF)
        field = word & ((1 << count) - 1) if count < 32 else word
        unsigned.append(field)
        negative = 0 < count < 32 and field >> (count - 1) & 1
        signed.append((field - (1 << count) if negative else field) & 0xFFFFFFFF)
    assert results(run, f"bmsk.{mode}.b32 %0, %1, %2;", start, b).tolist() == mask
    assert results(run, f"szext.{mode}.u32 %0, %1, %2;", a, b).tolist() == unsigned
    assert results(run, f"szext.{mode}.s32 %0, %1, %2;", a, b).tolist() == signed


# The tables of the PTX ISA: for c = 0, 1, 2, 3 the bytes of the result, the last one first.
PERMUTATIONS = {
    "f4e": [(3, 2, 1, 0), (4, 3, 2, 1), (5, 4, 3, 2), (6, 5, 4, 3)],
    "b4e": [(5, 6, 7, 0), (6, 7, 0, 1), (7, 0, 1, 2), (0, 1, 2, 3)],
    "rc8": [(0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)],
    "ecl": [(3, 2, 1, 0), (3, 2, 1, 1), (3, 2, 2, 2), (3, 3, 3, 3)],
    "ecr": [(0, 0, 0, 0), (1, 1, 1, 0), (2, 2, 1, 0), (3, 2, 1, 0)],
    "rc16": [(1, 0, 1, 0), (3, 2, 3, 2), (1, 0, 1, 0), (3, 2, 3, 2)],
}


@pytest.mark.parametrize("mode", PERMUTATIONS)
def test_permutations_by_mode(run, rng, mode):
    a, b, c = words_of(rng), words_of(rng), words_of(rng)
    eight = np.stack([a, b], 1).view(np.uint8)
    table = np.array(PERMUTATIONS[mode])[:, ::-1]
    want = np.take_along_axis(eight, table[c & 3], 1)
    got = results(run, f"prmt.b32.{mode} %0, %1, %2, %3;", a, b, c)
    assert np.array_equal(got.view(np.uint8).reshape(N, 4), want)


def parts_of(words, count, signed):
    kind = {1: "4", 2: "2", 4: "1"}[count]
    return words.view(("i" if signed else "u") + kind).reshape(-1, count).astype(object)


def as_words(numbers):
    return np.array([int(v) & 0xFFFFFFFF for v in numbers], np.uint32)


def test_video_instructions_take_parts_of_words(run, rng):
    a, b, c = words_of(rng), words_of(rng), words_of(rng)
    whole = c.astype(object)
    bytes_, halves = parts_of(a, 4, False), parts_of(b, 2, True)
    got = results(run, "vadd.u32.u32.s32 %0, %1.b2, %2.h1;", a, b)
    assert np.array_equal(got, as_words(bytes_[:, 2] + halves[:, 1]))
    got = results(run, "vabsdiff.u32.u32.s32.add %0, %1.b0, %2.h0, %3;", a, b, c)
    assert np.array_equal(got, as_words(abs(bytes_[:, 0] - halves[:, 0]) + whole))
    got = results(run, "vmad.s32.u32.s32.shr7 %0, %1.b1, %2.h1, %3;", a, b, c.view(np.int32))
    third = c.view(np.int32).astype(object)
    assert np.array_equal(got, as_words((bytes_[:, 1] * halves[:, 1] + third) >> 7))
    left = parts_of(a, 2, True)[:, 0]
    got = results(run, "vmad.s32.s32.s32.po %0, %1.h0, %2.h0, %3;", a, b, c.view(np.int32))
    assert np.array_equal(got, as_words(left * halves[:, 0] + third + 1))
    got = results(run, "vmad.s32.s32.s32 %0, %1.h0, -%2.h0, %3;", a, b, c.view(np.int32))
    assert np.array_equal(got, as_words(left * -halves[:, 0] + third))


def test_video_shifts_and_tests(run, rng):
    a, b, c = words_of(rng), words_of(rng) % 70, words_of(rng)
    wide, by = a.astype(object), b.astype(object)
    got = results(run, "vshl.u32.u32.u32.clamp.add %0, %1, %2, %3;", a, b, c)
    low = (wide << np.minimum(by, 32)) & 0xFFFFFFFF
    assert np.array_equal(got, as_words(low + c.astype(object)))
    signed = a.view(np.int32).astype(object)
    got = results(run, "vshr.s32.s32.u32.wrap %0, %1, %2;", a, b)
    assert np.array_equal(got, as_words(signed >> (by % 32)))
    got = results(run, "vset.s32.u32.lt.add %0, %1, %2, %3;", a, b, c)
    assert np.array_equal(got, as_words((signed < by) + c.astype(object)))
    x, y = parts_of(a, 4, True), parts_of(c, 4, True)
    got = results(run, "vset4.s32.s32.gt %0, %1, %2, %3;", a, c, b)
    assert np.array_equal(got.view(np.uint8).reshape(N, 4), x > y)
    got = results(run, "vset4.s32.s32.le.add %0, %1, %2, %3;", a, c, b)
    assert np.array_equal(got, as_words((x <= y).sum(1) + by))


@pytest.mark.skipif(not devices.IS_CPU, reason="GPUs keep 34 bits, which the PTX ISA does not say")
def test_video_instructions_limit_whole_results(run, rng):
    a, b, c = words_of(rng), words_of(rng), words_of(rng)
    full = a.astype(object) * b.astype(object) + c.astype(object)
    got = results(run, "vmad.u32.u32.u32.sat %0, %1, %2, %3;", a, b, c)
    assert np.array_equal(got, as_words(np.minimum(full, 2**32 - 1)))
    full = a.astype(object) << (b.astype(object) % 32)
    got = results(run, "vshl.u32.u32.u32.sat.wrap %0, %1, %2;", a, b)
    assert np.array_equal(got, as_words(np.minimum(full, 2**32 - 1)))


@pytest.mark.parametrize(("half", "first"), [("lo", 0), ("hi", 2)])
def test_products_of_halves_and_bytes(run, rng, half, first):
    a, b, c = words_of(rng), words_of(rng), words_of(rng)
    x, y = parts_of(a, 2, True), parts_of(b, 4, False)
    want = x[:, 0] * y[:, first] + x[:, 1] * y[:, first + 1] + c.astype(object)
    got = results(run, f"dp2a.{half}.s32.u32 %0, %1, %2, %3;", a, b, c)
    assert np.array_equal(got, as_words(want))


def test_high_halves_and_limited_sums(run, rng):
    a, b, c = words_of(rng), words_of(rng), words_of(rng)
    product = (a & 0xFFFFFF).astype(object) * (b & 0xFFFFFF).astype(object)
    assert np.array_equal(results(run, "mul24.hi.u32 %0, %1, %2;", a, b), as_words(product >> 16))
    x, y, z = (v.view(np.int32).astype(object) for v in (a, b, c))
    total = np.clip((x * y >> 32) + z, -(2**31), 2**31 - 1)
    assert np.array_equal(results(run, "mad.hi.sat.s32 %0, %1, %2, %3;", a, b, c), as_words(total))


def test_pairs_of_small_integers(run, rng):
    a, b = words_of(rng), words_of(rng)
    x, y = a.view(np.uint16), b.view(np.uint16)
    for name, expected in (("add.u16x2", x + y), ("min.u16x2", np.minimum(x, y))):
        got = results(run, f"{name} %0, %1, %2;", a, b)
        assert np.array_equal(got.view(np.uint16), expected)
    got = results(run, "max.s16x2 %0, %1, %2;", a, b)
    assert np.array_equal(got.view(np.int16), np.maximum(a.view(np.int16), b.view(np.int16)))


@pytest.mark.parametrize("way", ["up", "down", "bfly", "idx"])
def test_shuffles_tell_whether_the_source_is_in_the_segment(run, rng, way):
    a, width = words_of(rng), 8
    by = 3 if way != "bfly" else 9
    limit = (32 - width) << 8 | (0 if way == "up" else 31)
    text = (
        "{ .reg .pred p; .reg .b32 t; "
        f"shfl.sync.{way}.b32 t|p, %1, {by}, {limit}, -1; selp.b32 %0, t, 0x7777, p; }}"
    )
    lane = np.arange(N) % 32
    source = {
        "up": lane - by,
        "down": lane + by,
        "bfly": lane ^ by,
        "idx": lane // width * width + by,
    }[way]
    inside = (
        source // width == lane // width if way != "bfly" else source <= lane // width * width + 7
    )
    index = np.arange(N) // 32 * 32 + np.clip(source, 0, 31)
    assert np.array_equal(results(run, text, a), np.where(inside, a[index], 0x7777))


def test_matches_elections_and_reductions_at_a_barrier(run):
    values = np.repeat(np.arange(N // 32, dtype=np.uint32), 32)
    values[5] = 99
    text = "{ .reg .pred p; match.all.sync.b32 %0|p, %1, -1; selp.b32 %0, %0, 7, p; }"
    assert np.array_equal(results(run, text, values), np.where(np.arange(N) < 32, 7, 2**32 - 1))
    text = "{ .reg .pred p; elect.sync _|p, -1; selp.u32 %0, 1, %1, p; }"
    zeros = np.zeros(N, np.uint32)
    assert np.array_equal(results(run, text, zeros), np.arange(N) % 32 == 0)
    count = "{ .reg .pred p; setp.eq.u32 p, %1, 3; bar.red.popc.u32 %0, 0, p; }"
    assert (results(run, count, values) == 32).all()
    any_of = (
        "{ .reg .pred p, q; setp.eq.u32 p, %1, 99; bar.red.or.pred q, 0, p; selp.u32 %0, 1, 0, q; }"
    )
    assert (results(run, any_of, values) == 1).all()


@pytest.mark.parametrize("transposed", [False, True])
def test_matrices_are_stored_and_transposed(run, transposed):
    out, trans = np.zeros((2, 8, 8), np.uint16), ".trans" if transposed else ""
    words = np.arange(128, dtype=np.uint16).view(np.uint32)
    run(
        f"""__global__ void kernel(unsigned short *out, const unsigned *words) {{
            __shared__ __align__(16) unsigned short tile[128];
            unsigned row = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x % 16 * 8);
            unsigned a = words[threadIdx.x], b = words[threadIdx.x + 32];
            asm volatile("stmatrix.sync.aligned.m8n8.x2{trans}.shared.b16 [%0], {{%1, %2}};"
                         :: "r"(row), "r"(a), "r"(b) : "memory");
            __syncwarp();
            for (int i = threadIdx.x; i < 128; i += 32) out[i] = tile[i];
        }}""",
        ww.Out(out), ww.In(words), block=32,
    )  # fmt: skip
    want = np.arange(128, dtype=np.uint16).reshape(2, 8, 8)
    assert np.array_equal(out, want.transpose(0, 2, 1) if transposed else want)


def test_a_matrix_in_registers_is_transposed(run):
    out, words = np.zeros(32, np.uint32), np.arange(64, dtype=np.uint16).view(np.uint32)
    run(
        """__global__ void kernel(unsigned *out, const unsigned *words) {
            asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
                         : "=r"(out[threadIdx.x]) : "r"(words[threadIdx.x]));
        }""",
        ww.Out(out), ww.In(words), block=32,
    )  # fmt: skip
    assert np.array_equal(out.view(np.uint16).reshape(8, 8), np.arange(64).reshape(8, 8).T)


def test_pairs_and_vectors_are_added_atomically(run):
    sums = np.zeros(4, np.float16)
    run(
        """__global__ void kernel(unsigned *sums) {
            unsigned old, pair = 0x3c004000;  // 1 above 2
            asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;"
                         : "=r"(old) : "l"(sums), "r"(pair) : "memory");
            asm volatile("red.global.add.noftz.f16x2 [%0], %1;"
                         :: "l"(sums + 1), "r"(pair) : "memory");
        }""",
        ww.InOut(sums.view(np.uint32)), grid=4, block=100,
    )  # fmt: skip
    assert sums.tolist() == [800, 400, 800, 400]


@pytest.mark.cpu_only("vectors need sm_90")
def test_vectors_are_added_atomically(run):
    sums = np.zeros(4, np.float32)
    run(
        """__global__ void kernel(float *sums) {
            float x = 1, y = 2;
            asm volatile("red.global.v4.f32.add [%0], {%1, %2, %1, %2};"
                         :: "l"(sums), "f"(x), "f"(y) : "memory");
        }""",
        ww.InOut(sums), grid=4, block=100,
    )  # fmt: skip
    assert sums.tolist() == [400, 800, 400, 800]


def test_hints_for_caches_change_nothing(run, rng):
    x, out = reals_of(rng), np.zeros(N, np.float32)
    run(
        """__global__ void kernel(float *out, const float *x) {
            unsigned long long all, part;
            float value, share = 0.5f;
            asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(all));
            asm("createpolicy.fractional.L2::evict_first.b64 %0, %1;" : "=l"(part) : "f"(share));
            asm volatile("ld.global.L1::no_allocate.L2::cache_hint.f32 %0, [%1], %2;"
                         : "=f"(value) : "l"(x + threadIdx.x), "l"(all));
            asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;"
                         :: "l"(out + threadIdx.x), "f"(value), "l"(part) : "memory");
        }""",
        ww.Out(out), ww.In(x), block=N,
    )  # fmt: skip
    assert np.array_equal(out, x, equal_nan=True)


@pytest.mark.parametrize("name", ["clock64", "globaltimer"])
def test_clocks_are_read_in_vectors(run, name):
    """All lanes of a vector get one reading, and a later one is not earlier."""
    out = np.zeros((2, N), np.uint64)
    run(
        f"""__global__ void kernel(unsigned long long *out) {{
            unsigned high, low;
            asm volatile("mov.u64 %0, %%{name};" : "=l"(out[threadIdx.x]) :: "memory");
            asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(high));
            asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(low));
            asm volatile("mov.u64 %0, %%{name};" : "=l"(out[threadIdx.x + blockDim.x]) :: "memory");
        }}""",
        ww.Out(out), block=N,
    )  # fmt: skip
    assert (out[0] > 0).all()
    assert (out[1] >= out[0]).all()


def test_fns_finds_the_nth_set_bit(run, rng):
    masks = np.r_[0, 0xFFFFFFFF, 1, 1 << 31, 0x80000001, rng.integers(0, 2**32, 11)]
    masks = masks.astype(np.uint32)
    out = np.zeros((len(masks), 34, 67), np.uint32)
    run(
        r"""__global__ void kernel(unsigned *out, const unsigned *masks) {
            for (int base = 0; base < 34; ++base) {
                for (int offset = -33; offset <= 33; ++offset) {
                    unsigned found;
                    asm("fns.b32 %0, %1, %2, %3;" : "=r"(found)
                        : "r"(masks[threadIdx.x]), "r"(base), "r"(offset));
                    out[(threadIdx.x * 34 + base) * 67 + offset + 33] = found;
                }
            }
        }""",
        ww.Out(out), ww.In(masks), block=len(masks),
    )  # fmt: skip

    def find(mask, base, offset):
        if base > 31:
            return 0xFFFFFFFF
        if offset == 0:
            return base if mask >> base & 1 else 0xFFFFFFFF
        places = range(base, 32) if offset > 0 else range(base, -1, -1)
        found = [place for place in places if mask >> place & 1]
        return found[abs(offset) - 1] if abs(offset) <= len(found) else 0xFFFFFFFF

    wanted = [
        [[find(int(mask), base, offset) for offset in range(-33, 34)] for base in range(34)]
        for mask in masks
    ]
    np.testing.assert_array_equal(out, wanted)
