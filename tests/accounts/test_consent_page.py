"""What the consent page tells a person about an app, whatever the app says about itself."""

from __future__ import annotations

import json

import pytest

from accounts.actors import SCOPES
from accounts.models import Connection, Membership, Reach
from accounts.oauth import client_names
from accounts.oauth.forms import ConsentForm, first_choice
from accounts.oauth.views import with_issuer
from tests.support.oauth import REDIRECT, App, one_line, register
from tests.support.rows import taken_back

pytestmark = pytest.mark.django_db


def shown(owner, told, redirect_uri):
    app = App(owner, client_id=told["client_id"])
    answer = app.browser.get(app.authorize_url(redirect_uri=redirect_uri))
    assert answer.status_code == 200
    return one_line(answer)


def test_an_app_that_follows_events_says_so_in_words(owner):
    app = App(owner)
    words = (
        "Follow what happens in your workspaces: which capsules are begun, published or taken from the public"
    )
    assert words in one_line(app.browser.get(app.authorize_url("events:read")))
    assert words not in one_line(app.browser.get(app.authorize_url("stories:read")))


@pytest.mark.parametrize(
    "registered, requested, words",
    [
        (
            ["https://ink.example/cb", "https://beta.ink.example/cb"],
            "https://beta.ink.example/cb",
            "<strong>beta.ink.example</strong>",
        ),
        (
            ["https://ink.example/cb", "cursor://x/cb"],
            "cursor://x/cb",
            "<strong>whichever app on your device opens “cursor:” links</strong>",
        ),
        (
            ["https://ink.example/cb", "http://127.0.0.1/cb"],
            "http://127.0.0.1:9/cb",
            "<strong>a program on your own device</strong>",
        ),
    ],
)
def test_the_page_tells_where_this_answer_goes_not_where_another_might(
    registered, requested, words, owner, client
):
    page = shown(owner, register(client, redirect_uris=registered), requested)
    assert f"Your answer goes to {words}" in page
    assert "<strong>ink.example</strong>" not in page


@pytest.mark.parametrize(
    "uris",
    [
        ["https://claude.ai/api/cb", "https://evil.example/cb"],
        ["https://claude.ai/cb", "https://evilclaude.ai/cb"],
        ["https://a.claude.ai/cb", "https://b.claude.ai/cb"],
    ],
)
def test_a_registration_has_one_site(uris, client):
    answer = client.post(
        "/oauth/register", json.dumps({"redirect_uris": uris}), content_type="application/json"
    )
    assert answer.status_code == 400 and answer.json()["error"] == "invalid_redirect_uri"


NOT_TO_REGISTER = [
    "\u200b",
    "Claude\u200b",
    "\u202eedualC",
    "a\x07",
    "\u3164",
    "\u2800",
    "a\u2028b",
    "a\u2029b",
    "\ue000 logo",
    "\u0301",
    "Capsules",
    "CAPSULES",
    "Сарsulеѕ",
    "Ｃａｐｓｕｌｅｓ",
    "C.a.p.s.u.l.e.s",
    "Claude (verified by Capsules)",
    "Capsu1es",
    "CAPSULE5",
    "Ϲapsules",
    "Capsuɭes",
]


def test_a_name_that_hides_something_or_is_ours_cannot_be_registered(client):
    for name in NOT_TO_REGISTER:
        body = json.dumps({"client_name": name, "redirect_uris": ["https://ink.example/cb"]})
        with taken_back():  # an address registers twenty in a minute
            answer = client.post("/oauth/register", body, content_type="application/json")
        assert answer.status_code == 400, (name, answer.content)
        assert "client_name" in answer.json()["error_description"], name


@pytest.mark.parametrize(
    "name", ["Ink", "Émile’s App", "Quill 2.0 – 写作", "日本", "مكتب", "★ Notes", "Capsule helper"]
)
def test_a_name_in_any_language_can_be_registered(name, client):
    assert register(client, client_name=name)["client_name"] == name


DOUBLES = ["CLAUDE", "CIaude", "C1aude", "Clаudе", "Çlaude", "Ｃlaude", "Claude."]


def test_the_page_warns_of_a_name_that_looks_like_that_of_a_connected_app(owner, client):
    App(owner, client_id=register(client, client_name="Claude")["client_id"]).connect()
    for double in DOUBLES:
        page = shown(owner, register(client, client_name=double), "https://ink.example/callback")
        assert "another app with the same name, or one that looks like it" in page, double


def test_an_app_is_not_taken_for_another_one_like_itself(owner, client):
    told = register(client, client_name="Claude")
    App(owner, client_id=told["client_id"]).connect()
    assert "another app with the same name" not in shown(owner, told, REDIRECT)


def test_who_leaves_a_workspace_while_they_answer_reads_it_on_the_page(owner, monkeypatch):
    is_valid = ConsentForm.is_valid

    def leave_afterwards(form: ConsentForm) -> bool:
        answer = is_valid(form)
        Membership.objects.filter(user=owner).delete()
        return answer

    monkeypatch.setattr(ConsentForm, "is_valid", leave_afterwards)
    answer = App(owner).consent()
    assert answer.status_code == 409
    assert "You have just left one of these workspaces. Please choose again." in one_line(answer)
    assert not Connection.objects.exists()


def test_different_names_are_not_taken_for_one_another(owner, client):
    App(owner, client_id=register(client, client_name="Claude")["client_id"]).connect()
    page = shown(owner, register(client, client_name="Claudia"), "https://ink.example/callback")
    assert "another app with the same name" not in page
    assert not client_names.look_alike("", "")
    assert client_names.look_alike("★", "★") and not client_names.look_alike("★", "☆")


