"""The studio's pages: who may open them, what they show, and that nobody else can keep or frame them."""

from __future__ import annotations

import gzip
import re
from datetime import datetime, timedelta
from urllib.parse import quote

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from accounts.actors import Actor
from accounts.statements import Reason
from capsules import storage
from capsules.actions import trash
from capsules.models import Encode, Story
from config.errors import Conflict
from tests.support import factories
from tests.support.messages import messages_of
from tests.support.moderation import make_staff, take_down
from tests.support.queries import asks_as_often


def editor_of(story: Story) -> str:
    return reverse("studio_editor", kwargs={"story": story.pk})


@pytest.mark.parametrize("who, status", [("viewer", 200), ("stranger", 404)])
def test_members_open_the_pages_of_a_story_and_strangers_get_the_same_404_as_for_none(
    who, status, sign_in, ready_story
):
    browser = sign_in(who)
    for name in ("studio_editor", "studio_frame", "studio_pulse", "studio_export"):
        answer = browser.get(reverse(name, kwargs={"story": ready_story.pk}))
        assert answer.status_code == status, name
        assert status == 404 or answer["Referrer-Policy"] == "same-origin", name


def test_what_a_person_may_is_looked_up_once_for_a_page(sign_in, ready_story):
    browser = sign_in("owner")
    roles = re.compile(r'SELECT "accounts_membership"."workspace_id" AS "workspace_id", .* AS "role"')
    for name in ("studio_editor", "studio_history", "studio_publish", "studio_editions"):
        with CaptureQueriesContext(connection) as asked:
            assert browser.get(reverse(name, kwargs={"story": ready_story.pk})).status_code == 200, name
        assert sum(bool(roles.match(query["sql"])) for query in asked) == 1, name


def test_nobody_signed_in_is_led_to_sign_in_and_back(client, ready_story):
    answer = client.get(editor_of(ready_story))
    assert answer.status_code == 302
    assert answer["Location"].endswith(f"?next={editor_of(ready_story)}")


def test_the_editor_gives_its_script_the_same_draft_as_the_api(sign_in, api, ready_story):
    page = sign_in("owner").get(editor_of(ready_story))
    assert page.context["boot"]["draft"] == api.get(f"/stories/{ready_story.pk}/draft").json()


def test_a_viewer_is_told_why_nothing_can_be_changed(sign_in, ready_story):
    boot = sign_in("viewer").get(editor_of(ready_story)).context["boot"]
    assert boot["writes"] is False
    assert "ask an owner" in boot["whyNot"]


def test_nobody_writes_in_a_workspace_that_is_suspended(sign_in, ready_story, north_shore):
    north_shore.suspended_at = timezone.now()
    north_shore.save(update_fields=["suspended_at"])
    client, why = sign_in("owner"), reverse("studio_suspended", kwargs={"workspace": north_shore.pk})
    boot = client.get(editor_of(ready_story)).context["boot"]
    assert boot["whyNot"] == "This workspace is suspended. Nothing can be changed in it."
    assert boot["writes"] is False
    for name in ("studio_editor", "studio_editions", "studio_history", "studio_versions"):
        page = client.get(reverse(name, kwargs={"story": ready_story.pk}))
        assert (page.context["writes"], page.context["taken_down_url"]) == (False, why), name
    page = client.get(reverse("studio_capsules", kwargs={"workspace": north_shore.pk}))
    assert page.context["taken_down_url"] == why


def test_every_page_of_a_capsule_that_was_taken_down_leads_to_the_reasons(sign_in, live_story):
    take_down(live_story, Reason.RIGHTS, by=make_staff())
    why = reverse("studio_taken_down", kwargs={"story": live_story.pk})
    for name in ("studio_editor", "studio_editions", "studio_history", "studio_publish"):
        page = sign_in("viewer").get(reverse(name, kwargs={"story": live_story.pk}))
        assert page.context["taken_down_url"] == why and f'href="{why}"' in page.content.decode(), name


