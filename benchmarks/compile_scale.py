"""From source text to kernels ready to launch, for sources of unusual size; each in the same
process, the compiler open, nothing cached (each run writes other numbers into the sources).

4,000 lines       one kernel whose body has that many statements
200 arguments     a kernel of 200 pointers, and what one launch of it takes
1,000 kernels     in one module, all asked for by name
4,000 in 200      200 device functions of 20 lines, called by one kernel"""

from __future__ import annotations

import time
from collections.abc import Callable

import warpwise as ww
from report import row

SAMPLES = 3
VARIANT = time.time_ns() % 1_000_000_007


def long_kernel(number: int) -> str:
    body = "".join(
        f"    x = x * {1 + i % 7}.25f + a[(i + {i}) & 1023];\n"
        if i % 4
        else f"    if (x > {number}{i}.0f) x -= b[i & {i % 1000}];\n"
        for i in range(4000)
    )
    return (
        "__global__ void k(float *out, const float *a, const float *b) {\n"
        f"    int i = threadIdx.x;\n    float x = a[i];\n{body}    out[i] = x;\n}}\n"
    )


def many_arguments(number: int) -> str:
    parameters = ", ".join(f"float *p{i}" for i in range(200))
    body = "".join(f"    p{i}[threadIdx.x] = {number} + {i};\n" for i in range(200))
    return f"__global__ void k({parameters}) {{\n{body}}}\n"


def many_kernels(number: int) -> str:
    return "".join(
        f"__global__ void k{i}(float *x, int n) {{\n"
        f"    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"    if (i < n) x[i] = x[i] * {i}.5f + {number};\n}}\n"
        for i in range(1000)
    )


def many_functions(number: int) -> str:
    lines = "".join(f"    x = x * {j}.5f + {number} - y / (x + {j + 1});\n" for j in range(18))
    functions = "".join(
        f"__device__ float f{i}(float x, float y) {{\n{lines}    return x;\n}}\n"
        for i in range(200)
    )
    calls = "".join(f"    x = f{i}(x, {i});\n" for i in range(200))
    return f"{functions}__global__ void k(float *p) {{\n    float x = *p;\n{calls}    *p = x;\n}}\n"


def ready_s(source: str, names: list[str]) -> float:
    start = time.perf_counter()
    module = ww.SourceModule(source)
    for name in names:
        module.get_function(name)
    return time.perf_counter() - start


def launch_us() -> float:
    kernel = ww.SourceModule(many_arguments(0)).get_function("k")[1, 1]
    arguments = [ww.mem_alloc(64)] * 200
    launches = 1000
    start = time.perf_counter()
    for _ in range(launches):
        kernel(*arguments)
    took = time.perf_counter() - start
    ww.Device().synchronize()
    return 1e6 * took / launches


def main() -> None:
    ready_s("__global__ void warm() {}", ["warm"])
    cases: dict[str, tuple[Callable[[int], str], list[str]]] = {
        "4,000 lines": (long_kernel, ["k"]),
        "200 arguments": (many_arguments, ["k"]),
        "1,000 kernels": (many_kernels, [f"k{i}" for i in range(1000)]),
        "4,000 lines in 200 functions": (many_functions, ["k"]),
    }
    for name, (source, kernels) in cases.items():
        row(name, [ready_s(source(VARIANT + number), kernels) for number in range(SAMPLES)], "s")
    row("200 arguments, one launch", [launch_us() for _ in range(SAMPLES)], "us")


if __name__ == "__main__":
    main()
