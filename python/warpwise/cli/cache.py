"""warpwise cache info|clear: the disk cache of compiled programs."""

from __future__ import annotations

import argparse
from typing import Any

from .. import cache_clear, cache_info
from .info import cache_text


def add_parser(verbs: Any) -> None:
    parser = verbs.add_parser("cache", help="show or clear the cache of compiled programs")
    actions = parser.add_subparsers(required=True, metavar="info|clear")
    actions.add_parser("info", help="show folder, size and entries").set_defaults(call=_info)
    actions.add_parser("clear", help="remove all entries").set_defaults(call=_clear)


def _info(options: argparse.Namespace) -> int:
    print(cache_text(cache_info()))
    return 0


def _clear(options: argparse.Namespace) -> int:
    print(f"freed {cache_clear() / 2**20:.1f} MiB")
    return 0
