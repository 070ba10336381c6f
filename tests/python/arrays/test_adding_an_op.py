"""A new elementwise op is one row in ops.def and one row of oracles: here `cube`, in a copy.

From the row come the enum, the type rule and the emitter's text (a small program is built with it),
the C++ function and its declaration, the binding, the interpreter's loops, the page of the
reference and the test matrix, which asks for the oracle.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import op_oracles
import op_table
import pytest
import test_ops_on_device as matrix

ROOT = Path(__file__).parents[3]
PRODUCT = "__ww_multiply(__ww_multiply(a, a), a)"
ROW = f'WARPWISE_OP(Cube, cube, 1, Numeric, Cheap, "{PRODUCT}",\n            "The third power.")\n'
KINDS = ["int8", "uint32", "int64", "float16", "float32", "float64"]

PROGRAM = """
#include <cstdio>
#include "src/ir/op.hpp"
namespace ir = warpwise::ir;
int main() {
    const ir::OpRow& row = ir::row_of(ir::Op::Cube);
    const ir::OperandType operand{warpwise::Kind::Float32};
    const ir::OpTypes types = ir::types_of(*ir::op_named("cube"), std::span(&operand, 1));
    std::printf("%s %d %s %d\\n", row.name.data(), row.arity, row.spelling.data(),
                types.result == warpwise::Kind::Float32);
    const ir::OperandType flag{warpwise::Kind::Bool};
    try {
        ir::types_of(ir::Op::Cube, std::span(&flag, 1));
    } catch (const std::exception& error) {
        std::printf("%s\\n", error.what());
    }
}
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that lies over the sources: the table with one row more, and what is generated."""
    top = tmp_path_factory.mktemp("tree")
    (top / "src" / "ir").mkdir(parents=True)
    table = op_table.OPS_DEF.read_text()
    after = table.index("WARPWISE_OP(Square,")
    (top / "src" / "ir" / "ops.def").write_text(table[:after] + ROW + table[after:])
    script = top / "generate.cmake"
    script.write_text(
        f'set(PROJECT_SOURCE_DIR "{top}")\nset(PROJECT_BINARY_DIR "{top}")\n'
        f'include("{ROOT}/cmake/warpwise_array_functions.cmake")\n'
    )
    cmake = shutil.which("cmake")
    assert cmake is not None
    subprocess.run([cmake, "-P", script], check=True, cwd=top)
    return top


@pytest.fixture
def table(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The test matrix of that table."""
    monkeypatch.setattr(op_table, "OPS_DEF", tree / "src" / "ir" / "ops.def")
    op_table.rows.cache_clear()
    yield
    op_table.rows.cache_clear()


def compile_with(tree: Path, *arguments: object) -> None:
    build = Path(sys.modules["warpwise"].__path__[0]).parents[1]
    compiler = shutil.which("g++") or shutil.which("c++")
    assert compiler is not None
    includes = [f"-I{folder}" for folder in (tree, tree / "include", ROOT, ROOT / "include")]
    done = subprocess.run(
        [compiler, "-std=c++20", "-O0", *includes, f"-I{build / 'include'}", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=tree,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def test_the_program_has_it(tree: Path) -> None:
    library = Path(sys.modules["warpwise"].__path__[0]).parents[1] / "lib"
    (tree / "program.cpp").write_text(PROGRAM)
    link = [f"-L{library}", "-lwarpwise", "-lfmt", f"-Wl,-rpath,{library}"]
    sources = [ROOT / "src" / "ir" / "op.cpp", ROOT / "src" / "types" / "promotion.cpp"]
    compile_with(tree, "program.cpp", *sources, "-o", "program", *link)
    done = subprocess.run([tree / "program"], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == f"cube 1 {PRODUCT} 1"
    assert second.startswith("cube is not defined for bool;")


def test_the_function_is_declared_and_defined(tree: Path) -> None:
    declared = (tree / "include" / "warpwise" / "array_elementwise.inc").read_text()
    assert "Array cube(const Operand& x, const Elementwise& options = {});" in declared
    compile_with(tree, "-fsyntax-only", ROOT / "src" / "array" / "elementwise.cpp")
    interpreted = (tree / "interpreter" / "interpreted_ops.inc").read_text()
    assert f"WW_OP(Cube, 1, Numeric, ({PRODUCT}))" in interpreted


def test_the_page_has_it(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
    import op_reference

    monkeypatch.setattr(op_reference, "ROOT", tree)
    assert "| `cube(x)` | numbers | the same | The third power. |" in op_reference.page()


@pytest.mark.usefixtures("table")
def test_the_matrix_asks_for_an_oracle() -> None:
    assert "cube" in op_table.rows()
    with pytest.raises(AssertionError, match="cube"):
        matrix.test_every_op_has_an_oracle()


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("kind", KINDS)
def test_the_matrix_tests_it(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng()
    monkeypatch.setitem(op_oracles.ORACLES, "cube", op_oracles.Oracle(lambda a: a * a * a))
    matrix.test_every_op_has_an_oracle()
    matrix.test_exact_ops_are_numpys("cube", kind, random)
    monkeypatch.setitem(op_oracles.ORACLES, "cube", op_oracles.Oracle(lambda a: a * a))
    with pytest.raises(AssertionError, match="wrong, such as"):
        matrix.test_exact_ops_are_numpys("cube", kind, random)
