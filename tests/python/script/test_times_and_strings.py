"""NumPy's dates, spans of time and strings of a fixed size in kernels, as NumPy has them."""

from __future__ import annotations

import dataclasses
import math
import warnings
from typing import NamedTuple

import numpy as np
import pytest
from refused_lines import expect_refused

import warpwise as ww
from warpwise import cuda
from warpwise.cuda import types

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


def results_of(function, result, *columns):
    """(of a kernel, of Python): the function of each row of the columns, as arrays of a dtype."""

    @cuda.jit
    def one(out, a):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(a[i])

    @cuda.jit
    def two(out, a, b):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(a[i], b[i])

    out = np.zeros(len(columns[0]), result)
    (one if len(columns) == 1 else two)[1, 64](out, *columns)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = np.array([function(*row) for row in zip(*columns, strict=True)], result)
    return out, expected


def assert_same(function, result, *columns):
    out, expected = results_of(function, result, *columns)
    assert out.dtype == expected.dtype
    assert out.tobytes() == expected.tobytes(), (out, expected)


DAYS = np.array(["2024-02-29", "1969-12-31", "NaT", "0001-01-01", "9999-12-31"], "M8[D]")
OTHER_DAYS = np.array(["2024-02-29", "NaT", "NaT", "2026-11-27", "1970-01-01"], "M8[D]")
HOURS = np.array([25, -7, "NaT", 0, 10**6], "m8[h]")
OTHER_HOURS = np.array([7, 2, 3, 0, "NaT"], "m8[h]")
FACTORS = np.array([3, -2, 5, 0, 7])
SHORT = np.timedelta64(2, "h")
REALS = np.array([2.5, -0.3, 1.0, np.nan, np.inf])


