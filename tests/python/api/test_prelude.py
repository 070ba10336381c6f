"""The built-in headers are precompiled with the library; those for other options are cached."""

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


MAGIC = b"wwpch002"


def images_after(cache: Path, *options: str) -> list[Path]:
    """What a new process leaves of precompiled headers in a cache folder."""
    env = {**os.environ, "WARPWISE_CACHE_DIR": str(cache)}
    subprocess.run([sys.executable, "-c", COMPILE, *options], env=env, check=True)
    return [path for path in cache.glob("??/*") if MAGIC in path.read_bytes()[:64]]


def test_a_compile_without_options_precompiles_nothing(tmp_path: Path) -> None:
    assert images_after(tmp_path) == []


def test_images_belong_to_the_user_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o002)
    try:
        (image,) = images_after(tmp_path / "cache", "-std=c++20")
    finally:
        os.umask(before)
    for path in (image, image.parent, tmp_path / "cache"):
        assert path.stat().st_mode & 0o077 == 0


def test_clearing_the_cache_deletes_images(tmp_path: Path) -> None:
    assert len(images_after(tmp_path, "-std=c++20")) == 1
    clear = [sys.executable, "-m", "warpwise", "cache", "clear"]
    subprocess.run(clear, env={**os.environ, "WARPWISE_CACHE_DIR": str(tmp_path)}, check=True)
    assert list(tmp_path.glob("??/*")) == []


def test_another_standard_is_precompiled_once(tmp_path: Path) -> None:
    (image,) = images_after(tmp_path, "-std=c++20")
    made = image.stat().st_mtime_ns
    assert [path.stat().st_mtime_ns for path in images_after(tmp_path, "-std=c++20")] == [made]


@pytest.mark.parametrize("place", [0, 20, 1000], ids=["magic", "key", "image"])
def test_a_damaged_image_is_rebuilt(tmp_path: Path, place: int) -> None:
    (image,) = images_after(tmp_path, "-std=c++20")
    good = image.read_bytes()
    image.write_bytes(good[:place] + b"\xff\xff" + good[place + 2 :])
    assert images_after(tmp_path, "-std=c++20") == [image]
    assert image.read_bytes() == good
