"""Random programs over arrays, for test_array_programs.py: each runs lazily, with all operations at
once, and in NumPy. What a step does is drawn from shapes alone, so all three do the same.

Values are whole numbers of limited size, so that every result is exact, whatever the order of sums;
functions that round are computed at the end, where lazy and eager must agree bit by bit.

A feature counts as used where it really happened: operations that share a kernel, a launch, an
OutOfMemoryError that was raised and overcome.

python array_programs.py FIRST END        runs programs in this process and prints the coverage
"""

from __future__ import annotations

import gc
import itertools
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import warpwise as ww

FEATURES = (
    "fusion",
    "view",
    "in-place write",
    "export",
    "import",
    "stream",
    "capture",
    "raw kernel",
    "out of memory",
)
DTYPES = ("float64", "float32", "int64", "int32")
LIMIT = 100  # of the absolute value of elements
STEPS = 12
MOST = 10  # arrays at a time
KERNELS = re.compile(r"^kernel \d+ over ", re.MULTILINE)  # of ww.explain

SOURCE = """
template <class T> __global__ void mirrored(T *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 3 - x[i];
}
template <class T> __global__ void added(const T *x, T *y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] - y[i];
}
"""
C_TYPES = {"float64": "double", "float32": "float", "int64": "long long", "int32": "int"}


class Mismatch(AssertionError):
    pass


class Pair:
    """An array and its model, which has the same views of the same memory."""

    def __init__(self, ours: Any, model: Any) -> None:
        self.ours = ours
        self.model = model


class Shortage:
    """No new memory, but for what remains of the pool and `spare` large arrays."""

    def __init__(self, spare: int) -> None:
        self.errors = 0
        self.pool = ww.Device().pool
        self.before = self.pool.limit
        self.spare = spare
        self.held: Any = None  # an array that is released at the first error
        self.largest = 0

    def __enter__(self) -> None:
        self.pool.free_held()  # runs what is pending
        self.largest = max(self.pool.statistics().largest_free_bytes, 1 << 16)
        if self.spare % 2:
            self.held = ww.empty(self.largest + 1, "uint8")
        self.pool.limit = self.pool.held_bytes + self.spare * self.largest

    def __exit__(self, *_: object) -> None:
        self.held = None
        self.pool.limit = self.before

    def extent(self, dtype: np.dtype[Any]) -> int:
        """Elements of an array for which the pool has no place without new memory."""
        return self.largest // dtype.itemsize + 1

    def overcome(self, action: Callable[[], Any]) -> Any:
        """Until it succeeds: at first as it is, then with memory freed, then without a limit."""
        for _ in range(2):
            try:
                return action()
            except ww.OutOfMemoryError:
                self.errors += 1
            if self.held is not None:
                self.held = None
            else:
                self.pool.limit = self.before
        return action()


