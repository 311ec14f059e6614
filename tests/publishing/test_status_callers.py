"""What is asked of every call before its story is looked at (rows 1 to 5): framing, routes, credentials, rates."""

from __future__ import annotations

import hmac
import json
import re
from datetime import timedelta

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from django.utils import timezone
from jwt.utils import base64url_encode

from accounts import tokens
from accounts.models import ApiKey, Membership
from tests.publishing.test_status_table import UNKNOWN_ID, assert_error, url

pytestmark = pytest.mark.django_db


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


NO_STRICT_JSON = [
    ("{", "", "The body is not JSON."),
    ("slug=x", "", "The body is not JSON."),
    ('{"slug": NaN}', "", "The body is not JSON."),
    (b'{"slug": "\xff"}', "", "The body is not UTF-8."),
    ('{"slug": "a", "slug": "b"}', "slug", "This key is in the body more than once."),
    (nested(21), "", "The body is nested too deep."),
    (nested(30_000), "", "The body is nested too deep."),
]


def test_a_body_that_is_no_strict_json_is_refused_before_anything_else(api):
    for body, path, message in NO_STRICT_JSON:
        for who, route in ((api, "/stories/x/publication"), (api.as_(None), "/no/such/route")):
            answer = who.call("PUT", route, data=body)
            assert_error(answer, 400, "The request body is not acceptable JSON.", (path, message))


def test_a_body_may_be_nested_twenty_deep(api, ready_story):
    answer = api.call("PUT", url(ready_story), data=nested(20))
    assert answer.status_code == 400 and "nested" not in answer.content.decode()


def test_a_body_over_64_kib_is_refused(api, ready_story):
    answer = api.call("PUT", url(ready_story), data=json.dumps({"slug": "a" * 64 * 1024}))
    assert_error(answer, 400, "The request body is larger than 64 KiB.")


def test_a_foreign_host_is_refused_as_json(api):
    answer = api.get("/health", headers={"Host": "evil.example"})
    assert_error(answer, 400, "The Host header names no host of this service.")


def test_an_unknown_route_is_a_json_404_even_without_a_credential(api):
    for path in ("/nothing", "", "/stories/", "/me/", "/stories/x/publication/"):
        assert_error(api.as_(None).get(path), 404, "There is no such address in this API.")


ALLOWED = [
    ("POST", "/health", "GET, HEAD"),
    ("PATCH", f"/stories/{UNKNOWN_ID}/publication", "DELETE, GET, HEAD, PUT"),
    ("DELETE", "/me", "GET, HEAD"),
    ("OPTIONS", "/me", "GET, HEAD"),
    ("TRACE", "/me", "GET, HEAD"),
]


def test_a_wrong_method_is_a_json_405_with_allow_even_without_a_credential(api):
    for method, path, allow in ALLOWED:
        answer = api.as_(None).call(method, path)
        assert_error(answer, 405, f'Method "{method}" not allowed.')
        assert answer["Allow"] == allow, (method, path)


def test_two_credentials_at_once_are_refused(api, ready_story, workspace_key):
    answer = api.get(url(ready_story), headers={"x-api-key": workspace_key})
    both = "Send either the Authorization header or the x-api-key header, not both."
    assert_error(answer, 400, both, ("", both))


def forged(owner, **changes) -> str:
    key = tokens.keys()[0]
    claims = jwt.decode(tokens.issue(owner), options={"verify_signature": False}) | changes
    return jwt.encode(claims, key.private, algorithm="ES256", headers={"typ": "at+jwt", "kid": key.id})


def signed_with_the_public_key(owner) -> str:
    """HS256 over a good header and good claims, keyed with what everybody knows."""
    _, claims, _ = tokens.issue(owner).split(".")
    header = base64url_encode(
        json.dumps({"alg": "HS256", "typ": "at+jwt", "kid": tokens.keys()[0].id}).encode()
    )
    public = tokens.keys()[0].private.public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    signature = hmac.digest(pem, header + b"." + claims.encode(), "sha256")
    return b".".join([header, claims.encode(), base64url_encode(signature)]).decode()


