"""Publishing by a plain form: what it asks, what it refuses, and what can be changed afterwards."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import Workspace
from capsules.actions import previews
from capsules.models import Story
from publishing import actions
from publishing.models import Premiere, Publication
from publishing.options import options_of
from tests.support import factories
from tests.support.messages import messages_of
from tests.support.queries import queries_of


def page_of(story) -> str:
    return reverse("studio_publish", kwargs={"story": story.pk})


def form(**fields):
    return {"slug": "small-voyages", "readers": "listed", "shares": "on", "brand": "STANDARD", **fields}


def test_no_email_is_chosen_beforehand_and_none_is_not_an_answer(sign_in, ready_story):
    client = sign_in("owner")
    page = client.get(page_of(ready_story))
    assert page.context["form"]["email"].value() is None
    answer = client.post(page_of(ready_story), form())
    assert answer.context["form"].errors["email"] == ["Choose what subscribers get."]
    assert not Publication.objects.filter(story=ready_story, published_at__isnull=False).exists()


@pytest.mark.parametrize("mode, armed", [("FULL", "FULL"), ("OFF", None)])
def test_a_first_publish_sends_the_email_that_was_chosen(mode, armed, sign_in, ready_story):
    client = sign_in("editor")
    answer = client.post(page_of(ready_story), form(email=mode), follow=True)
    assert [str(message) for message in answer.context["messages"]] == ["It is live."]
    publication = Publication.objects.get(story=ready_story)
    assert publication.path == "/north-shore/small-voyages"
    assert client.get(publication.path).status_code == 200
    modes = [premiere.mode for premiere in Premiere.objects.filter(publication=publication)]
    assert modes == ([armed] if armed else [])


@pytest.mark.parametrize("readers, level, shares", [("listed", "public", "on"), ("unlisted", "unlisted", "")])
def test_a_publish_does_what_was_chosen(readers, level, shares, sign_in, ready_story):
    answer = sign_in("owner").post(page_of(ready_story), form(readers=readers, shares=shares, email="OFF"))
    assert answer["Location"] == page_of(ready_story)
    publication = Publication.objects.select_related("story").get(story=ready_story)
    found = (publication.slug, publication.story.visibility, publication.show_social_share, publication.mode)
    assert found == ("small-voyages", level, bool(shares), "STANDARD")


def test_the_form_reads_each_thing_once(sign_in, api, owner, ready_story):
    client, page = sign_in("owner"), page_of(ready_story)
    queries_of(client, page)  # which fills caches
    before = queries_of(client, page)
    api.publish(ready_story)
    live = queries_of(client, page)
    api.call("PATCH", f"/stories/{ready_story.pk}", {"title": "Large voyages"})
    ready_story.refresh_from_db()
    previews.request_preview(ready_story, by=Actor.by_token(owner))
    assert client.get(page).context["changes"]
    assert max(before, live, queries_of(client, page)) < 20


def begun(page) -> dict[str, object]:
    """What the fields of the form have before somebody chooses."""
    return {field.name: field.value() for field in page.context["form"]}


def test_the_form_asks_for_what_is_not_decided_and_begins_with_what_is(sign_in, api, ready_story):
    client, page = sign_in("owner"), page_of(ready_story)
    asked = {"slug": "small-voyages", "readers": "listed", "shares": True, "brand": "STANDARD", "email": None}
    assert begun(client.get(page)) == asked
    api.publish(ready_story, slug="tides", publicationMode="WHITE_LABEL", showSocialShare=False)
    Story.objects.filter(pk=ready_story.pk).update(visibility="unlisted")
    decided = {"slug": "tides", "readers": "unlisted", "shares": False, "brand": "WHITE_LABEL"}
    assert begun(client.get(page)) == {**decided, "moved": None}
    api.publish(ready_story, publicationMode="STANDARD", premiereEmailMode="OFF")
    Workspace.objects.update(plan="free")
    assert list(begun(client.get(page))) == ["slug", "moved", "readers", "shares"]


def test_the_first_publish_says_that_it_decides_the_name_of_the_workspace(sign_in, api, ready_story):
    client = sign_in("owner")
    before = client.get(page_of(ready_story)).context
    assert (before["claims"], before["base"]) == ("north-shore", "127.0.0.1:8000/north-shore/")
    assert before["link"] == ""
    api.publish(ready_story)
    after = client.get(page_of(ready_story)).context
    assert (after["claims"], after["link"]) == ("", "http://127.0.0.1:8000/north-shore/small-voyages")


def test_white_label_needs_no_choice_of_an_email(sign_in, ready_story):
    sign_in("owner").post(page_of(ready_story), form(brand="WHITE_LABEL"))
    assert Publication.objects.get(story=ready_story).is_white_label
    assert not Premiere.objects.exists()


EMAILS = ["FULL", "TEASER", "OFF"]


def emails_by_brand(api, story) -> dict[str, list[str]]:
    """As the editor's dialog and the plain form ask for them."""
    options = api.call("GET", f"/stories/{story.pk}/publication/options").json()
    by_brand = {each["mode"]: each["premiereEmailModes"] for each in options["publicationModes"]}
    assert by_brand == {mode: options_of(story).emails_of(mode) for mode in by_brand}
    return by_brand


