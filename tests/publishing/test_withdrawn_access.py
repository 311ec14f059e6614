"""A publish that waits for encodes goes live only if its caller may still publish when it does."""

from __future__ import annotations

import pytest

from accounts.actions import keys, members, people, workspaces
from accounts.actors import Actor
from accounts.models import ApiKey, Connection, Membership, User, Workspace
from capsules.actions import trash
from capsules.models import Story
from publishing import baking, dark
from publishing.models import Premiere, Publication
from tests.support import factories
from tests.support.factories import Api
from tests.support.oauth import App

pytestmark = pytest.mark.django_db


@pytest.fixture
def meanwhile(monkeypatch):
    """Does something while a publish waits for its encodes."""

    def do(happens) -> None:
        monkeypatch.setattr(baking, "wait_for_encodes", lambda *called: happens())

    return do


def editor() -> User:
    return User.objects.get(email="editor@north-shore.example")


def demote(owner: User) -> None:
    members.change_role(Membership.objects.get(user=editor()), "viewer", by=owner)


def remove(owner: User) -> None:
    members.remove_member(Membership.objects.get(user=editor()), by=owner)


def disable(owner: User) -> None:
    people.disable(editor(), by=owner)


def sign_out_everywhere(owner: User) -> None:
    people.end_own_tokens(editor())


def suspend(owner: User) -> None:
    workspaces.suspend(Workspace.objects.get(name="north-shore"), by=owner)


def revoke(owner: User) -> None:
    keys.revoke_api_key(ApiKey.objects.get(), by=owner)


def nothing_is_public(client, story) -> bool:
    client.logout()
    return (
        not Publication.objects.filter(published_at__isnull=False).exists()
        and not Premiere.objects.exists()
        and Workspace.objects.get(name="north-shore").name_claimed_at is None
        and client.get("/north-shore/small-voyages").status_code == 404
    )


@pytest.mark.parametrize(
    "ends, status",
    [(demote, 403), (disable, 403), (sign_out_everywhere, 403)],
)
def test_an_own_token(ends, status, meanwhile, client, ready_story, owner):
    meanwhile(lambda: ends(owner))
    answer = Api(client, editor()).publish(ready_story)
    assert answer.status_code == status, answer.content
    assert nothing_is_public(client, ready_story)


@pytest.mark.both_databases
@pytest.mark.parametrize("ends, status", [(remove, 403), (revoke, 403)])
def test_a_key(ends, status, meanwhile, client, ready_story, owner, north_shore):
    _, secret = keys.create_api_key(north_shore, by=editor())
    meanwhile(lambda: ends(owner))
    answer = Api(client).with_key(secret).publish(ready_story)
    assert answer.status_code == status, answer.content
    assert nothing_is_public(client, ready_story)


def end_connection() -> None:
    from accounts.actions import connections

    connections.end(Connection.objects.get(), because=Connection.Ended.REVOKED, by=None)


def narrow_consent() -> None:
    Connection.objects.update(scopes=["publications:read"])


@pytest.mark.parametrize("ends", [end_connection, narrow_consent])
def test_a_connected_app(ends, meanwhile, client, ready_story, owner):
    app = App(owner).connect()
    meanwhile(ends)
    answer = client.put(
        f"/api/v2/stories/{ready_story.pk}/publication",
        headers={"Authorization": "Bearer " + app.tokens["access_token"]},
        content_type="application/json",
    )
    assert answer.status_code == 403, answer.content
    if ends is end_connection:
        words = "Your access ended while the capsule was being published. Nothing was published."
        assert answer.json()["error"] == words
    assert nothing_is_public(client, ready_story)


def test_a_capsule_that_was_deleted(meanwhile, api, ready_story):
    meanwhile(lambda: ready_story.delete())
    assert api.publish(ready_story).status_code == 423
    assert api.publish(ready_story).status_code == 404


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "goes, words",
    [
        (lambda story: story.delete(), "This capsule was deleted."),
        (lambda story: Story.objects.update(deleted_at=story.created_at), "There is no such story."),
    ],
    ids=["for good", "to the trash"],
)
def test_a_capsule_that_goes_at_the_last_moment(goes, words, api, ready_story, monkeypatch):
    bake = baking.bake

    def baked_and_gone(preview):
        done = bake(preview)
        goes(ready_story)
        return done

    monkeypatch.setattr(baking, "bake", baked_and_gone)
    answer = api.publish(ready_story)
    assert (answer.status_code, answer.json()["error"]) == (404, words)
    assert not Publication.objects.filter(published_at__isnull=False).exists()


def test_words_that_were_saved_meanwhile_are_kept(meanwhile, api, ready_story):
    meanwhile(lambda: Story.objects.update(title="Typed meanwhile"))
    assert api.publish(ready_story, unlisted=True).status_code == 200
    ready_story.refresh_from_db()
    assert (ready_story.title, ready_story.visibility) == ("Typed meanwhile", "unlisted")


def test_a_level_that_was_chosen_meanwhile_stays(meanwhile, api, ready_story):
    Story.objects.update(visibility="private")
    meanwhile(lambda: Story.objects.update(visibility="unlisted"))
    assert api.publish(ready_story).status_code == 200
    ready_story.refresh_from_db()
    assert ready_story.visibility == "unlisted"


@pytest.mark.both_databases
def test_an_edition_does_not_go_to_the_trash_while_it_is_published_through_its_capsule(
    api, live_story, rendered, meanwhile
):
    edition = factories.make_edition(live_story, rendered)
    refused = []
    meanwhile(lambda: refused.append(api.call("DELETE", f"/stories/{edition.pk}").status_code))
    assert api.publish(edition).status_code == 200
    edition.refresh_from_db()
    assert (refused, edition.deleted_at) == ([423], None)


@pytest.mark.parametrize(
    "how, status", [(trash.trash_story, 404), (lambda story, by: story.delete(), 409)], ids=["trash", "gone"]
)
def test_an_edition_that_went_before_the_publish_began_stays_hidden(
    api, owner, live_story, rendered, monkeypatch, how, status
):
    edition = factories.make_edition(live_story, rendered)
    real = dark.check_may_go_public

    def gone_meanwhile(story: Story) -> None:
        monkeypatch.setattr(dark, "check_may_go_public", real)
        how(Story.objects.get(pk=edition.pk), by=Actor.by_token(owner))

    monkeypatch.setattr(dark, "check_may_go_public", gone_meanwhile)
    assert api.publish(edition).status_code == status
    assert not Publication.objects.filter(story=edition.pk, live_bake__isnull=False).exists()