@pytest.mark.parametrize(
    ("function", "result", "columns"),
    [
        (lambda a, b: a - b, "m8[D]", (DAYS, OTHER_DAYS)),
        (lambda a, b: a + b, "M8[h]", (DAYS, HOURS)),
        (lambda a, b: b + a, "M8[h]", (DAYS, HOURS)),
        (lambda a, b: a - b, "M8[h]", (DAYS, HOURS)),
        (lambda a, b: a + b - b, "m8[h]", (HOURS, OTHER_HOURS)),
        (lambda a, b: a + b, "M8[D]", (DAYS, FACTORS)),
        (lambda a, b: b - a, "m8[h]", (FACTORS, HOURS)),
        (lambda a, b: a * b, "m8[h]", (HOURS, FACTORS)),
        (lambda a, b: b * a, "m8[h]", (HOURS, FACTORS)),
        (lambda a, b: a * b, "m8[h]", (HOURS, REALS)),
        (lambda a, b: a / b, "f8", (HOURS, OTHER_HOURS)),
        (lambda a, b: a / b, "m8[h]", (HOURS, FACTORS)),
        (lambda a, b: a / b, "m8[h]", (HOURS, REALS)),
        (lambda a, b: a // b, "i8", (HOURS, OTHER_HOURS)),
        (lambda a, b: a // b, "m8[h]", (HOURS, FACTORS)),
        (lambda a, b: a // b, "m8[h]", (HOURS, REALS)),
        (lambda a, b: a % b, "m8[h]", (HOURS, OTHER_HOURS)),
        (lambda a: -a, "m8[h]", (HOURS,)),
        (lambda a: +a, "m8[h]", (HOURS,)),
        (lambda a: abs(a), "m8[h]", (HOURS,)),
        (lambda a, b: a == b, "?", (DAYS, OTHER_DAYS)),
        (lambda a, b: a != b, "?", (DAYS, OTHER_DAYS)),
        (lambda a, b: a < b, "?", (DAYS, OTHER_DAYS)),
        (lambda a, b: a <= b, "?", (DAYS, OTHER_DAYS)),
        (lambda a, b: a > b, "?", (HOURS, OTHER_HOURS)),
        (lambda a, b: a >= b, "?", (HOURS, OTHER_HOURS)),
        (lambda a, b: min(a, b), "M8[D]", (DAYS, OTHER_DAYS)),
        (lambda a, b: max(a, b), "m8[h]", (HOURS, OTHER_HOURS)),
        (lambda a, b: np.minimum(a, b), "M8[D]", (DAYS, OTHER_DAYS)),
        (lambda a, b: np.maximum(a, b), "M8[D]", (DAYS, OTHER_DAYS)),
        (lambda a, b: np.fmin(a, b), "m8[h]", (HOURS, OTHER_HOURS)),
        (lambda a, b: np.fmax(a, b), "m8[h]", (HOURS, OTHER_HOURS)),
        (lambda a: np.isnat(a), "?", (DAYS,)),
        (lambda a: a.view(np.int64), "i8", (DAYS,)),
        (lambda a: a.astype("M8[s]"), "M8[s]", (DAYS,)),
        (lambda a: 1.5 if a else 0.5, "f8", (HOURS,)),
        (lambda a, b: a if b > SHORT else np.datetime64("NaT"), "M8[D]", (DAYS, HOURS)),
    ],
)
def test_operators_are_numpys(function, result, columns):
    assert_same(function, result, *columns)


UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "25s", "10D", "7D", "3M", "7h")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("other", UNITS)
def test_dates_of_two_units_meet_in_the_finer_one(unit, other):
    counts = np.array([0, 1, -1, 13, -25, 600])
    a, b = counts.view(f"M8[{unit}]"), counts[::-1].copy().view(f"M8[{other}]")
    assert_same(lambda a, b: a - b, (a - b).dtype, a, b)
    assert_same(lambda a, b: a < b, "?", a, b)


def test_spans_of_months_have_no_length_in_days():
    assert_same(lambda a, b: a + b, "M8[D]", np.array(["2024-01", "1968-11"], "M8[M]"),
                np.array([30, -1], "m8[D]"))  # fmt: skip
    days, months = np.zeros(4, "M8[D]"), np.zeros(4, "m8[M]")
    with pytest.raises(
        ww.CompileError, match=r"datetime64\[D\] and timedelta64\[M\] have no common"
    ):
        results_of(lambda a, b: a + b, "M8[D]", days, months)


HOLIDAYS = np.array(["2024-02-29", "2026-12-25"], "M8[D]")


def test_a_global_array_of_dates_is_a_constant():
    def holidays_until(date):
        count = 0
        for holiday in HOLIDAYS:
            count += holiday <= date
        return count

    assert_same(holidays_until, "i8", DAYS)


EPOCH = np.datetime64("1970-01-01T00", "h")


def test_dates_and_spans_are_written_in_kernels_or_come_from_around_them():
    step = np.timedelta64(90, "m")
    assert_same(lambda a: a + step, "m8[m]", HOURS)
    assert_same(lambda a: a - EPOCH, "m8[h]", DAYS)
    assert_same(lambda a: a >= np.datetime64("1969-12-31T23:59:59.25"), "?", DAYS)
    assert_same(lambda a: a + np.timedelta64(2, "W"), "M8[D]", DAYS)
    assert_same(lambda a: (a - np.datetime64("2000-03")) / np.timedelta64(1, "D"), "f8", DAYS)
    assert_same(lambda a: np.datetime64(int(a), "s"), "M8[s]", FACTORS)


def test_a_date_may_have_fractions_of_a_second():
    assert_same(lambda a: a - np.datetime64("2000-02-29T01:02:03.45"), "m8[ms]", DAYS)
    assert_same(lambda a: a - np.datetime64("1969-12-31T23:59:59.0123456"), "m8[ns]", HOURS + EPOCH)


def test_arguments_variables_tuples_and_functions():
    class Window(NamedTuple):
        start: np.datetime64
        length: np.timedelta64

    @cuda.jit(device=True)
    def clipped(date, window):
        end = window.start + window.length
        if date > end:
            date = end
        return date if date > window.start else window.start

    @cuda.jit
    def kernel(out, dates, window, latest):
        for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
            value = clipped(dates[i], window)
            out[i], latest[0] = value, max(latest[0], value)

    dates = np.arange("2026-11-01", "2026-12-31", dtype="M8[D]")
    window = Window(np.datetime64("2026-11-10"), np.timedelta64(14, "D"))
    out, latest = np.zeros_like(dates), np.array(["1970-01-01"], "M8[D]")
    kernel[1, 1](out, dates, window, latest)
    assert np.array_equal(out, np.clip(dates, window.start, window.start + window.length))
    assert latest[0] == np.datetime64("2026-11-24")


def test_arrays_with_strides_axes_and_memory_of_the_kernel():
    @cuda.jit
    def kernel(out, dates):
        held = cuda.shared.array(8, "datetime64[D]")
        i, j = cuda.grid(2)
        held[4 * j + i] = dates[i, j]
        cuda.syncthreads()
        out[j, i] = held[4 * j + (i + 1) % 4]
        out[j, 4:] = dates[0, 0]

    table = np.arange("2026-01-01", "2026-01-17", dtype="M8[D]").reshape(4, 4)[:, ::2]
    out = np.zeros((2, 6), "M8[D]")
    kernel[1, (4, 2)](out, table)
    assert np.array_equal(out[:, :4], np.roll(table, -1, axis=0).T)
    assert (out[:, 4:] == table[0, 0]).all()


def test_arrays_on_the_device():
    @cuda.jit
    def later(dates, days):
        i = cuda.grid(1)
        dates[i] += days[i]

    host = DAYS.copy()
    dates, days = cuda.to_device(host), cuda.to_device(FACTORS.astype("m8[D]"))
    later[1, 5](dates, days)
    assert np.array_equal(dates.copy_to_host(), host + FACTORS.astype("m8[D]"), equal_nan=True)


def test_a_launch_that_knows_whole_numbers_is_told_of_dates():
    @cuda.jit
    def later(out, times):
        i = cuda.grid(1)
        out[i] = times[i] + times[i] > times[i]

    out, launch = cuda.to_device(np.zeros(3, bool)), later[1, 3]
    for times in (np.array([1, -2, 3]), np.array([1, "NaT", 3], "m8[D]"), np.array([1, -2, 3])):
        launch(out, cuda.to_device(times))
        assert out.copy_to_host().tolist() == (times + times > times).tolist()


def test_signatures_and_ufuncs():
    @cuda.jit((types.NPDatetime("D")[:], types.NPTimedelta("D")))
    def later(dates, span):
        dates[cuda.grid(1)] += span

    dates = DAYS.copy()
    later[1, 5](dates, np.timedelta64(3, "D"))
    assert np.array_equal(dates, DAYS + np.timedelta64(3, "D"), equal_nan=True)

    date, span = types.from_dtype("M8[D]"), types.from_dtype("m8[D]")

    @cuda.vectorize([(date, date)])
    def passed(start, end):
        return end - start

    assert np.array_equal(passed(DAYS, OTHER_DAYS), OTHER_DAYS - DAYS, equal_nan=True)

    @cuda.guvectorize([(date[:], date, span[:])], "(n),()->(n)")
    def since(dates, start, out):
        for i in range(dates.size):
            out[i] = dates[i] - start

    assert np.array_equal(since(DAYS, DAYS[0]), DAYS - DAYS[0], equal_nan=True)


WORDS = np.array([b"", b"a", b"abc", b"abd", b"zebra", b"ab"], "S5")
OTHER_WORDS = np.array([b"b", b"a", b"ab", b"abdu", b"ra", b""], "S4")
NAMES = np.array(["", "é", "héllo", "hé", "Ωmega", "z"])
OTHER_NAMES = np.array(["a", "é", "llo", "hé!", "", "Ω"])


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (lambda a, b: a == b, "?"),
        (lambda a, b: a != b, "?"),
        (lambda a, b: a < b, "?"),
        (lambda a, b: a <= b, "?"),
        (lambda a, b: a > b, "?"),
        (lambda a, b: a >= b, "?"),
        (lambda a, b: len(a) - len(b), "i8"),
        (lambda a, b: b in a, "?"),
        (lambda a, b: a.startswith(b), "?"),
        (lambda a, b: a.endswith(b), "?"),
        (lambda a, b: a.find(b), "i8"),
        (lambda a, b: 1 if a else 0, "i8"),
        (lambda a, b: a + b, "9"),
        (lambda a, b: a[1:] + b[:-1], "9"),
        (lambda a, b: a[-3:2], "5"),
        (lambda a, b: a if a < b else b, "5"),
    ],
)
def test_strings_of_bytes_and_of_characters(function, result):
    of_bytes, of_text = (f"S{result}", f"U{result}") if result.isdigit() else (result, result)
    assert_same(function, of_bytes, WORDS, OTHER_WORDS)
    assert_same(function, of_text, NAMES, OTHER_NAMES)