def test_one_rule_says_which_brand_asks_for_an_email(api, ready_story):
    assert emails_by_brand(api, ready_story) == {"STANDARD": EMAILS, "WHITE_LABEL": []}
    Workspace.objects.update(plan="free")
    assert emails_by_brand(api, ready_story) == {"STANDARD": EMAILS}
    api.publish(ready_story, premiereEmailMode="OFF")
    assert emails_by_brand(api, ready_story) == {"STANDARD": []}


def test_a_capsule_whose_plan_lost_white_label_can_be_published_again(sign_in, api, ready_story):
    api.publish(ready_story, publicationMode="WHITE_LABEL")
    client, words = sign_in("owner"), b"The plan includes no white label any more"
    assert words not in client.get(page_of(ready_story)).content
    Workspace.objects.update(plan="free")
    assert words in client.get(page_of(ready_story)).content
    client.post(page_of(ready_story), form(brand="", email="OFF"))
    assert not Publication.objects.get(story=ready_story).is_white_label
    assert words not in client.get(page_of(ready_story)).content


def test_a_change_that_was_taken_back_is_not_unpublished(sign_in, api, live_story):
    client = sign_in("owner")
    here = f"/stories/{live_story.pk}/scenes/{live_story.scenes.get(position=0).key}"
    text = live_story.scenes.get(position=0).text

    def is_changed() -> bool:
        workspace = reverse("studio_capsules", kwargs={"workspace": live_story.workspace_id})
        listed = b"changes not published" in client.get(workspace).content
        editor = client.get(reverse("studio_editor", kwargs={"story": live_story.pk}))
        pulse = client.get(reverse("studio_pulse", kwargs={"story": live_story.pk})).json()
        page = b"Publish changes to" in client.get(page_of(live_story)).content
        said = {listed, editor.context["boot"]["isChanged"], pulse["publication"]["isChanged"], page}
        assert len(said) == 1
        return said.pop()

    assert not is_changed()
    api.call("PATCH", here, {"text": "Changed."})
    assert is_changed()
    api.call("PATCH", here, {"text": text})
    assert not is_changed()


def test_a_link_that_is_too_long_is_taken_whole_and_says_how_many_are_too_many(sign_in, ready_story):
    client = sign_in("owner")
    assert b'maxlength="50"' not in client.get(page_of(ready_story)).content
    answer = client.post(page_of(ready_story), form(slug="a" * 60, email="OFF"))
    assert answer.context["form"].errors["slug"] == ["A slug has at most 50 characters: 10 too many."]


def test_every_wrong_answer_is_told_at_its_field(sign_in, ready_story):
    client = sign_in("owner")
    for fields, wrong in (
        ({"readers": "nobody"}, ["readers"]),
        ({"email": "SPAM"}, ["email"]),
        ({"slug": "No Good", "email": ""}, ["slug", "email"]),
    ):
        answer = client.post(page_of(ready_story), form(**{"email": "OFF", **fields}))
        errors = answer.context["form"].errors
        assert [(field, len(told)) for field, told in errors.items()] == [(field, 1) for field in wrong]
    assert not Publication.objects.filter(published_at__isnull=False).exists()


def test_a_slug_of_another_capsule_is_refused_at_its_field(sign_in, live_story, rendered):
    other = factories.make_story(live_story.workspace, rendered, title="Another")
    answer = sign_in("owner").post(page_of(other), form(slug=live_story.publication.slug, email="OFF"))
    assert answer.context["form"].errors["slug"] == ["Another capsule has this slug."]
    assert messages_of(answer) == "", "it stands at the field"


