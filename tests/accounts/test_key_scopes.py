"""What a workspace key may do is chosen when it is made."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.actions.keys import create_api_key, revoke_api_key, revoke_keys_of
from accounts.actors import KEY_SCOPES, Actor
from accounts.models import ApiKey, SecurityEvent
from config.errors import Fault, Forbidden, Invalid
from tests.support.factories import Api

pytestmark = pytest.mark.django_db


def test_a_key_reads_and_publishes_unless_told_otherwise(owner, north_shore):
    key, _ = create_api_key(north_shore, by=owner)
    assert key.scopes == ["publications:read", "publications:write"]
    assert Actor.by_key(key).scopes == {"publications:read", "publications:write"}


def test_a_key_that_may_only_read_does_not_publish(owner, north_shore, ready_story):
    _, secret = create_api_key(north_shore, by=owner, scopes=["publications:read"])
    api = Api(Client()).with_key(secret)
    assert api.state(ready_story).status_code == 200
    refused = api.publish(ready_story)
    assert refused.status_code == 403 and "key was not granted" in refused.json()["error"]
    assert "WWW-Authenticate" not in refused


@pytest.mark.parametrize("scopes", [[], ["connections:write"], ["publications:read", "everything"]])
def test_a_key_has_no_scope_that_keys_cannot_use(scopes, owner, north_shore):
    with pytest.raises(Invalid) as refused:
        create_api_key(north_shore, by=owner, scopes=scopes)
    told = f"Choose among {', '.join(KEY_SCOPES)}."
    assert (str(refused.value), refused.value.faults) == (told, [Fault("scopes", told)])
    ApiKey(workspace=north_shore, creator=owner, digest="x", scopes=["connections:write"]).save()
    assert Actor.by_key(ApiKey.objects.get()).scopes == frozenset()


def test_who_is_no_member_makes_no_key(person, north_shore):
    with pytest.raises(Forbidden) as refused:
        create_api_key(north_shore, by=person("stranger"))
    assert str(refused.value) == "owner@harbour.example is not a member of North Shore Press."
    assert refused.value.faults == [Fault("user", "No member.")] and not ApiKey.objects.exists()


def test_a_key_is_in_the_log_by_its_label_or_its_beginning_and_ends_once(owner, person, north_shore):
    made = [create_api_key(north_shore, by=owner, label=label)[0] for label in ("Nightly", "")]
    called = ["Nightly", f"{made[1].prefix}…"]
    assert [revoke_api_key(key, by=person("admin")) for key in made] == [True, True]
    ended = list(ApiKey.objects.order_by("pk").values())
    assert revoke_api_key(made[0], by=owner) is False and revoke_keys_of(owner, by=owner) == 0
    assert list(ApiKey.objects.order_by("pk").values()) == ended
    rows = SecurityEvent.objects.filter(workspace=north_shore).order_by("pk")
    assert list(rows.values_list("kind", "subject", "user")) == [
        *(("key_made", name, owner.pk) for name in called),
        *(("key_revoked", name, person("admin").pk) for name in called),
    ]


def test_the_page_offers_scopes_in_plain_words_and_needs_one(client, owner, north_shore):
    client.force_login(owner)
    base = f"/account/workspaces/{north_shore.pk}/keys"
    page = client.get(base).content.decode()
    assert "Create and edit your capsules and upload media" in page and "connections:" not in page
    assert not re.findall(r"<input[^>]+checked[^>]*>", page), "a key may what was ticked by a person"

    refused = client.post(f"{base}/new", {"label": "Script", "days": "30"}).content.decode()
    assert "Tick at least one" in refused and not ApiKey.objects.exists()
    client.post(f"{base}/new", {"label": "Script", "days": "30", "scopes": ["stories:write", "stories:read"]})
    assert ApiKey.objects.get().scopes == ["stories:read", "stories:write"]
    assert "Read your capsules, including unpublished ones</li>" in client.get(base).content.decode()


def test_the_command_takes_scopes(owner, north_shore):
    call_command(
        "create_api_key", "north-shore", "--user", owner.email, "--scopes", "stories:read", stdout=StringIO()
    )
    assert ApiKey.objects.get().scopes == ["stories:read"]
    with pytest.raises(CommandError):
        call_command("create_api_key", "north-shore", "--user", owner.email, "--scopes", "connections:read")