def test_items_of_bytes_are_numbers_and_those_of_characters_are_strings():
    assert_same(lambda a: a[-1] if len(a) > 0 else -1, "i8", WORDS)
    assert_same(lambda a: a[0] if len(a) > 0 else "?", "U1", NAMES)
    assert_same(lambda a: ord(a[1]) if len(a) > 1 else 0, "i8", NAMES)


def test_constants_beside_strings():
    assert_same(lambda a: a == b"abc" or a < b"a", "?", WORDS)
    assert_same(lambda a: a + "-Ω", "U7", NAMES)
    assert_same(lambda a: a in ("é", "hé"), "?", NAMES)
    assert_same(lambda a: "mega" in a, "?", NAMES)


def test_elements_are_copied_and_cut_to_the_size_of_the_array():
    @cuda.jit
    def kernel(out, names):
        i = cuda.grid(1)
        kept = names[i]
        names[i] = "done already"
        out[i] = kept
        if i == 0:
            out[4:] = "x"

    names, out = NAMES.copy(), np.zeros(6, "U3")
    kernel[1, 4](out, names)
    assert out.tolist() == ["", "é", "hél", "hé", "x", "x"]
    assert names.tolist() == ["done "] * 4 + NAMES[4:].tolist()


def test_sorting_and_counting_words_in_the_memory_of_a_kernel():
    @cuda.jit
    def kernel(words, counts):
        held = cuda.local.array(6, "S5")
        for i in range(words.size):
            held[i] = words[i]
        for i in range(1, words.size):
            j, word = i, held[i]
            while j > 0 and word < held[j - 1]:
                held[j] = held[j - 1]
                j -= 1
            held[j] = word
        for i in range(words.size):
            words[i] = held[i]
            for k in range(len(held[i])):
                counts[held[i][k]] += 1

    words, counts = WORDS[::-1].copy(), np.zeros(256, np.int64)
    kernel[1, 1](words, counts)
    assert words.tolist() == sorted(WORDS.tolist())
    assert np.array_equal(
        counts, np.bincount(np.frombuffer(b"".join(WORDS), np.uint8), minlength=256)
    )


