"""The studio in a language that nobody speaks, en-XA: whatever it says is in a catalogue, or somebody's own words."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from anyio.from_thread import start_blocking_portal
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone, translation

from accounts.actors import Actor
from accounts.mcp.tools import in_thread
from accounts.models import User
from capsules.actions import previews, scenes, trash
from capsules.models import Asset, Encode, Preview, Revision, Scene, Story, UploadLink
from capsules.uploads import links
from publishing.by_apps import notices
from publishing.by_apps.asks import ask_address
from publishing.models import Bake, Case, PublishAsk, PublishNotice
from tests.browser.test_words import theirs
from tests.moderation.conftest import freeze, staff
from tests.statistics.test_numbers import numbers
from tests.support import factories
from tests.support.unmarked import unmarked

__all__ = ["freeze", "numbers", "staff"]
pytestmark = pytest.mark.django_db
THEIRS = "Ακτή του βορρά"  # words of people, in letters that none of ours has
#: Classes of what somebody wrote: the finished examples.
WRITTEN = frozenset(["example", "snippet"])
OF_A_WORKSPACE = [
    "",
    "?q=0",
    "?show=live&sort=title",
    "/new",
    "/media",
    "/media?q=0",
    "/trash",
    "/face",
    "/statistics",
    "/statistics?from=x",
]
OF_A_STORY = [
    "",
    "/trash",
    "/publish",
    "/editions",
    "/history",
    "/history?against=before",
    "/versions",
    "/statistics",
    "/preview/{preview}",
    "/preview/{preview}?as=embed",
    "/preview/{preview}?as=card",
    "/preview/{preview}?as=email",
]
#: What says something else of an edition, and where an app has asked to publish.
OF_AN_EDITION = ["", "/publish", "/editions", "/history", "/versions", "/preview/{preview}"]
OF_ONE_ASKED_FOR = ["", "/publish"]


@pytest.fixture
def studio(client, owner):
    """What is found on a page, by its address; by what was sent to it, on the page that it leads to."""
    User.objects.update(name=THEIRS)
    client.force_login(owner)
    sent = [True]  # whether somebody's words may have changed since they were made Greek

    def look(address: str, form: dict[str, object] | None = None, status: int | None = 200) -> list[str]:
        if sent.pop():
            write_in_greek()
        sent.append(form is not None)
        answer = client.get(address) if form is None else client.post(address, form, follow=True)
        assert status is None or answer.status_code == status, (address, answer.status_code)
        assert "/login/" not in answer.request["PATH_INFO"], address
        return unmarked(answer.content.decode(), WRITTEN)

    return look


def write_in_greek() -> None:
    """Every text of people; what is empty stays so."""
    Story.objects.exclude(title="").update(title=THEIRS, author_name=THEIRS)
    Story.objects.exclude(edition_label="").update(edition_label=THEIRS)
    Scene.every.update(title=THEIRS, text=THEIRS, alt=THEIRS)
    Asset.objects.update(filename=f"{THEIRS}.11")
    for kept in (Preview, Bake, Revision):
        for row in kept.objects.all():
            content = theirs(row.content)
            kept.objects.filter(pk=row.pk).update(content=content)
    type(Story.objects.get_queryset().first().workspace).objects.update(title=THEIRS)
    Case.objects.update(words=THEIRS, rule=THEIRS)
    Revision.objects.exclude(label="").update(label=THEIRS)


@pytest.fixture
def busy(live_story, north_shore, rendered, owner, clock_stands, once, request) -> Story:
    """A live capsule with an edition that is behind, a draft that has moved on, numbers, and somebody else's notes."""

    def made() -> None:
        request.getfixturevalue("numbers")
        by = Actor.by_token(owner, via="studio")
        factories.make_edition(live_story, rendered, "1", language="de")
        scene = live_story.scenes.get(position=1)
        scenes.update_scene(live_story, scene.key, {"text": "Something else."}, by=by, expected=None)
        gone = factories.make_story(north_shore, rendered, title="Gone")
        trash.trash_story(gone, unpublish=True, by=by)
        factories.make_draft(north_shore)
        draft = factories.make_story(north_shore, rendered, title="Asked for")
        wishes = {"premiere_email_mode": "FULL"}
        PublishAsk.objects.create(story=draft, user=owner, credential="app:1", app=THEIRS, wishes=wishes)

    once("busy", made)
    story = Story.objects.get(pk=live_story.pk)
    when = story.publication.published_at  # to the microsecond
    PublishNotice.objects.create(story=story, user=owner, app=THEIRS, published_at=when)
    return story


