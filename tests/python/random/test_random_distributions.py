"""Distributions: Kolmogorov and Smirnov, chi-square and moments against SciPy's, fixed seeds."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import warpwise as ww
from warpwise.random import Generator, Philox, SeedSequence, default_rng

N = 200_000
LEAST = 1e-4  # of a p-value: about 120 tests share it, and seeds are fixed


def rng_for(name: object) -> Generator:
    return default_rng(zlib.crc32(repr(name).encode()))


CONTINUOUS: list[tuple[str, tuple[float, ...], Any]] = [
    ("random", (), stats.uniform()),
    ("uniform", (-2, 5), stats.uniform(-2, 7)),
    ("standard_normal", (), stats.norm()),
    ("normal", (3, 0.5), stats.norm(3, 0.5)),
    ("lognormal", (0.5, 0.75), stats.lognorm(0.75, scale=np.exp(0.5))),
    ("standard_exponential", (), stats.expon()),
    ("exponential", (2.5,), stats.expon(scale=2.5)),
    ("standard_gamma", (0.1,), stats.gamma(0.1)),
    ("standard_gamma", (1,), stats.gamma(1)),
    ("gamma", (0.75, 3), stats.gamma(0.75, scale=3)),
    ("gamma", (17.5, 0.5), stats.gamma(17.5, scale=0.5)),
    ("gamma", (1e6, 1), stats.gamma(1e6)),
    ("beta", (0.5, 0.5), stats.beta(0.5, 0.5)),
    ("beta", (2, 7.5), stats.beta(2, 7.5)),
    ("beta", (0.02, 3), stats.beta(0.02, 3)),
    ("chisquare", (3,), stats.chi2(3)),
    ("f", (4, 11), stats.f(4, 11)),
    ("standard_t", (3.5,), stats.t(3.5)),
    ("standard_cauchy", (), stats.cauchy()),
    ("laplace", (1, 2), stats.laplace(1, 2)),
    ("logistic", (1, 2), stats.logistic(1, 2)),
    ("gumbel", (1, 2), stats.gumbel_r(1, 2)),
    ("rayleigh", (2,), stats.rayleigh(scale=2)),
    ("weibull", (1.75,), stats.weibull_min(1.75)),
    ("pareto", (2.5,), stats.lomax(2.5)),
    ("power", (3,), stats.powerlaw(3)),
    ("triangular", (-1, 0.5, 2), stats.triang(0.5, -1, 3)),
    ("noncentral_chisquare", (0.4, 2.5), stats.ncx2(0.4, 2.5)),
    ("noncentral_chisquare", (1, 0), stats.chi2(1)),
    ("noncentral_chisquare", (2.5, 40), stats.ncx2(2.5, 40)),
    ("noncentral_chisquare", (30, 0.5), stats.ncx2(30, 0.5)),
    ("noncentral_f", (4, 11, 3), stats.ncf(4, 11, 3)),
    ("vonmises", (0, 1e-9), stats.uniform(-np.pi, 2 * np.pi)),
    ("vonmises", (0, 5e-5), stats.vonmises(5e-5)),
    ("vonmises", (0, 0.7), stats.vonmises(0.7)),
    ("vonmises", (0.5, 40), stats.vonmises(40, 0.5)),
    ("vonmises", (0, 9e5), stats.norm(0, 9e5**-0.5)),
    ("vonmises", (0, 2e6), stats.norm(0, 2e6**-0.5)),
    ("wald", (1, 3), stats.invgauss(1 / 3, scale=3)),
    ("wald", (200, 0.5), stats.invgauss(400, scale=0.5)),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "args", "law"), CONTINUOUS, ids=lambda x: str(x)[:24])
def test_continuous(name: str, args: tuple[float, ...], law: Any, dtype: Any) -> None:
    values = getattr(rng_for((name, args)), name)(*args, size=N, dtype=dtype).get()
    assert values.dtype == dtype
    if args == (0.02, 3) and dtype == np.float32:  # an eighth of them underflows
        assert 0.1 < (values < 1e-37).mean() < 0.25
        return
    assert stats.kstest(values, law.cdf).pvalue > LEAST


def chi_square(values: np.ndarray[Any, Any], law: Any) -> float:
    """Of numbers against a discrete law; the tails together where fewer than 20 are expected."""
    low = int(values.min())
    high = min(int(values.max()), low + 1_000_000)  # of heavy tails the rest is in one
    points = np.arange(low, high + 1)
    expected = law.pmf(points) * values.size
    found = np.bincount(values[values <= high] - low, minlength=points.size).astype(float)
    common = expected >= 20
    rest = values.size - expected[common].sum()
    observed = np.append(found[common], values.size - found[common].sum())
    return float(
        stats.chi2.sf(
            (
                (observed - np.append(expected[common], rest)) ** 2
                / np.append(expected[common], max(rest, 1))
            ).sum(),
            common.sum(),
        )
    )


DISCRETE: list[tuple[str, tuple[float, ...], Any]] = [
    ("poisson", (0.3,), stats.poisson(0.3)),
    ("poisson", (9.99,), stats.poisson(9.99)),
    ("poisson", (10,), stats.poisson(10)),
    ("poisson", (345.6,), stats.poisson(345.6)),
    ("poisson", (1e6,), stats.poisson(1e6)),
    ("binomial", (1, 0.25), stats.binom(1, 0.25)),
    ("binomial", (10, 0.9), stats.binom(10, 0.9)),
    ("binomial", (40, 0.25), stats.binom(40, 0.25)),
    ("binomial", (1000, 0.003), stats.binom(1000, 0.003)),
    ("binomial", (5000, 0.6), stats.binom(5000, 0.6)),
    ("binomial", (10**7, 0.5), stats.binom(10**7, 0.5)),
    ("negative_binomial", (3.5, 0.4), stats.nbinom(3.5, 0.4)),
    ("geometric", (0.02,), stats.geom(0.02)),
    ("geometric", (0.7,), stats.geom(0.7)),
    ("hypergeometric", (5, 5, 5), stats.hypergeom(10, 5, 5)),
    ("hypergeometric", (3, 50, 9), stats.hypergeom(53, 3, 9)),
    ("hypergeometric", (3, 50, 49), stats.hypergeom(53, 3, 49)),
    ("hypergeometric", (60, 25, 40), stats.hypergeom(85, 60, 40)),
    ("hypergeometric", (25, 60, 70), stats.hypergeom(85, 25, 70)),
    ("hypergeometric", (7000, 90_000, 5000), stats.hypergeom(97_000, 7000, 5000)),
    ("logseries", (0.01,), stats.logser(0.01)),
    ("logseries", (0.5,), stats.logser(0.5)),
    ("logseries", (0.995,), stats.logser(0.995)),
    ("zipf", (1.5,), stats.zipf(1.5)),
    ("zipf", (2.2,), stats.zipf(2.2)),
    ("zipf", (40,), stats.zipf(40)),
]


@pytest.mark.parametrize(("name", "args", "law"), DISCRETE, ids=lambda x: str(x)[:24])
def test_discrete(name: str, args: tuple[float, ...], law: Any) -> None:
    values = getattr(rng_for((name, args)), name)(*args, size=N).get()
    assert values.dtype == np.int64
    assert chi_square(values, law) > LEAST


KINDS = [np.bool_, *(np.dtype(f"{s}int{b}") for s in ("", "u") for b in (8, 16, 32, 64))]


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("endpoint", [False, True])
def test_integers_of_every_type(dtype: Any, endpoint: bool) -> None:
    is_bool = np.dtype(dtype) == np.bool_
    least, greatest = (0, 1) if is_bool else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    ranges = [(least, greatest), (greatest - 1, greatest), (least, least + 1)]
    for low, high in ranges if is_bool else [*ranges, (greatest - 17, greatest)]:
        if high >= 2**64 - 1 and not endpoint:  # the end is no number of 64 bits
            continue
        count = int(high) - int(low) + 1
        rng = rng_for((str(dtype), endpoint, int(low)))
        values = rng.integers(int(low), int(high) + (not endpoint), N, dtype, endpoint).get()
        assert values.dtype == dtype
        places = (values.astype(object) - int(low)).astype(float) if count > 20 else None
        if places is not None:
            found = np.bincount((places / count * 16).astype(int).clip(0, 15), minlength=16)
        else:
            found = np.bincount([int(v) - int(low) for v in values], minlength=count)
        bins = min(count, 16) if places is not None else count
        assert len(found) == bins
        assert stats.chisquare(found).pvalue > LEAST


# A range just above half of the words: with a plain remainder a third would come twice as often.
@pytest.mark.parametrize(("bits", "dtype"), [(32, np.uint32), (64, np.uint64)])
def test_integers_have_no_bias(bits: int, dtype: Any) -> None:
    count = 3 << (bits - 2)
    values = rng_for(bits).integers(0, count, N, dtype).get()
    found = np.histogram(values.astype(float), 12, (0, float(count)))[0]
    assert stats.chisquare(found).pvalue > LEAST


def test_integers_begin_with_low() -> None:
    for low in (-1, 0, 1, 2):
        values = default_rng(4).integers(low, low + 3, 1000).get()
        assert sorted(set(values.tolist())) == [low, low + 1, low + 2]


def test_probabilities_may_miss_one_by_rounding() -> None:
    rng = default_rng(5)
    assert rng.choice(2, 10, p=[0.5, 0.5 + 5e-9]).shape == (10,)
    with pytest.raises(ValueError, match="it must be 1"):
        rng.choice(2, 10, p=[0.5, 0.5 + 2e-8])


def test_integers_of_arrays() -> None:
    low = ww.asarray(np.array([[-5], [10]]))
    high = ww.asarray(np.array([0, 11, 4000]))
    values = default_rng(2).integers(low - 20, high, (5000, 2, 3)).get()
    least, most = values.min(axis=0), values.max(axis=0)
    assert (least >= low.get() - 20).all() and (most < high.get()).all()
    assert (least[:, :2] == low.get() - 20).all() and (most[:, :2] == high.get()[:2] - 1).all()


@pytest.mark.parametrize("size", [None, (4000, 2, 3)])
def test_parameters_are_arrays_that_broadcast(size: Any) -> None:
    loc = np.array([[-10.0], [10.0]])
    scale = np.array([1, 2, 3], np.float32)
    drawn = default_rng(1).normal(ww.asarray(loc), ww.asarray(scale), size)
    assert drawn.shape == ((2, 3) if size is None else size) and drawn.dtype == np.float64
    if size is None:
        assert (np.abs(drawn.get() - loc) < 5 * scale).all()
        return
    z = (drawn.get() - loc) / scale
    assert all(stats.kstest(z[:, i, j], "norm").pvalue > LEAST for i in (0, 1) for j in (0, 1, 2))


def test_samplers_take_arrays_of_parameters() -> None:
    shape = np.array([0.2, 1.0, 30.0])
    values = default_rng(3).gamma(ww.asarray(shape), size=(20_000, 3)).get()
    for i, a in enumerate(shape):
        assert stats.kstest(values[:, i], stats.gamma(a).cdf).pvalue > LEAST
    lam = np.array([0.0, 3.0, 300.0])
    counts = default_rng(3).poisson(ww.asarray(lam), (20_000, 3)).get()
    assert not counts[:, 0].any()
    assert chi_square(counts[:, 1], stats.poisson(3)) > LEAST
    assert chi_square(counts[:, 2], stats.poisson(300)) > LEAST


def test_elements_out_of_the_domain() -> None:
    bad = ww.asarray(np.array([-1.0, np.nan, np.inf]))
    rng = default_rng(1)
    assert np.isnan(rng.gamma(bad).get()).all()
    assert np.isnan(rng.beta(bad, 1.0).get()).all()
    assert rng.binomial(bad[:2], 0.5).get().tolist() == [0, 0]
    assert rng.poisson(bad[:2]).get().tolist() == [0, 0]


def test_elements_of_rare_distributions_out_of_the_domain() -> None:
    bad = ww.asarray(np.array([-1.0, np.nan, np.inf]))
    rng = default_rng(1)
    assert np.isnan(rng.noncentral_chisquare(bad, 1.0).get()).all()
    assert np.isnan(rng.noncentral_f(2.0, 3.0, bad).get()).all()
    assert np.isnan(rng.vonmises(0.0, bad[:2]).get()).all()
    assert rng.zipf(bad[:2]).get().tolist() == rng.logseries(bad).get()[:2].tolist() == [0, 0]
    good = ww.asarray(np.array([-1, 1 << 40, 5]))
    assert rng.hypergeometric(good, 3, 2).get()[:2].tolist() == [0, 0]
    assert rng.hypergeometric(3, good, 2).get()[:2].tolist() == [0, 0]
    assert rng.hypergeometric(3, 2, good).get().tolist() == [0, 0, 3]


def test_rare_distributions_take_arrays_of_parameters() -> None:
    rng = default_rng(11)
    kappa = np.array([0.0, 3.0, 1e7])
    angles = rng.vonmises(ww.asarray(np.array([3.0, -3.0, 0.0])), ww.asarray(kappa), (20_000, 3))
    assert np.abs(angles.get()).max() <= np.pi
    for i, law in enumerate((stats.uniform(-np.pi, 2 * np.pi), stats.vonmises(3, -3))):
        turned = angles.get()[:, i]
        turned = np.where(turned > np.pi - 3, turned - 2 * np.pi, turned) if i else turned
        assert stats.kstest(turned, law.cdf).pvalue > LEAST
    counts = rng.hypergeometric(
        ww.asarray(np.array([4, 400])), ww.asarray(np.array([[6], [700]])), 8, (20_000, 2, 2)
    ).get()
    for i, bad in enumerate((6, 700)):
        for j, good in enumerate((4, 400)):
            law = stats.hypergeom(good + bad, good, 8)
            assert chi_square(counts[:, i, j], law) > LEAST


def test_ends_of_parameters_of_rare_distributions() -> None:
    rng = default_rng(1)
    assert not rng.hypergeometric(5, 7, 0, 50).get().any()
    assert (rng.hypergeometric(5, 7, 12, 50).get() == 5).all()
    assert (rng.hypergeometric(5, 0, 3, 50).get() == 3).all()
    assert not rng.hypergeometric(0, 50, 20, 50).get().any()
    most = (1 << 30) - 1
    drawn = rng.hypergeometric(most, most, most, 50).get() / most
    assert np.abs(drawn - 0.5).max() < 1e-4
    assert (rng.logseries(0, 50).get() == 1).all()
    assert rng.logseries(1 - 1e-16, 2000).get().min() >= 1
    assert (rng.zipf(2000, 50).get() == 1).all()
    assert rng.zipf(1 + 1e-15, 50).get().min() >= 1
    large = rng.noncentral_chisquare(0.5, 1e20, 50).get()
    assert np.abs(large / 1e20 - 1).max() < 1e-8


def test_ends_of_parameters() -> None:
    rng = default_rng(1)
    assert (rng.normal(3, 0, 50).get() == 3).all()
    assert not rng.gamma(0, size=50).get().any()
    assert not rng.binomial(0, 0.5, 50).get().any()
    assert (rng.binomial(7, 1, 50).get() == 7).all()
    assert not rng.poisson(0, 50).get().any()
    assert (rng.geometric(1, 50).get() == 1).all()
    assert rng.poisson(9e18, 5).get().min() > 8.9e18
    assert (rng.uniform(2, 2, 50).get() == 2).all()


# Streams that share a seed, and neighbours of one stream, in a grid of 16 x 16.
@pytest.mark.parametrize("kind", ["neighbours", "spawned", "jumped", "next call", "lanes"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pairs_are_independent(kind: str, dtype: Any) -> None:
    rng = rng_for((kind, "pairs"))
    a = rng.random(N, dtype).get()
    if kind == "neighbours":
        a, b = a[::2], a[1::2]
    elif kind == "lanes":
        a, b = a[: N - 256], a[256:]
        keep = np.arange(a.size) // 256 % 2 == 0
        a, b = a[keep], b[keep]
    elif kind == "spawned":
        a, b = (child.random(N, dtype).get() for child in rng.spawn(2))
    elif kind == "jumped":
        bits = Philox(key=77)
        a = Generator(Philox(key=77)).random(N, dtype).get()
        b = Generator(bits.jumped()).random(N, dtype).get()
    else:
        b = rng.random(N, dtype).get()
    grid = np.histogram2d(a, b, 16, [[0, 1], [0, 1]])[0]
    assert stats.chisquare(grid.ravel()).pvalue > LEAST
    assert abs(np.corrcoef(a, b)[0, 1]) < 5 / np.sqrt(a.size)


# Two normal numbers come from one block.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_numbers_of_a_pair_are_independent(dtype: Any) -> None:
    values = rng_for("pair").standard_normal(1 << 18, dtype).get().reshape(-1, 4, 256)
    for i, j in ((0, 1), (0, 2), (2, 3), (1, 3)):
        a, b = values[:, i].ravel(), values[:, j].ravel()
        grid = np.histogram2d(stats.norm.cdf(a), stats.norm.cdf(b), 8, [[0, 1], [0, 1]])[0]
        assert stats.chisquare(grid.ravel()).pvalue > LEAST
        assert abs(np.corrcoef(a**2, b**2)[0, 1]) < 5 / np.sqrt(a.size)


def test_multinomial() -> None:
    p = [0.1, 0.2, 0.0, 0.65, 0.05]
    counts = default_rng(1).multinomial(30, p, (20_000,)).get()
    assert counts.dtype == np.int64 and (counts.sum(axis=1) == 30).all()
    for i, each in enumerate(p):
        assert chi_square(counts[:, i], stats.binom(30, each)) > LEAST
    covariance = np.cov(counts.T)
    expected = 30 * (np.diag(p) - np.outer(p, p))
    assert np.abs(covariance - expected).max() < 0.15
    many = default_rng(1).multinomial(ww.asarray(np.array([5, 50])), p).get()
    assert many.sum(axis=1).tolist() == [5, 50]


@pytest.mark.parametrize("alpha", [[1.0, 2.0, 5.5], [0.01, 0.03, 0.05], [0.5]])
def test_dirichlet(alpha: list[float]) -> None:
    values = default_rng(1).dirichlet(alpha, 20_000).get()
    assert np.allclose(values.sum(axis=1), 1)
    if len(alpha) == 1:
        return
    # Numbers next to 1 are too many for the distance of Kolmogorov and Smirnov.
    for i, each in enumerate(alpha):
        law = stats.beta(each, sum(alpha) - each)
        for limit in (1e-200, 1e-50, 1e-5, 0.1, 0.5, 0.9):
            p = law.cdf(limit)
            deviation = np.sqrt(p * (1 - p) / len(values))
            assert abs((values[:, i] < limit).mean() - p) <= 5 * deviation + 1e-9


@pytest.mark.parametrize("alpha", [5, 2.5, ww.asarray(3.0)], ids=str)
def test_dirichlet_of_one_number(alpha: object) -> None:
    assert default_rng(1).dirichlet(alpha, 3).get().tolist() == [[1.0], [1.0], [1.0]]


def test_dirichlet_has_1024_shapes_at_most() -> None:
    values = default_rng(1).dirichlet([1.0] * 1024, 3).get()
    assert values.shape == (3, 1024) and np.allclose(values.sum(axis=1), 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_multivariate_normal(dtype: Any) -> None:
    mean = np.array([1.0, -2.0, 0.5])
    root = np.array([[2.0, 0, 0], [0.5, 1, 0], [-1, 0.25, 0.125]])
    cov = root @ root.T
    values = default_rng(1).multivariate_normal(mean, cov, (100, 300), dtype).get()
    assert values.shape == (100, 300, 3) and values.dtype == dtype
    z = np.linalg.solve(root, (values.reshape(-1, 3) - mean).T)
    assert all(stats.kstest(each, "norm").pvalue > LEAST for each in z)
    assert np.abs(np.corrcoef(z) - np.eye(3)).max() < 0.03
    assert default_rng(1).multivariate_normal(mean, cov).shape == (3,)


def test_multivariate_normal_of_a_singular_covariance() -> None:
    values = default_rng(1).multivariate_normal([0, 0, 0], np.ones((3, 3)), 1000).get()
    assert np.allclose(values[:, :1], values) and abs(values.std() - 1) < 0.1


@pytest.mark.parametrize("count", [3, 4])
def test_every_permutation_is_equally_likely(count: int) -> None:
    rng = default_rng(9)
    orders = [tuple(rng.permutation(count).get().tolist()) for _ in range(6000)]
    found = np.unique(np.array(orders), axis=0, return_counts=True)[1]
    assert len(found) == (6 if count == 3 else 24) and stats.chisquare(found).pvalue > LEAST


@pytest.mark.parametrize("count", [0, 1, 2, 100, 4096, 4097, 70_000, 1 << 20])
def test_permutations_have_every_number_once(count: int) -> None:
    order = default_rng(count).permutation(count).get()
    assert order.dtype == np.int64 and np.array_equal(np.sort(order), np.arange(count))
    if count > 1000:
        assert abs(np.corrcoef(order, np.arange(count))[0, 1]) < 5 / np.sqrt(count)


# Where numbers of a large permutation go, over keys.
def test_large_permutations_are_uniform() -> None:
    rng = default_rng(4)
    places = np.concatenate([rng.permutation(5000)[:40].get() for _ in range(250)])
    assert stats.kstest(places / 5000, "uniform").pvalue > LEAST


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.complex128, np.bool_])
def test_shuffles_and_permutations_of_arrays(axis: int, dtype: Any) -> None:
    host = np.arange(60).reshape(5, 6, 2).astype(dtype)
    x = ww.asarray(host)
    moved = default_rng(6).permutation(x, axis)
    order = default_rng(6).permutation(host.shape[axis]).get()
    assert np.array_equal(moved.get(), host.take(order, axis)) and np.array_equal(x.get(), host)
    base = ww.asarray(np.repeat(host, 2, axis=1))
    view = base[:, ::2]
    default_rng(6).shuffle(view, axis)
    assert np.array_equal(base.get()[:, ::2], host.take(order, axis))
    assert np.array_equal(base.get()[:, 1::2], host)


def test_choice() -> None:
    rng = default_rng(3)
    counts = np.bincount(rng.choice(7, N).get(), minlength=7)
    assert stats.chisquare(counts).pvalue > LEAST
    p = np.array([0.1, 0.0, 0.6, 0.3, 0.0])
    counts = np.bincount(rng.choice(5, N, p=p).get(), minlength=5)
    assert counts[1] == counts[4] == 0
    assert stats.chisquare(counts[[0, 2, 3]], N * p[[0, 2, 3]]).pvalue > LEAST
    host = np.arange(12.0).reshape(3, 4)
    columns = rng.choice(ww.asarray(host), (2, 5), axis=1).get()
    assert columns.shape == (3, 2, 5) and np.array_equal(columns[0] + 4, columns[1])
    assert rng.choice(ww.asarray(host)).shape == (4,)
    assert rng.choice(5).shape == ()


@pytest.mark.parametrize("count", [50, 10_000])
def test_choice_without_replacement(count: int) -> None:
    taken = default_rng(3).choice(count, (4, 5), replace=False).get()
    assert taken.shape == (4, 5) and len(np.unique(taken)) == 20
    assert sorted(default_rng(3).choice(count, count, replace=False).get()) == [*range(count)]


def test_weighted_choice_without_replacement() -> None:
    p = np.array([0.5, 0.25, 0.125, 0.125, 0.0])
    rng = default_rng(8)
    draws = np.array([rng.choice(5, 2, replace=False, p=p).get() for _ in range(8000)])
    assert (draws[:, 0] != draws[:, 1]).all() and draws.max() == 3
    first = np.bincount(draws[:, 0], minlength=4)
    assert stats.chisquare(first, 8000 * p[:4]).pvalue > LEAST
    second = sum(p[i] * p[2] / (1 - p[i]) for i in (0, 1, 3))
    assert abs((draws[:, 1] == 2).mean() - second) < 0.02


def refused(call: Callable[[], object], *words: str) -> None:
    with pytest.raises((ww.ArgumentError, TypeError, ValueError)) as error:
        call()
    assert all(word in str(error.value) for word in words), str(error.value)


BAD: list[tuple[str, Callable[[Generator], object], tuple[str, ...]]] = [
    ("scale", lambda g: g.normal(0, -1), ("normal", "scale=-1", "0 or more")),
    ("nan", lambda g: g.exponential(float("nan")), ("exponential", "scale")),
    ("gamma", lambda g: g.gamma(-0.5), ("gamma", "shape=-0.5")),
    ("beta", lambda g: g.beta(0, 1), ("beta", "a=0", "above 0")),
    ("poisson", lambda g: g.poisson(-1), ("poisson", "lam=-1")),
    ("large poisson", lambda g: g.poisson(1e19), ("poisson", "int64")),
    ("n", lambda g: g.binomial(-1, 0.5), ("binomial", "n=-1")),
    ("p", lambda g: g.binomial(3, 1.5), ("binomial", "p=1.5", "from 0 to 1")),
    ("geometric", lambda g: g.geometric(0), ("geometric", "p=0")),
    ("nonc", lambda g: g.noncentral_chisquare(3, -1), ("noncentral_chisquare", "nonc=-1")),
    ("dfden", lambda g: g.noncentral_f(3, 0, 1), ("noncentral_f", "dfden=0", "above 0")),
    ("kappa", lambda g: g.vonmises(0, -1), ("vonmises", "kappa=-1")),
    ("wald", lambda g: g.wald(0, 1), ("wald", "mean=0")),
    ("zipf", lambda g: g.zipf(1), ("zipf", "a=1", "above 1")),
    ("logseries", lambda g: g.logseries(1), ("logseries", "p=1", "below 1")),
    ("ngood", lambda g: g.hypergeometric(-1, 2, 1), ("hypergeometric", "ngood=-1")),
    ("nbad", lambda g: g.hypergeometric(1, 1 << 30, 1), ("hypergeometric", "nbad", "2^30")),
    ("part", lambda g: g.hypergeometric(1.5, 2, 1), ("hypergeometric", "ngood=1.5", "whole")),
    ("nsample", lambda g: g.hypergeometric(1, 2, 4), ("hypergeometric", "nsample=4", "3")),
    ("half a sample", lambda g: g.hypergeometric(1, 2, 0.5), ("hypergeometric", "nsample=0.5")),
    ("complex", lambda g: g.normal(1j), ("normal", "loc", "real")),
    ("ndarray", lambda g: g.normal(np.zeros(3)), ("asarray",)),
    ("text", lambda g: g.normal("x"), ("x",)),
    ("uniform", lambda g: g.uniform(3, 2), ("uniform", "low=3", "high=2")),
    ("infinite", lambda g: g.uniform(-1e308, 1e308), ("uniform", "finite")),
    ("triangular", lambda g: g.triangular(0, 3, 2), ("triangular", "mode=3")),
    ("dtype", lambda g: g.random(3, np.int32), ("random", "int32", "float64")),
    ("half", lambda g: g.random(3, np.float16), ("random", "float16")),
    ("size", lambda g: g.random(-3), ("-3",)),
    ("size kind", lambda g: g.random(2.5), ("size", "2.5")),
    ("shape", lambda g: g.normal(ww.zeros(3), size=(2, 4)), ("normal", "(2, 4)", "(3,)")),
    ("out", lambda g: g.random(3, out=ww.zeros(4)), ("random", "(4,)", "(3,)")),
    ("empty range", lambda g: g.integers(5, 5), ("integers", "low=5", "high=5")),
    ("wide", lambda g: g.integers(0, 300, dtype=np.int8), ("integers", "high=300")),
    ("negative", lambda g: g.integers(-1, 3, dtype=np.uint8), ("integers", "low=-1")),
    ("real", lambda g: g.integers(0.5, 3), ("integers", "0.5")),
    ("floats", lambda g: g.integers(0, 3, dtype=np.float32), ("integers", "float32")),
    ("bounds", lambda g: g.integers(ww.asarray([1, 5]), 5), ("integers", "high <= low")),
    ("bound", lambda g: g.integers(0, ww.asarray([1, 500]), dtype=np.uint8), ("integers", "500")),
    ("pvals", lambda g: g.multinomial(3, [0.7, 0.7, 0.1]), ("multinomial", "1.4")),
    ("pval", lambda g: g.multinomial(3, [0.7, -0.7]), ("multinomial", "pvals[1]")),
    ("no pvals", lambda g: g.multinomial(3, []), ("multinomial", "0")),
    ("many pvals", lambda g: g.multinomial(3, [0.0] * 1025), ("multinomial", "1025", "1024")),
    ("many shapes", lambda g: g.dirichlet([1.0] * 1025), ("dirichlet", "1025", "1024")),
    ("alpha", lambda g: g.dirichlet([1, 0]), ("dirichlet", "alpha[1]=0")),
    ("cov", lambda g: g.multivariate_normal([0, 0], [[1, 2], [2, 1]]), ("positive semidefinite",)),
    ("symmetric", lambda g: g.multivariate_normal([0, 0], [[1, 0.5], [0, 1]]), ("symmetric",)),
    ("cov size", lambda g: g.multivariate_normal([0, 0], [[1.0]]), ("multivariate_normal", "1")),
    ("cov axes", lambda g: g.multivariate_normal([0], [1.0]), ("cov", "2 axes")),
    ("choice", lambda g: g.choice(3, 4, replace=False), ("choice", "3", "4", "replace")),
    ("nothing", lambda g: g.choice(0, 2), ("choice", "no elements")),
    ("sum of p", lambda g: g.choice(2, 2, p=[0.5, 0.4]), ("choice", "0.9")),
    ("length of p", lambda g: g.choice(3, 2, p=[0.5, 0.5]), ("choice", "2", "3")),
    ("sign of p", lambda g: g.choice(2, 2, p=[1.5, -0.5]), ("choice", "p[1]=-0.5")),
    ("few", lambda g: g.choice(3, 2, replace=False, p=[1, 0, 0]), ("choice", "1", "2")),
    ("axis", lambda g: g.permutation(ww.zeros((2, 3)), 2), ("axis 2", "dimension 2")),
    ("0-d", lambda g: g.shuffle(ww.zeros(())), ("shuffle", "0-d")),
    ("read-only", lambda g: g.shuffle(ww.broadcast_to(ww.zeros(2), (3, 2))), ("shuffle", "read")),
    ("count", lambda g: g.permutation(-1), ("permutation", "-1")),
    ("bytes", lambda g: g.bytes(-1), ("length", "-1")),
    ("children", lambda g: g.spawn(-1), ("n_children", "-1")),
]


@pytest.mark.parametrize(("call", "words"), [x[1:] for x in BAD], ids=[x[0] for x in BAD])
def test_bad_input_is_refused(call: Callable[[Generator], object], words: tuple[str, ...]) -> None:
    rng = default_rng(1)
    refused(lambda: call(rng), *words)


@pytest.mark.parametrize("seed", [-1, 1.5, "abc", True, [1, -2], [0.5], b"x", object()])
def test_bad_seeds_are_refused(seed: Any) -> None:
    refused(lambda: default_rng(seed), "seed")


def test_bad_states_are_refused() -> None:
    bits = Philox(1)
    for state in (5, {}, bits.state | {"bit_generator": "MT19937"}):
        refused(lambda state=state: setattr(bits, "state", state), "state of a Philox")
    refused(lambda: setattr(bits, "state", bits.state | {"version": 99}), "version 99")
    refused(lambda: setattr(bits, "state", bits.state | {"key": -1}), "0 or more")
    refused(lambda: Philox(1, key=2), "seed=", "key=")
    refused(lambda: Philox(key=1).spawn(2), "seed sequence")
    refused(lambda: Philox(key=2**64), "64 bits")
    refused(lambda: SeedSequence(1, pool_size=3), "pool_size=3")
    refused(lambda: SeedSequence(1).generate_state(2, np.int8), "uint32")
