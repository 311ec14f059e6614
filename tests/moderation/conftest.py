"""What the tests of taking down share: somebody on the staff, and a way to freeze a capsule."""

from __future__ import annotations

import pytest

from accounts.models import User
from accounts.statements import Reason
from capsules.models import Story
from publishing.models import Case
from tests.support.moderation import make_staff, take_down


@pytest.fixture
def staff(db: None) -> User:
    return make_staff()


@pytest.fixture
def freeze(staff: User):
    """Takes a story down; returns its case."""

    def down(story: Story, reason: str = Reason.RIGHTS) -> Case:
        return take_down(story, reason, by=staff)

    return down
