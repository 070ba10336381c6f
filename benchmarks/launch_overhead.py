"""What queueing costs, apart from the device's work: empty kernels of one block, events, copies.

Everything is measured beside the bare function of the driver, called in a loop of C++
(launch/raw.cpp), in turns: of each round one sample each, beginning with another one in every
round, so that none always comes behind the same one. Each sample starts with an idle device and
queues fewer calls than a driver takes before it makes the caller wait. A ratio is the median of the
rounds' ratios: a host that changes its pace between rounds changes both sides. That needs a GPU;
without one there is nothing to compare with. Rivals that cannot be imported are left out.

launch      the call alone, with 0, 4 and 16 arguments
queue       events and copies of 1 KiB, the call alone
finish      a launch and waiting until it is done
import      what `import warpwise` adds to `import numpy`, in new processes

--table     prints a table of ratios to the driver's own time at the end (standard error)
--write F   writes all rows to F as JSON"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import itertools
import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import warpwise as ww
from report import row

ROOT = Path(__file__).resolve().parents[1]
PARTS = Path(__file__).resolve().parent / "launch"
ROUNDS = 31
LAUNCHES = 256  # of a sample: below the depth of the driver's queue, so that no call waits
COUNTS = (0, 4, 16)
QUEUED = (
    "record an event",
    "wait for an event",
    "1 KiB to the device, pinned",
    "1 KiB to the host, pinned",
    "1 KiB to the device, pageable",
    "1 KiB to the host, pageable",
)
SOURCE = """
extern "C" __global__ void none() {}
extern "C" __global__ void four(float *a, float *b, float c, int d) {}
extern "C" __global__ void sixteen(float *a, float *b, float *c, float *d, float *e, float *f,
                                   float *g, float *h, float i, float j, float k, float l,
                                   int m, int n, int o, int p) {}
"""
NAMES = {0: "none", 4: "four", 16: "sixteen"}
PREPARED = "PPfi"  # the types of four(), as PyCUDA writes them
IMPORT = """
import time, numpy
start = time.perf_counter()
import warpwise
print(1e3 * (time.perf_counter() - start))
"""

# Nanoseconds a call, of that many calls. The queued work has ended afterwards.
Measure = Callable[[int], float]


def mapped(name: str) -> str:
    """The path of a library of this process."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.split(maxsplit=5)[-1]
        if Path(path).name.startswith(name):
            return path
    raise FileNotFoundError(name)


def headers(library: str) -> tuple[str, str]:
    """Options for the public headers: of the source tree, and those made with the library."""
    return f"-I{ROOT / 'include'}", f"-I{Path(library).resolve().parents[1] / 'include'}"


def build(name: str, folder: str, *more: str) -> ctypes.CDLL:
    made = Path(folder) / f"{name}.so"
    compiler = os.environ.get("CXX", "g++")
    words = [compiler, "-O2", "-std=c++20", "-shared", "-fPIC", str(PARTS / f"{name}.cpp")]
    words.append(f"-I{sysconfig.get_path('include')}")
    subprocess.run([*words, "-o", str(made), *more, "-ldl"], check=True)
    return ctypes.CDLL(str(made))


def loop(call: str, names: dict[str, Any], finish: Callable[[], object]) -> Measure:
    """A loop around `call`, generated as text so that nothing else is in it."""
    lines = [
        "def run(count):",
        "    start = clock()",
        f"    for _ in repeat(None, count): {call}",
        "    took = clock() - start",
        "    finish()",
        "    return 1e9 * took / count",
    ]
    scope = {"clock": time.perf_counter, "repeat": itertools.repeat, "finish": finish}
    # As arguments with defaults the names are local variables, as in a program's own function.
    lines[0] = f"def run(count, {', '.join(f'{name}={name}' for name in names)}):"
    exec("\n".join(lines), scope | names, made := {})
    return made["run"]


def arguments_of(count: int, memory: Any, real: Any, whole: Any) -> dict[str, Any]:
    values = {0: [], 4: [memory] * 2 + [real, whole], 16: [memory] * 8 + [real] * 4 + [whole] * 4}
    return {f"a{i}": value for i, value in enumerate(values[count])}


def counted(function: Any, *given: Any) -> Measure:
    """A loop in C++: its last argument is how often."""
    function.restype = ctypes.c_double
    return lambda count: function(*given, ctypes.c_long(count))


def thin_measures(folder: str, raw: ctypes.CDLL) -> dict[str, dict[str, Measure]]:
    """The minimum for these calls from Python: an extension that calls the driver."""
    spec = importlib.util.spec_from_file_location("thin", build("thin", folder)._name)
    thin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(thin)
    raw.raw_addresses(addresses := (ctypes.c_uint64 * 9)())
    thin.set(*addresses)
    pageable, pinned = np.zeros(1024, np.uint8), ww.pagelocked_empty(1024, np.uint8)
    address = addresses[6]
    calls = {
        "launch, 4 arguments": ("launch", address, address, 2.0, 16),
        "record an event": ("record", None),
        "wait for an event": ("wait", None),
        "1 KiB to the device, pinned": ("to_device", pinned),
        "1 KiB to the host, pinned": ("to_host", pinned),
        "1 KiB to the device, pageable": ("to_device", pageable),
        "1 KiB to the host, pageable": ("to_host", pageable),
    }
    found = {}
    for what, (name, *given) in calls.items():
        names = {f"a{i}": value for i, value in enumerate(given)}
        call = f"call({', '.join(names)})"
        measure = loop(call, names | {"call": getattr(thin, name)}, raw.raw_finish)
        found[what] = {"an extension's bare call": measure}
    return found


