"""What a page or an answer says of a workspace or a story stays the same, whoever else and whatever else there is."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.actions import keys, members
from accounts.actors import Actor
from accounts.models import ApiKey, Invitation, Membership, SecurityEvent, User, Workspace, WorkspaceEvent
from capsules.actions import editions, revisions, scenes, trash
from capsules.models import Asset, Story, Upload
from capsules.uploads import creating, links
from publishing.models import Premiere, Publication, Subscriber
from tests.lived_in.routes import every_route
from tests.statistics.test_numbers import count
from tests.support import factories

pytestmark = pytest.mark.django_db
#: What a browser gets anew with every page.
CHANGES = re.compile(r'nonce="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"|"csrfToken": ?"[^"]*"')


def fill(workspace: Workspace, owner: User, rendered: Any, number: int) -> Story:
    """A live capsule with an edition, a history, readers and subscribers; keys, files and invitations beside it."""
    by = Actor.by_token(owner, via="studio")
    story = factories.make_story(workspace, rendered, title=f"Voyage {number}", scenes=3 + number)
    revisions.name_revision(story, f"Named {number}", by=by)
    assert factories.Api(Client(), owner).publish(story).status_code == 200
    editions.add_edition(story, name=f"de-{number}", by=by)
    scenes.update_scene(story, story.scenes.first().key, {"text": f"Text {number}."}, by=by)
    publication = Publication.objects.get(story=story)
    Premiere.objects.filter(publication=publication).update(state="scheduled" if number == 1 else "cancelled")
    count(publication, timezone.now().date(), 1, o=10 + number, r=number)
    for each in range(number):
        Subscriber.objects.create(
            workspace=workspace, email=f"r{each}-{number}@{workspace.name}.example", source="form", consent="Asked.",
            confirmed_at=timezone.now(),
        )  # fmt: skip
    keys.create_api_key(workspace, by=owner, label=f"Key {number}")
    for each in range(number):
        trash.trash_story(factories.make_draft(workspace, title=f"Gone {number} {each}"), by=by)
    links.make_link(workspace, by=by, lifetime=timedelta(hours=1))
    creating.begin_upload(workspace, kind="picture", filename=f"{number}.png", size=9, by=owner)
    cache.clear()
    members.invite(workspace, f"new-{number}@example.com", role="viewer", by=owner)
    return story


def paths(**given: Any) -> list[str]:
    """The pages and answers about exactly this: a story, or a workspace."""
    ((kind, row),) = given.items()
    found = []
    for route in every_route():
        of_api = kind == "story" and route.template.startswith("/api/v2/stories/{id}")
        is_noted = route.template.endswith("/export.csv")  # in the audit log, which is asked for as well
        if route.arguments == ["id" if of_api else kind] and not is_noted:
            found.append(route.template.format(**{route.arguments[0]: row}))
    return found


def told(client: Client, api: factories.Api, **given: Any) -> dict[str, str]:
    cache.clear()
    answers = {}
    for path in paths(**given):
        answer = api.get(path.removeprefix("/api/v2")) if path.startswith("/api/") else client.get(path)
        if answer.status_code == 200 and not answer.streaming and b"PK\x03\x04" not in answer.content[:4]:
            answers[path] = CHANGES.sub("", answer.content.decode())
    return answers


def test_what_is_said_of_one_is_said_of_no_other(north_shore, harbour, owner, client, api, rendered):
    client.force_login(owner)
    with time_machine.travel(timezone.now(), tick=False):
        Membership.objects.create(workspace=harbour, user=owner, role="owner")
        beside = [fill(harbour, owner, rendered, number) for number in (2, 3)]
        beside.append(factories.make_story(north_shore, rendered, title="Beside", scenes=2))
        api.publish(beside[-1])
        story = fill(north_shore, owner, rendered, 1)
        crowded = told(client, api, story=story.pk)
        assert len(crowded) > 20
        beside[-1].delete()
        elsewhere = told(client, api, workspace=north_shore.pk)
        assert len(elsewhere) > 12
        Story.objects.filter(workspace=harbour).delete()
        for rows in (Subscriber, ApiKey, Invitation, Upload, Asset, SecurityEvent, WorkspaceEvent):
            rows.objects.filter(workspace=harbour).delete()
        assert told(client, api, workspace=north_shore.pk) == elsewhere
        assert told(client, api, story=story.pk) == crowded
