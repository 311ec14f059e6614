"""Staff who take a capsule down, as tests need them."""

from __future__ import annotations

from accounts.models import User
from accounts.statements import Reason, Statement
from capsules.models import Story
from publishing.models import Case
from publishing.moderation import actions as moderation

WORDS = "The third scene shows a letter that is not yours."


def make_staff() -> User:
    return User.objects.create_superuser("staff@capsules.example", "x", name="Sam Staff")


def take_down(story: Story, reason: str = Reason.RIGHTS, *, by: User) -> Case:
    """As staff do who found it themselves."""
    case = moderation.open_by_staff(story, by=by)
    moderation.freeze(case, Statement(reason, "Rule 4", WORDS), by=by)
    case.refresh_from_db()
    return case
