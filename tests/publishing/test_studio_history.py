"""The history pages: looking at kept drafts and published versions, and going back to them by plain forms."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from accounts.actors import Actor
from capsules.actions import keeping, previews, revisions, scenes
from capsules.models import Revision
from publishing import actions
from publishing.models import Bake, Publication, PublicationEvent
from publishing.studio.differences import MOST, Part, as_text, between, notes_of, steps_between
from publishing.studio.history import changes_since, runs_of
from tests.support import factories
from tests.support.forms import press
from tests.support.messages import messages_of
from tests.support.queries import asks_as_often


@pytest.fixture
def rewritten(ready_story, owner):
    """A story whose second scene said something else when its draft was named "First"."""
    by = Actor.by_token(owner, via="studio")
    first = revisions.name_revision(ready_story, "First", by=by)
    scene = ready_story.scenes.get(position=1)
    scenes.update_scene(ready_story, scene.key, {"text": "Something else entirely."}, by=by, expected=None)
    ready_story.refresh_from_db()
    return ready_story, first, scene


def history_of(story) -> str:
    return reverse("studio_history", kwargs={"story": story.pk})


def test_members_read_the_history_and_strangers_get_404(sign_in, ready_story):
    for who, status in (("viewer", 200), ("stranger", 404)):
        for name in ("studio_history", "studio_versions"):
            page = sign_in(who).get(reverse(name, kwargs={"story": ready_story.pk}))
            assert page.status_code == status, (who, name)


def test_named_moments_stand_by_themselves_and_automatic_ones_are_folded(sign_in, rewritten, owner):
    story = rewritten[0]
    keeping.keep_revision(story, Revision.Kind.AUTO, by=Actor.by_token(owner))
    (_, runs), *_ = sign_in("owner").get(history_of(story)).context["days"]
    assert [(len(run.rows), run.is_folded) for run in runs][:2] == [(2, True), (1, False)]
    assert runs[1].rows[0].label == "First"


def test_only_automatic_drafts_in_a_row_are_one_entry():
    kinds = ["auto", "auto", "named", "auto", "restored", "conflict", "auto", "auto"]
    runs = runs_of([Revision(kind=kind) for kind in kinds])
    assert [len(run.rows) for run in runs] == [2, 1, 1, 1, 1, 2]


def test_the_history_is_told_by_day_the_newest_first_and_a_hundred_drafts_a_page(sign_in, ready_story):
    ready_story.revisions.all().delete()
    start = datetime(2026, 5, 1, 12, tzinfo=UTC)
    Revision.objects.bulk_create(
        Revision(story=ready_story, number=n, kind="named", updated_at=start + timedelta(hours=n))
        for n in range(1, 102)
    )
    client = sign_in("viewer")
    first, second = (client.get(history_of(ready_story), {"page": page}) for page in (1, 2))
    assert [day.day for day, _ in first.context["days"]] == [5, 4, 3, 2, 1]
    numbers = [row.number for _, runs in first.context["days"] for run in runs for row in run.rows]
    assert numbers == list(range(101, 1, -1))
    [(_, [run])] = second.context["days"]
    assert [row.number for row in run.rows] == [1]


@pytest.mark.parametrize("seconds, told", [(40, "12:00"), (200, "12:00 to 12:03")])
def test_changes_within_one_minute_are_told_with_one_time(seconds, told, sign_in, ready_story, owner):
    begun = datetime(2026, 5, 1, 12, tzinfo=UTC)
    ready_story.revisions.all().delete()
    Revision.objects.create(story=ready_story, number=1, kind="auto", by=owner)
    ready_story.revisions.update(changes=2, created_at=begun, updated_at=begun + timedelta(seconds=seconds))
    page = sign_in("viewer").get(history_of(ready_story)).content.decode()
    row = page.partition('<a class="menu-item" href="?at=')[2].partition("<small>")[0]
    assert " ".join(row.split()).endswith(f", {told}")


def test_a_moment_shows_what_changed_since(sign_in, rewritten):
    story, first, scene = rewritten
    answer = sign_in("viewer").get(history_of(story), {"at": first.number})
    (changed,) = answer.context["difference"].scenes
    assert changed.key == str(scene.key)
    assert answer.context["chosen"] == first
    assert b"<ins>Something" in answer.content
    assert b"history-chosen" in answer.content
    assert b"Restore" not in answer.content.split(b"</main>")[0].split(b'id="main"')[1]


def test_what_changed_in_a_draft_is_told_beside_the_draft_before_it_and_not_beside_what_was_refused(
    sign_in, rewritten, owner
):
    story, first, scene = rewritten
    client, before = sign_in("viewer"), {"against": "before"}
    then = client.get(history_of(story), {"at": story.revisions.latest("number").number, **before})
    assert [each.key for each in then.context["difference"].scenes] == [str(scene.key)]
    begun = client.get(history_of(story), {"at": first.number, **before}).context["difference"]
    assert [each.state for each in begun.scenes] == ["added"] * 4 and begun.story[0].label == "Title"
    refused = {**keeping.content_of(story), "scenes": []}
    keeping.keep_revision(story, Revision.Kind.CONFLICT, by=Actor.by_token(owner), content=refused)
    last = revisions.name_revision(story, "Last", by=Actor.by_token(owner))
    answer = sign_in("viewer").get(history_of(story), {"at": last.number, "against": "before"})
    assert answer.context["difference"].scenes == []


def test_the_draft_of_a_moment_is_shown_in_the_readers_template(sign_in, rewritten):
    story, first, _ = rewritten
    frame = reverse("studio_revision_frame", kwargs={"story": story.pk, "number": first.number})
    answer = sign_in("viewer").get(frame)
    assert "This is scene 2" in answer.content.decode()
    assert b"Something else" not in answer.content
    assert b"<picture" in answer.content or b"<img" in answer.content
    assert answer["X-Frame-Options"] == "SAMEORIGIN"


def test_a_whole_draft_comes_back_and_what_was_there_is_kept(sign_in, rewritten):
    story, first, scene = rewritten
    client = sign_in("editor")
    page = client.get(history_of(story), {"at": first.number})
    answer = press(client, page, "Restore this draft")
    assert messages_of(answer).startswith("The draft is as it was then.")
    assert answer.redirect_chain == [(history_of(story), 302)]
    scene.refresh_from_db()
    assert scene.text == "This is scene 2 of Small voyages."
    kept = story.revisions.get(kind=Revision.Kind.RESTORED)
    assert "Something else entirely." in str(kept.content)


def test_one_scene_comes_back_alone(sign_in, rewritten, owner):
    story, first, scene = rewritten
    other = story.scenes.get(position=2)
    scenes.update_scene(
        story, other.key, {"text": "This stays."}, by=Actor.by_token(owner, via="studio"), expected=None
    )
    form = {"at": first.number, "scene": str(scene.key)}
    answer = sign_in("owner").post(history_of(story), form, follow=True)
    assert messages_of(answer).startswith("The scene is as it was then.")
    scene.refresh_from_db()
    other.refresh_from_db()
    assert (scene.text, other.text) == ("This is scene 2 of Small voyages.", "This stays.")


def test_a_restore_over_changes_that_the_person_has_not_seen_is_refused(sign_in, rewritten):
    story, first, scene = rewritten
    form = {"at": first.number, "revision": story.revision - 1}
    answer = sign_in("owner").post(history_of(story), form, follow=True)
    scene.refresh_from_db()
    assert scene.text == "Something else entirely."
    assert "You changed this draft in another tab or program." in messages_of(answer)


def test_a_form_that_names_no_draft_or_no_scene_restores_nothing(sign_in, rewritten):
    story, first, scene = rewritten
    client = sign_in("owner")
    assert client.post(history_of(story), {}).status_code == 404
    assert client.post(history_of(story), {"at": ""}).status_code == 404
    answer = client.post(history_of(story), {"at": first.number, "scene": "x"}, follow=True)
    assert messages_of(answer) == "This revision has no such scene."
    scene.refresh_from_db()
    assert scene.text == "Something else entirely."


def test_a_viewer_changes_nothing_in_the_history(sign_in, rewritten):
    story, client = rewritten[0], sign_in("viewer")
    before = (story.revisions.count(), keeping.content_of(story))
    for form in ({"label": "Mine"}, {"at": 1, "label": "Mine"}, {"at": 1}, {"at": 1, "scene": "x"}):
        client.post(history_of(story), form)
        assert (story.revisions.count(), keeping.content_of(story)) == before, form


def test_a_name_that_is_too_long_comes_back_whole_and_says_how_many_it_has(sign_in, ready_story, owner):
    client = sign_in("owner")
    answer = client.post(history_of(ready_story), {"label": "x" * 81}, follow=True)
    assert b'value="' + b"x" * 81 in answer.content
    assert b'id="label-fault">At most 80 characters; this has 81.' in answer.content
    assert b"this has 81" not in client.get(history_of(ready_story)).content
    revisions.name_revision(ready_story, "First", by=Actor.by_token(owner))
    form = {"label": "x" * 81, "at": ready_story.revisions.latest("number").number}
    answer = client.post(history_of(ready_story), form, follow=True)
    assert b'id="label-then-fault">At most 80 characters; this has 81.' in answer.content
    assert b'id="label-fault">At most' not in answer.content


def test_the_draft_is_kept_under_a_name(sign_in, ready_story):
    client = sign_in("owner")
    named = ready_story.revisions.filter(kind=Revision.Kind.NAMED)
    for label in ("  ", "Two\r\nlines", "x" * 81):
        client.post(history_of(ready_story), {"label": label})
        assert not named.exists(), label
    client.post(history_of(ready_story), {"label": " Before lunch "})
    assert named.get().label == "Before lunch"


def test_a_moment_that_is_not_kept_is_404(sign_in, ready_story):
    client = sign_in("owner")
    for number in ("999", "²"):
        assert client.get(history_of(ready_story), {"at": number}).status_code == 404, number


def test_the_history_takes_the_same_queries_for_two_and_for_ten_moments(sign_in, rewritten, owner):
    story, by = rewritten[0], Actor.by_token(owner)

    def keep_more() -> None:
        for _ in range(8):
            keeping.keep_revision(story, Revision.Kind.AUTO, by=by)

    assert asks_as_often(sign_in("owner"), history_of(story), after=keep_more)


# --- Published versions ----------------------------------------------------------------------------------------


@pytest.fixture
def twice_published(once, live_story, api, rendered):
    def make() -> None:
        scene = live_story.scenes.get(position=0)
        api.call("PATCH", f"/stories/{live_story.pk}/scenes/{scene.key}", {"text": "The second version."})
        live_story.refresh_from_db()
        previews.build_preview(live_story)
        factories.finish_encodes(rendered)
        assert api.publish(live_story).status_code == 200

    once("twice published", make)
    live_story.refresh_from_db()
    return live_story


def test_an_earlier_version_goes_live_again_by_a_form(sign_in, twice_published):
    story, client = twice_published, sign_in("editor")
    url = reverse("studio_versions", kwargs={"story": story.pk})
    page = client.get(url)
    assert told_of(page) == [(2, True, "republished", "text of 1 scene"), (1, False, "published", "")]
    assert page.content.count(b"Make it live again") == 1
    told = messages_of(client.post(url, {"number": 1}, follow=True))
    assert told == "Version 1 is live again, at the same address. No email was sent."
    assert Publication.objects.get(story=story).live_bake.number == 1
    assert b"This is scene 1" in client.get(story.publication.path).content
    page = client.get(url)
    assert "an earlier version made live again" in page.content.decode().lower()
    assert told_of(page) == [(2, False, "republished", "text of 1 scene"), (1, True, "published", "")]
    assert [event.action for event in page.context["events"]] == ["restored", "republished", "published"]
    PublicationEvent.objects.exclude(action="restored").delete()
    rows = client.get(url).context["rows"]
    assert [row["made"] for row in rows] == [None, None], "who made it is forgotten, not who brought it back"


def test_a_version_that_moved_to_another_link_was_made_by_its_first_publish(sign_in, live_story, api):
    assert api.publish(live_story, slug="tides").status_code == 200
    page = sign_in("viewer").get(reverse("studio_versions", kwargs={"story": live_story.pk}))
    assert told_of(page) == [(1, True, "published", "")]
    assert [event.action for event in page.context["events"]] == ["republished", "published"]


def told_of(page) -> list[tuple[int, bool, str, str]]:
    """What the page of versions tells of each."""
    rows = page.context["rows"]
    return [(row["bake"].number, row["is_live"], row["made"].action, row["changes"]) for row in rows]


def test_no_version_of_what_is_not_published_goes_live_by_a_button(sign_in, twice_published, owner):
    actions.unpublish(twice_published, by=Actor.by_token(owner))
    page = sign_in("owner").get(reverse("studio_versions", kwargs={"story": twice_published.pk}))
    assert len(page.context["rows"]) == 2 and b"Make it live again" not in page.content


def test_a_version_that_is_not_kept_any_more_is_not_shown(sign_in, twice_published, settings):
    settings.BAKES_KEPT, settings.BLOB_RETENTION = 0, timedelta()
    client = sign_in("viewer")
    page = client.get(reverse("studio_versions", kwargs={"story": twice_published.pk}))
    assert [row["bake"].number for row in page.context["rows"]] == [2]
    frames = [
        reverse("studio_version_frame", kwargs={"story": twice_published.pk, "number": number})
        for number in (1, 2)
    ]
    assert [client.get(frame).status_code for frame in frames] == [404, 200]


def test_who_changed_a_publication_and_how_is_said_in_words(sign_in, twice_published):
    url, client = reverse("studio_versions", kwargs={"story": twice_published.pk}), sign_in("editor")
    assert [event.through for event in client.get(url).context["events"]] == ["through the API"] * 2
    client.post(url, {"number": 1})
    last = PublicationEvent.objects.first()
    assert last.through == "in the studio"
    assert f"{last.by.get_full_name()}, in the studio" in client.get(url).content.decode()
    PublicationEvent.objects.filter(pk=last.pk).update(via="app", label="Typewriter")
    assert "through Typewriter" in client.get(url).content.decode()


def test_what_may_not_or_cannot_go_live_again_does_not(sign_in, twice_published):
    url = reverse("studio_versions", kwargs={"story": twice_published.pk})
    for who, number in (("viewer", 1), ("owner", 7), ("owner", "x")):
        answer = sign_in(who).post(url, {"number": number}, follow=True)
        assert Publication.objects.get(story=twice_published).live_bake.number == 2, (who, number)
        assert messages_of(answer), (who, number)


def test_a_version_is_shown_as_readers_got_it(sign_in, twice_published):
    frame = reverse("studio_version_frame", kwargs={"story": twice_published.pk, "number": 1})
    answer = sign_in("viewer").get(frame)
    assert b"This is scene 1" in answer.content
    assert b"The second version." not in answer.content


# --- Differences -----------------------------------------------------------------------------------------------


def test_words_are_compared_whole():
    assert steps_between("The old ferry.", "The new ferry.") == [
        Part("same", "The "),
        Part("removed", "old"),
        Part("added", "new"),
        Part("same", " ferry."),
    ]


def test_very_long_texts_are_not_compared_word_by_word():
    before, after = "a " * MOST, "b " * MOST
    assert steps_between(before, after) == [Part("removed", before), Part("added", after)]
    assert steps_between(before, "a ") == [Part("removed", before), Part("added", "a ")]
    assert steps_between("a ", before) == [Part("removed", "a "), Part("added", before)]
    assert steps_between(before, "") == [Part("removed", before)]
    longest = "a " * (MOST // 2)
    assert steps_between(longest, longest[:-1]) == [Part("same", longest[:-1]), Part("removed", " ")]


def content(*keys, **story):
    """A revision of scenes whose headings are their keys."""
    scene = {"text": "", "alt": "", "still": None, "film": None, "focus": [0.5, 0.5], "animation": "none"}
    return {
        "story": {"title": "T", "summary": "", "author": "", "language": "en", **story},
        "scenes": [{**scene, "id": key, "title": key, "finale": False} for key in keys],
    }


def told(fields) -> list[tuple[str, list[Part]]]:
    return [(field.label, field.parts) for field in fields]


def test_a_scene_that_moved_is_named_alone():
    found = between(content("a", "b", "c", "d"), content("d", "a", "b", "c"))
    assert [(scene.key, scene.notes) for scene in found.scenes] == [("d", ["Moved from place 4 to place 1"])]
    found = between(content("a", "b", "c", "d", "e"), content("a", "b", "e", "c", "d"))
    assert [(scene.key, scene.notes) for scene in found.scenes] == [("e", ["Moved from place 5 to place 3"])]


def test_scenes_that_came_or_went_are_told_with_their_words_and_their_places():
    gone = between(content("a", "b", "c"), content("c", "e"))
    assert [(scene.key, scene.number, scene.state, told(scene.fields)) for scene in gone.scenes] == [
        ("e", 2, "added", [("Heading", [("added", "e")])]),
        ("a", 1, "removed", [("Heading", [("removed", "a")])]),
        ("b", 2, "removed", [("Heading", [("removed", "b")])]),
    ]


def test_what_differs_in_the_story_is_told_field_by_field():
    look = {"theme": "paper", "accent": "#aabbcc", "face": "serif"}
    found = between(content("a"), content("a", title="U", language="de", look=look))
    assert (found.scenes, found.is_none) == ([], False)
    assert told(found.story) == [
        ("Title", [("removed", "T"), ("added", "U")]),
        ("Language", [("removed", "en"), ("added", "de")]),
        ("Theme", [("added", "paper")]),
        ("Accent", [("added", "#aabbcc")]),
        ("Typeface", [("added", "serif")]),
    ]
    assert between(content("a"), content("a")).is_none


def test_what_is_no_text_is_told_in_words():
    assert [as_text(value) for value in (True, False, None, 3)] == ["yes", "no", "", "3"]


def test_every_text_of_a_scene_that_differs_is_told():
    before, after = content("a"), content("a")
    after["scenes"][0] |= {"title": "b", "text": "New.", "alt": "A boat."}
    [scene] = between(before, after).scenes
    assert (scene.state, scene.number, scene.notes) == ("changed", 1, [])
    assert [field.label for field in scene.fields] == ["Heading", "Text", "Alternative text"]


@pytest.mark.parametrize(
    "change, note",
    [
        ({"still": None, "focus": [0, 0]}, "No picture any more"),
        ({"still": "q", "focus": [0, 0]}, "Another picture"),
        ({"focus": [0.1, 0.5]}, "Another focus of the picture"),
        ({"film": "g"}, "Another film"),
        ({"film": None}, "No film any more"),
        ({"trim": None}, "Part of the film: from its start"),
        ({"trim": {"start": 2.5, "length": 4.0}}, "Part of the film: 4 seconds from second 2.5"),
        ({"animation": "auto"}, "Movement: a slow camera move"),
        ({"finale": True}, "Is the finale"),
        ({"place": "top"}, "Place of the words: top"),
    ],
)
def test_what_changed_in_a_scene_beside_its_words_is_one_note(change, note):
    trim = {"start": 1, "length": 4}
    before = {
        "still": "p",
        "focus": [0.5, 0.5],
        "film": "f",
        "animation": "film",
        "finale": False,
        "trim": trim,
    }
    assert notes_of(before, before) == []
    assert notes_of(before, {**before, **change}) == [note]
    both = notes_of(before, {**before, "finale": True, "size": "large", **change})
    assert note in both and both[-1] == "Size of the words: large"
    if change == {"finale": True}:
        assert notes_of({**before, **change}, before) == ["Is not the finale any more"]


def test_a_version_says_in_a_few_words_what_it_changed():
    def version(title, *texts):
        return Bake(content={"title": title, "scenes": [{"text": text} for text in texts]})

    before = version("T", "a", "b")
    assert changes_since(None, before) == ""
    assert changes_since(before, version("T", "a", "b", "c")) == "2 → 3 scenes"
    assert changes_since(before, version("T", "a")) == "2 → 1 scenes"
    assert changes_since(before, version("T", "x", "y")) == "text of 2 scenes"
    assert changes_since(before, version("U", "a", "x")) == "another title, text of 1 scene"
    assert changes_since(before, before) == "pictures or settings"


#: What a person can make of a number in a form or an address.
ODD = ["-1", "²", "9" * 20, "9" * 5000]


def test_odd_numbers_in_the_plain_forms_are_refused_and_change_nothing(sign_in, rewritten):
    story, first, scene = rewritten
    client, before = sign_in("owner"), story.revision
    for number in ODD:
        for path, form in forms_with(number, story, first, scene):
            assert client.post(path, form).status_code in (302, 404), (number[:8], path)
        for query in ("at", "page", "against"):
            answer = client.get(history_of(story), {query: number})
            assert answer.status_code in (200, 404), (number[:8], query)
        story.refresh_from_db()
        assert story.revision == before, number[:8]


def forms_with(number: str, story, first, scene) -> list[tuple[str, dict]]:
    """Each form of the history, the versions and the editor that says a number."""
    return [
        (history_of(story), {"at": number}),
        (history_of(story), {"at": first.number, "revision": number}),
        (reverse("studio_versions", kwargs={"story": story.pk}), {"number": number}),
        (reverse("studio_editor", kwargs={"story": story.pk}), {"title": story.title, "version": number}),
        (
            reverse("studio_editor", kwargs={"story": story.pk}),
            {"scene": str(scene.key), "alt": scene.alt, "version": number},
        ),
    ]


def test_a_draft_of_the_past_gets_a_name_and_later_changes_do_not_go_into_it(sign_in, rewritten, owner):
    story, _, scene = rewritten
    then = story.revisions.latest("number")
    assert then.kind == Revision.Kind.AUTO
    client = sign_in("owner")
    revisions.name_revision(story, "Now", by=Actor.by_token(owner))
    page = client.get(history_of(story), {"at": then.number})
    answer = press(client, page, "Keep", place=-1, label="The rewrite")
    assert "Kept as “The rewrite”" in messages_of(answer)
    assert answer.redirect_chain == [(f"{history_of(story)}?at={then.number}", 302)]
    then.refresh_from_db()
    assert (then.label, then.kind) == ("The rewrite", Revision.Kind.NAMED)
    by = Actor.by_token(owner, via="studio")
    scenes.update_scene(story, scene.key, {"text": "Written afterwards."}, by=by, expected=None)
    then.refresh_from_db()
    assert then.content["scenes"][1]["text"] == "Something else entirely."
