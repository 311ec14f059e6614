"""What the coverage phase of test_schema's run leaves out: a thousand bodies that nobody reads, and what is sent twice.

schemathesis gives all calls of an operation one Idempotency-Key, which is refused with another body, and most of them
the workspace that the examples of the document name, which is not there, or a webhook that is not. It sends five values
of a wrong type for a field (tests/server/test_edges.py has every value for each kind of field), and ten for a header or
a parameter of a query, where all of them are text.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import schemathesis
from schemathesis.generation.meta import CoverageScenario, TestPhase

OF_EXAMPLES = "5a5b7f5e-6f0e-4a62-8a5d-94a5f3d4c002"
OF_WEBHOOKS = "{webhook}"
IN_TEXT = ("query", "header")
#: Refused before anything of the operation is asked.
BY_ITS_FORM = ("Unsupported Content-Type", "Malformed Content-Type")
SENT: Counter[str] = Counter()


@schemathesis.hook
def filter_case(context: schemathesis.HookContext, case: Any) -> bool:
    if case.meta.phase.name != TestPhase.COVERAGE:
        return True
    names, enough = (unread(case), 1) if unread(case) else same_type(case)
    SENT[names] += 1
    return not names or SENT[names] <= enough


def unread(case: Any) -> str:
    """What is refused of a case before its body is read, whatever that is."""
    key = dict(case.headers or {}).get("Idempotency-Key")
    inside = [each.get("workspaceId") for each in (case.body, case.query) if isinstance(each, dict)]
    path = {} if OF_WEBHOOKS in case.operation.label else case.path_parameters or {}
    names = repr([case.method, case.operation.label, key, inside, sorted(path.items())])
    is_read = key is None and OF_EXAMPLES not in names and OF_WEBHOOKS not in names
    return "" if is_read else names


def same_type(case: Any) -> tuple[str, int]:
    """What other cases say as well, and how many of them are enough."""
    about = case.meta.phase.data
    description = about.description or ""
    if description.startswith(BY_ITS_FORM):
        return description, 1
    if about.scenario != CoverageScenario.INCORRECT_TYPE:
        return "", 0
    if about.parameter_location in IN_TEXT:
        return repr([case.operation.label, about.parameter_location, about.parameter]), 1
    return repr([case.operation.label, description]), 2
