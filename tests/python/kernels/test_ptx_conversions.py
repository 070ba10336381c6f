"""PTX cvt in every rounding mode, against what the definition of a format makes of exact numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import devices
import numpy as np
import pytest

import warpwise as ww

EXECUTORS = ["auto", "reference"]


@dataclass(frozen=True)
class Format:
    """Numbers of ``precision`` bits whose smallest normal one is 2**lowest."""

    name: str
    precision: int
    lowest: int
    greatest: float
    nan: int
    bits_of: Callable[[np.ndarray], np.ndarray]

    def rounded(self, x: np.ndarray, way: str) -> np.ndarray:
        """Of float64, infinities where the way leads beyond the greatest number."""
        x = x.astype(np.float64)
        exponent = np.frexp(np.where(np.isfinite(x) & (x != 0), x, 1))[1] - 1
        unit = np.ldexp(1.0, np.maximum(exponent, self.lowest) - self.precision + 1)
        with np.errstate(invalid="ignore", over="ignore"):
            whole = WAYS[way](x / unit)
            result = np.copysign(whole * unit, x)
        beyond = (abs(result) > self.greatest) & np.isfinite(x)
        towards_zero = (way == "rz") | ((way == "rm") & (x > 0)) | ((way == "rp") & (x < 0))
        limit = np.where(towards_zero, self.greatest, np.inf)
        return np.where(beyond, np.copysign(limit, x), result)

    def encoded(self, x: np.ndarray, nan: int | None = None) -> np.ndarray:
        return np.where(np.isnan(x), self.nan if nan is None else nan, self.bits_of(x))


WAYS = {
    "rn": np.rint,
    "rz": np.trunc,
    "rm": np.floor,
    "rp": np.ceil,
    "rna": lambda x: np.copysign(np.floor(abs(x) + 0.5), x),
}


def float_bits(x: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", over="ignore"):
        return x.astype(np.float32).view(np.uint32).astype(np.int64)


def small_value(code: int, precision: int, bias: int) -> float:
    """What eight bits mean, for the formats without infinities among their finite codes."""
    fraction_bits = precision - 1
    exponent, fraction = (
        code >> fraction_bits & (0x7F >> fraction_bits),
        code & ((1 << fraction_bits) - 1),
    )
    if exponent == 0:
        return float(fraction) * 2.0 ** (1 - bias - fraction_bits)
    return (1 + fraction / (1 << fraction_bits)) * 2.0 ** (exponent - bias)


def small_bits(precision: int, bias: int, greatest_code: int) -> Callable[..., np.ndarray]:
    values = np.array([small_value(code, precision, bias) for code in range(greatest_code + 1)])

    def bits_of(x: np.ndarray) -> np.ndarray:
        size = np.minimum(np.nan_to_num(abs(x), nan=0, posinf=values[-1]), values[-1])
        codes = np.searchsorted(values, size)
        assert (values[codes] == size).all()
        return codes | np.where(np.signbit(x), 0x80, 0)

    return bits_of


F32 = Format("f32", 24, -126, float(np.finfo(np.float32).max), 0x7FFFFFFF, float_bits)
F16 = Format(
    "f16", 11, -14, 65504.0, 0x7FFF, lambda x: x.astype(np.float16).view(np.uint16).astype(int)
)
BF16 = Format("bf16", 8, -126, 255 * 2.0**120, 0x7FFF, lambda x: float_bits(x) >> 16)
TF32 = Format("tf32", 11, -126, 2047 * 2.0**117, 0x7FFFE000, float_bits)
E4M3 = Format("e4m3", 4, -6, 448.0, 0x7F, small_bits(4, 7, 0x7E))
E5M2 = Format("e5m2", 3, -14, 57344.0, 0x7F, small_bits(3, 15, 0x7B))
# What is left of np.nan: NaN of doubles keeps its highest bits.
NAN_OF_DOUBLES = {"f32": 0x7FC00000, "f16": 0x7E00}
UNITS = {"f": np.uint32, "d": np.uint64, "r": np.uint32, "l": np.uint64, "h": np.uint16}
TYPES = {"f": "float", "d": "double", "r": "unsigned", "l": "unsigned long long"}
TYPES["h"] = "unsigned short"


def results(text: str, letters: str, *columns: np.ndarray, executor: str = "auto") -> np.ndarray:
    """The bits that ``text`` gives; ``letters``: the constraints of its result and its sources."""
    n = columns[0].size
    out = np.zeros(n, UNITS[letters[0]])
    names = [f"a{i}" for i in range(len(columns))]
    parameters = "".join(
        f", const {TYPES[letter]} *{name}" for letter, name in zip(letters[1:], names, strict=True)
    )
    sources = ", ".join(
        f'"{letter}"({name}[i])' for letter, name in zip(letters[1:], names, strict=True)
    )
    source = f"""__global__ void kernel({TYPES[letters[0]]} *out, int n{parameters}) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) asm("{text}" : "={letters[0]}"(out[i]) : {sources});
    }}"""
    options = [f"--warpwise-executor={executor}"] if devices.IS_CPU else []
    kernel = ww.SourceModule(source, options=options)["kernel"]
    typed: Any = out.view({"f": np.float32, "d": np.float64}.get(letters[0], out.dtype))
    kernel(ww.Out(typed), n, *map(ww.In, columns), grid=-(-n // 256), block=256)
    ww.Device().synchronize()
    return out.astype(np.uint64).astype(object if letters[0] in "dl" else np.int64)


def floats_around(rng: np.random.Generator, target: Format, dtype: type) -> np.ndarray:
    """Numbers of the format, the middles between them, and what lies next to both."""
    sizes = np.array([0.0, target.greatest, 2.0**target.lowest, 2.0**-149])
    exponents = rng.integers(target.lowest - target.precision - 1, 40, 6000)
    fractions = rng.integers(0, 2 << target.precision, 6000) / (1 << target.precision)
    sizes = np.concatenate([sizes, (fractions + 1) / 2 * np.exp2(exponents.astype(float))])
    sizes = np.concatenate([sizes, sizes * (1 + 2.0**-target.precision), [1e38, 3e38, np.inf]])
    if dtype is np.float64:
        sizes = np.concatenate([sizes, [1e-300, 5e-324, 1e300, np.finfo(float).max]])
    sizes = sizes.astype(dtype)
    sizes = np.concatenate([sizes, np.nextafter(sizes, dtype(0)), np.nextafter(sizes, dtype(9e9))])
    random = rng.integers(0, 2**32, 20000, np.uint64).astype(np.uint32).view(np.float32)
    random = random[np.isfinite(random)].astype(dtype)
    return np.concatenate([sizes, -sizes, random, np.array([np.nan], dtype)])


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("way", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize(
    ("target", "letter", "source"),
    [(F32, "f", "f64"), (F16, "h", "f32"), (F16, "h", "f64"), (BF16, "h", "f32")],
)
def test_reals_to_narrower_ones(rng, target, letter, source, way, executor):
    dtype = np.float32 if source == "f32" else np.float64
    x = floats_around(rng, target, dtype)
    text = f"cvt.{way}.{target.name}.{source} %0, %1;"
    got = results(text, letter + ("f" if source == "f32" else "d"), x, executor=executor)
    want = target.encoded(
        target.rounded(x, way), NAN_OF_DOUBLES[target.name] if source == "f64" else None
    )
    assert got.tolist() == want.tolist()


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("way", ["rn", "rz"])
@pytest.mark.parametrize("kind", ["", ".relu", ".satfinite", ".relu.satfinite"])
@pytest.mark.parametrize("target", [F16, BF16], ids=["f16", "bf16"])
def test_pairs_of_floats_to_a_word_of_two(rng, target, way, kind, executor):
    low = floats_around(rng, target, np.float32)
    high = low[::-1].copy()

    def wanted(x: np.ndarray) -> np.ndarray:
        y = target.rounded(x, way)
        if "satfinite" in kind:
            y = np.clip(y, -target.greatest, target.greatest)
        if "relu" in kind:
            y = np.where(np.signbit(y) & ~np.isnan(y), 0.0, y)
        return target.encoded(y)

    text = f"cvt.{way}{kind}.{target.name}x2.f32 %0, %1, %2;"
    got = results(text, "rff", high, low, executor=executor)
    assert got.tolist() == (wanted(high) << 16 | wanted(low)).tolist()


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("kind", ["rna", "rn", "rz", "rna.satfinite", "rn.relu"])
def test_floats_to_tf32(rng, kind, executor):
    x = floats_around(rng, TF32, np.float32)
    y = TF32.rounded(x, kind.split(".")[0])
    if "satfinite" in kind:
        y = np.clip(y, -TF32.greatest, TF32.greatest)
    if "relu" in kind:
        y = np.where(np.signbit(y), 0.0, y)
    got = results(f"cvt.{kind}.tf32.f32 %0, %1;", "rf", x, executor=executor)
    # What an H200 makes of np.nan.
    nan = {"rna": 0x7FC00000, "rna.satfinite": 0x7FBFE000}.get(kind)
    assert got.tolist() == TF32.encoded(y, nan).tolist()


@pytest.mark.parametrize("executor", EXECUTORS)
def test_nan_keeps_what_a_gpu_keeps(executor):
    """Every kind of NaN, with the bits that an H200 gave."""
    doubles = np.array(
        [0x7FF8 << 48, 0xFFF8 << 48, 0x7FF0000000000001, 0x7FF0ABCDE1234567], np.uint64
    )
    floats = np.array([0x7FC00000, 0xFFC00000, 0x7F800001, 0x7F8ABCDE], np.uint32)
    expected = {
        "cvt.rn.f32.f64": ("fd", [0x7FC00000, 0xFFC00000, 0x7FC00000, 0x7FC55E6F]),
        "cvt.rz.f16.f64": ("hd", [0x7E00, 0xFE00, 0x7E00, 0x7E2A]),
        "cvt.rn.f16.f32": ("hf", [0x7FFF] * 4),
        "cvt.rn.tf32.f32": ("rf", [0x7FFFE000] * 4),
        "cvt.rna.tf32.f32": ("rf", [0x7FC00000, 0xFFC00000, 0x7F800000, 0x7F8AA000]),
        "cvt.rna.satfinite.tf32.f32": ("rf", [0x7FBFE000, 0xFFBFE000, 0x7F7FE000, 0x7F8A8000]),
    }
    for text, (letters, want) in expected.items():
        x = doubles.view(np.float64) if letters[1] == "d" else floats.view(np.float32)
        got = results(f"{text} %0, %1;", letters, x, executor=executor)
        assert got.tolist() == want, text


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("kind", ["", ".relu"])
@pytest.mark.parametrize("target", [E4M3, E5M2], ids=["e4m3", "e5m2"])
def test_pairs_to_eight_bits(rng, target, kind, executor):
    """Beyond the greatest number to that; from floats, and from all halves."""

    def wanted(x: np.ndarray) -> np.ndarray:
        y = np.clip(target.rounded(x, "rn"), -target.greatest, target.greatest)
        if kind:
            y = np.where(np.signbit(y) & ~np.isnan(y), 0.0, y)
        return target.encoded(y)

    low = floats_around(rng, target, np.float32)
    high = low[::-1].copy()
    text = f"cvt.rn.satfinite{kind}.{target.name}x2"
    got = results(f"{text}.f32 %0, %1, %2;", "hff", high, low, executor=executor)
    assert got.tolist() == (wanted(high) << 8 | wanted(low)).tolist()
    halves = np.arange(1 << 16, dtype=np.uint16)
    words = halves | halves[::-1].astype(np.uint32) << 16
    want = wanted(halves.view(np.float16))
    got = results(f"{text}.f16x2 %0, %1;", "hr", words, executor=executor)
    assert got.tolist() == (want[::-1] << 8 | want).tolist()


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize(
    ("name", "precision", "bias"), [("e4m3", 4, 7), ("e5m2", 3, 15)], ids=["e4m3", "e5m2"]
)
def test_all_pairs_of_eight_bits_to_halves(name, precision, bias, executor):
    codes = np.arange(1 << 16, dtype=np.uint16)
    halves = np.array([small_value(c & 0x7F, precision, bias) for c in range(256)], np.float16)
    bits = halves.view(np.uint16).astype(np.int64)
    if name == "e5m2":
        bits[[0x7C, 0xFC]] = 0x7C00
    bits |= (np.arange(256) & 0x80) << 8
    nan = [0x7F, 0xFF] if name == "e4m3" else [0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF]
    bits[nan] = 0x7FFF
    got = results(f"cvt.rn.f16x2.{name}x2 %0, %1;", "rh", codes, executor=executor)
    assert got.tolist() == (bits[codes >> 8] << 16 | bits[codes & 255]).tolist()


def round_exactly(value: Fraction, target: Format, way: str) -> float:
    """As ``Format.rounded``, of a number that a float64 may not hold."""
    if value == 0:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - 1  # of a whole number
    unit = Fraction(2) ** (max(exponent, target.lowest) - target.precision + 1)
    low = value / unit
    down, up = low.__floor__(), low.__ceil__()
    if way == "rn":
        whole = round(low)  # halves to the even one
    else:
        whole = {"rm": down, "rp": up, "rz": down if value > 0 else up}[way]
    result = whole * unit
    if abs(result) <= Fraction(target.greatest):
        return float(result)
    to_zero = way == "rz" or (way == "rm" and value > 0) or (way == "rp" and value < 0)
    return (target.greatest if to_zero else np.inf) * (1 if value > 0 else -1)


F64 = Format("f64", 53, -1022, float(np.finfo(float).max), 0, lambda x: x.view(np.uint64))


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("way", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("target", [F64, F32, F16, BF16], ids=["f64", "f32", "f16", "bf16"])
@pytest.mark.parametrize("source", ["s32", "u32", "s64", "u64"])
def test_integers_to_reals(rng, source, target, way, executor):
    bits = int(source[1:])
    words = [int(w) >> int(s) for w, s in zip(
        rng.integers(0, 2**63, 400), rng.integers(0, 62, 400), strict=True)]  # fmt: skip
    words += [0, 1, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, 65519, 65520]
    words += [(1 << k) + d for k in range(12, bits, 3) for d in (-1, 1)]
    words += [(1 << k) + (1 << (k - 24)) + d for k in range(25, bits, 5) for d in (-1, 0, 1)]
    column = np.array(
        [w & ((1 << bits) - 1) for w in words], np.uint32 if bits == 32 else np.uint64
    )
    numbers = column.view(column.dtype.str.replace("u", "i")) if source[0] == "s" else column
    want = np.array([round_exactly(Fraction(int(v)), target, way) for v in numbers])
    letter = {"f64": "d", "f32": "f"}.get(target.name, "h")
    got = results(
        f"cvt.{way}.{target.name}.{source} %0, %1;",
        letter + ("r" if bits == 32 else "l"),
        column,
        executor=executor,
    )
    assert [int(v) for v in got] == [int(v) for v in target.encoded(want)]


@pytest.mark.parametrize("executor", EXECUTORS)
def test_limits_and_flushing_of_conversions(rng, executor):
    x = np.concatenate([rng.normal(0, 1, 300), [1e-310, -0.0, 2.0, 1e-40, -1e-40, np.inf, np.nan]])
    got = results("cvt.rz.sat.f32.f64 %0, %1;", "fd", x, executor=executor)
    limited = np.clip(np.nan_to_num(F32.rounded(x, "rz"), nan=0.0), 0, 1)
    assert got.tolist() == F32.encoded(abs(limited)).tolist()
    got = results("cvt.rn.ftz.f32.f64 %0, %1;", "fd", x, executor=executor)
    y = F32.rounded(x, "rn")
    assert (abs(y) < 2.0**-126).sum() > 3
    flushed = np.where(abs(y) < 2.0**-126, np.copysign(0.0, y), y)
    assert got.tolist() == F32.encoded(flushed, NAN_OF_DOUBLES["f32"]).tolist()
    with np.errstate(over="ignore"):
        single = x.astype(np.float32)
    got = results("cvt.ftz.f64.f32 %0, %1;", "df", single[:-1], executor=executor)
    tiny = abs(single) < np.float32(2.0**-126)
    wide = np.where(tiny, np.copysign(np.float32(0), single), single).astype(np.float64)
    assert got.tolist() == wide[:-1].view(np.uint64).tolist()


@pytest.mark.parametrize(
    ("text", "low", "high", "bits"),
    [
        ("cvt.pack.sat.u8.s32.b32", 0, 255, 8),
        ("cvt.pack.sat.s8.s32.b32", -128, 127, 8),
        ("cvt.pack.sat.s16.s32", -32768, 32767, 16),
        ("cvt.pack.sat.u16.s32", 0, 65535, 16),
    ],
)
def test_packed_integers_are_limited(rng, text, low, high, bits):
    numbers = rng.integers(-(2**31), 2**31, (3, 200)) >> rng.integers(0, 31, 200)
    a, b, c = numbers.astype(np.int32)
    want = np.clip(a, low, high) & ((1 << bits) - 1)
    want = want.astype(np.int64) << bits | (np.clip(b, low, high) & ((1 << bits) - 1))
    operands = [a.view(np.uint32), b.view(np.uint32)]
    if bits == 8:
        want |= c.astype(np.int64) << 16
        operands.append(c.view(np.uint32))
    places = ", ".join(f"%{k}" for k in range(len(operands) + 1))
    got = results(f"{text} {places};", "r" * (len(operands) + 1), *operands)
    assert got.tolist() == (want & 0xFFFFFFFF).tolist()


@pytest.mark.parametrize(
    ("text", "letters", "low", "high", "signed"),
    [
        ("cvt.sat.s64.u64 %0, %1;", "ll", -(2**63), 2**63 - 1, False),
        ("cvt.sat.u64.s64 %0, %1;", "ll", 0, 2**64 - 1, True),
        ("cvt.sat.u32.s64 %0, %1;", "rl", 0, 2**32 - 1, True),
        ("cvt.sat.s32.u64 %0, %1;", "rl", -(2**31), 2**31 - 1, False),
    ],
)
def test_long_integers_become_the_nearest_that_fits(rng, text, letters, low, high, signed):
    words = rng.integers(0, 2**64, 200, np.uint64) >> rng.integers(0, 63, 200).astype(np.uint64)
    numbers = words.view(np.int64) if signed else words
    mask = 2 ** (64 if letters[0] == "l" else 32) - 1
    want = [min(max(int(v), low), high) & mask for v in numbers]
    assert [int(v) for v in results(text, letters, words)] == want
