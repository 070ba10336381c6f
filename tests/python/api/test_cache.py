"""Kernels compile and run in whatever state the cache folder is; its problems are reported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

RUN = """
import numpy as np, warpwise as ww
with ww.Device("cpu"):
    a = np.zeros(4, np.int32)
    ww.SourceModule("__global__ void k(int *p) { p[threadIdx.x] = 7; }")["k"](ww.Out(a), block=4)
    print(a.sum(), ww.cache_info().usable, ww.cache_info().hits)
"""


def start(cache: Path) -> subprocess.Popen[str]:
    """A new process that compiles a kernel, or finds it in the cache, and runs it."""
    return subprocess.Popen(
        [sys.executable, "-c", RUN],
        env={**os.environ, "WARPWISE_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_second_process_finds_the_kernel(tmp_path: Path) -> None:
    assert start(tmp_path / "cache").communicate() == ("28 True 0\n", "")
    assert start(tmp_path / "cache").communicate() == ("28 True 1\n", "")


def test_a_damaged_cache_is_rebuilt(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    start(cache).communicate()
    for path in cache.rglob("*"):
        if path.is_file():
            path.write_bytes(b"\xa5" * 3000)
    assert start(cache).communicate() == ("28 True 0\n", "")
    assert start(cache).communicate() == ("28 True 1\n", "")


def test_a_folder_others_may_write_to_is_not_used(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    out, err = start(tmp_path).communicate()
    assert out == "28 False 0\n"
    assert "others may write to" in err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_created_is_not_an_error(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    out, err = start(file).communicate()
    assert out == "28 False 0\n"
    assert "Not a directory" in err


def test_many_processes_share_a_cold_cache(tmp_path: Path) -> None:
    processes = [start(tmp_path / "cache") for _ in range(16)]
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert out.startswith("28 True "), err
        assert err == ""
