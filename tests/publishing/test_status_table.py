"""Which check answers first: every row of the status table that is about a story, by a request and its whole answer."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Membership
from capsules.actions import previews, scenes
from capsules.models import Encode, Scene
from config.slots import Slots
from publishing import slots
from publishing.models import Publication
from tests.support import factories

pytestmark = pytest.mark.django_db

UNKNOWN_ID = "7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11"


def url(story) -> str:
    return f"/stories/{story.pk}/publication"


def assert_error(answer, status: int, error: str, *details: tuple[str, str]) -> None:
    """The whole answer: status, type, and a body with nothing else in it."""
    body = {"error": error}
    if details:
        body["details"] = [{"path": path, "message": message} for path, message in details]
    assert (answer.status_code, answer.json()) == (status, body)
    assert answer["Content-Type"] == "application/json"


# --- 7 and 8: whose story, and the role ------------------------------------------------------------------------


@pytest.mark.both_databases
def test_every_story_that_the_caller_cannot_see_gets_the_same_404(
    api, ready_story, harbour, rendered, person
):
    foreign = factories.make_story(harbour, rendered)
    deleted = factories.make_story(ready_story.workspace, rendered, title="Gone")
    gone_id = str(deleted.pk)
    deleted.delete()
    ids = ["x", UNKNOWN_ID, str(foreign.pk), gone_id, f"{{{ready_story.pk}}}", "%00", "a" * 300]
    for method in ("GET", "PUT", "DELETE"):
        bodies = {api.call(method, f"/stories/{id}/publication").content for id in ids}
        assert bodies == {b'{"error":"There is no such story."}'}, method
    assert api.as_(person("stranger")).state(ready_story).status_code == 404


def test_the_role_is_refused_before_the_body_is_looked_at(api, ready_story, person):
    answer = api.as_(person("viewer")).publish(ready_story, nonsense=1)
    assert_error(answer, 403, "Your role in this workspace does not allow publishing.")


def test_a_key_acts_by_its_creators_role_of_today(api, ready_story, owner, workspace_key):
    assert api.with_key(workspace_key).publish(ready_story).status_code == 200
    Membership.objects.filter(user=owner).update(role="viewer")
    assert api.with_key(workspace_key).publish(ready_story).status_code == 403
    assert api.with_key(workspace_key).state(ready_story).status_code == 200


def test_a_key_reaches_its_own_workspace_only(api, owner, harbour, rendered, workspace_key):
    Membership.objects.create(user=owner, workspace=harbour, role="owner")
    other = factories.make_story(harbour, rendered)
    assert api.state(other).status_code == 200
    assert api.with_key(workspace_key).state(other).status_code == 404


# --- 9: the body and the query ---------------------------------------------------------------------------------

RULE = "A slug has lowercase letters, digits and single hyphens between them."
INVALID_BODIES = [
    ({"slug": 0}, [("slug", "Must be a string.")]),
    ({"slug": None}, [("slug", "Must not be null.")]),
    ({"slug": ""}, [("slug", "Must not be empty.")]),
    ({"slug": "a" * 51}, [("slug", "A slug has at most 50 characters: 1 too many.")]),
    (
        {"slug": "a" * 81},
        [("slug", "A slug has at most 50 characters: 31 too many."), ("slug", "At most 80 characters.")],
    ),
    *(
        ({"slug": slug}, [("slug", RULE)])
        for slug in ("Caps", "-a", "a-", "a--b", "a b", "ä", "a\n", "a/b", " a")
    ),
    ({"unlisted": "yes"}, [("unlisted", "Must be true or false.")]),
    ({"unlisted": 1}, [("unlisted", "Must be true or false.")]),
    ({"showSocialShare": None}, [("showSocialShare", "Must not be null.")]),
    ({"publicationMode": "standard"}, [("publicationMode", "Must be one of STANDARD, WHITE_LABEL.")]),
    ({"premiereEmailMode": 3}, [("premiereEmailMode", "Must be a string.")]),
    ({"slgu": "x"}, [("slgu", "There is no field of this name.")]),
    ([], [("", "Must be a JSON object.")]),
    ("text", [("", "Must be a JSON object.")]),
    (None, [("", "Must be a JSON object.")]),
    (
        {"x": 1, "slug": 7, "unlisted": "no"},
        [
            ("x", "There is no field of this name."),
            ("slug", "Must be a string."),
            ("unlisted", "Must be true or false."),
        ],
    ),
]


def test_an_invalid_body_names_every_fault(api, ready_story):
    for body, details in INVALID_BODIES:
        answer = api.call("PUT", url(ready_story), data=json.dumps(body))
        assert_error(answer, 400, "The request is not valid.", *details)


def test_an_empty_body_and_an_empty_object_mean_the_same(api, ready_story):
    for data in ("", "{}", " \n "):
        assert api.call("PUT", url(ready_story), data=data).status_code == 200, data


TWICE = ("releaseSlug", "This parameter is given more than once.")
INVALID_QUERIES = [
    ("?releaseSlug=yes", ("releaseSlug", "Must be one of true, false.")),
    ("?releaseSlug=", ("releaseSlug", "Must be one of true, false.")),
    ("?releaseSlug=TRUE", ("releaseSlug", "Must be one of true, false.")),
    ("?releaseSlugs=true", ("releaseSlugs", "There is no field of this name.")),
    ("?releaseSlug=true&releaseSlug=false", TWICE),
    ("?releaseSlug=x&releaseSlug=y&q=1", TWICE, ("q", "There is no field of this name.")),
]


def test_an_invalid_query_names_the_parameter_and_nothing_is_unpublished(api, live_story):
    for query, *faults in INVALID_QUERIES:
        assert_error(api.unpublish(live_story, query), 400, "The request is not valid.", *faults)
    assert api.state(live_story).json()["isPublished"] is True


def test_an_unpublish_takes_no_body(api, live_story):
    answer = api.unpublish(live_story, data='{"releaseSlug": true}')
    assert_error(answer, 400, "The request is not valid.", ("releaseSlug", "There is no field of this name."))


# --- 10 and 11: plan and suspension ----------------------------------------------------------------------------


def test_white_label_needs_the_plan(api, ready_story):
    ready_story.workspace.plan = "free"
    ready_story.workspace.save()
    answer = api.publish(ready_story, publicationMode="WHITE_LABEL")
    message = "The plan of this workspace does not include WHITE_LABEL."
    assert_error(answer, 403, message, ("publicationMode", message))


def test_white_label_is_not_kept_silently_when_the_plan_ends(api, ready_story):
    assert api.publish(ready_story, publicationMode="WHITE_LABEL").json()["publicationMode"] == "WHITE_LABEL"
    ready_story.workspace.plan = "free"
    ready_story.workspace.save()
    assert api.publish(ready_story).status_code == 403
    assert api.publish(ready_story, publicationMode="STANDARD").json()["publicationMode"] == "STANDARD"


def test_a_suspended_workspace_publishes_nothing_and_unpublishes(api, live_story):
    live_story.workspace.suspended_at = timezone.now()
    live_story.workspace.save()
    message = "This workspace was suspended. Nothing can be published in it."
    assert_error(api.publish(live_story), 423, message)
    assert api.publish(live_story, slug=1).status_code == 400, "the body is checked first"
    state = api.state(live_story).json()
    assert (state["isPublished"], state["url"], state["slug"]) == (False, None, "small-voyages")
    assert api.unpublish(live_story).status_code == 200


# --- 12 and 13: busy -------------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_a_running_publish_locks_the_story(api, live_story):
    Publication.objects.update(lease_token=UNKNOWN_ID, lease_until=timezone.now() + timedelta(seconds=30))
    for answer in (api.publish(live_story), api.unpublish(live_story)):
        assert_error(answer, 423, "This capsule is being published at the moment. Please try again shortly.")
        assert answer["Retry-After"] == "2"
    Publication.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert api.publish(live_story).status_code == 200, "a lease that lapsed holds nobody up"


def test_scene_videos_that_still_encode_after_the_wait_lock_the_story(api, north_shore, rendered, settings):
    settings.ENCODE_WAIT = 0
    story = factories.make_story(north_shore, rendered, encoded=False)
    answer = api.publish(story)
    assert_error(answer, 423, "Scene videos are still encoding. Please try again shortly.")
    assert answer["Retry-After"] == "10"
    factories.finish_encodes(rendered)
    assert api.publish(story).status_code == 200


def test_busy_publish_slots_are_a_429(api, ready_story, monkeypatch):
    monkeypatch.setattr(slots, "publishes", Slots(1, 1, patience=0.05))
    with slots.slot():
        answer = api.publish(ready_story)
    assert_error(answer, 429, "Many capsules are being published at the moment. Please try again shortly.")
    assert answer["Retry-After"] == "5"
    assert api.publish(ready_story).status_code == 200


# --- 14: readiness ---------------------------------------------------------------------------------------------

NOT_READY = "This capsule is not ready to be published."


def test_every_unmet_condition_is_named(api, ready_story):
    Scene.objects.filter(story=ready_story, position=0).update(text="  ")
    Scene.objects.filter(story=ready_story, position=2).update(animation_encode=None)
    Scene.objects.filter(story=ready_story, position=3).update(still_encode=None)
    ready_story.previews.all().delete()
    assert_error(
        api.publish(ready_story),
        409,
        NOT_READY,
        ("scenes.0.text", "This scene has no text."),
        ("scenes.2.animation", "This scene is not animated."),
        ("scenes.3.still", "The finale has no picture."),
        ("preview", "No preview has been built yet."),
    )


def test_fewer_than_three_scenes_are_not_enough(api, north_shore, rendered):
    story = factories.make_story(north_shore, rendered, scenes=2, finale=False)
    answer = api.publish(story)
    assert_error(answer, 409, NOT_READY, ("scenes", "A capsule needs at least three scenes; this one has 2."))


def test_a_preview_from_before_the_capsule_was_ready_is_not_enough(api, north_shore, rendered):
    story = factories.make_story(north_shore, rendered, scenes=2, finale=False)
    still = story.scenes.first().still
    scenes.add_scenes(story, [{"text": "The third.", "still": still, "animation": "auto"}], by=None)
    factories.finish_encodes(rendered)
    message = "The latest preview is older than the last changes. Build a new preview."
    assert_error(api.publish(story), 409, NOT_READY, ("preview", message))
    previews.build_preview(story)
    factories.finish_encodes(rendered)
    assert api.publish(story).status_code == 200


def test_a_failed_encode_says_why(api, north_shore, rendered):
    story = factories.make_story(north_shore, rendered, films=3, encoded=False)
    Encode.objects.filter(kind="film").update(state="failed", error="This film is damaged.")
    answer = api.publish(story)
    failed = [(f"scenes.{i}.animation", "This film is damaged.") for i in range(3)]
    assert_error(answer, 409, NOT_READY, *failed)


def test_a_picture_for_links_that_failed_says_why(api, north_shore, rendered):
    story = factories.make_story(north_shore, rendered, encoded=False)
    Encode.objects.filter(kind="card").update(state="failed", error="This picture is damaged.")
    factories.finish_encodes(rendered)
    assert_error(api.publish(story), 409, NOT_READY, ("preview", "This picture is damaged."))


# --- 15: names -------------------------------------------------------------------------------------------------


def test_a_slug_of_another_capsule_is_refused_without_telling_whose(
    api, live_story, harbour, rendered, person
):
    other = factories.make_story(harbour, rendered, title="Something of their own")
    answer = api.as_(person("stranger")).publish(other, slug="small-voyages")
    assert_error(answer, 409, "This slug is already taken.", ("slug", "Another capsule has this slug."))
    assert api.as_(person("stranger")).state(other).json()["slug"] is None, "nothing stays reserved"


def test_a_workspace_name_that_another_claimed_is_refused(api, live_story, rendered, person):
    other = factories.make_workspace("north-shore-2", roles=["owner"])
    type(other).objects.filter(pk=other.pk).update(name="north-shore")
    story = factories.make_story(other, rendered, title="Second")
    owner = other.memberships.get().user
    assert_error(
        api.as_(owner).publish(story),
        409,
        "The workspace name is not available.",
        ("workspaceName", "Another workspace has claimed this name. Choose another name for the workspace."),
    )


def test_a_workspace_name_that_the_service_needs_is_refused(api, ready_story):
    type(ready_story.workspace).objects.update(name="api")
    answer = api.publish(ready_story)
    message = "This workspace name is reserved. Choose another name for the workspace."
    assert_error(answer, 409, "The workspace name is not available.", ("workspaceName", message))


# --- 16: the unexpected ----------------------------------------------------------------------------------------


def test_the_unexpected_is_a_500_with_a_reference_and_nothing_else(api, ready_story):
    ready_story.previews.update(
        content={"scenes": [{"text": "x", "still": 1, "animation": 1}] * 3, "card": None}
    )
    answer = api.publish(ready_story)
    assert answer.status_code == 500
    assert answer["Content-Type"] == "application/json"
    assert list(answer.json()) == ["error"]
    sentence = (
        "Something went wrong on our side. Please try again; if it stays, quote reference [0-9a-f]{16}."
    )
    assert re.fullmatch(sentence, answer.json()["error"])
    assert api.publish(ready_story).status_code == 500, "the lease was given back: no 423"
