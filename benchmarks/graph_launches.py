"""A graph of 1,000 small kernels, and the same graph of the bare driver; whole and per kernel.

The kernels follow each other in one stream; each takes a pointer and an int. The driver's graph is
recorded from its own stream by cuLaunchKernel and launched by cuGraphLaunch. Each sample is several
launches and the wait for them, ours and the driver's in turns."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable

import warpwise as ww
from report import row

KERNELS = 1000
LAUNCHES = 10  # of a sample
ROUNDS = 31
GLOBAL_CAPTURE = 0
SOURCE = (
    'extern "C" __global__ void step(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] += 1; }'
)

Driver = ctypes.CDLL
# Launching it, and waiting for what was launched.
Graph = tuple[Callable[[], object], Callable[[], object]]


def check(status: int, what: str) -> None:
    if status:
        raise RuntimeError(f"{what} failed with CUDA error {status}")


def own_graph(kernel: ww.Kernel, buffer: ww.Buffer) -> Graph:
    stream = ww.Stream()
    with stream.capture() as graph:
        launch = kernel[1, 32, stream]
        for _ in range(KERNELS):
            launch(buffer, 32)
    return (lambda: graph.launch(stream)), stream.synchronize


def driver_graph(driver: Driver, image: bytes, address: int) -> Graph:
    """The driver's graph of the same launches; the context is the current one."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    check(driver.cuModuleLoadData(ctypes.byref(module), image), "cuModuleLoadData")
    check(driver.cuModuleGetFunction(ctypes.byref(function), module, b"step"), "no kernel")
    stream, graph, executable = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    check(driver.cuStreamCreate(ctypes.byref(stream), 1), "cuStreamCreate")
    memory, count = ctypes.c_uint64(address), ctypes.c_int(32)
    given = (ctypes.c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(count))
    check(driver.cuStreamBeginCapture_v2(stream, GLOBAL_CAPTURE), "cuStreamBeginCapture")
    for _ in range(KERNELS):
        launched = driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, given, None)
        check(launched, "cuLaunchKernel")
    check(driver.cuStreamEndCapture(stream, ctypes.byref(graph)), "cuStreamEndCapture")
    made = driver.cuGraphInstantiateWithFlags(ctypes.byref(executable), graph, ctypes.c_uint64(0))
    check(made, "cuGraphInstantiateWithFlags")
    return (
        lambda: check(driver.cuGraphLaunch(executable, stream), "cuGraphLaunch"),
        lambda: check(driver.cuStreamSynchronize(stream), "cuStreamSynchronize"),
    )


def sample_us(launch: Callable[[], object], finish: Callable[[], object]) -> float:
    start = time.perf_counter()
    for _ in range(LAUNCHES):
        launch()
    finish()
    return 1e6 * (time.perf_counter() - start) / LAUNCHES


def main() -> None:
    driver = ctypes.CDLL(os.environ.get("WARPWISE_CUDA_DRIVER", "libcuda.so.1"))
    with ww.Device("cuda:0") as device:
        major, minor = device.info.compute_capability
        buffer = ww.mem_alloc(1024)
        buffer.fill(0)
        device.synchronize()
        context = ctypes.c_void_p()
        check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), "no context")
        check(driver.cuCtxSetCurrent(context), "cuCtxSetCurrent")
        image = ww.compile(SOURCE, target=f"sm_{major}{minor}", format="cubin")
        kernel = ww.SourceModule(SOURCE)["step"]
        graphs = {
            "driver": driver_graph(driver, image, buffer.address),
            "warpwise": own_graph(kernel, buffer),
        }
        samples: dict[str, list[float]] = {name: [] for name in graphs}
        for at in range(ROUNDS + 1):
            for name, (launch, finish) in graphs.items():
                took = sample_us(launch, finish)
                if at:  # the first round warms up
                    samples[name].append(took)
    for name, values in samples.items():
        row(f"graph of {KERNELS} kernels, {name}", values, "us")
        row(f"a kernel of it, {name}", [value / KERNELS for value in values], "us")


if __name__ == "__main__":
    main()
