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
if "WARPWISE_WHEEL" not in os.environ:
    pytest.skip("no wheel was named: ./dev wheel runs these", allow_module_level=True)
WHEEL = Path(os.environ["WARPWISE_WHEEL"])
# What a manylinux system has by definition, besides the package's own two libraries.
ALLOWED = re.compile(
    r"(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+|ld-linux-x86-64)\.so"
    r"|libwarpwise(_compiler)?\.so$"
)


def say(command: list[str | Path], env: dict[str, str] | None = None) -> str:
    """Runs a command that must succeed; returns what it printed."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, capture_output=True, text=True, env=env, check=False, timeout=300, cwd="/"
    )
    assert done.returncode == 0, f"{words}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment's interpreter, with the wheel and llvmlite installed by pip."""
    folder = tmp_path_factory.mktemp("empty")
    say([sys.executable, "-m", "venv", folder / "venv"])
    interpreter = folder / "venv" / "bin" / "python"
    pins = HERE / "requirements.txt"
    say([interpreter, "-m", "pip", "install", "--quiet", "--constraint", pins, WHEEL, "llvmlite"])
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
        listed = say(["readelf", "--dynamic", "--wide", path])
        for needed in re.findall(r"\(NEEDED\)[^\[]*\[([^\]]+)\]", listed):
            assert ALLOWED.match(needed), f"{path.name} needs {needed}"


def test_no_symbol_of_llvm_or_clang_leaves_a_library(binaries: list[Path]) -> None:
    for path in binaries:
        listed = say(["readelf", "--dyn-syms", "--wide", path])
        defined = [
            row[7]
            for row in map(str.split, listed.splitlines())
            if len(row) > 7 and row[6] != "UND"
        ]
        leaked = [name for name in defined if re.search(r"4llvm|5clang|^LLVM|^clang_", name)]
        assert not leaked, f"{path.name} exports {len(leaked)} of them: {leaked[:5]}"


def test_binaries_are_stripped(binaries: list[Path]) -> None:
    for path in binaries:
        assert ".symtab" not in say(["readelf", "--section-headers", "--wide", path]), path.name


def test_the_tag_is_manylinux_and_fits_the_python() -> None:
    python_tag, abi, platform = WHEEL.stem.split("-")[-3:]
    assert platform.startswith("manylinux_2_")
    running = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    if sys.version_info >= (3, 12):
        assert (python_tag, abi) == ("cp312", "abi3")
    else:
        assert (python_tag, abi) == (running, running)


def test_a_kernel_runs_without_any_llvm_on_the_machine(python: Path, tmp_path: Path) -> None:
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        pytest.skip("making a mount namespace is not allowed here")
    command = without_llvm([python, HERE / "smoke.py"])
    assert "smoke test passed" in say(command, clean_environment(tmp_path))


def test_a_kernel_runs(python: Path, tmp_path: Path) -> None:
    command: list[str | Path] = [python, HERE / "smoke.py"]
    assert "smoke test passed" in say(command, clean_environment(tmp_path))


@pytest.mark.parametrize("order", ["warpwise-first", "llvmlite-first"])
def test_it_lives_beside_llvmlite(python: Path, tmp_path: Path, order: str) -> None:
    command: list[str | Path] = [python, HERE / "beside_llvmlite.py", order]
    assert "both work" in say(command, clean_environment(tmp_path))


def test_the_command_line_tool_is_there(python: Path, tmp_path: Path) -> None:
    listed = say([python.parent / "warpwise", "info"], clean_environment(tmp_path))
    assert "cpu" in listed
