"""The package: names, errors, stub, and what importing it does not do."""

from __future__ import annotations

import builtins
import importlib
import inspect
import operator
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpwise as ww
from warpwise._later import INSTEAD, LATER
from warpwise._numpy.functions import FUNCTIONS

PATTERNS = Path(__file__).parents[3] / "python" / "bindings" / "stub_patterns.txt"
STUB = Path(__file__).parents[3] / "python" / "warpwise" / "_core.pyi"


def test_dtypes_are_those_of_numpy() -> None:
    assert ww.float32 is np.float32
    assert ww.bool is np.bool_


def test_bfloat16_is_that_of_ml_dtypes() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert ww.bfloat16 is ml_dtypes.bfloat16


@pytest.mark.parametrize("name", ["fft", "linalg", "jit", "check", "tune"])
def test_names_of_later_versions_say_so(name: str) -> None:
    with pytest.raises(ww.UnsupportedError, match=f"warpwise.{name}"):
        getattr(ww, name)


def test_names_of_later_versions_name_what_there_is_instead() -> None:
    """Every name in the advice exists."""
    for name, (_, instead) in LATER.items():
        with pytest.raises(ww.UnsupportedError, match=re.escape(instead)):
            getattr(ww, name)
        for path in re.findall(r"\b(?:ww|warpwise|kernel)((?:\.\w+)+)", instead):
            owner = ww.Kernel if instead.startswith("kernel.") else ww
            assert operator.attrgetter(path[1:])(owner)


def test_hasattr_is_false_for_names_of_later_versions() -> None:
    assert not hasattr(ww, "tune")
    assert getattr(ww, "jit", None) is None


def test_importing_a_name_of_a_later_version_is_an_import_error() -> None:
    with pytest.raises(ImportError, match="tune"):
        from warpwise import tune  # noqa: F401


def test_errors_about_names_of_later_versions_survive_pickling() -> None:
    with pytest.raises(AttributeError) as caught:
        ww.tune  # noqa: B018
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (type(copied), str(copied)) == (type(caught.value), str(caught.value))


def test_a_star_import_keeps_the_builtin_names() -> None:
    names: dict[str, object] = {}
    exec("from warpwise import *", names)
    assert "SourceModule" in names
    assert set(names) & set(dir(builtins)) == set()


def test_other_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="arrray"):
        ww.arrray  # noqa: B018


def test_tracebacks_suggest_the_nearest_name(script: Any) -> None:
    done = script("import warpwise as ww\nww.arrange(3)\n")
    assert "has no attribute 'arrange'. Did you mean: 'arange'?" in done.stderr


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in INSTEAD.items() for name in names]
)
def test_names_of_other_libraries_say_what_there_is_instead(module: str, name: str) -> None:
    """What is advised exists, in the package or as a method of arrays and generators."""
    advice = INSTEAD[module][name]
    with pytest.raises(AttributeError, match=re.escape(f"'{name}'; use {advice}")):
        getattr(importlib.import_module(module), name)
    for path in re.findall(r"\bww((?:\.\w+)+)", advice):
        assert operator.attrgetter(path[1:])(ww)
    for method in re.findall(r"\bx\.(\w+)", advice):
        assert hasattr(ww.Array, method)
    for method in re.findall(r"\)\.(\w+)", advice):
        assert hasattr(ww.random.Generator, method)


OF_NUMPY = {"divmod", "float_power"} | {function.__name__ for function in FUNCTIONS}


@pytest.mark.parametrize("name", sorted(OF_NUMPY - INSTEAD["warpwise"].keys() - set(dir(ww))))
def test_names_that_numpy_has_for_arrays_say_so(name: str) -> None:
    function = getattr(np, name)
    assert isinstance(function, np.ufunc) or function in FUNCTIONS
    with pytest.raises(AttributeError, match=f"use numpy.{name}, which takes arrays of Warpwise"):
        getattr(ww, name)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (ww.Error, RuntimeError),
        (ww.OutOfMemoryError, MemoryError),
        (ww.UnsupportedError, NotImplementedError),
        (ww.CompileError, ww.Error),
        (ww.ArgumentError, ww.Error),
        (ww.LaunchError, ww.Error),
        (ww.DeviceError, ww.Error),
        (ww.CheckError, ww.Error),
    ],
)
def test_errors_are_also_what_users_expect(error: type, builtin: type) -> None:
    assert issubclass(error, ww.Error)
    assert issubclass(error, builtin)


def test_public_names_are_there() -> None:
    assert [name for name in ww.__all__ if not hasattr(ww, name)] == []