def test_every_page_of_a_workspace_is_in_the_language(spoken, busy, studio):
    start = f"/studio/{busy.workspace_id}"
    found = {path: studio(f"{start}{path}") for path in OF_A_WORKSPACE}
    assert {path: words for path, words in found.items() if words} == {}


def test_every_page_of_a_story_is_in_the_language(spoken, busy, studio):
    edition, asked = busy.editions.get(), PublishAsk.objects.get()
    found = {
        "kept": studio(f"/studio/stories/{busy.pk}/history?at={busy.revisions.earliest('number').number}")
    }
    for story, paths in ((busy, OF_A_STORY), (edition, OF_AN_EDITION), (asked.story, OF_ONE_ASKED_FOR)):
        for path in paths:
            address = f"/studio/stories/{story.pk}{path}".format(preview=story.latest_preview.number)
            found[address] = studio(address)
    draft = Story.objects.get(title=THEIRS, previews=None)
    for path in ("", "/publish", "/history", "/versions", "/statistics"):
        found[path] = studio(f"/studio/stories/{draft.pk}{path}")
    found["asked"] = studio(ask_address(asked).removeprefix(settings.APP_URL))
    previews.build_preview(busy)
    found["being prepared"] = studio(f"/studio/stories/{busy.pk}/publish")
    Encode.objects.filter(pk=busy.scenes.first().still_encode_id).update(state="failed")
    for path in ("/publish", f"/preview/{busy.latest_preview.number}"):
        found[f"failed{path}"] = studio(f"/studio/stories/{busy.pk}{path}")
    assert {path: words for path, words in found.items() if words} == {}


def test_a_first_look_and_one_without_rights_are_in_the_language(spoken, north_shore, client, person):
    start = f"/studio/{north_shore.pk}"
    found = {}
    for who in ("owner", "viewer"):
        client.force_login(person(who))
        type(person(who)).objects.update(name=THEIRS)
        type(north_shore).objects.update(title=THEIRS)
        for path in ("", "/media", "/trash", "/statistics"):
            found[who, path] = unmarked(client.get(f"{start}{path}").content.decode(), WRITTEN)
    assert {path: words for path, words in found.items() if words} == {}


Forms = list[tuple[str, dict[str, object]]]


def forms_of_the_workspace() -> Forms:
    return [
        ("new/text", {}),
        ("new/text", {"text": "1\n\n2 3. 4 5."}),
        ("new/text", {"scenes": '[["", "1", true]]', "do": "make"}),
        ("from-folder", {"folder": SimpleUploadedFile("1.zip", b"1")}),
        ("face", {"do": "picture"}),
        ("face", {"do": "remove"}),
        ("face", {"do": "words", "about": "1" * 2000, "links": "1", "fediverse": "1"}),
        ("media", {"do": "link"}),
        ("media", {"media": "1"}),
        ("statistics", {"time_zone": "1"}),
    ]


def forms_of_the_story(story: Story) -> Forms:
    edition = story.editions.get()
    own = edition.scenes.earliest("position")
    text = {"scene": own.key, "version": own.version, "seen": own.copied_version or 1, "text": "1"}
    other = f"/studio/stories/{edition.pk}/editions"
    live = {"slug": "small-voyages", "readers": "listed", "brand": "STANDARD", "email": "OFF"}
    return [
        ("/", {"version": story.version, "title": "", "summary": "1"}),
        ("/", {"version": 0, "title": "1"}),
        ("/editions", {"do": "new", "name": "A B", "label": "1" * 200, "language": "de"}),
        ("/editions", {"do": "new", "name": "de", "label": "1", "language": "de"}),
        ("/editions", {"do": "show", "edition": edition.pk}),
        ("/editions", {"do": "hide", "edition": edition.pk}),
        ("/editions", {"do": "1"}),
        (other, {"do": "save", **text}),
        (other, {"do": "save", **text, "version": 99}),
        ("/history", {"label": ""}),
        ("/history", {"label": "1"}),
        ("/history", {"at": 1, "revision": 1}),
        ("/history", {"at": 1}),
        ("/versions", {"number": 9}),
        ("/versions", {"number": 1}),
        ("/publish", {}),
        ("/publish", {**live, "slug": "-"}),
        ("/publish", live),
        ("/live", {"do": "level", "level": "unlisted"}),
        ("/live", {"do": "cancel-email"}),
        ("/live", {"do": "unpublish"}),
        ("/duplicate", {}),
        ("/trash", {}),
        ("/purge", {"title": "1"}),
        ("/restore", {}),
    ]


