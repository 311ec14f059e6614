"""Many at once: one version is changed once, one key makes one story; and lists that stay quick."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from capsules.models import Revision, Scene, Story
from tests.support import factories

CALLERS = 200


def at_once(count, work):
    def alone(index):
        try:
            return work(index)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(alone, range(count)))


@pytest.mark.django_db(transaction=True)
def test_of_many_changes_of_one_version_one_wins_and_the_words_of_all_are_kept(north_shore, owner, settings):
    settings.RATES = {**settings.RATES, "author": 10_000}
    api = factories.Api(Client(), owner)
    story = api.call("POST", "/stories", {"title": "Race", "scenes": [{"text": "start"}]}).json()
    scene = api.get(f"/stories/{story['id']}/scenes").json()["items"][0]

    def change(index):
        answer = factories.Api(Client(), owner).call(
            "PATCH",
            f"/stories/{story['id']}/scenes/{scene['id']}",
            {"text": f"words {index}"},
            headers={"If-Match": '"1"'},
        )
        return answer.status_code, answer.headers.get("Location")

    answers = at_once(CALLERS, change)
    assert Counter(status for status, _ in answers) == {200: 1, 412: CALLERS - 1}
    kept = Revision.objects.filter(kind="conflict")
    refused = {revision.content["scenes"][0]["text"] for revision in kept}
    assert refused | {Scene.objects.get().text} == {f"words {index}" for index in range(CALLERS)}
    assert len({location for _, location in answers if location}) == CALLERS - 1
    assert (Scene.objects.get().version, Story.objects.get().revision) == (2, 2)


@pytest.mark.django_db(transaction=True)
def test_one_key_sent_many_times_at_once_makes_one_story(north_shore, owner):
    def make(index):
        answer = factories.Api(Client(), owner).call(
            "POST", "/stories", {"title": "Once"}, headers={"Idempotency-Key": "k"}
        )
        return answer.status_code

    statuses = set(at_once(16, make))
    assert statuses <= {201, 423} and 201 in statuses
    assert Story.objects.count() == 1


@pytest.mark.django_db
def test_a_change_of_a_scene_of_sixty_takes_fourteen_queries(
    api, north_shore, rendered, django_assert_max_num_queries
):
    still = str(factories.shared_still(north_shore, rendered).pk)
    words = [{"text": f"Scene {number}", "still": still} for number in range(60)]
    story = api.call("POST", "/stories", {"title": "Small voyages", "scenes": words}).json()
    scene = api.get(f"/stories/{story['id']}/scenes").json()["items"][0]
    for version in (1, 2):
        with django_assert_max_num_queries(14):  # two of them begin and end the transaction
            answer = api.call(
                "PATCH",
                f"/stories/{story['id']}/scenes/{scene['id']}",
                {"text": f"Words {version}"},
                headers={"If-Match": f'"{version}"'},
            )
        assert (answer.status_code, answer.json()["version"]) == (200, version + 1)
        told = api.get(f"/stories/{story['id']}/scenes").json()["items"][0]
        assert told == answer.json(), "the answer is what was written"


@pytest.mark.django_db
def test_lists_cost_the_same_with_ten_thousand_stories(api, north_shore):
    def asked(path: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert api.get(path).status_code == 200
        return len(queries)

    paths = [
        "/stories?limit=50",
        "/stories?state=draft",
        "/stories?state=live",
        "/stories?q=story",
        "/stories?state=trash",
    ]
    Story.objects.bulk_create(Story(workspace=north_shore, title=f"Story {n}") for n in range(2))
    few = [asked(path) for path in paths]
    Story.objects.bulk_create(
        (Story(workspace=north_shore, title=f"Story {n}") for n in range(10_000)), batch_size=1000
    )
    assert [asked(path) for path in paths] == few
    seen, cursor = set(), ""
    for _ in range(4):
        page = api.get(f"/stories?limit=50{cursor}").json()
        seen |= {story["id"] for story in page["items"]}
        cursor = f"&cursor={page['nextCursor']}"
    assert len(seen) == 200, "no story twice, none left out"


@pytest.mark.django_db
def test_a_cursor_that_we_did_not_give_is_refused(api):
    for cursor in ("x", "AQAHk3sBAAAAAAAEtAAAAAAAAAAqX1mYd0bJ0lq3cV8e", "%00"):
        answer = api.get(f"/stories?cursor={cursor}")
        assert (answer.status_code, answer.json()["details"][0]["path"]) == (400, "cursor"), cursor
