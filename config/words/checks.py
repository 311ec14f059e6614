"""What must hold before the service speaks to readers."""

from __future__ import annotations

from django.core.checks import CheckMessage, Error, register

from config.words.compiling import outdated


@register
def catalogues_are_compiled(**kwargs: object) -> list[CheckMessage]:
    """Without its compiled form a catalogue is not there, and every page would be in English, in silence."""
    return [
        Error(
            f"{path} was not compiled since it was last changed.",
            hint="Run python -m config.words as somebody who may write there.",
            id="config.E001",
        )
        for path in outdated()
    ]