def test_what_is_answered_to_every_form_is_in_the_language(spoken, busy, studio):
    """By which address, below the workspace or, with a slash, below the story."""
    found = {}
    for path, form in [*forms_of_the_workspace(), *forms_of_the_story(busy)]:
        start = f"/studio/{busy.workspace_id}/" if not path.startswith("/") else f"/studio/stories/{busy.pk}"
        address = path if path.startswith("/studio") else f"{start}{path}".rstrip("/")
        found[path, str(form)] = studio(address, form, status=None)
    assert {sent: words for sent, words in found.items() if words} == {}


def test_what_is_said_of_what_was_taken_down_is_in_the_language(spoken, busy, studio, freeze, north_shore):
    freeze(busy)
    found = {}
    for path in ("", "/publish", "/taken-down"):
        found[path] = studio(f"/studio/stories/{busy.pk}{path}")
    found["no words"] = studio(f"/studio/stories/{busy.pk}/taken-down", {"appeal": ""}, status=400)
    found["appealed"] = studio(f"/studio/stories/{busy.pk}/taken-down", {"appeal": THEIRS})
    type(north_shore).objects.update(suspended_at=timezone.now())
    for path in ("", "/suspended", "/new"):
        found[f"suspended{path}"] = studio(f"/studio/{north_shore.pk}{path}")
    assert {path: words for path, words in found.items() if words} == {}


def test_pages_without_a_login_are_in_the_language(spoken, busy, studio, north_shore, owner):
    by = Actor.by_token(owner, via="studio")
    _, address = links.make_link(north_shore, by=by, lifetime=timedelta(hours=1))
    up = address.removeprefix(settings.APP_URL)
    found = {"send": studio(up), "nothing sent": studio(up, {}, status=400)}
    picture = {"file": SimpleUploadedFile(THEIRS, b"1", content_type="image/png")}
    found["sent"] = studio(up, picture, status=None)
    UploadLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    found["over"] = studio("/studio/up/1", status=410)
    notice = PublishNotice.objects.get()
    for stop in notices.STOPS:
        address = notices.stop_address(notice, stop).removeprefix(settings.APP_URL)
        found[stop] = studio(address)
        found[f"{stop} pressed"] = studio(address, {}, status=None)
        found[f"{stop} again"] = studio(address, status=410 if stop == "unpublish" else None)
    found["unknown"] = studio("/studio/stop/1", status=404)
    assert {name: words for name, words in found.items() if words} == {}


def test_what_scripts_show_of_the_page_is_in_the_language_and_the_api_stays_english(
    spoken, busy, studio, client, api
):
    boot = client.get(f"/studio/stories/{busy.pk}").context["boot"]
    said = json.loads(json.dumps(boot["choices"], cls=DjangoJSONEncoder))
    assert unmarked(" ".join(sentences(said))) == []
    client.force_login(User.objects.get(email__startswith="viewer"))
    assert unmarked(client.get(f"/studio/stories/{busy.pk}").context["boot"]["whyNot"]) == []
    refused = api.call("PATCH", f"/stories/{busy.pk}", {"title": ""})
    assert "A capsule needs a title." in refused.content.decode()
    client.force_login(User.objects.create_superuser("staff@capsules.example", "x"))
    assert "accounts/user" in client.get("/admin/", follow=True).content.decode()


def test_tools_of_mcp_speak_english(spoken):
    with start_blocking_portal() as portal:  # a browser may have a loop in this thread
        said = portal.call(in_thread, "read", translation.get_language)
    assert (translation.get_language(), said) == ("en-xa", "en")


def test_what_somebody_wrote_is_no_markup_inside_a_translated_sentence(spoken, busy, client, owner):
    client.force_login(owner)
    type(busy.workspace).objects.update(title="<b>1</b>")
    Story.objects.filter(pk=busy.pk).update(title="<i>1</i>")
    for path in (f"/{busy.workspace_id}/face", f"/stories/{busy.pk}/trash", f"/stories/{busy.pk}/publish"):
        html = client.get(f"/studio{path}").content.decode()
        assert "1&lt;/" in html and "<b>1" not in html and "<i>1" not in html, path
    trashed = client.post(f"/studio/stories/{busy.pk}/trash", follow=True).content.decode()
    assert "“&lt;i&gt;1&lt;/i&gt;”" in trashed


def sentences(said: object) -> list[str]:
    """The texts of JSON that are no codes."""
    if isinstance(said, dict):
        return [each for value in said.values() for each in sentences(value)]
    if isinstance(said, list):
        return [each for value in said for each in sentences(value)]
    return [str(said)] if " " in str(said) else []
