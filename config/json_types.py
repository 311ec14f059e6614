"""JSON as Python has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: An object of JSON that was checked already, or is to be sent: who reads it knows its fields. Else it is an `object`.
JsonObject = dict[str, Any]
JsonMapping = Mapping[str, Any]