def test_a_refusal_that_belongs_to_no_field_stands_above_the_form(sign_in, live_story):
    lease = {"lease_token": live_story.pk, "lease_until": timezone.now() + timedelta(minutes=1)}
    Publication.objects.filter(story=live_story).update(**lease)
    answer = sign_in("owner").post(page_of(live_story), form())
    assert answer.status_code == 200 and "is being published" in messages_of(answer)
    assert not answer.context["form"].errors


def test_a_viewer_reads_why_nothing_can_be_published(sign_in, ready_story):
    client = sign_in("viewer")
    assert b"ask an owner" in client.get(page_of(ready_story)).content
    client.post(page_of(ready_story), form(email="OFF"))
    client.post(reverse("studio_prepare", kwargs={"story": ready_story.pk}))
    assert not Publication.objects.filter(published_at__isnull=False).exists()
    assert ready_story.previews.count() == 1


def test_what_is_missing_is_named_and_there_is_no_form(sign_in, north_shore):
    story = factories.make_draft(north_shore)
    page = sign_in("owner").get(page_of(story))
    assert b"at least three scenes" in page.content
    assert b"no picture" in page.content and b"not animated" not in page.content, "nothing could move yet"
    assert b'name="slug"' not in page.content


def test_a_preview_that_was_never_built_is_not_among_what_is_missing(sign_in, north_shore, rendered):
    story = factories.make_story(north_shore, rendered, preview=False)
    page = sign_in("owner").get(page_of(story))
    assert page.context["missing"] == [] and b"Nothing is missing" in page.content


def test_a_changed_draft_is_prepared_first(sign_in, ready_story, rendered, api):
    client = sign_in("owner")
    scene = ready_story.scenes.get(position=0)
    api.call("PATCH", f"/stories/{ready_story.pk}/scenes/{scene.key}", {"text": "New."})
    assert b"Continue" in client.get(page_of(ready_story)).content
    client.post(reverse("studio_prepare", kwargs={"story": ready_story.pk}))
    factories.finish_encodes(rendered)
    assert b'name="slug"' in client.get(page_of(ready_story)).content


def test_moving_a_live_capsule_asks_for_a_tick(sign_in, live_story):
    client = sign_in("owner")
    answer = client.post(page_of(live_story), form(slug="elsewhere"))
    assert list(answer.context["form"].errors) == ["moved"]
    answer = client.post(page_of(live_story), form(slug="Else where"))
    assert list(answer.context["form"].errors) == ["slug"], "a link that cannot be is not moved to"
    answer = client.post(page_of(live_story), form(slug="elsewhere", moved="on"), follow=True)
    assert [str(message) for message in answer.context["messages"]] == ["The changes are live."]
    assert Publication.objects.get(story=live_story).slug == "elsewhere"


def test_the_email_can_be_cancelled_by_a_form(sign_in, live_story):
    client = sign_in("owner")
    assert b"leaves at" in client.get(page_of(live_story)).content
    url = reverse("studio_live", kwargs={"story": live_story.pk})
    told = [messages_of(client.post(url, {"do": "cancel-email"}, follow=True)) for _ in range(2)]
    assert Premiere.objects.get().is_cancelled
    assert told == ["The email is cancelled. It will not be sent.", "This premiere is already cancelled."]


def test_visibility_and_unpublish_by_form(sign_in, live_story):
    for who, form, level, published in (
        ("viewer", {"do": "level", "level": "unlisted"}, "public", True),
        ("owner", {"do": "anything"}, "public", True),
        ("owner", {"do": "level", "level": "unlisted"}, "unlisted", True),
        ("owner", {"do": "unpublish"}, "unlisted", False),
    ):
        sign_in(who).post(reverse("studio_live", kwargs={"story": live_story.pk}), form)
        live_story.refresh_from_db()
        assert live_story.visibility == level, (who, form)
        assert Publication.objects.get(story=live_story).is_published is published, (who, form)


def test_a_change_of_who_sees_it_is_told_as_one_sentence(sign_in, live_story):
    form = {"do": "level", "level": "unlisted"}
    told = sign_in("owner").post(reverse("studio_live", kwargs={"story": live_story.pk}), form, follow=True)
    [notice] = told.context["messages"]
    assert str(notice) == "Unlisted: Anybody with the link can read it; it is in no list."


