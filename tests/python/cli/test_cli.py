"""The command warpwise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import warpwise as ww

KERNEL = '#include "value.h"\n__global__ void put(int *p) { *p = VALUE + EXTRA; }\n'


def warpwise(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "warpwise", *map(str, words)]
    return subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "value.h").write_text("#define VALUE 40\n")
    file = tmp_path / "put.cu"
    file.write_text(KERNEL)
    return file


def test_info_shows_devices_settings_and_cache() -> None:
    out = warpwise("info", WARPWISE_DEVICE="cpu", WARPWISE_CUDA_DRIVER="/none/libcuda.so").stdout
    assert f"Warpwise {ww.version()}" in out
    assert "Default: cpu" in out
    assert "No GPU: there is no device 'cuda' (no CUDA driver: /none/libcuda.so" in out
    assert "* WARPWISE_DEVICE" in out
    assert "Cache of compiled programs" in out


def test_a_reader_that_ends_early_is_no_error() -> None:
    """As in `warpwise info | head`: the pipe is closed before anything is written."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "warpwise", "info"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_version() -> None:
    assert warpwise("--version").stdout == f"warpwise {ww.version()}\n"


def test_a_bad_setting_is_one_message() -> None:
    done = warpwise("info", WARPWISE_NUM_THREADS="many")
    assert done.returncode == 1
    assert done.stderr.startswith("warpwise: ")
    assert "WARPWISE_NUM_THREADS" in done.stderr
    assert "Traceback" not in done.stderr


def test_compile_emits_llvm(source: Path) -> None:
    done = warpwise("compile", source, "--emit", "llvm", "-D", "EXTRA=2")
    assert done.returncode == 0, done.stderr
    assert "store i32 42" in done.stdout


def test_compile_writes_a_file(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "put.s"
    done = warpwise("compile", source, "--emit", "asm", "-DEXTRA=2", "-o", target)
    assert (done.returncode, done.stdout) == (0, "")
    assert "put" in target.read_text()


def test_compile_finds_headers_in_given_folders(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "extra.h").write_text("#define EXTRA 3\n")
    source.write_text('#include "extra.h"\n' + KERNEL)
    done = warpwise("compile", source, "--emit", "llvm", "-I", folder)
    assert "store i32 43" in done.stdout, done.stderr


def test_compile_shows_a_mistake_without_traceback(source: Path) -> None:
    done = warpwise("compile", source, "--emit", "llvm")
    assert done.returncode == 1
    assert f"{source}:2" in done.stderr
    assert "EXTRA" in done.stderr
    assert "Traceback" not in done.stderr


def test_compile_emits_preprocessed_text(source: Path) -> None:
    done = warpwise("compile", source, "--emit", "preprocessed", "-DEXTRA=2")
    assert done.returncode == 0, done.stderr
    assert "40 + 2" in done.stdout and "EXTRA" not in done.stdout


def test_compile_emits_ptx(source: Path) -> None:
    done = warpwise("compile", source, "--emit", "ptx", "-DEXTRA=2")
    assert done.returncode == 0, done.stderr
    assert ".entry" in done.stdout


def test_compile_of_no_file_is_one_message(tmp_path: Path) -> None:
    done = warpwise("compile", tmp_path / "absent.cu")
    assert done.returncode == 1
    assert "absent.cu" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_cache_can_be_shown_and_cleared(source: Path, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    program = (
        "import warpwise as ww; ww.SourceModule('__global__ void k() {}', device=ww.Device('cpu'))"
    )
    environment = os.environ | {"WARPWISE_CACHE_DIR": cache}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    shown = warpwise("cache", "info", WARPWISE_CACHE_DIR=cache).stdout
    assert cache in shown
    assert "entries  1" in shown
    assert warpwise("cache", "clear", WARPWISE_CACHE_DIR=cache).stdout.startswith("freed")
    assert "entries  0" in warpwise("cache", "info", WARPWISE_CACHE_DIR=cache).stdout


def test_later_verbs_say_so() -> None:
    done = warpwise("tune", "file.py")
    assert done.returncode == 1
    assert "`warpwise tune`" in done.stderr


PROFILED = """
import sys
import numpy as np
import warpwise as ww
with ww.range("all of it"):
    x = np.zeros(4, np.int32)
    ww.SourceModule("__global__ void put(int *p) { *p = 1; }")["put"](ww.InOut(x), block=1)
print("arguments", sys.argv[1:])
sys.exit(3)
"""


def test_profile_shows_what_a_script_has_the_device_do(tmp_path: Path) -> None:
    script, trace = tmp_path / "script.py", tmp_path / "trace.json"
    script.write_text(PROFILED)
    done = warpwise("profile", "--trace", trace, script, "a", "--b")
    assert done.returncode == 3
    assert "arguments ['a', '--b']" in done.stdout
    assert "put" in done.stdout and "all of it" in done.stdout
    assert any(event["name"] == "put" for event in json.loads(trace.read_text())["traceEvents"])


def test_profile_refuses_a_source_that_the_device_lacks(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("print('ran')")
    done = warpwise("profile", "--source", "sundial", script)
    assert done.returncode == 1
    assert "has no source 'sundial'" in done.stderr
    assert "ran" not in done.stdout


def test_info_lists_nvidias_software() -> None:
    out = warpwise("info", WARPWISE_DEVICE="cpu", WARPWISE_CUPTI="/none/libcupti.so.13").stdout
    assert "\nCUDA\n" in out
    assert "cuBLAS" in out and "nvJitLink" in out
    assert "CUPTI, which sees what GPUs do, is not to be opened" in out


@pytest.mark.parametrize("words", [[], ["fly"], ["cache"], ["compile"]])
def test_wrong_usage_exits_with_2(words: list[str]) -> None:
    done = warpwise(*words)
    assert done.returncode == 2
    assert "usage" in done.stderr


def test_run_gives_the_script_its_arguments(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys, neighbour\nprint(__name__, sys.argv[1:], neighbour.here)\n")
    (tmp_path / "neighbour.py").write_text("here = True\n")
    done = warpwise("run", script, "a", "--b")
    assert done.stdout == "__main__ ['a', '--b'] True\n", done.stderr


def test_run_keeps_the_scripts_exit_code(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("raise SystemExit(7)\n")
    assert warpwise("run", script).returncode == 7


def test_run_shows_the_scripts_own_traceback(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("def f():\n    raise ValueError('mine')\nf()\n")
    done = warpwise("run", script)
    assert done.returncode == 1
    assert "ValueError: mine" in done.stderr
    assert "script.py" in done.stderr
    assert "runpy" not in done.stderr


def test_run_without_a_script_is_a_usage_error() -> None:
    done = warpwise("run")
    assert done.returncode == 2
    assert done.stderr.endswith("required: SCRIPT\n")


def test_run_of_no_script_is_one_message(tmp_path: Path) -> None:
    done = warpwise("run", tmp_path / "absent.py")
    assert done.returncode == 1
    assert done.stderr.startswith("warpwise: no such script")
