"""The command warpwise: info, run, compile, cache, profile; one module per verb.

An error is one clean message on stderr and exit code 1; wrong usage exits with 2. The script of
`warpwise run` and `warpwise profile` keeps Python's own tracebacks.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from .. import Error, UnsupportedError, version
from . import cache, compile, info, profile, run


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line and returns the exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        options = run.module_run(words) or _parser().parse_args(words)
        code = int(options.call(options))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of the output has ended (`warpwise info | head`); no later flush may fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (Error, OSError) as error:
        print(f"warpwise: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="warpwise", description="CUDA C++ at run time, on GPUs and on the CPU."
    )
    parser.add_argument("--version", action="version", version=f"warpwise {version()}")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for verb in (info, run, compile, cache, profile):
        verb.add_parser(verbs)
    later = verbs.add_parser("tune", help="not in this version")
    later.add_argument("arguments", nargs=argparse.REMAINDER)
    later.set_defaults(call=_refuse_later, verb="tune")
    return parser


def _refuse_later(options: argparse.Namespace) -> int:
    raise UnsupportedError(f"this version of Warpwise does not have `warpwise {options.verb}`")
