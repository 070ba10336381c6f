#!/usr/bin/env python3
"""Measures the device mathematics and writes docs/reference/math_accuracy.md.

    tools/math_accuracy.py [BUILD_FOLDER] [SAMPLES]

Builds the target device_math_table in BUILD_FOLDER (default build), runs it with SAMPLES random
arguments per function (default 40000) and writes the table.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/reference/math_accuracy.md"
HEAD = """# Accuracy of device mathematics

On a GPU, functions are CUDA's, with the bounds of the CUDA C++ Programming Guide. On the CPU device every
executor computes mathematical functions from one source, `src/codegen/device/math/`. The
table holds the largest error found, in units in the last place of the true result, over special
arguments and {samples} random ones per function: a quarter of them any bit pattern, the rest
spread over the usual range. The truth comes from libquadmath. Beside each stands the bound that the
tests hold the function to, after the tables of the CUDA C++ Programming Guide.

NaN, infinities, signed zeros and denormal numbers are right for every function below. The fast
intrinsics (`__sinf`, `__expf`, ...) are the accurate functions. `tgamma`, `lgamma` and the Bessel
functions `j0`, `j1`, `jn`, `y0`, `y1`, `yn` come from the host's libm, in double precision for both
types.

`ns` is the time of one call of the scalar code, compiled for the host at hand, on one core: best of
64 passes over 1,024 numbers of the usual range, the call through a pointer included. Exponentials,
logarithms, powers, roots, hyperbolic and error functions, `atan`, and the others but for the huge
arguments of `sin`, `cos` and `tan`, are straight code, so that neighbouring threads share vector
instructions. With branches remain `asin`, `acos`, `erfcx`, the inverses of the error function, the
Bessel functions, `fmod` and `remainder`; in double also `tan`, `expm1`, `rsqrt` and `hypot`.

Written by `tools/math_accuracy.py`; the test is in `tests/unit/codegen`.

| function | float | bound | ns | double | bound | ns |
|---|---|---|---|---|---|---|
"""  # noqa: E501


def measured(build: str, samples: str) -> list[list[str]]:
    subprocess.run(
        ["cmake", "--build", build, "--target", "device_math_table"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    table = pathlib.Path(build) / "bin/device_math_table"
    done = subprocess.run([str(table), samples], check=True, capture_output=True, text=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def number(text: str) -> str:
    return f"{float(text):.2f}".rstrip("0").rstrip(".")


def main() -> None:
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    samples = sys.argv[2] if len(sys.argv) > 2 else "40000"
    rows = measured(build, samples)
    text = HEAD.format(samples=f"{int(samples):,}")
    for single, double in zip(rows[0::2], rows[1::2]):
        cells = [
            f"`{double[0]}`",
            number(single[1]),
            number(single[2]),
            number(single[3]),
            number(double[1]),
            number(double[2]),
            number(double[3]),
        ]
        text += "| " + " | ".join(cells) + " |\n"
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text)
    print(f"{PAGE.relative_to(ROOT)}: {len(rows)} functions")


if __name__ == "__main__":
    main()
