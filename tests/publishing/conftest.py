"""Apps of North Shore's owner, a capsule that one of them made live, and machines with page files."""

from __future__ import annotations

from functools import partial

import pytest
from django.core.mail import EmailMultiAlternatives

from accounts.models import User, Workspace
from capsules.models import Story
from publishing.pages.files import PageFiles
from tests.support import mail
from tests.support.apps import connected_app, tell
from tests.support.kept import Keeper
from tests.support.pages import Site


@pytest.fixture
def connected(owner: User):
    """An app of the owner's with one form of the permission, as it acts now."""
    return partial(connected_app, owner)


@pytest.fixture
def told(
    once: Keeper, connected, ready_story: Story, north_shore: Workspace, mailoutbox
) -> tuple[Story, EmailMultiAlternatives]:
    """A capsule that an app made live with a teaser, and the message to its owner."""

    def make() -> None:
        mail.subscribe(north_shore, 3)
        tell(ready_story, connected(), premiere_email_mode="TEASER")

    once("told", make)
    return ready_story, mailoutbox[0]


@pytest.fixture
def site(live_story) -> Site:
    return Site()


@pytest.fixture
def another_host(live_story, tmp_path) -> Site:
    """A second machine, which shares nothing with the first but the database."""
    return Site(PageFiles(tmp_path / "pages"))


@pytest.fixture
def sign_in(client, person):
    def as_(who: str):
        client.force_login(person(who))
        return client

    return as_
