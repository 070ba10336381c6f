"""A kernel of ten lines for a GPU, from source text to ready: Warpwise compared with NVRTC itself.

cold        in a process that has compiled before, this kernel not cached; beside it, in turns, the
            same source given to NVRTC by its own interface, and to cuda.core and CuPy where they
            can be imported (their caches off)
from disk   a new process, cached
40 kernels  one after the other, then from a pool of threads, one a core; beside it NVRTC itself

On a machine without a GPU the work ends with the cubin (ww.compile); with one, SourceModule() loads
it as well. `--json FILE` writes all rows to a file."""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from report import row

SAMPLES = 9
KERNELS = 40
SOURCE = r"""
__global__ void blend(float *out, const float *a, const float *b, float weight, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i] * weight + VARIANT;
    float y = b[i] * (1.0f - weight);
    out[i] = sqrtf(x * x + y * y);
}
"""


def variant(text: str) -> str:
    return SOURCE.replace("VARIANT", text)


def milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - start)


class Nvrtc:
    """NVRTC by its own interface, the library that Warpwise would use."""

    def __init__(self, path: str, architecture: str) -> None:
        self._library = ctypes.CDLL(path)
        self._option = f"--gpu-architecture={architecture}".encode()

    def compile(self, source: str) -> bytes:
        library, program = self._library, ctypes.c_void_p()
        text = source.encode()
        library.nvrtcCreateProgram(ctypes.byref(program), text, b"k.cu", 0, None, None)
        options = (ctypes.c_char_p * 1)(self._option)
        if library.nvrtcCompileProgram(program, 1, options) != 0:
            sys.exit("NVRTC does not compile the kernel")
        size = ctypes.c_size_t()
        library.nvrtcGetCUBINSize(program, ctypes.byref(size))
        code = ctypes.create_string_buffer(size.value)
        library.nvrtcGetCUBIN(program, code)
        library.nvrtcDestroyProgram(ctypes.byref(program))
        return code.raw


def nvrtc_path() -> str:
    """WARPWISE_NVRTC, the linker's, or the wheel's."""
    if path := os.environ.get("WARPWISE_NVRTC"):
        return path
    for name in ("libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"):
        with contextlib.suppress(OSError):
            ctypes.CDLL(name)
            return name
    found = importlib.util.find_spec("nvidia")
    for place in found.submodule_search_locations or () if found else ():
        for library in Path(place).glob("*/lib/libnvrtc.so.1?"):
            os.environ["WARPWISE_NVRTC"] = str(library)
            return str(library)
    sys.exit("there is no NVRTC; pip install nvidia-cuda-nvrtc")


def has_gpu() -> bool:
    import warpwise as ww

    try:
        return ww.Device("cuda").info.executes_kernels
    except ww.DeviceError:
        return False


def architecture(gpu: bool) -> str:
    import warpwise as ww

    return ww.Device("cuda").info.architecture if gpu else "sm_90"


def ours(gpu: bool) -> Callable[[str], object]:
    import warpwise as ww

    if not gpu:
        return lambda source: ww.compile(source, target="sm_90", format="cubin")
    device = ww.Device("cuda")
    device.synchronize()
    return lambda source: ww.SourceModule(source, device=device).get_function("blend")


def rivals(gpu: bool, arch: str) -> dict[str, Callable[[str], object]]:
    """The installed ones; each from source to a kernel."""
    found: dict[str, Callable[[str], object]] = {"NVRTC itself": Nvrtc(nvrtc_path(), arch).compile}
    if not gpu:
        return found
    with contextlib.suppress(ImportError):
        from cuda.core.experimental import Device, Program, ProgramOptions

        Device().set_current()

        def with_cuda_core(source: str) -> object:
            text = f'extern "C" {source.strip()}'
            program = Program(text, code_type="c++", options=ProgramOptions(arch=arch))
            return program.compile("cubin").get_kernel("blend")

        found["cuda.core"] = with_cuda_core
    with contextlib.suppress(ImportError):
        import cupy

        def with_cupy(source: str) -> object:
            kernel = cupy.RawKernel(f'extern "C" {source.strip()}', "blend")
            kernel.compile()
            return kernel

        found["CuPy"] = with_cupy
    return found


def measure_cold(compile_ours: Callable[[str], object], gpu: bool, arch: str) -> None:
    """In turns, so that all run under the same conditions."""
    works = {"Warpwise": compile_ours, **rivals(gpu, arch)}
    times: dict[str, list[float]] = {name: [] for name in works}
    for sample in range(SAMPLES + 2):
        for number, (name, work) in enumerate(works.items()):
            source = variant(f"{sample}.{number}{os.getpid()}f")
            took = milliseconds(lambda work=work, source=source: work(source))
            if sample > 1:
                times[name].append(took)
    for name, samples in times.items():
        row(f"cold: {name}", samples, "ms")
    extra = [a - b for a, b in zip(times["Warpwise"], times["NVRTC itself"], strict=True)]
    row("cold: Warpwise more than NVRTC", extra, "ms")


def measure_forty(name: str, compile_one: Callable[[str], object], first: int) -> None:
    threads = len(os.sched_getaffinity(0))
    sources = [variant(f"{first + i}.5{os.getpid()}f") for i in range(2 * KERNELS)]
    one = milliseconds(lambda: [compile_one(source) for source in sources[:KERNELS]])
    with ThreadPoolExecutor(threads) as pool:
        many = milliseconds(lambda: list(pool.map(compile_one, sources[KERNELS:])))
    row(f"{KERNELS} kernels, sequential: {name}", [one], "ms")
    row(f"{KERNELS} kernels, {threads} threads: {name}", [many], "ms")
    row(f"{KERNELS} kernels, gain: {name}", [one / many], "times")


def measure_from_disk(cache: str) -> None:
    samples = []
    for _ in range(SAMPLES):
        command = [sys.executable, __file__, "--one-process"]
        env = {**os.environ, "WARPWISE_CACHE_DIR": cache}
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
        samples.append(float(done.stdout))
    row("from disk, new process", samples[1:], "ms")


def one_process() -> None:
    compile_ours = ours(has_gpu())
    source = variant("0.25f")
    print(milliseconds(lambda: compile_ours(source)))


def main() -> None:
    gpu = has_gpu()
    arch = architecture(gpu)
    compile_ours = ours(gpu)
    measure_cold(compile_ours, gpu, arch)
    measure_forty("Warpwise", compile_ours, 1000)
    measure_forty("NVRTC itself", Nvrtc(nvrtc_path(), arch).compile, 2000)
    measure_from_disk(os.environ["WARPWISE_CACHE_DIR"])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="a file for the rows")
    parser.add_argument("--one-process", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def with_rows_in(file: Path) -> None:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        main()
    rows = [json.loads(line) for line in text.getvalue().splitlines() if line.startswith("{")]
    file.write_text(json.dumps(rows, indent=1) + "\n")
    print(text.getvalue(), end="")


if __name__ == "__main__":
    nvrtc_path()
    given = arguments()
    if given.one_process:
        one_process()
    else:
        with tempfile.TemporaryDirectory(prefix="warpwise-bench-") as folder:
            os.environ["WARPWISE_CACHE_DIR"] = folder
            os.environ["CUPY_CACHE_DIR"] = folder + "/cupy"
            os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
            if given.json:
                with_rows_in(given.json)
            else:
                main()
