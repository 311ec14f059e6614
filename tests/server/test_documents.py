"""Every command of README and docs/ is run by somebody, or it is written down why nobody can."""

from __future__ import annotations

import re

from tests.lived_in.documents import ELSEWHERE, RUN, blocks
from tests.support.running import ROOT

BLOCKS = [(document, commands) for document, found in blocks().items() for commands in found]
REASONS = " ".join(reason for reasons in ELSEWHERE.values() for reason in reasons.values())


def known(document: str) -> list[str]:
    """How the blocks begin that somebody has thought of."""
    return [*(typed.begins for typed in RUN.get(document, ())), *ELSEWHERE.get(document, {})]


def test_every_block_of_commands_is_run_or_is_on_the_list_of_those_that_cannot_be():
    assert len(BLOCKS) > 20
    for document, commands in BLOCKS:
        claims = [begins for begins in known(document) if commands.startswith(begins)]
        assert len(claims) == 1, (
            f"Say in tests/lived_in/documents.py who runs “{commands[:60]}” of {document}."
        )


def test_the_list_names_no_block_and_no_test_that_is_gone():
    gone = [
        (document, begins)
        for document in {*RUN, *ELSEWHERE}
        for begins in known(document)
        if not any(commands.startswith(begins) for commands in blocks().get(document, []))
    ]
    assert not gone
    assert not [file for file in re.findall(r"tests/[\w/]+\.py", REASONS) if not (ROOT / file).exists()]


def test_the_files_to_which_a_newcomer_is_led_are_there():
    named = re.findall(r"`([a-z]+/[\w/.-]+)`", (ROOT / "docs" / "where.md").read_text())
    assert len(named) > 15
    assert [path for path in named if not (ROOT / path).exists()] == []
