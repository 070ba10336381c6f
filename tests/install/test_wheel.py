"""The wheel that `./dev wheel` made, installed into an empty environment without LLVM.

Needs WARPWISE_WHEEL, the path of the file; the verb sets it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
if "WARPWISE_WHEEL" not in os.environ:
    pytest.skip("no wheel was named: ./dev wheel runs these", allow_module_level=True)
WHEEL = Path(os.environ["WARPWISE_WHEEL"])
# What a manylinux system has by definition, besides the package's own two libraries.
ALLOWED = re.compile(
    r"(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+|ld-linux-x86-64)\.so"
    r"|libwarpwise(_compiler)?\.so$"
)


def output_of(
    command: list[str | Path], env: dict[str, str] | None = None, cwd: Path = Path("/")
) -> str:
    """Runs a command that must succeed; returns what it printed."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, capture_output=True, text=True, env=env, check=False, timeout=300, cwd=cwd
    )
    assert done.returncode == 0, f"{words}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def readme_line() -> str:
    """The command by which the README installs a wheel, with the file of dist/ that it names."""
    (line,) = re.findall(r"^pip install dist/.*$", (ROOT / "README.md").read_text(), re.MULTILINE)
    pattern = line.split()[-1]
    assert [ROOT / path for path in ROOT.glob(pattern)] == [WHEEL], f"{pattern} is not {WHEEL}"
    return line.replace(pattern, str(WHEEL))


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment's interpreter: the wheel installed as the README says, and llvmlite."""
    folder = tmp_path_factory.mktemp("empty")
    output_of([sys.executable, "-m", "venv", folder / "venv"])
    interpreter = folder / "venv" / "bin" / "python"
    pip = [interpreter, "-m", "pip"]
    pins = {**os.environ, "PIP_CONSTRAINT": str(HERE / "requirements.txt")}
    output_of([*pip, *readme_line().split()[1:]], pins, ROOT)
    output_of([*pip, "install", "llvmlite"], pins)
    return interpreter


@pytest.fixture(scope="session")
def binaries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(WHEEL) as archive:
        archive.extractall(folder)
    yield [path for path in sorted((folder / "warpwise").iterdir()) if is_elf(path)]
    shutil.rmtree(folder)


def is_elf(path: Path) -> bool:
    return path.is_file() and path.read_bytes()[:4] == b"\x7fELF"


def without_llvm(command: list[str | Path]) -> list[str | Path]:
    """The command in a mount namespace where the distribution's LLVM is an empty folder."""
    hide = (
        "for d in /usr/lib/llvm-*; do mount -t tmpfs none $d; done;"
        "for f in /usr/lib/x86_64-linux-gnu/lib{LLVM,clang}*; do"
        '  [ -f "$f" ] && mount --bind /dev/null "$f"; done; exec "$@"'
    )
    return ["unshare", "--mount", "bash", "-c", hide, "bash", *command]


def clean_environment(cache: Path) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "HOME": str(cache), "WARPWISE_CACHE_DIR": str(cache / "c")}


def test_everything_that_must_be_inside_is(binaries: list[Path]) -> None:
    names = {re.sub(r"\..*", "", path.name) for path in binaries}
    workers = {"warpwise-compile-worker", "warpwise-nvrtc-worker"}
    assert names == {"_core", "libwarpwise", "libwarpwise_compiler"} | workers


def test_nothing_but_the_system_is_needed(binaries: list[Path]) -> None:
    for path in binaries:
        listed = output_of(["readelf", "--dynamic", "--wide", path])
        for needed in re.findall(r"\(NEEDED\)[^\[]*\[([^\]]+)\]", listed):
            assert ALLOWED.match(needed), f"{path.name} needs {needed}"


def test_no_symbol_of_llvm_or_clang_leaves_a_library(binaries: list[Path]) -> None:
    for path in binaries:
        listed = output_of(["readelf", "--dyn-syms", "--wide", path])
        defined = [
            row[7]
            for row in map(str.split, listed.splitlines())
            if len(row) > 7 and row[6] != "UND"
        ]
        leaked = [name for name in defined if re.search(r"4llvm|5clang|^LLVM|^clang_", name)]
        assert not leaked, f"{path.name} exports {len(leaked)} of them: {leaked[:5]}"


def test_binaries_are_stripped(binaries: list[Path]) -> None:
    for path in binaries:
        assert ".symtab" not in output_of(["readelf", "--section-headers", "--wide", path]), (
            path.name
        )


def test_no_symbol_is_younger_than_the_tag(binaries: list[Path]) -> None:
    newest = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (7, 0, 0)}
    for path in binaries:
        listed = output_of(["readelf", "--version-info", "--wide", path])
        for family, version in re.findall(r"Name: ([A-Z]+)_([\d.]+)", listed):
            number = tuple(int(part) for part in version.split("."))
            assert number <= newest[family], f"{path.name} needs {family}_{version}"


def test_only_pythons_symbols_come_without_a_version(binaries: list[Path]) -> None:
    for path in binaries:
        for row in map(
            str.split, output_of(["readelf", "--dyn-syms", "--wide", path]).splitlines()
        ):
            is_needed = len(row) == 8 and row[4] == "GLOBAL" and row[6] == "UND"
            known = r"_?Py|.*@|.*warpwise"
            assert not is_needed or re.match(known, row[7]), f"{path.name} needs {row[7]}"


def test_the_tag_is_manylinux_2_28_and_fits_the_python() -> None:
    python_tag, abi, platform = WHEEL.stem.split("-")[-3:]
    assert "manylinux_2_28_x86_64" in platform
    running = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    if sys.version_info >= (3, 12):
        assert (python_tag, abi) == ("cp312", "abi3")
    else:
        assert (python_tag, abi) == (running, running)


def test_a_kernel_runs_without_any_llvm_on_the_machine(python: Path, tmp_path: Path) -> None:
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        pytest.skip("making a mount namespace is not allowed here")
    command = without_llvm([python, HERE / "smoke.py"])
    assert "smoke test passed" in output_of(command, clean_environment(tmp_path))


def test_a_kernel_runs(python: Path, tmp_path: Path) -> None:
    command: list[str | Path] = [python, HERE / "smoke.py"]
    assert "smoke test passed" in output_of(command, clean_environment(tmp_path))


@pytest.mark.parametrize("order", ["warpwise-first", "llvmlite-first"])
def test_it_works_together_with_llvmlite(python: Path, tmp_path: Path, order: str) -> None:
    command: list[str | Path] = [python, HERE / "beside_llvmlite.py", order]
    assert "both work" in output_of(command, clean_environment(tmp_path))


def test_the_command_line_tool_is_there(python: Path, tmp_path: Path) -> None:
    listed = output_of([python.parent / "warpwise", "info"], clean_environment(tmp_path))
    assert "cpu" in listed