def test_the_editor_tells_its_script_who_is_there_and_what_it_needs(sign_in, ready_story, person, settings):
    boot = sign_in("admin").get(editor_of(ready_story)).context["boot"]
    user, here = person("admin"), editor_of(ready_story)
    assert boot["urls"] == {
        "api": f"{settings.BASE_URL}/api/v2",
        "app": settings.APP_URL,
        "token": "/studio/token",
        "list": f"/studio/{ready_story.workspace_id}",
        "frame": f"{here}/frame",
        "frames": f"{here}/film-frames",
        "pulse": f"{here}/pulse",
        "preview": f"{here}/preview/",
        "publish": f"{here}/publish",
        "editions": f"{here}/editions",
        "history": f"{here}/history",
        "card": f"{here}/card",
        "qr": "/studio/qr",
        "login": f"/account/login/?next={here}",
        "settings": f"/account/workspaces/{ready_story.workspace_id}?next={quote(f'{here}/publish', safe='')}",
    }
    plain = sign_in("admin").get(f"{here}/publish").content.decode()
    assert f'href="/account/workspaces/{ready_story.workspace_id}?next={here}/publish"' in plain
    assert boot["limits"] == {
        "story": {"title": 200, "summary": 300, "author": 120, "language": 35, "editionLabel": 80},
        "scene": {"title": 80, "text": 2000, "alt": 500},
        "scenes": 100,
    }
    assert (boot["person"], boot["user"], boot["writes"]) == (user.device_key, str(user.pk), True)
    assert boot["emptyScene"] == {
        "title": "",
        "text": "",
        "alt": "",
        "finale": False,
        "animation": "none",
        "focus": [0.5, 0.5],
        **dict.fromkeys(("still", "film", "trim")),
        **dict.fromkeys(("fit", "place", "size"), "auto"),
        "rendering": {"still": None, "animation": None},
    }
    assert timezone.now() - datetime.fromisoformat(boot["now"]) < timedelta(minutes=1)
    assert sign_in("editor").get(here).context["boot"]["urls"]["settings"] == "", (
        "only who manages it changes it"
    )


def test_the_dialog_of_a_publish_has_the_words_of_the_plain_form(sign_in, ready_story):
    told = sign_in("viewer").get(editor_of(ready_story)).context["boot"]["choices"]
    assert {name: [each[0] for each in told[name]] for name in ("emails", "readers", "brands", "levels")} == {
        "emails": ["FULL", "TEASER", "OFF"],
        "readers": ["listed", "unlisted"],
        "brands": ["STANDARD", "WHITE_LABEL"],
        "levels": ["private", "unlisted", "public", "featured"],
    }
    assert told["noEmail"] == {
        "STANDARD": "Publishing again sends no email.",
        "WHITE_LABEL": "A white-label capsule sends no email, now or later.",
        "EDITION": "An edition sends no email of its own.",
    }
    assert told["lostBrand"].startswith("The plan includes no white label any more")


def test_the_editor_tells_its_script_of_the_publication_and_of_editions(sign_in, api, ready_story, rendered):
    def told() -> list[object]:
        boot = sign_in("viewer").get(editor_of(ready_story)).context["boot"]
        return [boot[name] for name in ("claims", "shares", "isChanged", "hasEditions")]

    assert told() == ["north-shore", True, False, False]
    edition = factories.make_edition(ready_story, rendered)
    api.publish(ready_story, showSocialShare=False)
    assert told() == [None, False, False, True]
    Story.objects.filter(pk=edition.pk).update(deleted_at=timezone.now())
    assert told() == [None, False, False, False]
    Story.objects.filter(pk=ready_story.pk).update(language="gsw", revision=F("revision") + 1)
    boot = sign_in("viewer").get(editor_of(ready_story)).context["boot"]
    assert ("gsw", "gsw") in boot["languages"] and boot["isChanged"]


def test_the_frame_shows_the_draft_and_not_what_is_live(sign_in, api, live_story):
    scene = live_story.scenes.get(position=0)
    change = api.call("PATCH", f"/stories/{live_story.pk}/scenes/{scene.key}", {"text": "Only in the draft."})
    assert change.status_code == 200, change.content
    frame = sign_in("owner").get(reverse("studio_frame", kwargs={"story": live_story.pk}))
    assert b"Only in the draft." in frame.content
    assert str(scene.key) in frame.content.decode()