def test_public_names_are_listed_once() -> None:
    assert [name for name in ww.__all__ if ww.__all__.count(name) > 1] == []


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python 3.12 adds __buffer__ to the stub")
def test_the_stub_is_that_of_the_extension(tmp_path: Path) -> None:
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "warpwise._core"]
    command += ["-p", str(PATTERNS), "-o", str(fresh)]
    subprocess.run(command, check=True)
    assert fresh.read_text() == STUB.read_text(), f"run {' '.join(command[:-1])} {STUB}"


def test_importing_starts_no_thread_and_opens_no_compiler(script: Any) -> None:
    done = script(
        "import numpy, os\n"
        "before = len(os.listdir('/proc/self/task'))\n"
        "import warpwise\n"
        "print(len(os.listdir('/proc/self/task')) - before)\n"
        "print('libwarpwise_compiler' in open('/proc/self/maps').read())\n"
    )
    assert done.stdout.split() == ["0", "False"], done.stderr


def test_importing_takes_less_than_importing_numpy(script: Any) -> None:
    """In processor time, of which both take the same share where other processes are running."""
    source = (
        "import time\n"
        "start = time.process_time()\n"
        "import numpy\n"
        "between = time.process_time()\n"
        "import warpwise\n"
        "print((time.process_time() - between) / (between - start))\n"
    )
    assert min(float(script(source).stdout) for _ in range(5)) < 1


def test_settings_are_read_strictly() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import warpwise as ww; ww.Device('cpu').synchronize()"],
        env={"PYTHONPATH": ":".join(sys.path), "WARPWISE_NUM_THREADS": "many"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ArgumentError" in done.stderr
    assert "WARPWISE_NUM_THREADS" in done.stderr


def test_checked_mode_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import warpwise as ww; ww.Device('cpu').synchronize()"],
        env={"PYTHONPATH": ":".join(sys.path), "WARPWISE_CHECK": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "UnsupportedError" in done.stderr


def test_what_the_cache_holds_can_be_printed() -> None:
    assert repr(ww.cache_info()).startswith("CacheInfo(folder='")


def test_settings_can_be_printed() -> None:
    assert repr(ww.setting_rows()[0]).startswith("SettingRow(variable='WARPWISE_DEVICE', value=")


@pytest.mark.parametrize("name", [*(n for n in ww.__all__ if n != "newaxis"), "compile", "range"])
def test_public_names_have_a_docstring(name: str) -> None:
    assert getattr(ww, name).__doc__.strip()


def explanation(described: object) -> str:
    """What help() shows of it below its signature, the first line of bound functions."""
    lines = (inspect.getdoc(described) or "").splitlines()
    return "\n".join(line for line in lines if not re.match(r"\w+\(.*\) -> ", line)).strip()


CALLABLES = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (ww, ww.cuda, ww.random, ww.sparse)
    for name in dir(module)
    if not name.startswith("_")
    and (getattr(getattr(module, name), "__module__", None) or "").startswith("warpwise")
    and callable(getattr(module, name))
}


@pytest.mark.parametrize("name", CALLABLES)
def test_help_explains_every_callable(name: str) -> None:
    """Functions, classes, and what can be called of a class."""
    called = CALLABLES[name]
    assert explanation(called)
    public = [n for n in vars(called) if n[0] != "_"] if isinstance(called, type) else []
    unexplained = [
        n for n in public if callable(getattr(called, n)) and not explanation(getattr(called, n))
    ]
    assert unexplained == []


@pytest.mark.parametrize(
    "name", [n for n in ww.__all__ if isinstance(getattr(ww, n), type)], ids=str
)
def test_every_public_class_has_its_own_repr(name: str) -> None:
    assert getattr(ww, name).__repr__ is not object.__repr__


def test_what_is_used_as_a_block_says_how_far_it_is() -> None:
    stream = ww.Stream()
    device = ww.Device().name
    capture = stream.capture()
    assert repr(capture) == f"<Capture on '{device}', not begun>"
    with capture:
        assert repr(capture) == f"<Capture on '{device}', recording>"
    assert repr(capture) == f"<Capture on '{device}', ended>"
    profile = ww.profile()
    assert repr(profile) == f"<Profile of '{device}', not begun>"
    buffer = ww.mem_alloc(64)
    with profile:
        assert repr(profile) == f"<Profile of '{profile.device}', recording>"
        buffer.fill(0)
    assert repr(profile) == f"<Profile of '{profile.device}', 1 record>"
    assert repr(ww.lazy(False)) == "lazy(False)"


@pytest.mark.cpu_only("newer toolkits have no texture references")
def test_references_can_be_printed() -> None:
    module = ww.SourceModule(
        "texture<float, 2> tex;\nsurface<void, 2> surf;\n"
        "__global__ void k(float *x) { *x = tex2D(tex, 0, 0); surf2Dwrite(*x, surf, 0, 0); }"
    )
    assert repr(module.get_texref("tex")).startswith("TextureReference(array=None, buffer=Buf")
    assert repr(module.get_surfref("surf")) == "SurfaceReference(array=None)"
