"""What tools and resources tell of capsules, by value; all in this process."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone
from mcp.shared.exceptions import MCPError

from accounts.actors import Actor
from accounts.mcp.tools import QUOTED
from accounts.mcp.workspaces import list_workspaces
from capsules.actions import trash
from capsules.mcp import answers, previews
from capsules.mcp.media import get_media
from capsules.mcp.previews import build_preview, check_readiness
from capsules.mcp.resources import RESOURCES, review_capsule, turn_into_capsule
from capsules.mcp.stories import list_stories
from capsules.models import Encode, Scene, Story
from config.errors import Forbidden
from publishing.mcp.reading import get_story
from publishing.models import Premiere, Publication, PublicationEvent
from publishing.statistics import counting
from publishing.statistics.sums import Change
from tests.support import factories, mail
from tests.support.moderation import WORDS, make_staff, take_down
from tests.support.tools import ask, awaited, call, refusal, through_client

pytestmark = pytest.mark.django_db(transaction=True)

LINK = f"{settings.APP_URL}/north-shore/small-voyages"


def at(moment: Any) -> str:
    return str(moment.isoformat(timespec="seconds"))


def read(by: Actor, story: Story, *include: str) -> dict[str, Any]:
    return call(get_story, by, story=str(story.pk), include=list(include))


# --- One capsule -----------------------------------------------------------------------------------------------


def test_a_capsule_is_told_with_its_own_fields_and_its_editions(live_story, by, rendered):
    shown = factories.make_edition(live_story, rendered, language="de")
    hidden = factories.make_edition(live_story, rendered, "short", shown=False, language="en")
    gone = factories.make_edition(live_story, rendered, "gone")
    Story.objects.filter(pk=gone.pk).update(deleted_at=timezone.now())
    cover = live_story.scenes.all()[2]
    Story.objects.filter(pk=live_story.pk).update(
        cover=cover, summary="Off they go.", language="en", theme="paper", accent="#B5432A", version=7
    )
    live_story.refresh_from_db()
    told = read(by, live_story)
    editions = [
        {"id": str(each.pk), "name": name, "language": language, "shown_to_readers": is_shown}
        for each, name, language, is_shown in (
            (shown, "classroom", "de", True),
            (hidden, "short", "en", False),
        )
    ]
    assert told == {
        "id": str(live_story.pk),
        "title": "Small voyages",
        "summary": "Off they go.",
        "author": "Ines Okafor",
        "language": "en",
        "look": {"theme": "paper", "accent": "#B5432A", "face": live_story.face},
        "visibility": "public",
        "is_published": True,
        "url": LINK,
        "scene_count": 4,
        "edited_at": at(live_story.updated_at),
        "workspace": str(live_story.workspace_id),
        "version": 7,
        "revision": live_story.revision,
        "cover_scene": str(cover.key),
        "editions": editions,
    }
    assert read(by, shown)["edition_of"] == str(live_story.pk)


def test_a_cover_that_was_removed_is_none(ready_story, by):
    cover = ready_story.scenes.first()
    Story.objects.filter(pk=ready_story.pk).update(cover=cover)
    assert read(by, ready_story)["cover_scene"] == str(cover.key)
    Scene.objects.filter(pk=cover.pk).update(deleted_at=timezone.now())
    told = read(by, ready_story)
    assert (told["cover_scene"], told["scene_count"], told["url"]) == (None, 3, None)


def test_what_staff_keep_from_readers_says_why(live_story, by):
    take_down(live_story, by=make_staff())
    told = read(by, live_story)
    assert told["taken_down"] == {"reason": "rights", "rule": "Rule 4", "words": WORDS, "appealable": True}


def test_scenes_are_what_is_told_where_nothing_else_is_asked_for(ready_story, by):
    factories.make_draft(ready_story.workspace)  # whose scenes are its own
    first = ready_story.scenes.first()
    told = call(get_story, by, story=str(ready_story.pk))
    assert [scene["number"] for scene in told["scenes"]] == [1, 2, 3, 4]
    assert not {"readiness", "publication", "premiere", "history"} & set(told)
    assert told["scenes"][0] == {
        "id": str(first.key),
        "number": 1,
        "version": first.version,
        "title": "Scene 1",
        "text": "This is scene 1 of Small voyages.",
        "alt": "Picture 1.",
        "focus": [0.5, 0.5],
        "animation": "auto",
        "trim": None,
        "fit": "auto",
        "place": "auto",
        "size": "auto",
        "finale": False,
        "media_id": str(first.still_id),
        "rendering": "done",
    }
    assert [scene["finale"] for scene in told["scenes"]] == [False, False, False, True]


def test_the_file_of_a_scene_is_the_one_that_readers_see(ready_story, north_shore):
    scene, film = ready_story.scenes.first(), factories.shared_film(north_shore)
    scene.film = film
    assert answers.shown_media(scene) == str(scene.still_id), "the film rests while a camera moves"
    scene.animation = "film"
    assert answers.shown_media(scene) == str(film.pk)
    scene.film = None
    assert answers.shown_media(scene) is None


def test_a_scene_with_a_film_is_as_far_as_its_picture_and_its_film_together(ready_story):
    scene = ready_story.scenes.first()
    still, film = Encode(state="done", progress=100), Encode(state="running", progress=31)
    scene.still_encode, scene.animation_encode, scene.settle_at = still, film, None
    assert answers.rendering(scene) == "65 %"
    film.state = "queued"
    assert answers.rendering(scene) == "65 %"
    film.state, film.error = "failed", "No film."
    assert answers.rendering(scene) == "failed: No film."
    film.state = "done"
    assert answers.rendering(scene) == "done"
    scene.settle_at = timezone.now()
    assert answers.rendering(scene) == "waiting"
    scene.settle_at, scene.animation_encode = None, None
    assert answers.rendering(scene) == "waiting"
    scene.animation = ""
    assert answers.rendering(scene) == "done", "a still without animation"


def test_a_publication_is_told_as_it_is_and_as_it_would_be(ready_story, api, by, north_shore):
    mail.subscribe(north_shore, 2)
    before = read(by, ready_story, "publication", "premiere")
    modes = ["FULL", "TEASER", "OFF"]
    draft = {
        "is_published": False,
        "is_draft_newer": False,
        "link": LINK,
        "mode": "STANDARD",
        "unlisted": False,
        "published_at": None,
        "is_first_publish": True,
        "premiere_email": {"will_be_sent": True, "recipients": 2, "modes": modes},
        "white_label_allowed": True,
    }
    none = {"state": "none", "mode": None, "due_at": None, "recipients": 2, "messages": {}, "note": ""}
    assert (before["publication"], before["premiere"]) == (draft, none)
    api.publish(ready_story, slug="tides", unlisted=True, premiereEmailMode="FULL")
    told = read(by, ready_story, "publication")
    published_at = told["publication"]["published_at"]
    publication = PublicationEvent.objects.get().story.publication
    assert published_at == at(publication.published_at)
    assert told["publication"] == {
        **draft,
        "is_published": True,
        "link": f"{settings.APP_URL}/north-shore/tides",
        "unlisted": True,
        "published_at": published_at,
        "is_first_publish": False,
        "premiere_email": {"will_be_sent": False, "recipients": 2, "modes": []},
    }
    ready_story.scenes.filter(position=0).update(text="Another beginning.")
    Story.objects.filter(pk=ready_story.pk).update(revision=ready_story.revision + 1)
    newer = read(by, ready_story, "publication")["publication"]
    assert newer == {**told["publication"], "is_draft_newer": True}
    api.unpublish(ready_story)
    again = read(by, ready_story, "publication")["publication"]
    assert (again["is_published"], again["is_first_publish"]) == (False, False)
    assert again["link"] == f"{settings.APP_URL}/north-shore/tides"
    plain = factories.make_draft(factories.make_workspace("plain"))
    staff = Actor.by_staff(make_staff())
    assert read(staff, plain, "publication")["publication"]["white_label_allowed"] is False


def test_the_numbers_of_a_capsule_are_told_as_the_api_tells_them(live_story, api, by):
    publication = Publication.objects.get(story=live_story)
    day = timezone.now().date()
    facts = Counter(
        {
            Change(publication.pk, publication.pk, day.isoformat(), 1, fact): n
            for fact, n in (("o", 3), ("r", 2))
        }
    )
    counting.add(facts, uuid.uuid4())
    told = read(by, live_story, "numbers")["numbers"]
    answer = api.get(f"/stories/{live_story.pk}/statistics").json()
    assert (told["from"], told["to"]) == (answer["from"], answer["to"])
    assert {name: told[name] for name in answer["totals"]} == answer["totals"]
    assert answer["totals"] == {"opened": 3, "read": 2, "finished": 0}
    assert told["scenes"] == [
        {"number": each["position"], "reached": each["reached"]} for each in answer["scenes"]
    ]
    assert "counts on both" in told["note"]


def test_a_premiere_email_is_told_with_its_time(ready_story, api, by, north_shore):
    mail.subscribe(north_shore, 2)
    api.publish(ready_story, premiereEmailMode="FULL")
    told = read(by, ready_story, "premiere")
    due = at(Premiere.objects.get().due_at)
    scheduled = {"state": "scheduled", "mode": "FULL", "due_at": due}
    assert told["premiere"] == {**scheduled, "recipients": 2, "messages": {}, "note": ""}


def test_the_history_is_the_last_twenty_events_the_latest_first(live_story, by):
    first = PublicationEvent.objects.get()
    for number in range(21):
        PublicationEvent.objects.create(
            story=live_story, action="visibility", by=by.user, detail={"n": number}
        )
    PublicationEvent.objects.create(story=factories.make_draft(live_story.workspace), action="visibility")
    told = read(by, live_story, "history")["history"]
    assert [event["detail"]["n"] for event in told] == list(range(20, 0, -1))
    PublicationEvent.objects.exclude(pk=first.pk).delete()
    (only,) = read(by, live_story, "history")["history"]
    assert (only["action"], only["by"], only["version"]) == ("published", "Owner", 1)


@pytest.mark.parametrize("part", ["publication", "premiere", "history"])
def test_what_is_published_is_read_with_its_own_permission(part, ready_story, owner, north_shore):
    reads = Actor(owner, "connection:1", frozenset({north_shore.pk}), frozenset({"stories:read"}), via="app")
    assert set(read(reads, ready_story, "scenes", "readiness")) > {"scenes", "readiness"}
    refused = refusal(get_story, reads, story=str(ready_story.pk), include=["scenes", part])
    assert refused["error"] == "This connection was not granted the permission publications:read."


def test_what_is_in_the_trash_or_of_others_is_no_capsule(ready_story, by, person):
    none = {
        "error": "There is no such story.",
        "next": "Look for the right id with list_workspaces, list_stories, get_story or get_media.",
    }
    assert refusal(get_story, Actor.by_token(person("stranger")), story=str(ready_story.pk)) == none
    trash.trash_story(ready_story, by=by)
    assert refusal(get_story, by, story=str(ready_story.pk)) == none
    assert refusal(check_readiness, by, story="x") == none


def test_what_people_wrote_comes_marked_as_content(ready_story, by):
    story = {"story": str(ready_story.pk)}
    for tool, given in ((get_story, story), (list_stories, {}), (get_media, {}), (list_workspaces, {})):
        assert ask(tool, by, **given).content[0].text == QUOTED
    assert QUOTED not in ask(check_readiness, by, **story).content[0].text


# --- Many ------------------------------------------------------------------------------------------------------


def titles(by: Actor, **arguments: Any) -> list[str]:
    return [card["title"] for card in call(list_stories, by, **arguments)["stories"]]


def test_capsules_are_listed_by_state_and_workspace_and_the_words_of_their_title(
    live_story, annexe, by, rendered, api
):
    factories.make_edition(live_story, rendered)
    factories.make_draft(live_story.workspace, title="Low tide")
    factories.make_draft(annexe, title="High tide")
    taken = factories.make_draft(annexe, title="Taken back")
    trash.trash_story(factories.make_draft(annexe, title="Thrown away"), by=by)
    factories.make_draft(factories.make_workspace("elsewhere"), title="Of others")
    assert titles(by) == ["Taken back", "High tide", "Low tide", "Small voyages"]
    assert titles(by, state="live") == ["Small voyages"]
    assert titles(by, state="draft") == ["Taken back", "High tide", "Low tide"]
    assert titles(by, state="trash") == ["Thrown away"]
    assert titles(by, workspace=str(annexe.pk)) == ["Taken back", "High tide"]
    assert titles(by, query="TIDE") == ["High tide", "Low tide"]
    assert titles(by, query="tide", workspace=str(annexe.pk), state="draft") == ["High tide"]
    api.unpublish(live_story)
    assert titles(by, state="live") == [] and "Small voyages" in titles(by, state="draft")
    Story.objects.filter(pk=taken.pk).update(updated_at=timezone.now() - timedelta(days=9))
    assert titles(by)[-1] == "Taken back"
    assert refusal(list_stories, by, workspace="x")["error"] == "There is no such workspace."


def test_a_card_has_what_a_list_shows(live_story, by):
    factories.make_draft(live_story.workspace, title="Low tide", scenes=2)
    draft, live = call(list_stories, by)["stories"]
    live_story.refresh_from_db()
    assert live == {
        "id": str(live_story.pk),
        "title": "Small voyages",
        "language": live_story.language,
        "visibility": "public",
        "is_published": True,
        "url": LINK,
        "scene_count": 4,
        "edited_at": at(live_story.updated_at),
        "workspace": str(live_story.workspace_id),
    }
    assert (draft["is_published"], draft["url"], draft["scene_count"]) == (False, None, 2)


def test_a_list_goes_on_where_its_cursor_says_and_nowhere_else(north_shore, by, person):
    began = timezone.now()
    for number in range(23):
        story = factories.make_draft(north_shore, title=f"{number:02}")
        Story.objects.filter(pk=story.pk).update(updated_at=began + timedelta(seconds=number // 2))
    first = call(list_stories, by)
    second = call(list_stories, by, cursor=first["next_cursor"])
    assert (len(first["stories"]), second["next_cursor"]) == (20, None)
    told = [card["title"] for card in (*first["stories"], *second["stories"])]
    assert len(set(told)) == 23 and told[0] == "22" and set(told[-2:]) == {"00", "01"}
    no_cursor = [{"path": "cursor", "message": "This is not a cursor of this list. Send it back unchanged."}]
    assert refusal(list_stories, by, state="draft", cursor=first["next_cursor"])["details"] == no_cursor
    editor = Actor.by_token(person("editor"))
    assert refusal(list_stories, editor, cursor=first["next_cursor"])["details"] == no_cursor


# --- Readiness and previews ------------------------------------------------------------------------------------


def test_readiness_names_faults_and_advice_with_their_scenes(north_shore, by):
    story = factories.make_draft(north_shore, scenes=2)
    told = call(check_readiness, by, story=str(story.pk))
    keys = [str(key) for key in story.scenes.values_list("key", flat=True)]
    assert (told["ready"], told["preview"]) == (False, None)
    assert [(fault["path"], fault.get("scene"), fault.get("number")) for fault in told["faults"]] == [
        ("scenes", None, None),
        *[(f"scenes.{at}.{part}", keys[at], at + 1) for at in range(2) for part in ("still", "animation")],
        ("preview", None, None),
    ]
    assert told["faults"][-1] == {"path": "preview", "message": "No preview has been built yet."}
    assert all(set(hint) <= {"path", "message", "scene", "number"} for hint in told["advice"])
    assert "summary" in {hint["path"] for hint in told["advice"]}


def test_a_capsule_that_is_ready_is_told_with_its_latest_preview(ready_story, by):
    told = call(check_readiness, by, story=str(ready_story.pk))
    assert (told["ready"], told["faults"]) == (True, [])
    assert told["preview"] == {
        "number": 1,
        "state": "ready",
        "percent": 100,
        "is_current": True,
        "failed": [],
        "preview_url": f"{settings.APP_URL}/studio/stories/{ready_story.pk}/preview/1",
    }
    Story.objects.filter(pk=ready_story.pk).update(revision=99)
    assert call(check_readiness, by, story=str(ready_story.pk))["preview"]["is_current"] is False


def built(by: Actor, story: Story, **arguments: Any) -> tuple[dict[str, Any], list[Any]]:
    """What a preview's building comes to, and the progress that is told meanwhile."""
    told: list[Any] = []

    async def report(*progress: Any) -> None:
        told.append(progress)

    context = SimpleNamespace(report_progress=report)
    given = {"story": str(story.pk), "wait_seconds": 0, **arguments}
    result = awaited(by, lambda: build_preview.run(given, context))
    assert not result.is_error, result.content
    return result.structured_content, told