BAD_TOKENS = {
    "expired": lambda owner: tokens.issue(owner, ttl=timedelta(seconds=-1)),
    "of another audience": lambda owner: forged(owner, aud="https://elsewhere.example"),
    "of another issuer": lambda owner: forged(owner, iss="https://elsewhere.example"),
    "of nobody": lambda owner: forged(owner, sub=UNKNOWN_ID),
    "malformed": lambda owner: "abc.def",
    "unsigned": lambda owner: jwt.encode(
        {"sub": str(owner.pk)}, None, algorithm="none", headers={"typ": "at+jwt"}
    ),
    "signed with the public key": lambda owner: signed_with_the_public_key(owner),
    "of another type": lambda owner: jwt.encode(
        {"sub": str(owner.pk)}, tokens.keys()[0].private, "ES256", headers={"kid": tokens.keys()[0].id}
    ),
}


def test_a_bad_token_is_a_401_with_a_challenge(api, owner):
    for kind, token in BAD_TOKENS.items():
        answer = api.as_(None).get("/me", headers={"Authorization": f"Bearer {token(owner)}"})
        assert_error(answer, 401, "The bearer token is not valid. It may have expired.")
        challenge = r'Bearer realm="capsules", resource_metadata="http.+"'
        assert re.match(challenge, answer["WWW-Authenticate"]), kind


def test_no_credential_is_a_401_with_a_challenge_whose_document_exists(api, ready_story, client):
    for path in ("/me", url(ready_story)):
        answer = api.as_(None).get(path)
        assert_error(answer, 401, "Authentication credentials were not provided.")
    metadata = re.search(r'resource_metadata="https?://[^/]+([^"]+)"', answer["WWW-Authenticate"])
    assert client.get(metadata[1]).json()["resource"].endswith("/api/v2")


def test_a_key_that_is_unknown_revoked_or_expired_is_a_401(api, ready_story, workspace_key):
    refused = "The API key is not valid. It may have been revoked."
    assert_error(api.with_key("capsules_x").get(url(ready_story)), 401, refused)
    assert api.with_key(workspace_key).get(url(ready_story)).status_code == 200
    ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert_error(api.with_key(workspace_key).get(url(ready_story)), 401, refused)
    ApiKey.objects.update(expires_at=None, revoked_at=timezone.now())
    assert_error(api.with_key(workspace_key).get(url(ready_story)), 401, refused)


def test_a_key_opens_the_publication_endpoints_only(api, workspace_key):
    refused = "API keys are not taken here. Send a bearer token."
    for path in ("/me", "/connected-apps"):
        assert_error(api.with_key(workspace_key).get(path), 401, refused)


def test_disabling_the_user_stops_token_and_key_at_once(api, owner, ready_story, workspace_key):
    answers = [api.get("/me"), api.with_key(workspace_key).get(url(ready_story))]
    assert [a.status_code for a in answers] == [200, 200]
    owner.is_active = False
    owner.save()
    answers = [api.get("/me"), api.with_key(workspace_key).get(url(ready_story))]
    assert [a.status_code for a in answers] == [401, 401]


def test_removing_the_member_stops_token_and_key_at_once(api, owner, ready_story, workspace_key):
    Membership.objects.filter(user=owner).delete()
    assert api.state(ready_story).status_code == 404
    assert api.with_key(workspace_key).state(ready_story).status_code == 401


@pytest.mark.parametrize("kind, method", [("read", "GET"), ("write", "DELETE")])
@pytest.mark.usefixtures("clock_stands")
def test_over_the_rate_is_a_429_that_says_when(api, settings, ready_story, person, kind, method):
    settings.RATES = {**settings.RATES, kind: 2}
    answers = [api.call(method, url(ready_story)) for _ in range(3)]
    assert [a.status_code for a in answers] == [200, 200, 429]
    assert_error(answers[2], 429, "Too many requests: at most 2 a minute. Please slow down.")
    assert 1 <= int(answers[2]["Retry-After"]) <= 60
    assert (answers[2]["RateLimit-Limit"], answers[2]["RateLimit-Remaining"]) == ("2", "0")
    assert api.as_(person("admin")).call(method, url(ready_story)).status_code == 200, (
        "counted per credential"
    )


def test_the_rate_is_checked_before_the_story(api, settings, ready_story):
    settings.RATES = {**settings.RATES, "read": 0}
    assert api.state(UNKNOWN_ID).status_code == 429