#: What makes the pixels of a page: its classes, sheets and scripts, and its scenes, but for the marks of the stage.
DRAWN = re.compile(
    r'<html[^>]*>|<body[^>]*>|<link rel="stylesheet"[^>]*>|<script[^>]*src=[^>]*>|<main.*</main>', re.DOTALL
)
MARKS = re.compile(r' data-scene="[^"]*"|<script[^>]*reads\.js[^>]*>')


@pytest.mark.parametrize("edition", ["", "classroom"])
def test_the_stage_is_the_page_of_readers(edition, sign_in, api, live_story, rendered):
    story = factories.make_edition(live_story, rendered, edition) if edition else live_story
    other = factories.make_story(live_story.workspace, rendered, title="What to read next")
    assert {api.publish(each).status_code for each in (other, story)} == {200}
    client = sign_in("owner")
    stage, live = (
        [MARKS.sub("", part) for part in DRAWN.findall(client.get(address, query).content.decode())]
        for address, query in (
            (reverse("studio_frame", kwargs={"story": story.pk}), {}),
            ("/north-shore/small-voyages", {"edition": edition}),
        )
    )
    assert [part for part in stage if part] == [part for part in live if part]
    assert len(stage) > 4 and stage[-1].count("<section") >= 4


@pytest.mark.parametrize("name, number", [("studio_frame", {}), ("studio_preview_frame", {"number": 1})])
def test_a_frame_shows_the_page_or_the_embed(name, number, sign_in, ready_story):
    client, url = sign_in("viewer"), reverse(name, kwargs={"story": ready_story.pk, **number})
    assert [b"embed.css" in client.get(url, query).content for query in ({}, {"as": "embed"})] == [
        False,
        True,
    ]


def test_the_latest_preview_is_opened_and_says_whether_it_is_the_draft_as_it_is_now(
    sign_in, api, ready_story, north_shore
):
    client = sign_in("viewer")
    page = client.get(reverse("studio_previews", kwargs={"story": ready_story.pk}), follow=True)
    [(address, _)] = page.redirect_chain
    assert address == reverse("studio_preview", kwargs={"story": ready_story.pk, "number": 1})
    assert b"The draft has changed" not in page.content and b"Chat apps show the link" not in page.content
    api.call("PATCH", f"/stories/{ready_story.pk}", {"title": "Renamed"})
    page = client.get(address, {"as": "card"})
    assert b"The draft has changed" in page.content and b"Chat apps show the link" in page.content
    assert page.content.count(ready_story.title.encode()) > 2, "the cards name it, besides the page itself"
    draft = factories.make_draft(north_shore)
    none = client.get(reverse("studio_previews", kwargs={"story": draft.pk}))
    assert none["Location"] == editor_of(draft)


def test_a_scene_without_a_picture_is_drawn_all_the_same(sign_in, north_shore):
    story = factories.make_draft(north_shore)
    frame = sign_in("owner").get(reverse("studio_frame", kwargs={"story": story.pk}))
    assert frame.status_code == 200
    assert b"being-prepared" in frame.content


def test_a_viewer_cannot_begin_a_capsule(sign_in, north_shore):
    sign_in("viewer").post(reverse("studio_new", kwargs={"workspace": north_shore.pk}))
    assert not Story.objects.filter(title="Untitled").exists()


def test_a_viewer_copies_no_capsule(sign_in, ready_story):
    url = reverse("studio_duplicate", kwargs={"story": ready_story.pk})
    sign_in("viewer").post(url)
    assert Story.objects.count() == 1
    answer = sign_in("editor").post(url)
    copy = Story.objects.exclude(pk=ready_story.pk).get()
    assert answer["Location"] == editor_of(copy)
    assert (copy.title, copy.created_by.email) == ("Copy of Small voyages", "editor@north-shore.example")