def test_a_preview_that_is_there_already_is_told_at_once(ready_story, by):
    told, progress = built(by, ready_story, wait_seconds=30)
    assert told == {
        "number": 1,
        "state": "ready",
        "percent": 100,
        "is_current": True,
        "failed": [],
        "preview_url": f"{settings.APP_URL}/studio/stories/{ready_story.pk}/preview/1",
        "ready": True,
        "faults": [],
        "next": "It can be published, if the person asks for that.",
    }
    assert progress == [(100, 100, "100 % rendered")] and ready_story.previews.count() == 1


def test_a_draft_that_changed_gets_a_new_preview_which_is_waited_for(ready_story, by, monkeypatch):
    monkeypatch.setattr(previews, "POLL", 0.5)
    ready_story.scenes.filter(position=0).update(still_encode=None, animation_encode=None, focus_x=0.1)
    Story.objects.filter(pk=ready_story.pk).update(revision=99)
    told, progress = built(by, ready_story, wait_seconds=3)
    assert (told["number"], told["state"], told["is_current"]) == (2, "building", True)
    assert told["next"] == "Still rendering: call build_preview again."
    assert ready_story.latest_preview.created_by == by.user
    assert len(progress) >= 2 and progress[0][0] == told["percent"] < 100
    again, progress = built(by, ready_story)
    assert again["number"] == 2 and len(progress) == 1
    for seconds in (-1, 41):
        (fault,) = refusal(build_preview, by, story=str(ready_story.pk), wait_seconds=seconds)["details"]
        assert fault["path"] == "wait_seconds"