class Program:
    def __init__(self, seed: int, features: frozenset[str]) -> None:
        self.random = random.Random(seed)
        self.features = features
        self.used: set[str] = set()
        self.pairs: list[Pair] = []
        self.held: list[tuple[Any, Any]] = []  # exports that live, and their models
        self.streams: list[Any] = []
        for _ in range(3):
            self.add_fresh()

    # --- what steps are made of

    def draw(self, end: int) -> int:
        return self.random.randrange(end)

    def any_pair(self, condition: Callable[[Pair], bool] = lambda pair: True) -> Pair | None:
        fitting = [pair for pair in self.pairs if condition(pair)]
        return self.random.choice(fitting) if fitting else None

    def push(self, ours: Any, model: Any) -> None:
        # NumPy's results without axes are numbers, not arrays that can be written to.
        self.pairs.append(Pair(ours, np.asarray(model)))
        if len(self.pairs) > MOST:
            del self.pairs[self.draw(len(self.pairs))]

    def fresh(self) -> np.ndarray:
        shape = tuple(self.draw(5) + 1 for _ in range(self.draw(3) + 1))
        numbers = [self.draw(21) - 10 for _ in range(int(np.prod(shape)))]
        return np.array(numbers, self.random.choice(DTYPES)).reshape(shape)

    def add_fresh(self) -> None:
        model = self.fresh()
        self.push(ww.asarray(model), model)

    def partner(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Pair | None:
        def fits(pair: Pair) -> bool:
            if pair.model.dtype != dtype:
                return False
            try:
                return np.broadcast_shapes(pair.model.shape, shape) == shape
            except ValueError:
                return False

        return self.any_pair(fits)

    @staticmethod
    def bounded(module: Any, value: Any) -> Any:
        return module.clip(value, -LIMIT, LIMIT)

    # --- steps

    def fusion(self) -> None:
        """A chain of operations, some of whose values stay named; perhaps a reduction."""
        first = self.any_pair()
        assert first is not None
        ours, model = first.ours, first.model
        length = self.draw(5) + 1
        for _ in range(length):
            other = self.partner(model.shape, model.dtype)
            a, b = (other.ours, other.model) if other is not None else (2, 2)
            kind = self.draw(7)
            if kind == 0:
                ours, model = ours + a, model + b
            elif kind == 1:
                ours, model = ours - a, model - b
            elif kind == 2:
                ours, model = self.bounded(ww, ours * a), self.bounded(np, model * b)
            elif kind == 3:
                ours, model = ww.maximum(ours, a), np.maximum(model, b)
            elif kind == 4:
                ours, model = ww.where(ours > a, ours, a), np.where(model > b, model, b)
                model = model.astype(first.model.dtype)
            elif kind == 5:
                ours, model = -ours, -model
            else:
                ours, model = ww.abs(ours), np.abs(model)
            if self.draw(4) == 0:
                self.push(ours, model)
        ours, model = self.bounded(ww, ours), self.bounded(np, model)
        if self.draw(3) == 0 and model.ndim > 0:
            axis = self.draw(model.ndim)
            name = self.random.choice(["sum", "max", "min", "argmax"])
            dtype = model.dtype
            ours = getattr(ww, name)(ours, axis=axis).astype(dtype)
            model = getattr(np, name)(model, axis=axis).astype(dtype)
            ours, model = self.bounded(ww, ours), self.bounded(np, model)
        kernels = len(KERNELS.findall(ww.explain(ours)))
        if 0 < kernels <= length:  # of one operation more at least
            self.used.add("fusion")
        self.push(ours, np.asarray(model))

    def view_of(self, pair: Pair) -> tuple[Any, Any]:
        if pair.model.ndim == 0:
            return pair.ours, pair.model
        index: list[Any] = []
        for extent in pair.model.shape:
            choice = self.draw(5)
            start = self.draw(extent)
            step = self.draw(2) + 1
            if choice == 0:
                index.append(slice(None, None, -1))
            elif choice == 1:
                index.append(slice(start, None, step))
            elif choice == 2 and pair.model.ndim > 1 and len(index) == 0:
                index.append(start)
            else:
                index.append(slice(None))
        where = tuple(index)
        ours, model = pair.ours[where], pair.model[where]
        if self.draw(3) == 0:
            ours, model = ours.T, model.T
        if self.draw(5) == 0:
            ours, model = ours[None], model[None]
        return ours, model

    def view(self) -> None:
        pair = self.any_pair(lambda one: one.model.size > 0 and one.model.ndim < 4)
        if pair is None:
            return
        ours, model = self.view_of(pair)
        if (ours.shape, ours.strides) != (pair.ours.shape, pair.ours.strides):
            self.used.add("view")
        self.push(ours, model)

    def in_place_write(self) -> None:
        pair = self.any_pair(lambda one: one.model.flags.writeable)
        if pair is None:
            return
        ours, model = (
            self.view_of(pair)
            if self.draw(2) and pair.model.ndim
            else (
                pair.ours,
                pair.model,
            )
        )
        other = self.partner(model.shape, model.dtype)
        a, b = (other.ours, other.model.copy()) if other is not None else (3, 3)
        kind = self.draw(4)
        if kind == 0:
            ours[...] = a
            model[...] = b
        elif kind == 1:
            ours += 1
            model += 1
        elif kind == 2:
            chosen = self.bounded(np, model - b)
            ours[...] = self.bounded(ww, ours - a)
            model[...] = chosen
        else:
            is_greater = model > 0
            ww.add(ours, a, out=ours, where=ours > 0)
            np.add(model, b, out=model, where=is_greater)
        ours[...] = self.bounded(ww, ours)
        model[...] = self.bounded(np, model)
        self.used.add("in-place write")

    def export(self) -> None:
        """Memory that something else holds for a while, and writes."""
        if self.held and self.draw(2):
            self.held.clear()
            gc.collect()
            return
        pair = self.any_pair(lambda one: one.model.size > 0 and one.model.flags.writeable)
        if pair is None:
            return
        self.used.add("export")
        if pair.ours.device.kind == "cpu":
            host = np.asarray(pair.ours)
            self.held.append((host, pair.model))
            host[...] = 3 - host
            pair.model[...] = 3 - pair.model
            pair.ours += 1
            pair.model += 1
            if not np.array_equal(host, pair.model):
                raise Mismatch("an export does not show what was written")
        else:
            again = ww.from_dlpack(pair.ours)
            self.held.append((again, pair.model))
            again -= 1
            pair.model -= 1

    def imported(self) -> None:
        """Memory of others, or of another array by its buffer."""
        if ww.Device().kind == "cpu" and self.draw(2):
            model = self.fresh()
            host = model.copy()
            ours = ww.asarray(host, copy=False)
            ours += 1
            model += 1
            ours.get()
            if not np.array_equal(host, model):
                raise Mismatch("imported memory does not hold what was written")
            self.push(ours, model)
            self.used.add("import")
            return
        pair = self.any_pair(lambda one: one.ours.is_c_contiguous and one.model.flags.writeable)
        if pair is None or pair.model.size == 0:
            return
        model = pair.model.reshape(-1)
        if not np.shares_memory(model, pair.model):
            return
        ours = ww.from_buffer(pair.ours.gpudata, model.shape, pair.ours.dtype)
        self.push(ours, model)
        self.used.add("import")

    def stream(self) -> None:
        if len(self.streams) < 2:
            self.streams.append(ww.Stream())
        with self.random.choice(self.streams):
            for _ in range(self.draw(3) + 1):
                (self.fusion, self.in_place_write)[self.draw(2)]()
        self.used.add("stream")

    def capture(self) -> None:
        """Writes in place that a graph repeats."""
        pair = self.any_pair(lambda one: one.model.flags.writeable and one.model.size > 0)
        if pair is None:
            return
        step = self.draw(3) + 1
        with ww.Stream() as stream:
            with stream.capture() as graph:
                pair.ours += step
            times = self.draw(3) + 1
            for _ in range(times):
                graph.launch(stream)
            stream.synchronize()
        self.used.add("capture")
        pair.model += step * times
        pair.ours[...] = self.bounded(ww, pair.ours)
        pair.model[...] = self.bounded(np, pair.model)

    def raw_kernel(self) -> None:
        kernels = module()
        pair = self.any_pair(lambda one: one.ours.is_c_contiguous and one.model.flags.writeable)
        if pair is None or pair.model.size == 0:
            return
        ours, model = pair.ours, pair.model
        c_type = C_TYPES[model.dtype.name]
        if self.draw(2):
            kernels[f"mirrored<{c_type}>"](ours, model.size, grid=2, block=64)
            model[...] = 3 - model
        else:
            other = self.any_pair(
                lambda one: (
                    one.ours.is_c_contiguous
                    and one.model.shape == model.shape
                    and one.model.dtype == model.dtype
                    and not np.shares_memory(one.model, model)
                )
            )
            if other is None:
                return
            kernels[f"added<{c_type}>"](other.ours, ours, model.size, grid=2, block=64)
            model[...] = other.model - model
        self.used.add("raw kernel")
        ours[...] = self.bounded(ww, ours)
        model[...] = self.bounded(np, model)

    def out_of_memory(self) -> None:
        """Writes in place and new arrays, for some of which there is no memory at first."""
        pair = self.any_pair(lambda one: one.model.flags.writeable and one.model.size > 0)
        if pair is None:
            return
        shortage = Shortage(self.draw(4))
        results = []
        with shortage:
            for number in range(self.draw(3) + 1):
                shortage.overcome(lambda: pair.ours.__iadd__(1))
                pair.model += 1
                extent = shortage.extent(pair.model.dtype) + number  # each is a kernel of its own
                dtype = pair.model.dtype
                ours = shortage.overcome(
                    lambda n=extent: ww.full(n, 2, pair.ours.dtype) + ww.max(pair.ours)
                )
                results.append(Pair(ours, np.full(extent, 2, dtype) + pair.model.max()))
                shortage.overcome(lambda: pair.ours.__isub__(3))
                pair.model -= 3
            # Perhaps some are demanded first, or another that reads them.
            values = [result.ours for result in results] + [pair.ours]
            self.random.shuffle(values)
            shortage.overcome(lambda: ww.evaluate(*values))
            for result in results:
                shortage.overcome(lambda one=result: self.check(one))
        if shortage.errors > 0:
            self.used.add("out of memory")
        self.check(pair)
        pair.ours[...] = self.bounded(ww, pair.ours)
        pair.model[...] = self.bounded(np, pair.model)

    # --- the whole

    def step(self, feature: str) -> None:
        name = {"in-place write": "in_place_write", "import": "imported"}.get(feature, feature)
        getattr(self, name.replace(" ", "_"))()

    def check(self, pair: Pair) -> None:
        values = pair.ours.get()
        if values.dtype != pair.model.dtype or not np.array_equal(values, pair.model):
            raise Mismatch(f"{values!r} is not {pair.model!r}")

    def run(self) -> list[bytes]:
        order = [feature for feature in FEATURES if feature in self.features]
        self.random.shuffle(order)
        order += [self.random.choice(order) for _ in range(STEPS - len(order))]
        for feature in order:
            self.step(feature)
            if self.draw(8) == 0:
                pair = self.any_pair()
                assert pair is not None
                self.check(pair)
        rounded = []
        for pair in self.pairs:
            x = pair.ours.astype("float64") * 0.125
            rounded.append(ww.sin(x) * ww.exp(x * 0.25) - x / 3)
            rounded.append(ww.sum(ww.cos(x) / 7))
        if self.draw(2):
            ww.evaluate(*rounded)
        for pair in self.pairs:
            self.check(pair)
        self.held.clear()
        return [value.get().tobytes() for value in rounded]


_module: Any = None


def module() -> Any:
    global _module
    if _module is None:
        _module = ww.SourceModule(SOURCE)
    return _module


def features_of(seed: int) -> frozenset[str]:
    """Each program has five features at least, fusion among them most of the time."""
    chosen = random.Random(seed ^ 0x5EED)
    return frozenset(chosen.sample(FEATURES, chosen.randrange(5, len(FEATURES) + 1)))


def run_both(seed: int) -> set[str]:
    """Raises Mismatch where lazy, eager and NumPy differ."""
    features = features_of(seed)
    lazy = Program(seed, features)
    results = lazy.run()
    with ww.lazy(False):
        eager = Program(seed, features)
        if eager.run() != results:
            raise Mismatch("lazy and eager differ in bits")
    return lazy.used


def main() -> None:
    first, end = int(sys.argv[1]), int(sys.argv[2])
    pairs: Counter[str] = Counter()
    for seed in range(first, end):
        try:
            used = run_both(seed)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
        for a, b in itertools.combinations(sorted(used), 2):
            pairs[f"{a}, {b}"] += 1
    print(json.dumps(pairs, sort_keys=True))


if __name__ == "__main__":
    main()