def raw_measures(folder: str, driver: str) -> dict[str, dict[str, Measure]]:
    library = build("raw", folder)
    library.raw_open.restype = ctypes.c_char_p
    if failed := library.raw_open(driver.encode()):
        raise RuntimeError(f"the bare driver: {failed.decode()}")
    found: dict[str, dict[str, Measure]] = {}
    for n in COUNTS:
        found[f"launch, {n} arguments"] = {
            "driver": counted(library.raw_launch, n, 0),
            "driver, kernelParams": counted(library.raw_launch, n, 1),
        }
    for what in QUEUED:
        found[what] = {"driver": counted(library.raw_queue, what.encode())}
    for what, made in thin_measures(folder, library).items():
        found[what].update(made)
    found["the current context"] = {
        "asking": counted(library.raw_current, 0),
        "asking and changing twice": counted(library.raw_current, 1),
    }
    return found


def cpp_library(folder: str) -> ctypes.CDLL:
    warpwise = mapped("libwarpwise.so")
    library = build("ours", folder, *headers(warpwise), warpwise)
    library.ours_error.restype = ctypes.c_char_p
    return library


def cpp_measures(folder: str) -> dict[str, dict[str, Measure]]:
    library = cpp_library(folder)
    library.ours_open(SOURCE.encode())
    if failed := library.ours_error():
        raise RuntimeError(failed.decode())
    found: dict[str, dict[str, Measure]] = {}
    for n in COUNTS:
        found[f"launch, {n} arguments"] = {"ours, C++": counted(library.ours_launch, n)}
    for what in QUEUED:
        found[what] = {"ours, C++": counted(library.ours_queue, what.encode())}
    return found


def python_launches() -> dict[str, dict[str, Measure]]:
    module = ww.SourceModule(SOURCE)
    memory = ww.mem_alloc(1024)
    finish = ww.Device().synchronize
    found: dict[str, dict[str, Measure]] = {}
    for n in COUNTS:
        kernel = module.get_function(NAMES[n])
        names = arguments_of(n, memory, 2.0, 16)
        words = ", ".join(names)
        comma = ", " if words else ""
        names |= {"kernel": kernel, "bound": kernel[1, 1]}
        found[f"launch, {n} arguments"] = {
            "ours, bound": loop(f"bound({words})", names, finish),
            "ours, kernel[1, 1](...)": loop(f"kernel[1, 1]({words})", names, finish),
            "ours, grid=, block=": loop(f"kernel({words}{comma}grid=1, block=1)", names, finish),
        }
    found[f"launch, {len(PREPARED)} arguments"]["ours, prepared_call"] = prepared(finish)
    return found


def prepared(finish: Callable[[], object]) -> Measure:
    """PyCUDA's way to start a kernel many times, with memory of PyCUDA's class."""
    importlib.import_module("warpwise.compat.pycuda.autoinit")
    compiler = importlib.import_module("warpwise.compat.pycuda.compiler")
    driver = importlib.import_module("warpwise.compat.pycuda.driver")
    function = compiler.SourceModule(SOURCE, no_extern_c=True).get_function(NAMES[len(PREPARED)])
    function.prepare(PREPARED)
    names = arguments_of(len(PREPARED), driver.mem_alloc(1024), 2.0, 16)
    words = ", ".join(names)
    names |= {"call": function.prepared_call, "grid": (1, 1), "block": (1, 1, 1)}
    return loop(f"call(grid, block, {words})", names, finish)


def python_queue() -> dict[str, dict[str, Measure]]:
    stream, other, event = ww.Stream(), ww.Stream(), ww.Event(timing=False)
    event.record(other)
    memory, pageable = ww.mem_alloc(1024), np.zeros(1024, np.uint8)
    pinned = ww.pagelocked_empty(1024, np.uint8)
    names = {"s": stream, "e": event, "m": memory, "page": pageable, "pin": pinned}
    calls = (
        "e.record(s)",
        "s.wait(e)",
        "m.copy_from(pin, stream=s)",
        "m.copy_to(pin, stream=s)",
        "m.copy_from(page, stream=s)",
        "m.copy_to(page, stream=s)",
    )
    made = (loop(call, names, stream.synchronize) for call in calls)
    return {what: {"ours, Python": measure} for what, measure in zip(QUEUED, made, strict=True)}