def test_plain_forms_save_texts_without_script_and_refuse_what_is_stale(sign_in, ready_story):
    client, scene = sign_in("owner"), ready_story.scenes.get(position=0)
    form = {"scene": str(scene.key), "version": scene.version, "title": "", "text": "By form.", "alt": ""}
    answer = client.post(editor_of(ready_story), form, follow=True)
    assert [str(message) for message in answer.context["messages"]] == ["Saved."]
    assert ready_story.scenes.get(position=0).text == "By form."
    scene.refresh_from_db()
    lines = {"scene": str(scene.key), "version": scene.version, "alt": "Two\r\nlines."}
    client.post(editor_of(ready_story), lines)
    saved = ready_story.scenes.get(position=0)
    assert (saved.alt, saved.text) == ("Two\nlines.", "By form."), "what was not sent stays"
    answer = client.post(editor_of(ready_story), {**form, "text": "Too late."}, follow=True)
    assert ready_story.scenes.get(position=0).text == "By form."
    assert "kept in the history" in messages_of(answer)
    client.post(editor_of(ready_story), {**form, "text": "Of no version.", "version": ""})
    assert ready_story.scenes.get(position=0).text == "By form."
    form = {"version": ready_story.version, "title": "By form.", "summary": "", "author_name": ""}
    client.post(editor_of(ready_story), form)
    answer = client.post(editor_of(ready_story), {**form, "title": "Too late."}, follow=True)
    ready_story.refresh_from_db()
    assert ready_story.title == "By form." and "kept in the history" in messages_of(answer)


def test_a_viewer_saves_nothing_by_a_plain_form(sign_in, ready_story):
    scene = ready_story.scenes.get(position=0)
    for form in (
        {"scene": str(scene.key), "version": scene.version, "text": "By a viewer."},
        {"version": ready_story.version, "title": "By a viewer."},
    ):
        answer = sign_in("viewer").post(editor_of(ready_story), form)
        assert "does not allow writing" in messages_of(answer)
    scene.refresh_from_db()
    ready_story.refresh_from_db()
    assert "By a viewer." not in (scene.text, ready_story.title)


def test_the_token_of_the_studio_works_until_its_session_ends(sign_in, api):
    client = sign_in("owner")
    assert "csrfToken" in client.get(reverse("studio_token")).json()
    token = client.post(reverse("studio_token")).json()["token"]
    bearer = {"Authorization": f"Bearer {token}"}
    assert client.get("/api/v2/me", headers=bearer).status_code == 200
    client.logout()
    assert client.get("/api/v2/me", headers=bearer).status_code == 401
    assert client.post(reverse("studio_token")).status_code == 401


