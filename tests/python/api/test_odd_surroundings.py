"""Compiles where something of the process or the file system is unusual."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpwise as ww

DELETED = """
import os, tempfile
import numpy as np
import warpwise as ww
folder = tempfile.mkdtemp()
os.chdir(folder)
os.rmdir(folder)
array = np.zeros(1, np.int32)
with ww.Device("cpu"):
    source = "__global__ void k(int *p) { *p = %d; }" % os.getpid()  # not in the cache
    ww.SourceModule(source)["k"](ww.Out(array), block=1)
print(array[0] == os.getpid())
try:
    ww.SourceModule('#include "missing_%d.h"' % os.getpid())
except ww.CompileError as error:
    print("missing" in str(error))
"""


def test_a_deleted_working_folder_is_no_obstacle(script: Any) -> None:
    assert script(DELETED).stdout == "True\nTrue\n"


def test_a_relative_cache_folder_needs_a_working_folder(script: Any) -> None:
    source = (
        "import os, tempfile\n"
        "folder = tempfile.mkdtemp(); os.chdir(folder); os.rmdir(folder)\n"
        "os.environ['WARPWISE_CACHE_DIR'] = 'here'\n"
        "import warpwise as ww\n"
        "for use in (ww.cache_info, lambda: ww.CacheFolder('here')):\n"
        "    try: use()\n"
        "    except ww.ArgumentError as error: print(error)\n"
    )
    first, second = script(source).stdout.splitlines()
    assert "WARPWISE_CACHE_DIR" in first
    assert "CacheFolder got the path 'here', which names no folder" in second


def test_an_empty_path_is_no_cache_folder() -> None:
    with pytest.raises(ww.ArgumentValueError, match="CacheFolder got the path ''"):
        ww.CacheFolder("")


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_only_files_are_included(script: Any, kind: str, tmp_path: Path) -> None:
    """Opening a pipe would wait for its other end, and a device may never end."""
    path = tmp_path / "pipe.h"
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    source = (
        "import warpwise as ww\n"
        "with ww.Device('cpu'):\n"
        f"    try: ww.SourceModule('#include \"{path}\"')\n"
        "    except ww.CompileError as error: print(error)\n"
    )
    assert f"'{path}' file not found" in script(source, timeout=60).stdout


@pytest.mark.parametrize("tier", ["quick", "full"])
def test_a_kernel_of_forty_thousand_statements_runs(tier: str) -> None:
    """Its one basic block is beyond what LLVM's optimising code generation is made for."""
    lines = [f"x = x * {2 * (i % 7) + 3}u + p[{i % 32}];" for i in range(40_000)]
    source = (
        "__global__ void k(unsigned *p) { unsigned x = threadIdx.x; "
        + "\n".join(lines)
        + "p[32 + threadIdx.x] = x; }"
    )
    array = np.arange(1, 41, dtype=np.uint32)
    expected = np.arange(8, dtype=np.uint32)
    for i in range(40_000):
        expected = expected * np.uint32(2 * (i % 7) + 3) + array[i % 32]
    with ww.Device("cpu"):
        module = ww.SourceModule(source, options=[f"--warpwise-tier={tier}"])
        module["k"](ww.InOut(array), block=8)
    assert (array[32:] == expected).all()


@pytest.mark.cpu_only("GPUs have memory of their own")
def test_memory_is_what_the_limit_of_addresses_leaves(script: Any) -> None:
    source = (
        "import resource\n"
        "import warpwise as ww\n"
        "resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
        "memory = ww.Device('cpu').memory()\n"
        "print(memory.total == 4 << 30, 0 < memory.free < 4 << 30)\n"
        "try: ww.mem_alloc(memory.free + (64 << 20))\n"
        "except ww.OutOfMemoryError as error: print(error)\n"
    )
    first, error, *_ = script(source).stdout.splitlines()
    assert first == "True True"
    assert " of 4.0 GiB are free on the CPU device" in error


def test_too_little_address_space_is_an_error(script: Any) -> None:
    """As after `ulimit -v`."""
    source = (
        "import os, resource\n"
        "import warpwise as ww\n"
        "resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))\n"
        "try:\n"
        "    with ww.Device('cpu'):\n"
        "        ww.SourceModule('__global__ void k() {} // %d' % os.getpid())\n"
        "    print('good')\n"
        "except MemoryError as error: print('error:', error)\n"
    )
    for megabytes in range(300, 1100, 100):
        done = script(source.replace("BYTES", str(megabytes << 20)))
        assert done.returncode == 0, (megabytes, done.stderr)
        assert done.stdout.startswith(("good", "error: ")), (megabytes, done.stderr)
