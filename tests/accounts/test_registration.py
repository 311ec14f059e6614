"""How an app registers itself (RFC 7591): what it is told, and why it is refused, in the words of its developer."""

from __future__ import annotations

import json

import pytest
from django.conf import settings

from accounts.models import Application
from tests.support.oauth import REDIRECT

pytestmark = pytest.mark.django_db

METADATA = {"redirect_uris": [REDIRECT]}


def register(client, body):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post("/oauth/register", raw, content_type="application/json")


def test_a_client_is_told_all_that_it_is(client):
    answer = register(client, METADATA)
    made = Application.objects.get()
    assert (answer.status_code, answer["Cache-Control"]) == (201, "no-store")
    assert answer.json() == {
        "client_id": made.client_id,
        "client_id_issued_at": int(made.created.timestamp()),
        "redirect_uris": [REDIRECT],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }
    assert (made.name, made.redirect_uris, made.client_type) == ("", REDIRECT, "public")
    assert (made.registration_source, made.authorization_grant_type) == ("dcr", "authorization-code")


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_a_client_that_keeps_a_secret_is_shown_it_once(method, client):
    said = {
        "client_name": "Ink",
        "client_uri": "https://ink.example/about",
        "logo_uri": "https://ink.example/logo.png",
        "redirect_uris": [REDIRECT, "http://127.0.0.1/callback"],
        "token_endpoint_auth_method": method,
        "software_id": "ignored",
    }
    told = register(client, said).json()
    made = Application.objects.get()
    assert told["client_secret_expires_at"] == 0 and len(told["client_secret"]) > 40
    assert made.client_secret != told["client_secret"] and made.client_type == "confidential"
    del said["software_id"]
    assert {name: told[name] for name in said} == said and "software_id" not in told
    assert (made.name, made.client_uri, made.logo_uri) == ("Ink", said["client_uri"], said["logo_uri"])
    assert made.redirect_uris == f"{REDIRECT} http://127.0.0.1/callback"


def test_the_longest_metadata_is_read_and_one_byte_more_is_not(client):
    longest = json.dumps({**METADATA, "software_id": ""}).encode()
    longest = longest.replace(
        b'"software_id": ""', b'"software_id": "%s"' % (b"x" * (16 * 1024 - len(longest)))
    )
    assert len(longest) == 16 * 1024 and register(client, longest).status_code == 201
    for larger in (longest + b" ", b" " * 3 * 2**20):  # which is more than Django reads
        refused = register(client, larger)
        assert refused.status_code == 400 and refused.json() == {
            "error": "invalid_client_metadata",
            "error_description": "The metadata is larger than 16 KiB.",
        }


@pytest.mark.parametrize(
    "body, told",
    [
        (b"{", "The body is not JSON."),
        (b"[" * 9000, "The body is not JSON."),
        ([], "The metadata is not a JSON object."),
        (
            {"client_name": "Capsules", **METADATA},
            "client_name: Must not contain the name of this service, Capsules, or what looks like it.",
        ),
        ({"logo_uri": "http://ink.example/logo.png", **METADATA}, "logo_uri: Must be an https address."),
        ({"client_uri": "http://ink.example/", **METADATA}, "client_uri: Must be an https address."),
        (
            {"grant_types": ["refresh_token"], **METADATA},
            "grant_types: Must contain authorization_code.",
        ),
        (
            {"grant_types": ["password"], "client_uri": "ftp://x", **METADATA},
            'client_uri: Enter a valid URL.; grant_types: "password" is not a valid choice.',
        ),
    ],
)
def test_metadata_that_is_refused_is_told_field_by_field(body, told, client):
    refused = register(client, body)
    assert refused.status_code == 400
    assert refused.json() == {"error": "invalid_client_metadata", "error_description": told}
    assert not Application.objects.exists()


@pytest.mark.parametrize(
    "uris, told",
    [
        (["https://ink.example/#x"], "A redirect URI must not have a fragment."),
        (
            ["https://ink.example/", "https://elsewhere.example/"],
            "All https redirect URIs must have one host, or hosts below it.",
        ),
        ([REDIRECT] * 11, "Ensure this field has no more than 10 elements."),
        ([], "Ensure this field has at least 1 elements."),
        ([" https://ink.example/"], "A redirect URI must be printable ASCII of at most 500 characters."),
    ],
)
def test_redirect_addresses_that_are_refused_have_an_error_of_their_own(uris, told, client):
    refused = register(client, {"redirect_uris": uris})
    assert refused.json() == {"error": "invalid_redirect_uri", "error_description": f"redirect_uris: {told}"}


def test_ten_addresses_are_enough(client):
    uris = [f"https://ink.example/{number}" for number in range(10)]
    assert register(client, {"redirect_uris": uris}).status_code == 201


def test_registration_keeps_address_and_logo_ignores_the_rest_and_says_what_is_wrong(client):
    addresses = {"client_uri": "https://ink.example", "logo_uri": "https://ink.example/l.png"}
    told = register(client, {**METADATA, **addresses, "unknown": 1}).json()
    assert told["client_uri"] == "https://ink.example" and told["token_endpoint_auth_method"] == "none"
    for wrong in (
        {"redirect_uris": []},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"client_name": 7 * ["x"]},
    ):
        answer = register(client, {**METADATA, **wrong})
        assert answer.status_code == 400 and answer.json()["error"].startswith("invalid_")


@pytest.mark.usefixtures("clock_stands")
def test_a_flood_of_registrations_is_refused_for_a_minute(client):
    answers = [register(client, METADATA) for _ in range(settings.RATES["registration"] + 1)]
    assert answers[0].status_code == 201 and answers[-1].status_code == 429
    assert int(answers[-1]["Retry-After"]) >= 1