def cuda_core_launches() -> dict[str, Measure]:
    try:
        core = importlib.import_module("cuda.core")
        core.Program  # noqa: B018
    except (ImportError, AttributeError):
        core = importlib.import_module("cuda.core.experimental")
    device = core.Device(0)
    device.set_current()
    stream = device.default_stream
    options = core.ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
    program = core.Program(SOURCE, code_type="c++", options=options)
    kernels = program.compile("cubin", name_expressions=tuple(NAMES.values()))
    memory = device.allocate(1024, stream=stream)
    config = core.LaunchConfig(grid=1, block=1)
    found = {}
    for n in COUNTS:
        names = arguments_of(n, memory, np.float32(2), np.int32(16))
        words = "".join(f", {name}" for name in names)
        names |= {"launch": core.launch, "s": stream, "c": config}
        names["k"] = kernels.get_kernel(NAMES[n])
        found[f"launch, {n} arguments"] = loop(f"launch(s, c, k{words})", names, device.sync)
    return found


def cupy_launches() -> dict[str, Measure]:
    cupy = importlib.import_module("cupy")
    memory = cupy.zeros(256, cupy.float32)
    finish = cupy.cuda.Device().synchronize
    found = {}
    for n in COUNTS:
        kernel = cupy.RawKernel(SOURCE, NAMES[n])
        given = tuple(arguments_of(n, memory, np.float32(2), np.int32(16)).values())
        names = {"k": kernel, "one": (1,), "given": given}
        found[f"launch, {n} arguments"] = loop("k(one, one, given)", names, finish)
    return found


def numba_launches() -> dict[str, Measure]:
    cuda = importlib.import_module("numba.cuda")
    memory = cuda.device_array(256, np.float32)
    found = {}
    for n in COUNTS:
        names = arguments_of(n, memory, np.float32(2), np.int32(16))
        words = ", ".join(names)
        exec(f"def {NAMES[n]}({words}): pass", made := {})
        kernel = cuda.jit(made[NAMES[n]])
        names["k"] = kernel[1, 1]
        kernel[1, 1](*list(names.values())[:-1])
        found[f"launch, {n} arguments"] = loop(f"k({words})", names, cuda.synchronize)
    return found


RIVALS = {"cuda.core": cuda_core_launches, "CuPy": cupy_launches, "Numba": numba_launches}


def add_rivals(measures: dict[str, dict[str, Measure]]) -> None:
    for name, make in RIVALS.items():
        try:
            made = make()
            for measure in made.values():
                measure(2)
        except Exception as error:
            print(f"{name} is left out: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        for work, measure in made.items():
            measures[work][name] = measure


def in_turns(measures: dict[str, Measure]) -> dict[str, list[float]]:
    """Microseconds; the first round, which warms up, is dropped."""
    samples: dict[str, list[float]] = {name: [] for name in measures}
    names = list(measures)
    for round_ in range(ROUNDS + 1):
        first = round_ % len(names)
        for name in names[first:] + names[:first]:
            value = measures[name](LAUNCHES)
            if value < 0:
                raise RuntimeError(f"{name}: the driver failed")
            samples[name].append(value / 1000)
    return {name: values[1:] for name, values in samples.items()}


def finish_us(kernel: ww.Kernel) -> float:
    launch, device = kernel[1, 1], ww.Device()
    device.synchronize()
    start = time.perf_counter()
    for _ in range(LAUNCHES):
        launch()
        device.synchronize()
    return 1e6 * (time.perf_counter() - start) / LAUNCHES


def import_ms() -> float:
    printed = subprocess.run(
        [sys.executable, "-c", IMPORT], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    return float(printed)


def all_measures(folder: str) -> dict[str, dict[str, Measure]]:
    measures: dict[str, dict[str, Measure]] = {}
    if ww.Device().kind == "cuda":
        driver = os.environ.get("WARPWISE_CUDA_DRIVER", "libcuda.so.1")
        measures = raw_measures(folder, driver)
    for part in (cpp_measures(folder), python_launches(), python_queue()):
        for work, made in part.items():
            measures.setdefault(work, {}).update(made)
    if ww.Device().kind == "cuda":
        add_rivals(measures)
    return measures


def ratio_to(floor: list[float], values: list[float]) -> float:
    return statistics.median(ours / theirs for ours, theirs in zip(values, floor, strict=True))


def table(samples: dict[str, dict[str, list[float]]]) -> str:
    lines = []
    for work, rows in samples.items():
        lines.append(work)
        floor = rows.get("driver")
        for name, values in rows.items():
            ratio = f"{ratio_to(floor, values):7.3f} x" if floor else ""
            lines.append(f"  {name:<28}{statistics.median(values):9.3f} us {ratio}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", action="store_true", help="ratios to the driver's own time")
    parser.add_argument("--write", type=Path, metavar="FILE", help="all rows as JSON")
    options = parser.parse_args()
    samples: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for work, measures in all_measures(folder).items():
            samples[work] = in_turns(measures)
            for name, values in samples[work].items():
                row(f"{work}: {name}", values, "us")
    none = ww.SourceModule(SOURCE).get_function("none")
    row("finish, no arguments", [finish_us(none) for _ in range(ROUNDS)], "us")
    row("import, beyond NumPy", [import_ms() for _ in range(15)], "ms")
    if options.table:
        print(table(samples), file=sys.stderr)
    if options.write:
        options.write.write_text(json.dumps(samples, indent=2) + "\n")


if __name__ == "__main__":
    main()
