"""What a workspace says about itself: what is kept, what is refused and why; and what a suspension tells whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts import names
from accounts.actions import members, workspaces
from accounts.models import SecurityEvent, User, Workspace, WorkspaceEvent
from accounts.signals import workspace_changed, workspace_resumed, workspace_suspended
from accounts.statements import Statement
from config.errors import Conflict, Fault, Invalid

pytestmark = pytest.mark.django_db
NO_LINK = "Each link is a web address like https://example.com, of at most 200 characters."
NO_ACCOUNT = "An account in the fediverse is written like @name@mastodon.example."
LONGEST = f"@{'n' * 60}@{'h' * 30}.{'i' * 30}.example"  # 131 characters


@pytest.fixture
def heard(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """What each signal about a workspace says, in order."""
    told: list[dict[str, Any]] = []

    def hear(sender: object, signal: object, **said: Any) -> None:
        told.append(said)

    for signal in (workspace_changed, workspace_resumed, workspace_suspended):
        signal.connect(hear)
        request.addfinalizer(lambda signal=signal: signal.disconnect(hear))
    return told


def faults_of(refused: Callable[[], object]) -> tuple[str, list[Fault]]:
    with pytest.raises(Invalid) as told:
        refused()
    return str(told.value), told.value.faults


# --- Making one ----------------------------------------------------------------------------------------------------


def test_a_second_workspace_does_not_become_the_default(north_shore, owner):
    made = workspaces.make_workspace("Second", by=owner)
    owner.refresh_from_db()
    assert owner.default_workspace == north_shore
    assert (made.title, made.name, made.memberships.get().user) == ("Second", "second", owner)


@pytest.mark.parametrize(
    "name, title, made", [("Ada", " Almanac ", "Almanac"), ("Ada", " ", "Ada"), ("", "", "Untitled")]
)
def test_a_first_workspace_is_called_as_its_owner_says_or_is(name, title, made, owner, north_shore):
    members.invite(north_shore, "other@example.com", role="viewer", by=owner)
    user = User.objects.create_user("ada.l@example.com", name=name)
    assert workspaces.make_first_workspace(user, title=title).title == made
    assert User.objects.get(pk=user.pk).default_workspace.title == made


# --- Words ---------------------------------------------------------------------------------------------------------


def test_each_word_that_is_refused_is_told_at_its_own_field(owner, north_shore):
    message, faults = faults_of(
        lambda: workspaces.change_words(
            north_shore,
            about="x" * 301,
            links=["https://a.example", "b", "https://c.example", "d", "https://e.example", "f"],
            fediverse="me",
            by=owner,
        )
    )
    assert faults == [
        *(Fault(f"links.{place}", NO_LINK) for place in (1, 3, 5)),
        Fault("links", "At most 5 links are shown."),
        Fault("about", "At most 300 characters; this has 301."),
        Fault("fediverse", NO_ACCOUNT),
    ]
    assert message == NO_LINK
    north_shore.refresh_from_db()
    assert (north_shore.about, north_shore.links, north_shore.fediverse) == ("", [], "")


def test_words_are_kept_on_one_line_and_without_space_around(owner, north_shore, heard):
    links = ["https://example.com/a", "http://example.com/b"]
    about, fediverse = " We sail,\nand  write. ", " @north@shore.example "
    workspaces.change_words(north_shore, about=about, links=links, fediverse=fediverse, by=owner)
    kept = Workspace.objects.get(pk=north_shore.pk)
    assert (kept.about, kept.links, kept.fediverse) == ("We sail, and write.", links, "@north@shore.example")
    assert heard == [{"workspace": north_shore}]
    workspaces.change_words(north_shore, about="", links=[], by=owner)
    kept.refresh_from_db()
    assert (kept.about, kept.links, kept.fediverse) == ("", [], "")


@pytest.mark.parametrize("link, good", [
    ("https://example.com", True), ("http://example.com/a?b=c#d", True), ("https://example.com/@me", True),
    (f"https://example.com/{'x' * 180}", True), (f"https://example.com/{'x' * 181}", False), ("", False),
    ("https://example.com/a b", False), ("https://example.com/\u200b", False), ("https://me@example.com", False),
    ("https://me:pass@example.com", False), ("ftp://example.com", False), ("https:///path", False),
    ("//example.com", False), ("https://[broken", False),
])  # fmt: skip
def test_which_links_a_workspace_shows(link, good):
    assert workspaces.is_link(link) is good


@pytest.mark.parametrize("account, good", [
    ("@Me_1@mastodon.example", True), ("@a@b-c.d.example", True), ("", True), (LONGEST[1:], False),
    (f"@{LONGEST[2:]}", True), (LONGEST, False), ("@me@mastodon.example/x", False), ("@mé@mastodon.example", False),
    (f"@{'n' * 61}@a.example", False), ("@me@mastodon", False), ("x@me@mastodon.example", False),
])  # fmt: skip
def test_whom_mastodon_credits(account, good, owner, north_shore):
    def change() -> None:
        workspaces.change_words(north_shore, about="", links=[], fediverse=account, by=owner)

    if good:
        change()
    else:
        assert faults_of(change) == (NO_ACCOUNT, [Fault("fediverse", NO_ACCOUNT)])
    assert Workspace.objects.get(pk=north_shore.pk).fediverse == (account if good else "")


# --- Name, title, time zone, picture -------------------------------------------------------------------------------


def test_a_name_or_a_time_zone_that_is_refused_is_told_at_its_field(owner, north_shore):
    no_name = "Use 3 to 40 lowercase letters, digits and hyphens."
    no_zone = "Choose a time zone of the list, like Europe/Lisbon."
    named = faults_of(lambda: workspaces.change_name(north_shore, "No", by=owner))
    assert named == (no_name, [Fault("name", no_name)])
    for nowhere in ("Here", "Factory", "localtime"):
        zoned = faults_of(lambda name=nowhere: workspaces.change_time_zone(north_shore, name, by=owner))
        assert zoned == (no_zone, [Fault("time_zone", no_zone)])
    north_shore.refresh_from_db()
    assert (north_shore.name, north_shore.time_zone) == ("north-shore", "UTC")


def test_a_claimed_name_is_not_changed_and_says_why(owner, north_shore, heard):
    names.claim(north_shore)
    told = r"^The workspace name was fixed by the first publish and cannot change any more\.$"
    with pytest.raises(Conflict, match=told):
        workspaces.change_name(north_shore, "another-shore", by=owner)
    assert Workspace.objects.get(pk=north_shore.pk).name == north_shore.name == "north-shore"
    assert not heard and not SecurityEvent.objects.filter(kind="workspace_changed").exists()


def test_whoever_hears_of_a_change_is_given_what_is_new(owner, north_shore, heard):
    workspaces.change_title(north_shore, "South Shore", by=owner)
    workspaces.change_name(north_shore, "south-shore", by=owner)
    workspaces.change_picture(north_shore, "ab/face.jpg", by=owner)
    workspaces.change_time_zone(north_shore, "Europe/Oslo", by=owner)
    assert heard == [{"workspace": north_shore}] * 3
    told = heard[0]["workspace"]
    assert (told.title, told.name, told.picture) == ("South Shore", "south-shore", "ab/face.jpg")
    kept = Workspace.objects.get(pk=north_shore.pk)
    assert (kept.title, kept.name, kept.picture) == ("South Shore", "south-shore", "ab/face.jpg")


# --- Suspending ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statement, reason, rule", [
    (Statement("spam", "§ 7", "Words."), "spam", "§ 7"), (None, None, ""),
])  # fmt: skip
def test_a_suspension_and_its_end_are_told_once_each(statement, reason, rule, owner, north_shore, heard):
    stale = Workspace.objects.get(pk=north_shore.pk)
    before = timezone.now()
    assert workspaces.suspend(north_shore, by=owner, statement=statement)
    since = Workspace.objects.get(pk=north_shore.pk).suspended_at
    assert since == north_shore.suspended_at and since >= before
    assert not workspaces.suspend(stale, by=owner)
    assert Workspace.objects.get(pk=north_shore.pk).suspended_at == since
    assert workspaces.resume(stale, by=owner, words="Sorry.") and not workspaces.resume(north_shore, by=owner)
    assert Workspace.objects.get(pk=north_shore.pk).suspended_at is None
    assert heard == [
        {"workspace": north_shore, "by": owner, "statement": statement or Statement()},
        {"workspace": north_shore, "by": owner, "words": "Sorry."},
    ]
    rows = SecurityEvent.objects.filter(workspace=north_shore).order_by("pk")
    assert list(rows.values_list("kind", "user", "subject")) == [
        ("workspace_suspended", owner.pk, ""),
        ("workspace_resumed", owner.pk, ""),
    ]
    staff = {"story": None, "via": "staff", "label": ""}
    events = WorkspaceEvent.objects.filter(workspace=north_shore).order_by("pk")
    assert list(events.values_list("type", "data")) == [
        ("workspace.suspended", {**staff, "reason": reason, "rule": rule}),
        ("workspace.resumed", staff),
    ]
