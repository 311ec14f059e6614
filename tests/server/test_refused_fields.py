"""A field that was not taken is marked, and speaks of the words that say why."""

from __future__ import annotations

import pytest

from tests.support.markup import parsed

pytestmark = pytest.mark.django_db

#: Answers to a form that was not taken: who sent it, where, and what.
REFUSED = {
    "a webhook": ("/account/workspaces/{workspace}/webhooks/new", {"url": "no address"}),
    "a sign-up": ("/account/signup/", {"email": "nobody"}),
    "an edition": ("/studio/stories/{story}/editions", {"do": "new", "name": "!"}),
    "a face": ("/studio/{workspace}/face", {"do": "words", "fediverse": "nobody"}),
    "a draft": ("/studio/stories/{story}", {"version": "{version}", "title": "x" * 500}),
    "a publish": ("/studio/stories/{story}/publish", {"slug": "!"}),
    "a report": ("/report", {"link": "/north-shore/small-voyages", "email": "nobody"}),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_field_that_was_refused_says_why_to_ears(what, live_story, owner, client):
    if what != "a sign-up":
        client.force_login(owner)
    address, body = REFUSED[what]
    path = address.format(workspace=live_story.workspace_id, story=live_story.pk)
    body = {name: value.format(version=live_story.version) for name, value in body.items()}
    tree = parsed(client.post(path, body, follow=True))
    told = {it.get("id"): "".join(it.itertext()).strip() for it in tree.iter() if it.get("id")}
    refused = [it for it in tree.iter() if it.get("aria-invalid") == "true" and it.get("type") != "radio"]
    assert refused
    for it in refused:
        assert any(told.get(note) for note in it.get("aria-describedby", "").split()), it.attrib
