"""The committed OpenAPI document, read once by the parser that is written in C."""

from __future__ import annotations

from functools import cache
from typing import Any

import yaml

from tests.support.running import ROOT


@cache
def document() -> Any:
    return yaml.load((ROOT / "docs/openapi.yaml").read_text(), yaml.CSafeLoader)
