"""Staff who take a capsule down, as tests need them."""

from __future__ import annotations

from django.contrib.auth.models import Permission
from django.test import Client

from accounts.models import User
from accounts.statements import Reason, Statement
from capsules.models import Story
from publishing.models import Case, Publication
from publishing.moderation import actions as moderation

WORDS = "The third scene shows a letter that is not yours."


def make_staff() -> User:
    return User.objects.create_superuser("staff@capsules.example", "x", name="Sam Staff")


def helper(*permissions: str) -> User:
    """Somebody on the staff who may do this and no more."""
    user = User.objects.create_user(f"{'-'.join(permissions)}@helpers.example", "x", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return user


def browser_of(user: User) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


def report(story: Story, why: str = "rights", **said: str) -> Case:
    """As a reader does who met it at its own link."""
    publication = Publication.objects.select_related("story__workspace").get(story=story)
    return moderation.report(publication, why=why, **said)


def take_down(story: Story, reason: str = Reason.RIGHTS, *, by: User) -> Case:
    """As staff do who found it themselves."""
    case = moderation.open_by_staff(story, by=by)
    moderation.freeze(case, Statement(reason, "Rule 4", WORDS), by=by)
    case.refresh_from_db()
    return case
