"""Python's syntax tree of a source."""

from __future__ import annotations

import ast
import gc


def parse(source: str) -> ast.Module:
    """As `ast.parse` of Python before 3.13, but for its fault that another thread's, which formats a traceback, makes
    it fail (SystemError, cpython#106905): no garbage is looked for meanwhile, so no other thread gets its turn.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(source)
    finally:
        if collects:
            gc.enable()
