"""The product does not know whether it is being tested."""

from __future__ import annotations

import re

from tests.support.running import ROOT

APPS = ("config", "accounts", "capsules", "publishing", "feed")
#: What code asks that behaves differently under test: production would run the branch that no test runs.
KNOWS_OF_TESTS = re.compile(
    r"in_atomic_block|_from_testcase|savepoint_ids|PYTEST|pytest|django\.test\b|setup_test_environment"
    r"|connection\.creation|mail\.outbox|sys\.modules|[\"']test[\"'] in sys\.argv"
)


def test_no_branch_of_the_product_depends_on_being_tested():
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for app in APPS
        for path in (ROOT / app).rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if KNOWS_OF_TESTS.search(line)
    ]
    assert not found, "\n".join(found)
