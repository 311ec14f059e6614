"""Publishing through the API: the life of a capsule from its first publish to its release."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_first_publish_derives_the_slug_and_goes_live(api, ready_story, client):
    answer = api.publish(ready_story)

    assert answer.status_code == 200
    assert answer.json() == {
        "url": "/north-shore/small-voyages",
        "slug": "small-voyages",
        "isRepublish": False,
        "publicationMode": "STANDARD",
        "edition": None,
    }
    page = client.get("/north-shore/small-voyages")
    assert page.status_code == 200
    assert "This is scene 3 of Small voyages." in page.content.decode()


def test_a_renamed_capsule_leaves_its_old_link(api, live_story, client):
    assert api.publish(live_story, slug="far-away").json()["url"] == "/north-shore/far-away"
    assert client.get("/north-shore/small-voyages").status_code == 404
    assert client.get("/north-shore/far-away").status_code == 200
