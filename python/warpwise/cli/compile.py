"""warpwise compile FILE.cu: CUDA C++ to LLVM IR, assembly or PTX, without running it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from .. import compile


def add_parser(verbs: Any) -> None:
    parser = verbs.add_parser("compile", help="compile a .cu file and print the result")
    parser.add_argument("file", type=Path, metavar="FILE.cu")
    parser.add_argument("--emit", choices=("llvm", "asm", "ptx", "preprocessed"),
                        default="asm")  # fmt: skip
    parser.add_argument("--target", help='"cpu", "x86-64-v3", "sm_90" (default: by --emit)')
    parser.add_argument("-o", dest="output", type=Path, metavar="OUTPUT", help="default: stdout")
    parser.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]")
    parser.add_argument("-I", dest="include_dirs", action="append", default=[], metavar="FOLDER")
    parser.add_argument("-X", dest="options", action="append", default=[], metavar="OPTION",
                        help="any other compiler option, as -X=-std=c++20")  # fmt: skip
    parser.set_defaults(call=_compile)


def _compile(options: argparse.Namespace) -> int:
    if not options.file.is_file():
        raise FileNotFoundError(f"no such file: {options.file}")
    result = compile(
        options.file.read_text(encoding="utf-8"),
        target=options.target or ("sm_80" if options.emit == "ptx" else "cpu"),
        format=options.emit,
        options=[f"-D{define}" for define in options.defines] + options.options,
        include_dirs=[*options.include_dirs, str(options.file.parent)],
        name=str(options.file),
    )
    text = result if isinstance(result, str) else result.decode()
    if options.output is None:
        sys.stdout.write(text)
    else:
        options.output.write_text(text, encoding="utf-8")
    return 0
