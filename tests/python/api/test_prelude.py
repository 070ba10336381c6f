"""The built-in headers come precompiled with the library; other options' are kept in the cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMPILE = """
import os, sys, warpwise as ww
with ww.Device("cpu"):
    name = f"kernel_{os.getpid()}"  # not in the cache
    ww.SourceModule(f"__global__ void {name}() {{}}", options=sys.argv[1:]).get_function(name)
"""


def images_after(cache: Path, *options: str) -> list[Path]:
    """What a new process leaves of precompiled headers in a cache folder."""
    env = {**os.environ, "WARPWISE_CACHE_DIR": str(cache)}
    subprocess.run([sys.executable, "-c", COMPILE, *options], env=env, check=True)
    return list((cache / "pch").glob("*"))


def test_a_compile_without_options_precompiles_nothing(tmp_path: Path) -> None:
    assert images_after(tmp_path) == []


def test_another_standard_is_precompiled_once(tmp_path: Path) -> None:
    (image,) = images_after(tmp_path, "-std=c++20")
    made = image.stat().st_mtime_ns
    assert [path.stat().st_mtime_ns for path in images_after(tmp_path, "-std=c++20")] == [made]


@pytest.mark.parametrize("place", [0, 20, 1000], ids=["magic", "key", "image"])
def test_a_damaged_image_is_made_again(tmp_path: Path, place: int) -> None:
    (image,) = images_after(tmp_path, "-std=c++20")
    good = image.read_bytes()
    image.write_bytes(good[:place] + b"\xff\xff" + good[place + 2 :])
    assert images_after(tmp_path, "-std=c++20") == [image]
    assert image.read_bytes() == good
