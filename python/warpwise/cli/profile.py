"""warpwise profile SCRIPT [ARGS]: runs it as `warpwise run` does, and shows what the device did."""

from __future__ import annotations

import argparse
from typing import Any

from .. import profile
from .run import add_script, run_script


def add_parser(verbs: Any) -> None:
    parser = verbs.add_parser("profile", help="run a Python script and show what the device did")
    parser.add_argument("--source", default="", help='of the times: "cupti", "events", "clock"')
    parser.add_argument("--trace", metavar="FILE", help="a trace for Chrome and Perfetto (JSON)")
    add_script(parser)
    parser.set_defaults(call=_profile)


def _profile(options: argparse.Namespace) -> int:
    code, end = 0, None
    with profile(source=options.source) as seen:
        try:
            code = run_script(options)
        except SystemExit as exit_of_script:
            end = exit_of_script
    print(seen.table(), end="")
    if options.trace:
        seen.save(options.trace)
    if end is not None:
        raise end
    return code
