"""The editions page: making one, showing it, and keeping it true to an original that moves on."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.actors import Actor
from capsules.actions import editions, scenes, trash
from capsules.models import Scene, Story
from publishing.models import Publication
from publishing.states import states_of
from publishing.studio import languages, translating
from tests.support import factories
from tests.support.forms import press
from tests.support.markup import parsed, words_of
from tests.support.messages import messages_of
from tests.support.queries import asks_as_often


@pytest.fixture
def german(once, ready_story, owner):
    by, named = Actor.by_token(owner, via="studio"), {"name": "de", "label": "Deutsch", "language": "de"}
    return Story.objects.get(pk=once("german", lambda: editions.add_edition(ready_story, **named, by=by).pk))


@pytest.fixture
def change_original(ready_story, owner):
    def change(text: str) -> Scene:
        scene = ready_story.scenes.get(position=0)
        by = Actor.by_token(owner, via="studio")
        return scenes.update_scene(ready_story, scene.key, {"text": text}, by=by, expected=None)

    return change


def page_of(story) -> str:
    return reverse("studio_editions", kwargs={"story": story.pk})


def test_an_edition_is_made_by_a_form_and_opens_beside_its_original(sign_in, ready_story):
    form = {"do": "new", "name": " de ", "label": " Deutsch ", "language": "de"}
    answer = sign_in("editor").post(page_of(ready_story), form, follow=True)
    edition = Story.objects.get(capsule=ready_story)
    assert answer.redirect_chain == [(page_of(edition), 302)]
    assert (edition.edition_name, edition.created_by.email) == ("de", "editor@north-shore.example")
    assert (edition.edition_label, edition.language, edition.shown) == ("Deutsch", "de", False)
    assert messages_of(answer).startswith("The edition is made.")
    pairs = answer.context["pairs"]
    assert [pair.original.text for pair in pairs] == [pair.own.text for pair in pairs]


def test_languages_have_the_names_that_their_speakers_give_them(sign_in, ready_story, german):
    Story.objects.filter(pk=ready_story.pk).update(language="gsw")
    told = sign_in("viewer").get(page_of(ready_story)).context
    assert [language for _, _, language in told["rows"]] == ["Deutsch"]
    assert told["named_language"] == "gsw"


def test_the_languages_to_choose_from_stand_by_their_names_and_keep_them():
    names = [name for _, name in languages.choices("gsw")]
    assert len(set(names)) == len(names) > 50
    for first, later in [("Česky", "Dansk"), ("Íslenska", "Italiano"), ("Euskara", "Français")]:
        assert names.index(first) < names.index(later)
    assert "ភាសាខ្មែរ" in names or "ខ្មែរ" in names
    assert dict(languages.choices("de"))["de"] == "Deutsch"
    assert ("gsw", "gsw") in languages.choices("gsw") and "gsw" not in dict(languages.choices("de"))
    assert {"de", "pt-BR", "zh-Hans"} <= languages.names().keys()


def test_an_edition_of_an_edition_is_one_of_its_capsule(sign_in, ready_story, german):
    form = {"do": "new", "name": "fr", "label": "Français", "language": "fr"}
    sign_in("owner").post(page_of(german), form)
    assert Story.objects.get(edition_name="fr").capsule == ready_story


def test_the_editions_that_are_there_are_listed_in_the_order_in_which_they_were_made(
    sign_in, live_story, rendered, api, owner
):
    made = [factories.make_edition(live_story, rendered, name) for name in ("zz", "gone", "aa")]
    assert api.publish(made[2]).status_code == 200
    trash.trash_story(made[1], by=Actor.by_token(owner))
    client = sign_in("owner")
    rows = client.get(page_of(live_story)).context["rows"]
    assert [(row.edition_name, is_live) for row, is_live, _ in rows] == [("zz", False), ("aa", True)]
    assert client.post(page_of(live_story), {"do": "show", "edition": made[1].pk}).status_code == 404


def test_an_edition_that_was_live_comes_back_with_its_original_or_says_that_it_does_not(
    sign_in, api, live_story, rendered, owner
):
    edition, client = factories.make_edition(live_story, rendered, "de"), sign_in("owner")
    publish_of_its_own = reverse("studio_publish", kwargs={"story": edition.pk})

    def told() -> tuple[str, bool, list[str]]:
        """Its badge, whether it can be published here, and what the dialog of its original says of it."""
        page = client.get(page_of(live_story))
        [badge] = [each for each in parsed(page).iter("span") if "badge" in (each.get("class") or "")]
        options = api.call("GET", f"/stories/{live_story.pk}/publication/options").json()
        return words_of(badge), publish_of_its_own in page.content.decode(), options["alongside"]

    needs_its_own = ["Publish these editions separately: De."]
    assert told() == ("Not published yet", True, needs_its_own)
    api.publish(edition)
    assert told() == ("Live", False, [])
    for frozen_at, badge in ((timezone.now(), "Comes back with the original"), (None, "Live")):
        Publication.objects.update(frozen_at=frozen_at)
        assert told() == (badge, False, []), "the lift brings it back"
    api.unpublish(live_story)
    assert told() == ("Comes back with the original", False, ["These editions go live too: De."])
    options = api.call("GET", f"/stories/{edition.pk}/publication/options").json()
    assert options["alongside"] == ["The original “Small voyages” goes live too."]
    api.publish(live_story)
    assert told() == ("Live", False, [])
    trash.trash_story(live_story, unpublish=True, by=Actor.by_token(owner))
    trash.restore_story(live_story, by=Actor.by_token(owner))
    assert told() == ("No longer published", True, needs_its_own)
    api.publish(live_story)
    assert told() == ("No longer published", True, needs_its_own)
    Story.objects.filter(pk=edition.pk).update(shown=False)
    assert told() == ("Hidden", False, [])


def test_readers_can_switch_at_once_to_an_edition_that_is_published(sign_in, live_story, rendered, api):
    edition = factories.make_edition(live_story, rendered)
    assert api.publish(edition).status_code == 200
    Story.objects.filter(pk=edition.pk).update(shown=False)
    form = {"do": "show", "edition": edition.pk}
    answer = sign_in("owner").post(page_of(edition), form, follow=True)
    assert messages_of(answer) == "Readers can switch to it."


def test_a_refused_edition_says_why_and_keeps_what_was_typed(sign_in, ready_story, german):
    form = {"do": "new", "name": "de", "label": "Nochmal", "language": "de"}
    answer = sign_in("owner").post(page_of(ready_story), form, follow=True)
    assert "already exists" in messages_of(answer)
    assert b'value="Nochmal"' in answer.content
    assert b'<option value="de" selected>Deutsch</option>' in answer.content
    assert ready_story.editions.count() == 1


def test_what_is_too_long_comes_back_whole_with_its_fault_at_the_field(sign_in, ready_story):
    form = {"do": "new", "name": "n" * 41, "label": "l" * 81, "language": "de"}
    page = sign_in("owner").post(page_of(ready_story), form, follow=True).content.decode()
    for field, length in (("name", 41), ("label", 81)):
        assert f'value="{field[0] * length}"' in page
        assert f'id="{field}-fault">At most {length - 1} characters; this has {length}.' in page


def test_a_language_is_chosen_by_its_name_and_an_unknown_one_stays(sign_in, ready_story):
    Story.objects.filter(pk=ready_story.pk).update(language="gsw")
    page = sign_in("owner").get(page_of(ready_story)).content.decode()
    assert '<option value="gsw">gsw</option>' in page, "no language is chosen for somebody"
    assert '<option value="pt-BR">Português Brasileiro</option>' in page
    assert page.index('id="language"') < page.index('id="label"'), "which it names (new-edition.js)"
    assert (
        'title="Lowercase letters, digits and hyphens"' in page
    )  # browsers show it where the pattern is not kept


def test_an_edition_is_made_in_a_language_that_somebody_chose(sign_in, ready_story):
    form = {"do": "new", "name": "de", "label": "Deutsch", "language": ""}
    page = sign_in("owner").post(page_of(ready_story), form, follow=True).content.decode()
    assert "Choose its language, also where it is the same." in page and 'value="Deutsch"' in page
    assert not ready_story.editions.exists()


@pytest.mark.parametrize(
    "do, shown, words",
    [
        ("show", True, "Readers can switch to it once it is published."),
        ("hide", False, "Readers do not see it any more."),
    ],
)
def test_the_switch_for_readers_works_at_once(do, shown, words, sign_in, ready_story, german):
    Story.objects.filter(pk=german.pk).update(shown=not shown)
    answer = sign_in("owner").post(page_of(ready_story), {"do": do, "edition": german.pk}, follow=True)
    assert messages_of(answer) == words
    german.refresh_from_db()
    assert german.shown is shown


def test_a_scene_whose_original_moved_on_says_so_until_it_is_marked_as_done(
    sign_in, ready_story, german, change_original
):
    client = sign_in("owner")
    assert [row.behind for row, *_ in client.get(page_of(german)).context["rows"]] == [0]
    original = change_original("The original moved on.")
    page = client.get(page_of(german))
    assert [row.behind for row, *_ in page.context["rows"]] == [1]
    assert [pair.is_behind for pair in page.context["pairs"]] == [True, False, False, False]
    assert original.version > page.context["pairs"][0].own.version
    done = press(client, page, "Mark as done")
    assert messages_of(done) == "Marked as done."
    assert [row.behind for row, *_ in done.context["rows"]] == [0]


def test_what_was_deleted_from_an_edition_is_not_behind(sign_in, german, change_original, owner):
    client = sign_in("owner")
    change_original("The original moved on.")
    scenes.delete_scene(german, german.scenes.get(position=0).key, by=Actor.by_token(owner))
    page = client.get(page_of(german))
    assert [row.behind for row, *_ in page.context["rows"]] == [0]
    texts = [scene.text for scene in german.capsule.scenes.all()]
    pairs = [(pair.original.text, bool(pair.own)) for pair in page.context["pairs"]]
    assert pairs == [*((text, True) for text in texts[1:]), (texts[0], False)]
    assert "Not in this edition." in page.content.decode()


def test_what_only_the_edition_does_not_have_stands_in_the_order_of_the_capsule(sign_in, german, owner):
    for scene in german.scenes.all():
        scenes.delete_scene(german, scene.key, by=Actor.by_token(owner))
    pairs = sign_in("viewer").get(page_of(german)).context["pairs"]
    assert [(pair.original.position, pair.own) for pair in pairs] == [(place, None) for place in range(4)]


def test_a_scene_that_only_the_edition_has_is_behind_nothing(sign_in, german, owner):
    first = german.scenes.get(position=0).key
    scenes.add_scenes(german, [{"text": "Only here."}], after=first, by=Actor.by_token(owner))
    page = sign_in("viewer").get(page_of(german))
    assert [row.behind for row, *_ in page.context["rows"]] == [0]
    own = page.context["pairs"][1]
    assert (own.original, own.own.text, own.is_behind) == (None, "Only here.", False)


def test_what_was_deleted_from_the_original_leaves_nobody_behind(
    sign_in, german, ready_story, change_original, owner
):
    gone = change_original("The original moved on, and then it went.")
    scenes.delete_scene(ready_story, gone.key, by=Actor.by_token(owner))
    page = sign_in("owner").get(page_of(german))
    assert [row.behind for row, *_ in page.context["rows"]] == [0]
    assert not any(pair.is_behind for pair in page.context["pairs"])


def form_of(scene: Scene, *, seen: int = 0, **typed: str) -> dict[str, str]:
    """The fields of one scene as the page sends them."""
    texts = {"title": scene.title, "text": scene.text, "alt": scene.alt}
    was = translating.digest(list(texts.values()))
    fields = {**texts, **typed, "version": str(scene.version), "seen": str(seen), "was": was}
    return {"do": "save", **{f"{name}-{scene.key}": value for name, value in fields.items()}}


def test_done_means_the_version_that_the_person_saw(sign_in, german, change_original):
    client = sign_in("owner")
    seen = change_original("Once.")
    own = german.scenes.get(position=0)
    change_original("Twice, while the translator was busy.")
    form = form_of(own, seen=seen.version)
    client.post(page_of(german), {**form, "done": own.key})
    assert Scene.objects.get(pk=own.pk).copied_version == seen.version
    assert client.get(page_of(german)).context["pairs"][0].is_behind


def test_texts_are_saved_beside_the_original_and_stale_ones_refused(sign_in, german, change_original):
    client, own = sign_in("editor"), german.scenes.get(position=0)
    original = change_original("New.")
    texts = {"title": "Eins", "text": "Neu.\r\nZwei", "alt": "Bild"}
    form = form_of(own, seen=original.version, **texts, is_done="on")
    saved = client.post(page_of(german), {**form, "save": own.key}, follow=True)
    assert messages_of(saved) == "Saved. Marked as done."
    assert saved.redirect_chain == [(f"{page_of(german)}#scene-{own.key}", 302)]
    own.refresh_from_db()
    assert (own.title, own.text, own.copied_version) == ("Eins", "Neu.\nZwei", original.version)
    answer = client.post(page_of(german), {**form, f"text-{own.key}": "Zu spät."}, follow=True)
    own.refresh_from_db()
    assert own.text == "Neu.\nZwei"
    assert "kept in the history" in messages_of(answer)


def test_whatever_was_typed_in_any_scene_is_saved_by_each_button(sign_in, german):
    client = sign_in("editor")
    first, second, third, _ = german.scenes.all()
    typed = {
        f"text-{first.key}": "Eins.",
        f"alt-{second.key}": "Ein Schiff.",
        "title-story": "Kleine Fahrten",
    }
    saved = press(client, client.get(page_of(german)), "Save all", place=3, **typed)
    assert saved.redirect_chain == [(f"{page_of(german)}#scene-{third.key}", 302)]
    assert messages_of(saved) == "Saved."
    again = list(german.scenes.all())
    assert [again[0].text, again[1].alt] == ["Eins.", "Ein Schiff."]
    assert [scene.version for scene in again] == [first.version + 1, second.version + 1, third.version, 1]
    german.refresh_from_db()
    assert german.title == "Kleine Fahrten"


def test_the_key_for_a_new_line_marks_nothing_as_done(sign_in, german, change_original):
    change_original("New.")
    (form,) = [
        each for each in parsed(sign_in("editor").get(page_of(german))).iter("form") if ways_to_save(each)
    ]
    assert ways_to_save(form)[0].get("value") == "story"  # a browser presses the first button of a form


def ways_to_save(form) -> list:
    return [button for button in form.iter("button") if button.get("name") in ("save", "done")]


def test_what_others_saved_meanwhile_does_not_stand_in_the_way_of_other_scenes(sign_in, german, owner):
    client = sign_in("editor")
    page = client.get(page_of(german))
    first, second, third, _ = german.scenes.all()
    scenes.update_scene(german, first.key, {"text": "Theirs."}, by=Actor.by_token(owner))
    scenes.update_scene(german, third.key, {"text": "Theirs, too."}, by=Actor.by_token(owner))
    saved = press(client, page, "Save", **{f"text-{first.key}": "Mine.", f"text-{second.key}": "Zwei."})
    assert [scene.text for scene in german.scenes.all()][:3] == ["Theirs.", "Zwei.", "Theirs, too."]
    assert "kept in the history" in messages_of(saved) and "Saved." in messages_of(saved)


def test_what_is_refused_comes_back_beside_what_was_saved(sign_in, german):
    client = sign_in("editor")
    first, second, *_ = german.scenes.all()
    typed = {f"text-{first.key}": "x" * 4000, f"text-{second.key}": "Zwei.", "title-story": "t" * 201}
    page = press(client, client.get(page_of(german)), "Save", **typed)
    assert german.scenes.get(pk=second.pk).text == "Zwei."
    assert b"maxlength" not in page.content
    fields = {field.get("name"): field for field in parsed(page).iter()}
    assert fields[f"text-{first.key}"].text == "x" * 4000
    assert fields[f"text-{first.key}"].get("aria-describedby") == f"text-{first.key}-fault"
    assert fields["title-story"].get("value") == "t" * 201
    assert fields[f"text-{second.key}"].text == "Zwei."
    assert (
        fields["title-story"].get("aria-invalid") == fields[f"text-{first.key}"].get("aria-invalid") == "true"
    )
    shorter = press(client, page, "Save", **{f"text-{first.key}": "Eins.", "title-story": "Fahrten"})
    assert messages_of(shorter) == "Saved."
    assert german.scenes.get(pk=first.pk).text == "Eins."


def test_words_for_a_scene_that_was_deleted_meanwhile_are_told(sign_in, german, owner):
    client = sign_in("editor")
    page, first = client.get(page_of(german)), german.scenes.get(position=0)
    scenes.delete_scene(german, first.key, by=Actor.by_token(owner))
    told = press(client, page, "Save", **{f"text-{first.key}": "Fast daheim."})
    assert "deleted meanwhile" in messages_of(told) and "Fast daheim." in messages_of(told)


def test_an_edition_that_readers_may_have_leads_to_its_publish(sign_in, live_story, rendered):
    edition = factories.make_edition(live_story, rendered)
    link = reverse("studio_publish", kwargs={"story": edition.pk})
    assert link not in sign_in("viewer").get(page_of(live_story)).content.decode()
    assert link in sign_in("owner").get(page_of(live_story)).content.decode()
    Publication.objects.filter(story=live_story).update(frozen_at=timezone.now())
    assert link not in sign_in("owner").get(page_of(live_story)).content.decode()


def test_a_viewer_reads_and_changes_nothing(sign_in, ready_story, german, change_original):
    client, own, original = sign_in("viewer"), german.scenes.get(position=0), change_original("New.")
    page = client.get(page_of(german))
    assert page.status_code == 200
    assert not [each for each in parsed(page).iter() if each.get("name") in ("do", "save", "done")]
    before = Story.objects.filter(capsule=ready_story).values("shown", "revision").get()
    form = {**form_of(own, seen=original.version, text="No."), "done": own.key}
    for do in ("new", "show", "save"):
        client.post(page_of(german), {**form, "do": do, "edition": german.pk, "name": "fr"})
        assert Story.objects.filter(capsule=ready_story).values("shown", "revision").get() == before, do
        assert Scene.objects.get(pk=own.pk).copied_version == own.copied_version, do


def test_forms_that_nobody_made_do_nothing(sign_in, german):
    client = sign_in("owner")
    assert client.post(page_of(german), {"do": "show", "edition": "x"}).status_code == 404
    for form, words in (
        ({"do": "save", "version-x": "1"}, "This form is broken. Open the page again."),
        ({"do": "?"}, "This form is not known."),
    ):
        assert messages_of(client.post(page_of(german), form, follow=True)) == words


def test_the_page_takes_the_same_queries_for_one_and_for_five_editions(sign_in, ready_story, german, owner):
    def add_more() -> None:
        for name in ("fr", "it", "es", "nl"):
            editions.add_edition(ready_story, name=name, by=Actor.by_token(owner))

    assert asks_as_often(sign_in("owner"), page_of(ready_story), after=add_more)


@pytest.mark.parametrize("field", ["seen", "version"])
def test_an_odd_version_in_the_form_of_an_edition_is_refused(field, sign_in, german):
    scene, browser = german.scenes.get(position=0), sign_in("editor")
    for number in ("-1", "²", "9" * 20):
        form = {**form_of(scene, text="Neu"), f"{field}-{scene.key}": number, "done": scene.key}
        answer = browser.post(page_of(german), form, follow=True)
        assert "Open the page again" in messages_of(answer), number[:8]
        again = german.scenes.get(position=0)
        assert (again.text, again.copied_version) == (scene.text, scene.copied_version), number[:8]


def test_the_states_of_editions_are_read_with_as_many_queries_however_many_there_are(
    ready_story, rendered, django_assert_num_queries
):
    for name in ("classroom", "short"):
        factories.make_edition(ready_story, rendered, name)
        with django_assert_num_queries(3):  # the editions, their publications, their workspaces
            states_of(list(ready_story.editions.present()))
