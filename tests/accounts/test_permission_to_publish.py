"""The permission to publish: its two forms, who chooses them, and where they are shown."""

from __future__ import annotations

import pytest

from accounts.actors import PREPARES_ONLY, Actor, allowed_words
from accounts.models import Connection, SecurityEvent
from capsules.actions import drafts
from publishing import actions
from publishing.models import Publication
from tests.support import factories
from tests.support.moderation import make_staff, take_down
from tests.support.oauth import App, one_line

pytestmark = pytest.mark.django_db

Publishing = Connection.Publishing
ASKED = "stories:read publications:write"
WHEN_ASKED, PREPARES = "Publish when I asked it to, and tell me", "Prepare everything; I press Publish myself"
LIST = "/account/connected-apps"


def connect(owner, *permissions: str) -> App:
    app = App(owner)
    answer = app.browser.post(app.authorize_url(ASKED), consent(owner, *permissions))
    assert answer.status_code == 302, answer.content
    return app


def consent(owner, *permissions: str) -> dict:
    member = owner.memberships.get().pk
    return {"answer": "allow", "workspaces": [member], "default": member, "scopes": permissions}


def radios(app: App) -> dict[str, bool]:
    form = app.browser.get(app.authorize_url(ASKED)).context["form"]
    return {radio.words: radio.is_checked for radio in form.publishing()}


def change(app: App, connection: Connection, **form: str) -> str:
    answer = app.browser.post(f"{LIST}/{connection.pk}/publishing", form, follow=True)
    connection.refresh_from_db()
    return one_line(answer)


def test_nobody_finds_a_form_of_the_permission_ticked(owner):
    app = App(owner)
    assert radios(app) == {"No": True, WHEN_ASKED: False, PREPARES: False}
    app = connect(owner, "stories:read", "publications:write")
    assert radios(app) == {"No": False, WHEN_ASKED: False, PREPARES: False}, "No would take it back unseen"


def test_a_second_consent_without_an_answer_takes_nothing_back(owner):
    app = connect(owner, "stories:read", "publications:write")
    answer = app.browser.post(app.authorize_url(ASKED), consent(owner, "stories:read"))
    assert answer.status_code == 400 and "Choose whether it may publish." in one_line(answer)
    assert Connection.objects.get().scopes == ["stories:read", "publications:write"]
    app.browser.post(app.authorize_url(ASKED), consent(owner, "stories:read", ""))
    assert Connection.objects.get().scopes == ["stories:read"]


@pytest.mark.parametrize(
    "permission, publishing, words",
    [("publications:write", "asked", WHEN_ASKED), (PREPARES_ONLY, "prepares", PREPARES)],
)
def test_the_form_that_was_chosen_is_kept_and_shown_in_the_list_and_the_audit_log(
    permission, publishing, words, owner, north_shore
):
    app = connect(owner, "stories:read", permission)
    connection = Connection.objects.with_reach().get()
    assert (connection.publishing, connection.scopes) == (publishing, ["stories:read", "publications:write"])
    assert Actor.by_connection(connection, scopes=connection.scopes).only_prepares == (
        publishing == "prepares"
    )
    assert f"<li>Publishing: “{words}”</li>" in one_line(app.browser.get(LIST))
    event = SecurityEvent.objects.get(kind="app_connected", workspace=north_shore)
    assert f"(“{words}”)" in event.subject


def test_without_the_permission_no_form_is_shown(owner):
    app = connect(owner, "stories:read", "")
    connection = Connection.objects.get()
    assert connection.scopes == ["stories:read"]
    assert allowed_words(connection) == ["Read your capsules, including unpublished ones"]
    assert "Publish" not in SecurityEvent.objects.get(kind="app_connected").subject
    assert "Change how it publishes" not in one_line(app.browser.get(LIST))


def test_no_permission_at_all_is_no_answer(owner):
    app = App(owner)
    answer = app.browser.post(app.authorize_url(ASKED), consent(owner, ""))
    assert answer.status_code == 400 and "Tick at least one permission" in one_line(answer)


