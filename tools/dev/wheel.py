"""./dev wheel: one wheel for the Python of .venv, with clang and LLVM inside, tried out.

It is linked against stubs of an older glibc and libstdc++ (cmake/warpwise_old_glibc.cmake), and
auditwheel proves that it needs nothing younger; tests/install then installs the file into an empty
environment and runs a kernel there with the distribution's LLVM out of reach.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import build
import environment
import packages
import testing
from step import ROOT, Stop, progress, run

LIMIT_MB = 45
GLIBC = "2.28"  # RHEL 8, Debian 10, Ubuntu 20.04 and what came after them
TAG = f"manylinux_{GLIBC.replace('.', '_')}_x86_64"
DIST = ROOT / "dist"


def make() -> Path:
    """Builds the wheel into dist/ and returns it."""
    packages.ensure(packages.BUILD, packages.STATIC_LINK)
    environment.ensure()
    raw = build.folder("wheel") / "unproven"
    shutil.rmtree(raw, ignore_errors=True)
    shutil.rmtree(DIST, ignore_errors=True)
    progress("building the wheel in build/wheel, LLVM linked in")
    pip: list[str | Path] = [environment.PYTHON, "-m", "pip", "wheel", ROOT, "--wheel-dir", raw]
    options = [
        "--no-build-isolation",
        "--no-deps",
        "--verbose",
        f"--config-settings=build-dir={build.folder('wheel')}",
        "--config-settings=cmake.define.WARPWISE_STATIC_LLVM=ON",
        f"--config-settings=cmake.define.WARPWISE_GLIBC={GLIBC}",
    ]
    search = {"PATH": f"{environment.VENV / 'bin'}:/usr/local/bin:/usr/bin:/bin"}
    run([*pip, *options], env={**build.CCACHE, **search})
    (made,) = raw.glob("*.whl")
    progress("auditwheel")
    auditwheel: list[str | Path] = [environment.PYTHON, "-m", "auditwheel"]
    run([*auditwheel, "repair", "--plat", TAG, "--wheel-dir", DIST, made], env=search)
    (proven,) = DIST.glob("*.whl")
    run([*auditwheel, "show", proven], env=search)
    size = proven.stat().st_size / 1e6
    if size > LIMIT_MB:
        raise Stop(f"{proven.name} has {size:.1f} MB; the limit is {LIMIT_MB} MB")
    progress(f"dist/{proven.name}: {size:.1f} MB")
    # The module pycuda as a package of its own: a few lines of Python.
    names: list[str | Path] = [ROOT / "python" / "pycuda_package", "--wheel-dir", DIST]
    run([environment.PYTHON, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", *names],
        env=search)  # fmt: skip
    return proven


def wheel() -> None:
    """Makes the wheel and runs tests/install on it."""
    proven = make()
    where = build.folder("wheel")
    total = testing.pytest(["tests/install"], where, {"WARPWISE_WHEEL": str(proven)})
    print(total, flush=True)
    if total.failed:
        raise Stop("the wheel does not work where it is installed")
