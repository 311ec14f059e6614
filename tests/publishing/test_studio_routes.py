"""How each address of the studio may be asked for, by whom, and which pages may stand in a frame."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client
from django.urls import reverse

from capsules import storage
from publishing.studio.urls import urlpatterns
from tests.support import factories

pytestmark = pytest.mark.django_db
READ, FORM, READ_OR_FORM, BUTTON = "GET, HEAD", "GET, POST", "GET, HEAD, POST", "POST"
METHODS = {
    "studio_token": FORM, "studio_qr": READ, "studio_capsules": READ, "studio_new_somewhere": READ,
    "studio_new": READ_OR_FORM, "studio_new_text": READ_OR_FORM, "studio_new_example": BUTTON,
    "studio_from_folder": BUTTON, "studio_send": READ_OR_FORM, "studio_stop": READ_OR_FORM,
    "studio_answer_notice": BUTTON, "studio_decline_ask": BUTTON, "studio_face": FORM, "studio_media": FORM,
    "studio_suspended": FORM, "studio_trash": READ, "studio_editor": FORM, "studio_duplicate": BUTTON,
    "studio_export": READ, "studio_trash_one": FORM, "studio_restore": BUTTON, "studio_purge": BUTTON,
    "studio_frame": READ, "studio_film_frames": READ, "studio_pulse": READ, "studio_publish": FORM,
    "studio_prepare": BUTTON, "studio_live": BUTTON, "studio_card": READ, "studio_taken_down": FORM,
    "studio_editions": FORM, "studio_history": FORM, "studio_revision_frame": READ, "studio_versions": FORM,
    "studio_version_frame": READ, "studio_previews": READ, "studio_preview": READ, "studio_preview_frame": READ,
    "studio_preview_card": READ, "studio_letter": READ,
}  # fmt: skip
NO_LOGIN = {"studio_token", "studio_send", "studio_stop"}
FRAMES = {
    "studio_frame": {}, "studio_revision_frame": {"number": 1}, "studio_version_frame": {"number": 1},
    "studio_preview_frame": {"number": 1}, "studio_letter": {"number": 1, "mode": "FULL"},
}  # fmt: skip


def address_of(name: str, **ids: object) -> str:
    """The address of a page, with something in every place of it."""
    [route] = [str(each.pattern) for each in urlpatterns if each.name == name]
    known = {
        "number": 1, "mode": "FULL", "name": "recipe", "signed": "x", "secret": "x", "notice": uuid.uuid4(),
        "ask": uuid.uuid4(), "workspace": uuid.uuid4(), "story": uuid.uuid4(), **ids,
    }  # fmt: skip
    return reverse(name, kwargs={place: each for place, each in known.items() if f":{place}>" in route})


def test_every_address_says_how_it_may_be_asked_for(sign_in, ready_story):
    client, ids = sign_in("owner"), {"workspace": ready_story.workspace_id, "story": ready_story.pk}
    refused = {each.name: client.delete(address_of(each.name, **ids)) for each in urlpatterns}
    assert {answer.status_code for answer in refused.values()} == {405}
    assert {name: answer["Allow"] for name, answer in refused.items()} == METHODS


def test_who_is_not_signed_in_is_led_to_sign_in(client):
    for name in sorted(METHODS.keys() - NO_LOGIN):
        ask = client.post if METHODS[name] == BUTTON else client.get
        answer = ask(address_of(name))
        assert answer.status_code == 302, name
        assert answer["Location"].startswith("/account/login/?next=/studio"), name


def test_no_other_site_sends_a_form_in_somebodys_name(owner, ready_story):
    browser, ids = (
        Client(enforce_csrf_checks=True),
        {"workspace": ready_story.workspace_id, "story": ready_story.pk},
    )
    browser.force_login(owner)
    forms = [name for name, methods in METHODS.items() if "POST" in methods]
    refused = [name for name in forms if browser.post(address_of(name, **ids)).status_code == 403]
    assert set(forms) - set(refused) == {"studio_send", "studio_stop"}, "whose addresses are the secret"


def test_what_the_studio_frames_can_be_framed_by_it_alone_and_is_kept_by_nobody(sign_in, live_story):
    browser = sign_in("viewer")
    for name, places in FRAMES.items():
        answer = browser.get(reverse(name, kwargs={"story": live_story.pk, **places}))
        assert answer["X-Frame-Options"] == "SAMEORIGIN", name
        assert "frame-ancestors 'self'" in answer["Content-Security-Policy"], name
        assert answer["Referrer-Policy"] == "same-origin", name
        if name != "studio_letter":
            assert "no-store" in answer["Cache-Control"] and answer["X-Robots-Tag"] == "noindex", name


def test_only_pages_that_show_frames_may_have_some(sign_in, live_story):
    browser = sign_in("viewer")
    for name in ("studio_editor", "studio_history", "studio_versions", "studio_preview", "studio_publish"):
        answer = browser.get(address_of(name, story=live_story.pk))
        frames = "frame-src 'self'" in answer["Content-Security-Policy"]
        assert (answer.status_code, frames) == (200, name != "studio_publish"), name
        assert answer["X-Frame-Options"] == "DENY", name


def test_the_editor_may_show_what_is_still_on_its_way_in_and_reach_the_api(sign_in, ready_story, settings):
    policy = sign_in("owner").get(address_of("studio_editor", story=ready_story.pk))[
        "Content-Security-Policy"
    ]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert "blob:" in rules["img-src"] and "blob:" in rules["media-src"]
    assert settings.BASE_URL in rules["connect-src"]


@pytest.mark.parametrize("name", ["studio_from_folder", "studio_face"])
def test_a_large_form_is_read_only_where_its_sender_may_write(name, sign_in, north_shore, settings):
    settings.FORM_LIMIT, url = 10, address_of(name, workspace=north_shore.pk)

    def is_read(who: str) -> bool:
        return sign_in(who).post(url, {"about": "x" * 20}).status_code != 413

    assert [is_read(who) for who in ("owner", "editor", "viewer", "stranger")] == [True, True, False, False]
    north_shore.suspended_at = north_shore.created_at
    north_shore.save(update_fields=["suspended_at"])
    assert not is_read("owner")


def test_the_token_of_the_scripts_is_kept_by_nobody_and_says_whose_it_is(sign_in, client, owner, settings):
    url = reverse("studio_token")
    nobody = client.get(url)
    assert (nobody.status_code, nobody.json()) == (401, {"error": "You are signed out."})
    signed_in = sign_in("owner")
    asked, made = signed_in.get(url), signed_in.post(url)
    assert asked.json().keys() == {"csrfToken", "person"} and asked.json()["person"] == owner.device_key
    assert made.json().keys() == {"token", "expiresIn"}
    assert made.json()["expiresIn"] == settings.FIRST_PARTY_TOKEN_TTL.total_seconds() == 3600
    assert all("no-store" in answer["Cache-Control"] for answer in (nobody, asked, made))


def test_no_code_is_drawn_of_more_than_a_phone_reads(sign_in, settings):
    client, url = sign_in("owner"), f"{settings.APP_URL}/{'x' * 500}"
    statuses = [client.get(reverse("studio_qr"), {"url": url[:length]}).status_code for length in (500, 501)]
    assert statuses == [200, 404]


def test_a_film_whose_file_is_lost_or_damaged_has_no_frames(sign_in, north_shore, tmp_path):
    story, film = factories.make_draft(north_shore), factories.shared_film(north_shore)
    client, url = sign_in("owner"), address_of("studio_film_frames", story=story.pk)
    assert client.get(url, {"film": film.pk}).status_code == 404
    (tmp_path / "film.mp4").write_bytes(b"no film")
    film.name = storage.put(storage.originals(), tmp_path / "film.mp4", "mp4")
    film.save()
    assert client.get(url, {"film": film.pk}).status_code == 404