def test_what_the_studio_changes_is_known_as_the_studios_in_the_history(sign_in, ready_story):
    client, scene = sign_in("owner"), ready_story.scenes.get(position=0)
    token = client.post(reverse("studio_token")).json()["token"]
    answer = client.patch(
        f"/api/v2/stories/{ready_story.pk}/scenes/{scene.key}",
        {"text": "Written in the studio."},
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 200, answer.content
    assert ready_story.revisions.latest("number").via == "studio"


def test_the_list_shows_drafts_and_live_capsules_and_finds_titles(sign_in, north_shore, live_story):
    draft = factories.make_draft(north_shore, title="A quiet draft")
    client, url = sign_in("viewer"), reverse("studio_capsules", kwargs={"workspace": north_shore.pk})
    assert {card.story for card in client.get(url).context["cards"]} == {draft, live_story}
    assert [card.story for card in client.get(url, {"show": "live"}).context["cards"]] == [live_story]
    assert [card.story for card in client.get(url, {"show": "drafts"}).context["cards"]] == [draft]
    assert [card.story for card in client.get(url, {"q": "quiet"}).context["cards"]] == [draft]
    assert b"No title has" in client.get(url, {"q": "nowhere"}).content


def test_what_was_taken_down_is_not_among_the_live_ones_and_has_a_list_of_its_own(sign_in, live_story):
    client = sign_in("viewer")
    url = reverse("studio_capsules", kwargs={"workspace": live_story.workspace_id})
    assert "Taken down" not in client.get(url).content.decode()
    assert client.get(url, {"show": "down"}).context["state"] == "all", "there is no such list yet"
    take_down(live_story, by=make_staff())
    assert "?show=down" in client.get(url).content.decode()
    for show, found in [("live", []), ("drafts", []), ("down", [live_story]), ("all", [live_story])]:
        assert [card.story for card in client.get(url, {"show": show}).context["cards"]] == found


def test_who_moves_a_capsule_to_the_trash_in_the_editor_is_told_and_can_undo_it(
    sign_in, ready_story, api, harbour
):
    gone = factories.make_draft(ready_story.workspace, title="Away & gone")
    client = sign_in("editor")
    listed = f"{reverse('studio_capsules', kwargs={'workspace': gone.workspace_id})}?trashed="
    assert "is in the trash" not in client.get(f"{listed}{gone.pk}").content.decode(), "it is not"
    api.call("DELETE", f"/stories/{gone.pk}")
    page = " ".join(client.get(f"{listed}{gone.pk}").content.decode().split())
    assert "“<bdi>Away &amp; gone</bdi>” is in the trash." in page
    assert f'action="{reverse("studio_restore", kwargs={"story": gone.pk})}"' in page
    assert client.get(f"{listed}x").status_code == 200
    strange = factories.make_draft(harbour, title="Theirs")
    Story.objects.filter(pk=strange.pk).update(deleted_at=timezone.now())
    assert "Theirs" not in client.get(f"{listed}{strange.pk}").content.decode()


def test_the_picture_of_a_card_is_the_one_that_was_chosen(sign_in, ready_story):
    chosen = ready_story.scenes.get(position=2)
    ready_story.scenes.filter(pk=chosen.pk).update(focus_x=0.2, focus_y=0.5)
    Story.objects.filter(pk=ready_story.pk).update(cover=chosen)
    url = reverse("studio_capsules", kwargs={"workspace": ready_story.workspace_id})
    [card] = sign_in("viewer").get(url).context["cards"]
    assert card.picture.focus == (0.2, 0.5)


def test_a_card_tells_its_age_and_never_that_what_is_being_rendered_is_ready(sign_in, ready_story):
    client, url = (
        sign_in("viewer"),
        reverse("studio_capsules", kwargs={"workspace": ready_story.workspace_id}),
    )
    said = client.get(url).content.decode()
    assert "ready to publish" in said and "being prepared" not in said
    assert re.search(r"<span>(now|a second ago|\d+ seconds ago)</span>", said.replace("\xa0", " "))
    rendered = ready_story.scenes.values("animation_encode")
    Encode.objects.filter(pk__in=rendered).update(state=Encode.State.FAILED, progress=40)
    assert "being prepared" not in client.get(url).content.decode(), "what failed is not on its way"
    Encode.objects.filter(pk__in=rendered).update(state=Encode.State.RUNNING, progress=40)
    said = client.get(url).content.decode()
    assert "ready to publish" not in said and "being prepared" in said


def test_a_card_leads_to_the_editions_that_are_there(sign_in, ready_story, rendered):
    client = sign_in("viewer")
    url = reverse("studio_capsules", kwargs={"workspace": ready_story.workspace_id})
    edition = factories.make_edition(ready_story, rendered)
    assert editor_of(edition) in client.get(url).content.decode()
    Story.objects.filter(pk=edition.pk).update(deleted_at=timezone.now())
    assert editor_of(edition) not in client.get(url).content.decode()


def test_the_list_crops_the_smallest_picture_around_its_focus(sign_in, north_shore, ready_story, rendered):
    ready_story.scenes.filter(position=0).update(focus_x=0.45, focus_y=0.25)
    page = (
        sign_in("owner")
        .get(reverse("studio_capsules", kwargs={"workspace": north_shore.pk}))
        .content.decode()
    )
    assert '<div class="cover x45 y25">' in page
    assert storage.blobs().url(factories.smallest_jpeg(rendered)["name"]) in page


def test_the_list_takes_the_same_number_of_queries_for_one_capsule_and_for_five(sign_in, north_shore):
    url = reverse("studio_capsules", kwargs={"workspace": north_shore.pk})
    factories.make_draft(north_shore)
    more = [f"Draft {number}" for number in range(4)]
    assert asks_as_often(
        sign_in("owner"),
        url,
        after=lambda: [factories.make_draft(north_shore, title=title) for title in more],
    )


def test_trash_and_back(sign_in, live_story, rendered):
    for name in ("classroom", "de"):
        factories.make_edition(live_story, rendered, name)
    factories.make_draft(live_story.workspace)
    client = sign_in("owner")
    path = live_story.publication.path
    asked = client.get(reverse("studio_trash_one", kwargs={"story": live_story.pk}))
    assert path.encode() in asked.content
    page = client.post(reverse("studio_trash_one", kwargs={"story": live_story.pk}), follow=True)
    words = " ".join(page.content.decode().split())
    assert "“Small voyages” is in the trash." in words
    assert "Trash 1" in words, "its editions go with it"
    capsules = reverse("studio_capsules", kwargs={"workspace": live_story.workspace_id})
    assert page.redirect_chain == [(capsules, 302)]
    assert client.get(path).status_code == 404
    assert client.get(editor_of(live_story)).status_code == 404
    listed = client.get(
        reverse("studio_trash", kwargs={"workspace": live_story.workspace_id})
    ).content.decode()
    assert live_story.title in listed
    live_story.refresh_from_db()
    last_day = date_format(trash.purge_time(live_story.deleted_at), "j F Y")
    assert f"deleted forever on {last_day}" in listed
    back = client.post(reverse("studio_restore", kwargs={"story": live_story.pk}), follow=True)
    assert back.context["boot"]["told"] == "“Small voyages” is back. It is not published."
    assert (
        "“Small voyages” is back. It is not published."
        in back.content.decode().partition("<noscript><div")[2]
    )
    assert back.redirect_chain == [(editor_of(live_story), 302)]


def test_the_trash_is_found_where_the_only_capsule_is_in_it(sign_in, ready_story):
    client, place = sign_in("owner"), {"workspace": ready_story.workspace_id}
    trashed = reverse("studio_trash", kwargs=place)
    assert trashed not in client.get(reverse("studio_capsules", kwargs=place)).content.decode()
    page = client.post(reverse("studio_trash_one", kwargs={"story": ready_story.pk}), follow=True)
    assert f'<a href="{trashed}"> 1 capsule is in the trash</a>' in " ".join(page.content.decode().split())


def test_who_manages_deletes_a_capsule_of_the_trash_forever_by_its_title(
    sign_in, live_story, owner, rendered
):
    edition = factories.make_edition(live_story, rendered)
    trash.trash_story(live_story, unpublish=True, by=Actor.by_token(owner))
    purge = reverse("studio_purge", kwargs={"story": live_story.pk})
    for who, title, status, words in (
        ("stranger", "Small voyages", 404, None),
        ("viewer", "Small voyages", 302, None),
        ("editor", "Small voyages", 302, "Only an owner or an admin"),
        ("admin", "Small", 302, "Type the title"),
        ("admin", " Small voyages ", 302, "is deleted forever"),
    ):
        client = sign_in(who)
        answer = client.post(purge, {"title": title})
        assert answer.status_code == status, who
        gone = words == "is deleted forever"
        assert Story.objects.filter(pk__in=[live_story.pk, edition.pk]).count() == (0 if gone else 2), who
        if words:
            page = client.get(answer["Location"])
            assert words in page.content.decode()
            assert (purge in page.content.decode()) == (who == "admin" and not gone)


def test_what_is_not_in_the_trash_is_not_deleted_forever(sign_in, ready_story, owner):
    purge = reverse("studio_purge", kwargs={"story": ready_story.pk})
    assert sign_in("owner").post(purge, {"title": ready_story.title}).status_code == 404
    with pytest.raises(Conflict):
        trash.purge_story(ready_story, title=ready_story.title, by=Actor.by_token(owner))
    assert Story.objects.filter(pk=ready_story.pk).exists()


def test_qr_codes_are_drawn_for_our_own_links_only(sign_in, settings):
    client = sign_in("owner")
    own = client.get(reverse("studio_qr"), {"url": f"{settings.APP_URL}/studio/up/abc"})
    assert own["Content-Type"] == "image/svg+xml"
    for url in ("https://evil.example/", f"{settings.APP_URL}.evil.example/", ""):
        assert client.get(reverse("studio_qr"), {"url": url}).status_code == 404


def test_a_plain_form_that_is_too_long_comes_back_whole_with_its_reason_at_the_field(sign_in, ready_story):
    scene, text = ready_story.scenes.get(position=0), "Nearly home. " * 200
    form = {
        "scene": str(scene.key),
        "version": scene.version,
        "title": "New heading",
        "text": text,
        "alt": "",
    }
    answer = sign_in("owner").post(editor_of(ready_story), form)
    page = answer.content.decode()
    assert len(answer.context["messages"]) == 1  # what stands at its field is not said above as well
    assert ready_story.scenes.get(position=0).text == scene.text
    assert f">{text}</textarea>" in page
    assert 'value="New heading"' in page
    field = f"text-{scene.key}"
    assert (
        page.count(f'aria-invalid="true" aria-describedby="{field}-fault"') == page.count("aria-invalid") == 1
    )
    assert f'id="{field}-fault">' in page
    assert "maxlength" not in page


def test_a_title_that_is_refused_in_a_plain_form_stays_typed_and_is_not_saved(sign_in, ready_story):
    form = {"version": ready_story.version, "title": "T" * 201, "summary": "One.", "author_name": "A" * 121}
    page = sign_in("owner").post(editor_of(ready_story), form).content.decode()
    assert f'value="{"T" * 201}"' in page
    assert 'aria-describedby="author_name-story-fault"' in page
    ready_story.refresh_from_db()
    assert (ready_story.title, ready_story.summary) != ("T" * 201, "One.")


def test_a_refused_plain_form_stands_on_its_old_version_so_that_others_are_not_overwritten(
    sign_in, ready_story
):
    client, scene = sign_in("owner"), ready_story.scenes.get(position=0)
    form = {"scene": str(scene.key), "version": scene.version, "title": "", "alt": ""}
    client.post(editor_of(ready_story), {**form, "text": "By somebody else."})
    page = client.post(editor_of(ready_story), {**form, "text": "x" * 2001}).content.decode()
    hidden = rf'name="scene" value="{scene.key}">\s*<input type="hidden" name="version" value="(\d+)"'
    assert re.findall(hidden, page) == [str(scene.version)]


def test_a_refused_plain_form_without_a_version_overwrites_nothing(sign_in, ready_story):
    client = sign_in("owner")
    for version in ("null", "9" * 30):
        answer = client.post(editor_of(ready_story), {"version": version, "title": "T" * 201})
        assert answer.status_code == 200 and 'name="version" value="0"' in answer.content.decode(), version
    client.post(editor_of(ready_story), {"version": 0, "title": "Shorter"})
    ready_story.refresh_from_db()
    assert ready_story.title == "Small voyages"


def test_a_plain_form_for_a_scene_that_is_gone_leads_back_with_the_reason(sign_in, ready_story):
    client, gone = sign_in("owner"), "7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11"
    for key, text in ((gone, "Much too long. " * 200), ("no identifier", "Short.")):
        form = {"scene": key, "version": 1, "text": text}
        answer = client.post(editor_of(ready_story), form, follow=True)
        assert answer.redirect_chain == [(editor_of(ready_story), 302)], key
        assert [str(message) for message in answer.context["messages"]] == ["There is no such scene."], key


def test_the_list_is_sent_packed_unless_a_link_chose_a_word_beside_the_titles(sign_in, ready_story):
    """The length of packed bytes tells which words are on the page twice."""
    client = sign_in("owner")
    url = reverse("studio_capsules", kwargs={"workspace": ready_story.workspace_id})
    packed = client.get(url, headers={"Accept-Encoding": "gzip"})
    assert ready_story.title in gzip.decompress(packed.content).decode()
    assert "Content-Encoding" not in client.get(f"{url}?q=Small", headers={"Accept-Encoding": "gzip"})
    others = "show=guess&sort=guess&page=guess&language=guess&other=guess"
    assert b"guess" not in client.get(f"{url}?{others}").content


def test_a_long_title_of_another_script_is_exported(sign_in, ready_story):
    Story.objects.filter(pk=ready_story.pk).update(title="窗" * 200)
    answer = sign_in("owner").get(reverse("studio_export", kwargs={"story": ready_story.pk}))
    assert answer.status_code == 200 and 'filename="chuang-' in answer["Content-Disposition"]
