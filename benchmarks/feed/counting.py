"""The process that counts views while pages are measured."""

from __future__ import annotations

from typing import Any

from benchmarks.feed import environment


def run(stop: Any, listed: int) -> None:
    environment.set_up()
    from benchmarks.feed import pages

    pages.keep_counting(stop, listed)