EVENT = np.dtype([("day", "M8[D]"), ("name", "U6"), ("code", "S3"), ("flag", "S1"), ("n", "i4")])
PADDED = np.dtype([("flag", "u1"), ("name", "U6"), ("spans", "m8[s]", (2,))])


@pytest.mark.parametrize(
    "words", [np.array([b"ab", b"cde", b"zz"]), np.array(["ab", "cdé", "zz"])], ids=["S", "U"]
)
def test_strings_on_the_device(words):
    @cuda.jit
    def raise_to(words, least, lengths):
        i = cuda.grid(1)
        if i < len(words):
            lengths[i] = len(words[i])
            if words[i] < least[0]:
                words[i] = least[0]

    device, least = cuda.to_device(words), cuda.to_device(words[1:2])
    lengths = np.zeros(3, np.int64)
    raise_to[1, 4](device, least, lengths)
    assert lengths.tolist() == [2, 3, 2]
    assert device.dtype == words.dtype and device.itemsize == words.itemsize
    assert device.copy_to_host().tolist() == [words[1], words[1], words[2]]
    device[0] = words[2]
    device[1:] = words[:2]
    assert device.copy_to_host().tolist() == [words[2], words[0], words[1]]
    assert device[0] == words[2] and device[-1:].copy_to_host().tolist() == [words[1]]
    again = cuda.device_array_like(device)
    again.copy_to_device(device)
    assert again.copy_to_host().tolist() == device.copy_to_host().tolist()
    with pytest.raises(TypeError, match="takes strings, got 3"):
        device[0] = 3


def test_strings_on_the_device_with_axes():
    @cuda.jit
    def turn(words, turned):
        i, j = cuda.grid(2)
        if i < words.shape[0] and j < words.shape[1]:
            turned[j, i] = words[i, j]

    words = np.array([[b"a", b"bcd", b"ef"], [b"ghi", b"", b"jk"]])
    turned = cuda.device_array((3, 2), words.dtype)
    turn[(1, 1), (4, 4)](cuda.to_device(words), turned)
    np.testing.assert_array_equal(turned.copy_to_host(), words.T)