def test_the_form_of_an_edition_begins_with_who_sees_its_capsule_and_says_what_goes_live_with_it(
    sign_in, api, live_story, rendered
):
    edition, client = factories.make_edition(live_story, rendered), sign_in("owner")
    Story.objects.filter(pk=live_story.pk).update(visibility=Story.Visibility.UNLISTED)
    page = client.get(page_of(edition))
    assert page.context["form"]["readers"].value() == "unlisted"
    text, original = page.content.decode(), "The original “Small voyages” goes live too."
    assert "An edition sends no email of its own." in text and "Publishing again" not in text
    assert original not in text
    assert api.unpublish(live_story).status_code == 200
    assert original in client.get(page_of(edition)).content.decode()
    factories.make_edition(live_story, rendered, "another")
    options = api.call("GET", f"/stories/{edition.pk}/publication/options").json()
    assert options["alongside"] == [original], (
        "of an edition nothing is said of those beside it that are not live"
    )


def test_what_cannot_be_changed_about_a_live_capsule_is_said(sign_in, live_story):
    url = reverse("studio_live", kwargs={"story": live_story.pk})
    refused = sign_in("viewer").post(url, {"do": "unpublish"}, follow=True)
    assert [message.level_tag for message in refused.context["messages"]] == ["error"]
    unknown = sign_in("owner").post(url, {"do": "level", "level": "private"}, follow=True)
    assert messages_of(unknown) == "Choose who can see it."
    assert Publication.objects.get(story=live_story).is_published
    done = sign_in("owner").post(url, {"do": "unpublish"}, follow=True)
    assert [message.level_tag for message in done.context["messages"]] == ["success"]
    assert messages_of(done) == "The capsule is unpublished. Its address is reserved for it."


def test_what_was_unpublished_has_no_changes_to_publish(sign_in, live_story, owner):
    actions.unpublish(live_story, by=Actor.by_token(owner))
    Story.objects.filter(pk=live_story.pk).update(title="Other voyages", revision=live_story.revision + 1)
    page = sign_in("owner").get(page_of(live_story))
    assert not page.context["is_changed"] and b"<h2>Live</h2>" not in page.content


# --- Letters ---------------------------------------------------------------------------------------------------


def letter_of(story, mode, number=1) -> str:
    return reverse("studio_letter", kwargs={"story": story.pk, "number": number, "mode": mode})


@pytest.mark.parametrize("mode, is_whole", [("FULL", True), ("TEASER", False)])
def test_the_emails_of_a_preview_are_shown_in_a_sandbox(mode, is_whole, sign_in, ready_story):
    answer = sign_in("viewer").get(letter_of(ready_story, mode))
    assert b"This is scene 1" in answer.content
    assert (b"This is scene 3" in answer.content) is is_whole
    assert answer["Content-Security-Policy"].startswith("sandbox")
    assert "frame-ancestors 'self'" in answer["Content-Security-Policy"]
    assert answer["X-Frame-Options"] == "SAMEORIGIN"


def test_a_letter_that_is_not_there_is_404(sign_in, ready_story):
    for who, mode, number in (("stranger", "FULL", 1), ("owner", "OFF", 1), ("owner", "FULL", 9)):
        assert sign_in(who).get(letter_of(ready_story, mode, number)).status_code == 404, (who, mode, number)


def test_a_letter_shows_its_preview_and_not_what_is_live(sign_in, live_story, api, rendered):
    scene = live_story.scenes.get(position=0)
    api.call("PATCH", f"/stories/{live_story.pk}/scenes/{scene.key}", {"text": "Only in the draft."})
    live_story.refresh_from_db()
    built = previews.build_preview(live_story)
    factories.finish_encodes(rendered)
    letters = [letter_of(live_story, "FULL", number) for number in (built.number, 1)]
    shown = [b"Only in the draft." in sign_in("owner").get(letter).content for letter in letters]
    assert shown == [True, False]


def test_the_email_tab_frames_both(sign_in, ready_story):
    url = reverse("studio_preview", kwargs={"story": ready_story.pk, "number": 1})
    page = sign_in("owner").get(url, {"as": "email"}).content.decode()
    assert letter_of(ready_story, "FULL") in page
    assert letter_of(ready_story, "TEASER") in page


def test_the_form_says_what_readers_would_see_of_a_capsule_without_a_title(sign_in, ready_story):
    client = sign_in("owner")
    assert "It has no title" not in client.get(page_of(ready_story)).content.decode()
    Story.objects.filter(pk=ready_story.pk).update(title="Untitled")
    assert "It has no title" in client.get(page_of(ready_story)).content.decode()
