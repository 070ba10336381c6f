"""Random programs on a GPU: the bits must be what executor *reference* computes on the CPU.

Both are compiled without contracting a product and a sum, which compilers may do differently. What
CUDA leaves open is taken out of the programs first: the last bits of sinf() and others, quotients
by zero (defined() tells how). Programs in which lanes take words of lanes that are not there are
left out.
WARPWISE_FUZZ=4000:5000 takes these programs. Skipped where the tests run on the CPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import devices
import numpy as np
import pytest

import warpwise as ww
from random_program import Generator
from test_random_programs import describe, launch, wanted

SHORT = 400
AT_ONCE = 50
SEEDS = wanted() or range(SHORT)

HEAD = "".join(f"#define {name}(x) ((x) * 0.5f)\n" for name in ("sinf", "expf", "logf"))
HEAD += (
    "template <class T> __device__ T divisor(T v) { return v == T(0) || v == T(-1) ? T(3) : v; }\n"
)
# What exchanges words with lanes by number: those must be there.
EXCHANGES = {"shuffle up", "shuffle down", "shuffle xor", "shuffle index", "shuffle of 64 bits"} | {
    *("ballot", "vote", "warp reduce", "match")
}

pytestmark = pytest.mark.skipif(devices.IS_CPU, reason="compares a GPU with the CPU")


def batches() -> Iterator[tuple[int, ...]]:
    seeds = iter(SEEDS)
    while batch := tuple(islice(seeds, AT_ONCE)):
        yield batch


def defined(source: str) -> str:
    """The program with divisor() around what follows each / and %, up to the end of its bracket."""
    made, at = "", 0
    while found := re.compile(r" [/%] ").search(source, at):
        end, depth = found.end(), 0
        while depth or source[end] not in ")];,?:":
            depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(source[end], 0)
            end += 1
        made += (
            source[at : found.end()] + f"divisor({defined(source[found.end() : end] + ';')[:-1]})"
        )
        at = end
    return made + source[at:]


def is_open(program: Generator) -> bool:
    """Whether lanes take words of lanes that are not there, or of which a mask leaves them out."""
    leaves_lanes_out = program.threads % 32 != 0 or "return" in program.used
    exchanges = not EXCHANGES.isdisjoint(program.used)
    return (exchanges and leaves_lanes_out) or "masked shuffle" in program.used


def kernel_of(source: str, device: str, *options: str) -> ww.Kernel:
    options = ("-fmad=false", *options)
    return ww.SourceModule(source, options=options, device=ww.Device(device))["program"]


def differences(seed: int) -> list[str]:
    program = Generator(seed)
    source = HEAD + defined(program.source())
    if is_open(program):
        return []
    with ww.Device("cpu"):
        expected = launch(program, kernel_of(source, "cpu", "--warpwise-executor=reference"))
    with ww.Device(devices.NAME):
        got = launch(program, kernel_of(source, devices.NAME))
    found = []
    for name, values in expected.items():
        differs = np.flatnonzero(got[name] != values)
        if differs.size:
            at = differs[0]
            found.append(describe(seed, f"{name}[{at}] is {got[name][at]}, not {values[at]}"))
    return found


@pytest.mark.timeout(0)
@pytest.mark.parametrize("seeds", list(batches()), ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}")
def test_a_gpu_computes_what_the_cpu_does(seeds: tuple[int, ...]) -> None:
    with ThreadPoolExecutor() as pool:
        found = [text for texts in pool.map(differences, seeds) for text in texts]
    assert not found, f"{len(found)} differ; the first: {found[0]}"
