"""What the tests of premieres share."""

import pytest

from tests.support.mail import subscribe


@pytest.fixture
def armed(live_story, north_shore) -> list[str]:
    """The addresses of three subscribers of a live capsule with a premiere."""
    return subscribe(north_shore, 3)
