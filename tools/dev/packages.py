"""Debian packages: what each verb needs, and how it gets there.

Nothing is installed that is there already, and nothing at all without the right to: then the one
command to run is printed instead.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

from step import Stop, progress, run

BUILD = (
    "git",
    "g++",
    "cmake",
    "ninja-build",
    "ccache",
    "lld",
    "pkg-config",
    "llvm-19-dev",
    "libclang-19-dev",
    "clang-19",
    "libfmt-dev",
    "libxxhash-dev",
    "libboost-context-dev",
    "libgtest-dev",
    "libgmock-dev",
)
# Debian's static clang and LLVM refer to these.
STATIC_LINK = ("libzstd-dev", "zlib1g-dev", "libtinfo-dev", "binutils")
LINT = ("clang-format-19", "clang-tidy-19")
SANITIZE = ("libclang-rt-19-dev",)
# What a CMake preset needs besides BUILD.
OF_PRESET = {"portable": (STATIC_LINK,), "asan": (SANITIZE,), "tsan": (SANITIZE,)}


def _python_packages() -> list[str]:
    """A Python from elsewhere brings its own headers and venv; Debian's has packages for them."""
    needed = []
    if importlib.util.find_spec("ensurepip") is None:
        needed.append("python3-venv")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        needed.append("python3-dev")
    return needed


def _missing(names: list[str]) -> list[str]:
    answer = subprocess.run(
        ["dpkg-query", "-W", "-f=${Package} ${db:Status-Status}\n", *names],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    installed = {line.split()[0] for line in answer.splitlines() if line.endswith(" installed")}
    return [name for name in names if name not in installed]


def ensure(*sets: tuple[str, ...], python: bool = True) -> None:
    """Installs every package of `sets` that is missing."""
    names = [name for group in sets for name in group]
    if python:
        names += _python_packages()
    if shutil.which("dpkg-query") is None:
        progress(f"not a Debian system; the build expects the like of: {' '.join(names)}")
        return
    missing = _missing(names)
    if not missing:
        return
    prefix: list[str] = []
    if os.geteuid() != 0:
        if subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode:
            raise Stop(
                "packages are missing, and installing them needs root. Run:\n"
                f"  sudo sh -c 'apt-get update && apt-get install -y {' '.join(missing)}'"
            )
        prefix = ["sudo", "-n"]
    progress(f"installing Debian packages: {' '.join(missing)}")
    quiet = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]
    run([*quiet, "update"])
    run([*quiet, "install", "-y", "--no-install-recommends", *missing])