def test_records_with_dates_and_strings():
    @cuda.jit
    def kernel(events, counts):
        i = cuda.grid(1)
        event = events[i]
        if event.day > np.datetime64("2026-01-01") and event.name.startswith("a"):
            event.day += np.timedelta64(1, "D")
            event.code = event.code[:2] + b"!"
            event.flag = b"y"
            counts[i] = len(event.name) + event.n
        events[3].name = "last"

    def expected(events):
        for event in events:
            if event["day"] > np.datetime64("2026-01-01") and event["name"].startswith("a"):
                event["day"] += np.timedelta64(1, "D")
                event["code"] = event["code"][:2] + b"!"
                event["flag"] = b"y"
        events["name"][3] = "last"
        return events

    events = np.array(
        [("2026-11-27", "alpha", b"abc", b"n", 1), ("2025-01-01", "alpha", b"x", b"n", 2),
         ("2026-11-28", "beta", b"", b"n", 3), ("2026-11-29", "a", b"q", b"", 4)],
        EVENT)  # fmt: skip
    counts, on_device = np.zeros(4, np.int64), cuda.to_device(events)
    kernel[1, 4](on_device, counts)
    assert counts.tolist() == [6, 0, 0, 5]
    wanted = expected(events.copy())
    kernel[1, 4](events, counts)
    assert events.tolist() == wanted.tolist() == on_device.copy_to_host().tolist()


def test_fields_that_are_not_aligned_and_one_record():
    @cuda.jit
    def kernel(records, one):
        i = cuda.grid(1)
        records[i].name = records[i].name[:2] + one.name
        records[i].spans[1] = one.spans[0] - records[i].spans[0]

    records = np.array([(1, "ä", (1, 2)), (2, "xyz", (3, 4))], PADDED)
    kernel[1, 2](records, np.array([(0, "Ω", (10, 0))], PADDED)[0])
    assert records["name"].tolist() == ["äΩ", "xyΩ"]
    assert records["spans"].view(np.int64).tolist() == [[1, 9], [3, 7]]


@dataclasses.dataclass
class Journal:
    names: np.ndarray
    days: np.ndarray


def test_arrays_in_dataclasses():
    @cuda.jit
    def kernel(journal, wanted, found):
        i = cuda.grid(1)
        if journal.names[i] == wanted:
            found[0] = journal.days[i]

    found = np.zeros(1, "M8[D]")
    kernel[1, 4](Journal(NAMES[:4], DAYS[:4]), "é", found)
    assert found[0] == DAYS[1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x[0] = when + when", "there is no + for datetime64[D] and datetime64[D]"),
        ("x[0] = when", "an element of float32 cannot be datetime64[D]"),
        ("x[0] = when < span", "there is no < for datetime64[D] and timedelta64[h]"),
        ("x[0] = math.sin(span)", "math.sin does not take (timedelta64[h])"),
        ("x[0] = when * 2", "there is no * for datetime64[D] and int64"),
        ("y = -when", "there is no - for datetime64[D]"),
        ("y = span.astype('m8[D]')", "cannot become timedelta64[D]: its unit is finer"),
        ("y = np.datetime64('yesterday')", "'yesterday' is no datetime64"),
        ("y = np.timedelta64(3, 'fortnights')", "the unit is a text such as 'D'"),
        ("y = names[0] == b'a'", "bytes (S) and str (U) differ"),
        ("y = names[0][1.5]", "an index is a whole number or a slice, got float64"),
        ("y = names[0] + 1", "there is no + for U2 and int64"),
        ("cuda.atomic.max(days, 0, when)", "does not work on elements of datetime64[D]"),
    ],
)
def test_what_is_refused(tmp_path, line, message):
    names = {"when": DAYS[0], "span": HOURS[0], "np": np, "math": math, "cuda": cuda}
    before = "names = cuda.local.array(1, 'U2'); days = cuda.local.array(1, 'M8[D]'); "
    expect_refused(tmp_path, before + line, "pass", names, message)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a: a.upper(), "U6 has no method 'upper' in kernels; they have startswith"),
        (lambda a: a[::2], "kernels take parts of strings without a step"),
    ],
)
def test_what_strings_do_not_have(function, message):
    with pytest.raises(ww.UnsupportedError, match=message):
        results_of(function, "U6", NAMES)


def test_an_index_beyond_a_string_raises_with_checks():
    @cuda.jit(debug=True, opt=False)
    def kernel(words, out):
        i = cuda.grid(1)
        out[i] = words[i][4]

    with pytest.raises(IndexError, match="index out of range"):
        kernel[1, 6](WORDS, np.zeros(6))
