"""The package warpwise-pycuda, built and installed into a folder; notebooks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import devices
import pytest

import warpwise as ww

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "python" / "pycuda_package"


def python(*words: object, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        capture_output=True, text=True, check=False, timeout=300,
        env=os.environ | {"WARPWISE_DEVICE": devices.NAME} | variables,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_provides_pycuda_and_pydotcompute(tmp_path: Path) -> None:
    """Section 4.1, #288, #407: no wheels, so that every user builds an extension."""
    pytest.importorskip("scikit_build_core")
    plain = ("-q", "--no-deps", "--no-index")
    python("-m", "pip", "wheel", *plain, "--no-build-isolation", "-w", tmp_path, PACKAGE)
    (wheel,) = tmp_path.glob("warpwise_pycuda-*-py3-none-any.whl")
    site = tmp_path / "site"
    python("-m", "pip", "install", *plain, "--target", site, wheel)
    path = os.pathsep.join([str(site), os.environ["PYTHONPATH"]])
    program = "import pycuda.driver as d; print(d.Device(0).count(), d.__name__)"
    assert python("-c", program, PYTHONPATH=path).endswith("warpwise.compat.pycuda.driver\n")
    program = "import pydotcompute as p; print(p.get_backend(), p.__name__)"
    assert python("-c", program, PYTHONPATH=path).endswith("warpwise.compat.pydotcompute\n")


def test_its_version_is_warpwises() -> None:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    assert project["version"] == ww.version()
    assert project["dependencies"] == [f"warpwise[pycuda]=={ww.version()}"]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"\W", one)[0] for one in extras["optional-dependencies"]["pycuda"]}
    assert names == {"mako", "platformdirs", "pytools"}


def test_notebooks_load_it_as_an_extension(tmp_path: Path) -> None:
    (tmp_path / "pycuda.py").write_text("IS_OTHER = True\n")
    path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
    program = (
        "import warpwise\nwarpwise.load_ipython_extension(None)\n"
        "import pycuda.driver\nprint(pycuda.__name__)"
    )
    assert python("-c", program, PYTHONPATH=path) == "warpwise.compat.pycuda\n"