def test_both_forms_at_once_are_the_one_that_allows_less(owner):
    connect(owner, "publications:write", PREPARES_ONLY)
    assert Connection.objects.get().publishing == Publishing.PREPARES


def test_a_form_that_was_not_asked_for_is_refused(owner):
    app = App(owner)
    answer = app.browser.post(
        app.authorize_url("stories:read"), consent(owner, "stories:read", PREPARES_ONLY)
    )
    assert answer.status_code == 400 and not Connection.objects.exists()


def test_a_connection_from_before_publishes_when_asked(owner, client):
    connection = Connection(user=owner)
    assert connection.publishing == Publishing.WHEN_ASKED


def test_the_list_changes_the_form_and_takes_the_permission_back_at_once(owner, north_shore):
    app = connect(owner, "stories:read", "publications:write")
    connection = Connection.objects.get()
    assert f"Ink now has this permission: “{PREPARES}”." in change(app, connection, publishing="prepares")
    assert connection.publishing == "prepares"
    assert "Ink may not publish any more." in change(app, connection, publishing="")
    assert connection.scopes == ["stories:read"]
    assert "Let it ask you for that permission" in change(app, connection, publishing="asked")
    assert connection.scopes == ["stories:read"]
    told = SecurityEvent.objects.filter(kind="app_changed", workspace=north_shore).order_by("pk")
    assert [event.subject for event in told] == [f"Ink: (“{PREPARES}”)", "Ink: it may not publish any more"]


@pytest.mark.parametrize("form", [{}, {"publishing": "always"}])
def test_what_is_no_form_changes_nothing(form, owner):
    app = connect(owner, "publications:write")
    connection = Connection.objects.get()
    assert "Choose how it publishes." in change(app, connection, **form)
    assert connection.publishes and connection.publishing == "asked"


def test_a_permission_that_was_taken_back_is_missing_at_the_next_call(owner):
    app = App(owner).connect("publications:read publications:write")
    change(app, Connection.objects.get(), publishing="")
    missing = app.call("PUT", "/stories/7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11/publication")
    assert missing.status_code == 403 and "publications:write" in missing.json()["error"]


PREPARING = f"stories:read stories:write {PREPARES_ONLY}"


def test_hiding_brings_no_edition_back_to_its_own_link(owner, ready_story, rendered, client):
    edition = factories.make_edition(ready_story, rendered, shown=False)
    me = Actor.by_token(owner)
    made = actions.publish(edition, request=actions.PublishRequest(), by=me)
    drafts.update_story(edition, {"shown": True}, by=me)
    app = App(owner).connect("stories:read stories:write")
    for hide in (
        lambda: app.call("PATCH", f"/stories/{edition.pk}", {"shown": False}),
        lambda: drafts.update_story(edition, {"shown": False}, by=me),
    ):
        hide()
        assert client.get(made.url).status_code == 404


def test_an_app_that_only_prepares_shows_no_edition_to_readers_but_hides_one(owner, live_story, rendered):
    edition = factories.make_edition(live_story, rendered)
    me = Actor.by_token(owner)
    actions.publish(edition, request=actions.PublishRequest(), by=me)
    app = App(owner).connect("stories:read stories:write publications:write", grant=PREPARING)

    def tried(is_shown: bool) -> tuple[int, bool]:
        answer = app.call("PATCH", f"/stories/{edition.pk}", {"shown": is_shown})
        edition.refresh_from_db()
        return answer.status_code, edition.shown

    assert tried(False) == (200, False)
    assert tried(True) == (403, False)


def test_no_app_withdraws_what_was_taken_down_by_the_trash_that_may_not_unpublish(owner, live_story):
    take_down(live_story, by=make_staff())
    asked = "stories:read stories:write publications:write"
    for may, status in (("stories:read stories:write", 403), (asked, 200)):
        app = App(owner).connect(asked, grant=may)
        assert app.call("DELETE", f"/stories/{live_story.pk}").status_code == status
        assert Publication.objects.get(story=live_story).is_published is (status == 403)