def test_the_list_of_apps_names_every_place_that_answers_may_go_to(owner, client):
    told = register(client, redirect_uris=["https://ink.example/cb", "cursor://x/cb", "http://127.0.0.1/cb"])
    app = App(owner, client_id=told["client_id"], redirect="https://ink.example/cb").connect()
    assert "ink.example, cursor:, this device" in app.browser.get("/account/connected-apps").content.decode()


# --- What is chosen at first, and what can be answered -----------------------------------------------------------


@pytest.fixture
def both(owner, north_shore, harbour) -> tuple[Membership, Membership]:
    """Harbour comes first by its title; North Shore is the owner's default."""
    second = Membership.objects.create(workspace=harbour, user=owner, role="owner")
    return second, Membership.objects.get(workspace=north_shore, user=owner)


READ_AND_WRITE = ["stories:read", "stories:write", "publications:write"]


def test_at_first_the_default_workspace_and_reading_are_ticked(owner, both):
    _, own = both
    assert first_choice(owner, READ_AND_WRITE, None) == {
        "workspaces": [own.pk],
        "default": own.pk,
        "scopes": ["stories:read"],
    }


def test_without_a_default_the_first_workspace_is_ticked_and_without_any_none(owner, both):
    owner.default_workspace = None
    first = both[0].pk
    assert first_choice(owner, [], None) == {"workspaces": [first], "default": first, "scopes": []}
    owner.memberships.all().delete()
    assert first_choice(owner, [], None) == {"workspaces": [], "default": None, "scopes": []}


def test_who_consented_before_finds_their_workspaces_ticked(owner, both, harbour):
    app = App(owner).connect("stories:read", workspaces=[harbour])
    chosen = first_choice(owner, ["stories:read"], Connection.objects.with_reach().get())
    assert chosen == {"workspaces": [both[0].pk], "default": both[0].pk, "scopes": ["stories:read"]}
    form = app.browser.get(app.authorize_url("stories:read")).context["form"]
    assert form.initial == chosen
    assert list(form.fields["workspaces"].queryset) == list(form.fields["default"].queryset) == list(both)
    Reach.objects.all().delete()  # they left that workspace
    chosen = first_choice(owner, [], Connection.objects.with_reach().get())
    assert chosen == first_choice(owner, [], None), "as if they had never consented"


def test_a_connected_app_that_asks_for_more_says_what_it_needs_and_keeps_what_it_has(owner, both):
    app = App(owner).connect("stories:read stories:write")
    page = app.browser.get(app.authorize_url("stories:read stories:write publications:write"))
    assert page.context["form"].initial["scopes"] == ["stories:read", "stories:write"]
    assert page.context["lacking"] == [SCOPES["publications:write"]]
    told = one_line(page)
    assert told.index("but it needs:") < told.index("This app asks to act for you")
    same = one_line(app.browser.get(app.authorize_url("stories:read")))
    assert "needs:" not in same and "connected already" in same


OPEN = [
    ({"default": 1}, "default", "The default workspace must be one of those you chose."),
    ({"default": ""}, "default", "Choose the default workspace."),
    ({"workspaces": []}, "workspaces", "Choose at least one workspace."),
    ({"scopes": []}, "scopes", "Tick at least one permission, or deny the request."),
]


def test_an_answer_that_leaves_something_open_is_asked_again_at_its_field(owner, both):
    app = App(owner)
    answer = {
        "answer": "allow",
        "workspaces": [both[0].pk],
        "default": both[0].pk,
        "scopes": ["stories:read"],
    }
    for left, field, told in OPEN:
        changes = {name: both[1].pk if value == 1 else value for name, value in left.items()}
        shown = app.browser.post(app.authorize_url("stories:read"), {**answer, **changes})
        assert (shown.status_code, shown.context["form"].errors) == (400, {field: [told]})
        assert f'role="alert">{told}</strong>' in one_line(shown)
        assert not Connection.objects.exists()
    assert app.browser.post(app.authorize_url("stories:read"), answer).status_code == 302


def test_every_answer_to_an_app_names_the_issuer_once_and_keeps_what_it_had(settings):
    settings.BASE_URL = "https://capsules.example"
    issuer = "iss=https%3A%2F%2Fcapsules.example"
    for uri, told in [
        ("https://ink.example/a", f"https://ink.example/a?{issuer}"),
        ("https://ink.example/a?b=&c=d%20e", f"https://ink.example/a?b=&c=d+e&{issuer}"),
        ("https://ink.example/a?b=1?2&iss=other", f"https://ink.example/a?b=1%3F2&{issuer}"),
    ]:
        assert with_issuer(uri) == told


def test_the_page_and_its_refusals_run_no_script_and_stand_in_no_frame_and_no_cache(owner):
    app = App(owner)
    for url in (app.authorize_url(), app.authorize_url(client_id="unknown")):
        page = app.browser.get(url)
        policy = page["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "script-src" not in policy and "form-action" not in policy, "which would block the way back"
        assert page["X-Frame-Options"] == "DENY" and "no-store" in page["Cache-Control"]


@pytest.mark.usefixtures("clock_stands")
def test_who_asks_too_often_for_the_page_is_told_to_wait(owner, settings):
    app = App(owner)
    settings.RATES = {**settings.RATES, "token": 1}
    told = [app.browser.get(app.authorize_url()).status_code for _ in range(3)]
    assert 429 in told
    elsewhere = app.browser.get(app.authorize_url(), REMOTE_ADDR="192.0.2.7")
    assert elsewhere.status_code == 200
