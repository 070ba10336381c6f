"""Configuring and building a CMake preset.

Ninja sees changes by itself, so a second build with nothing changed takes a fraction of a second;
CMake runs again only when its own files have changed.
"""

from __future__ import annotations

from pathlib import Path

import environment
import packages
from step import ROOT, jobs, progress, run, run_silently_idle

# Paths below the checkout count as relative, so that another clone finds the same entries.
# Without the last, ccache passes by whatever includes a precompiled header.
CCACHE = {
    "CCACHE_BASEDIR": str(ROOT),
    "CCACHE_NOHASHDIR": "1",
    "CCACHE_SLOPPINESS": "pch_defines,time_macros",
}


def folder(preset: str) -> Path:
    return ROOT / "build" / preset


def build(
    preset: str = "dev", targets: tuple[str, ...] = (), *, silently_idle: bool = False
) -> Path:
    """Brings a preset up to date, from nothing if need be; returns its folder.

    `silently_idle`: nothing is printed when nothing is to be done.
    """
    packages.ensure(packages.BUILD, *packages.OF_PRESET.get(preset, ()))
    environment.ensure()
    where = folder(preset)
    if not (where / "build.ninja").exists():
        progress(f"configuring build/{preset}")
        python = f"-DPython_EXECUTABLE={environment.PYTHON}"
        run(["cmake", "--preset", preset, "--log-level=WARNING", python], env=CCACHE)
    ninja: list[str | Path] = ["ninja", "-C", where, f"-j{jobs()}", *targets]
    env = {**CCACHE, "NINJA_STATUS": "[%f/%t, %es] "}
    if silently_idle:
        run_silently_idle(ninja, _is_step, env=env)
        return where
    progress(f"building build/{preset} with {jobs()} processes")
    run(ninja, env=env)
    return where


def _is_step(line: str) -> bool:
    """Whether a line of ninja's output is a build step: step 0 only searches for new files."""
    return line.startswith("[") and not line.startswith("[0/")


def python_path(preset: str = "dev") -> dict[str, str]:
    """The environment in which `import warpwise` finds what this preset built."""
    return {"PYTHONPATH": str(folder(preset) / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
