"""What happens to one capsule at once waits for one another in one order, and nobody for ever."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.actions import workspaces
from accounts.actors import Actor
from accounts.models import Workspace
from config.errors import CapsulesError
from publishing import actions, baking
from publishing.models import Case, Premiere, Publication
from publishing.moderation import actions as moderation
from publishing.premieres import arming
from tests.publishing.test_races import at_once
from tests.support import factories
from tests.support.moderation import WORDS

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.both_databases,
]
SAID = moderation.Statement("spam", "", WORDS)
STALLS = 0.5  # seconds, in which whoever is in the way comes
where_rows_are_locked = pytest.mark.skipif(
    connection.vendor == "sqlite", reason="SQLite lets one writer in at a time"
)


@pytest.fixture
def deeds(live_story, staff, owner) -> dict[str, Callable[[], Any]]:
    """What people do with one capsule. A refusal in words is an answer; anything else is raised."""

    def found() -> Publication:
        return Publication.objects.select_related("story__workspace").get(story=live_story)

    def freeze() -> None:
        case = Case.objects.filter(state="open").first() or moderation.open_by_staff(found().story, by=staff)
        moderation.freeze(case, SAID, by=staff)

    def by_api(call: Callable[[factories.Api], Any]) -> Any:
        return call(factories.Api(Client(), owner)).status_code  # raises what would be a 500

    def quietly(deed: Callable[[], Any]) -> Callable[[], Any]:
        def act() -> Any:
            try:
                return deed()
            except CapsulesError as error:
                return str(error)

        return act

    visibility = f"/stories/{live_story.pk}/visibility"
    all_of_them: dict[str, Callable[[], Any]] = {
        "freeze": freeze,
        "report": lambda: moderation.report(found(), why="spam", network=str(time.monotonic())[-9:]),
        "suspend": lambda: workspaces.suspend(Workspace.objects.get(), by=staff, statement=SAID),
        "unpublish": lambda: by_api(lambda api: api.unpublish(live_story)),
        "publish": lambda: by_api(lambda api: api.publish(live_story)),
        "unlist": lambda: by_api(lambda api: api.call("PUT", visibility, {"visibility": "unlisted"})),
    }
    return {name: quietly(deed) for name, deed in all_of_them.items()}


def test_all_at_once_again_and_again(deeds, staff, live_story, api):
    for _ in range(2):
        at_once(list(deeds.values()))
        if Workspace.objects.get().is_suspended:
            workspaces.resume(Workspace.objects.get(), by=staff)
        for case in Case.objects.in_force():
            moderation.lift(case, by=staff)
        moderation.dismiss(moderation.open_by_staff(live_story, by=staff), by=staff)
        assert api.publish(live_story).status_code == 200
    assert not Case.objects.filter(state__in=Case.GOING_ON).exists()


@where_rows_are_locked
@pytest.mark.parametrize("deed", ["freeze", "report", "suspend", "publish"])
@pytest.mark.parametrize("stalled", ["unpublish", "unlist"])
def test_who_writes_to_the_log_late_waits_for_nobody_who_waits_for_them(deed, stalled, deeds, monkeypatch):
    """The first holds the publication, and writes to the workspace's log while the other is in its way."""
    deeds["report"]()
    reached = threading.Event()

    def stall(*arguments: Any, **options: Any) -> None:
        reached.set()
        time.sleep(STALLS)

    monkeypatch.setattr(actions.history, "note", stall)
    monkeypatch.setattr(actions, "record", stall)
    first = threading.Thread(target=run, args=(deeds[stalled],))
    with monkeypatch.context() as patch:
        errors: list[BaseException] = []
        patch.setattr(threading, "excepthook", lambda raised: errors.append(raised.exc_value))
        first.start()
        assert reached.wait(20)
        deeds[deed]()
        first.join()
    assert errors == []


@where_rows_are_locked
def test_a_report_meets_a_publish_that_goes_live(deeds, live_story, owner, monkeypatch):
    """It holds the publication when the publish has the workspace: it must have asked for the workspace before."""
    held, errors = threading.Event(), []

    def stall(*arguments: Any) -> None:
        held.set()
        time.sleep(STALLS)

    def meanwhile(preview: Any) -> Any:
        report.start()
        assert held.wait(20)
        return bake(preview)

    monkeypatch.setattr(moderation, "check_not_answered", stall)
    bake = baking.bake
    monkeypatch.setattr(baking, "bake", meanwhile)
    monkeypatch.setattr(threading, "excepthook", lambda raised: errors.append(raised.exc_value))
    report = threading.Thread(target=run, args=(deeds["report"],))
    actions.publish(live_story, request=actions.PublishRequest(), by=Actor.by_token(owner))
    report.join()
    assert errors == [] and Case.objects.filter(state="open").count() == 1


@where_rows_are_locked
@pytest.mark.parametrize("deed", ["suspend", "freeze"])
def test_an_unpublish_meets_a_premiere_that_is_stopped(deed, deeds, live_story, monkeypatch):
    """It holds the publication and wants the premiere: whoever stops that must have asked for the publication."""
    Premiere.objects.update(state=Premiere.State.SENDING, started_at=timezone.now())
    deeds["report"]()
    put_on_hold, answers = arming.put_on_hold, []
    unpublish = threading.Thread(target=run, args=(lambda: answers.append(deeds["unpublish"]()),))

    def meanwhile(*arguments: Any) -> int:
        count = put_on_hold(*arguments)
        unpublish.start()
        unpublish.join(STALLS)
        return count

    monkeypatch.setattr(arming, "put_on_hold", meanwhile)
    deeds[deed]()
    unpublish.join()
    assert answers == [200]
    assert Premiere.objects.get().is_cancelled


def run(deed: Callable[[], Any]) -> None:
    try:
        deed()
    finally:
        connection.close()
