"""Previews in which a scene has no picture yet, and the language of a draft's frame."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from capsules.actions import previews
from tests.support import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def pictureless(ready_story, rendered):
    """A capsule whose third scene lost its picture before its second preview was built."""
    ready_story.scenes.filter(position=2).update(still=None, still_encode=None, animation="")
    previews.build_preview(ready_story)
    factories.finish_encodes(rendered)
    return ready_story


@pytest.mark.parametrize("shown", ["desktop", "card"])
def test_the_preview_says_which_picture_is_missing(shown, client, owner, pictureless):
    client.force_login(owner)
    address = reverse("studio_preview", kwargs={"story": pictureless.pk, "number": 2})
    page = client.get(address, {"as": shown})
    assert page.status_code == 200
    assert "Scene 3: This scene has no picture." in page.content.decode()
    assert "<iframe" not in page.content.decode()


@pytest.mark.parametrize("part", ["frame", "letter/FULL"])
def test_what_is_framed_says_so_too_and_leads_to_the_editor(part, client, owner, pictureless):
    client.force_login(owner)
    page = client.get(f"/studio/stories/{pictureless.pk}/preview/2/{part}")
    assert page.status_code == 409
    assert "Scene 3: This scene has no picture." in page.content.decode()
    link = f'target="_top" href="/studio/stories/{pictureless.pk}"'
    assert link in " ".join(page.content.decode().split())


def test_the_letter_of_a_capsule_without_a_picture_is_refused_with_its_scene(api, pictureless):
    answer = api.get(f"/stories/{pictureless.pk}/premiere/letter?mode=FULL")
    assert answer.status_code == 409
    assert answer.json()["details"] == [{"path": "scenes.2.still", "message": "This scene has no picture."}]


def test_a_frame_speaks_as_its_page_does_to_readers(api, owner, client, north_shore, rendered):
    story = factories.make_story(north_shore, rendered, language="ar")
    page = api.publish(story).json()["url"]
    client.force_login(owner)
    labels = re.compile(r'<html lang="[^"]*" dir="[^"]*"|<span class="visually-hidden">[^<]*')
    for query, ending in (({}, ""), ({"as": "embed"}, "/embed")):
        frame = client.get(reverse("studio_frame", kwargs={"story": story.pk}), query).content.decode()
        live = client.get(page + ending).content.decode()
        assert labels.findall(frame) == labels.findall(live) and 'dir="rtl"' in frame
        assert re.findall(r'class="ground [^"]*"', frame) == re.findall(r'class="ground [^"]*"', live)