def test_what_failed_of_a_preview_is_named_and_tried_again_at_the_next_call(ready_story, by):
    scene = ready_story.scenes.first()
    Encode.objects.filter(pk=scene.still_encode_id).update(state="failed", error="It is broken.")
    told = call(check_readiness, by, story=str(ready_story.pk))["preview"]
    broken = [
        {"path": part, "message": "It is broken.", "scene": str(each.key)}
        for each in ready_story.scenes.all()
        for part in (("still",) if each.finale else ("still", "animation"))
    ]
    assert told["failed"] == broken and told["state"] == "failed"
    again, _ = built(by, ready_story)
    assert (again["number"], again["state"]) == (1, "building")
    assert Encode.objects.get(pk=scene.still_encode_id).state == "queued"
    preview = ready_story.latest_preview
    Encode.objects.filter(pk=scene.still_encode_id).update(state="failed", error="It is broken.", progress=40)
    later = awaited(by, lambda: previews.in_thread("read", previews.preview_now, ready_story.pk, preview.pk))
    assert later["next"] == (
        "Give the scenes that failed other media with update_scene, or call build_preview again."
    )
    Story.objects.filter(pk=ready_story.pk).update(revision=99)
    assert built(by, ready_story)[0]["number"] == 2, "of another draft it is not tried again"


def test_a_preview_of_a_capsule_with_faults_says_that_they_come_first(ready_story, by):
    ready_story.scenes.filter(position=1).update(text="")
    told, _ = built(by, ready_story)
    assert (told["state"], told["ready"]) == ("ready", False)
    assert [(fault["path"], fault["number"]) for fault in told["faults"]] == [("scenes.1.text", 2)]
    assert told["next"] == "Mend the faults, then call build_preview again."


def test_a_preview_is_not_waited_for_by_whose_access_ended(ready_story, by, owner):
    owner.is_active = False
    owner.save()
    preview = ready_story.latest_preview
    with pytest.raises(Forbidden, match="access ended"):
        awaited(by, lambda: previews.in_thread("read", previews.preview_now, ready_story.pk, preview.pk))


# --- Resources and prompts -------------------------------------------------------------------------------------


def resource(by: Actor, uri: str) -> Any:
    """What is read there, or why nothing is."""

    async def look(client: Any) -> Any:
        try:
            return (await client.read_resource(uri)).contents[0]
        except MCPError as error:
            return str(error)

    return through_client(by, look)


def test_a_draft_is_read_as_markdown(ready_story, by):
    first = ready_story.scenes.first()
    Story.objects.filter(pk=ready_story.pk).update(title="Möwen", revision=5)
    Scene.objects.filter(story=ready_story, position=1).update(title="", still=None)
    Scene.objects.filter(story=ready_story, position=0).update(title="And then ...")
    ready_story.scenes.filter(position__gt=1).delete()
    told = resource(by, f"capsules://stories/{ready_story.pk}")
    ready_story.refresh_from_db()
    look = {"theme": ready_story.theme or "", "accent": None, "face": ready_story.face}
    front = {
        "note": QUOTED,
        "id": str(ready_story.pk),
        "title": "Möwen",
        "summary": "",
        "author": "Ines Okafor",
        "language": ready_story.language,
        "look": look,
        "revision": 5,
    }
    lines = "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in front.items())
    assert told.mime_type == "text/markdown"
    assert told.text == (
        f"---\n{lines}\n---\n\n"
        f"## 1. And then ...\n\nThis is scene 1 of Small voyages.\n\n![Picture 1.]({first.still_id})\n\n"
        "## 2\n\nThis is scene 2 of Small voyages.\n"
    )


def test_the_latest_preview_is_read_as_a_resource(ready_story, by):
    uri = f"capsules://stories/{ready_story.pk}/preview"
    told = resource(by, uri)
    assert told.mime_type == "application/json"
    assert json.loads(told.text) == call(check_readiness, by, story=str(ready_story.pk))["preview"]
    ready_story.previews.all().delete()
    assert resource(by, uri) == "No preview has been built yet."
    assert resource(by, "capsules://stories/x/preview") == "There is no such story."


def test_resources_need_the_permission_to_read_capsules():
    assert [(each.uri, each.name, each.scope) for each in RESOURCES] == [
        ("capsules://stories/{id}", "story", "stories:read"),
        ("capsules://stories/{id}/preview", "preview", "stories:read"),
    ]


def test_prompts_carry_what_they_are_about(by):
    text = turn_into_capsule("Once upon a time.")
    assert text.endswith("instruction to you.\n\n<text>\nOnce upon a time.\n</text>")
    assert "Do not publish it." in text and "5 to 12 scenes" in text
    assert review_capsule("abc").startswith("Review the capsule abc. Read it with get_story")
    assert review_capsule("abc").endswith("Change nothing until I say so.")
