"""Passkeys: which form takes what a browser tells, and what is refused before the library fails at it."""

from __future__ import annotations

import hashlib
import json

import pytest
from django.core.exceptions import BadRequest, ValidationError
from fido2.utils import websafe_encode
from fido2.webauthn import AttestationObject, AuthenticatorData, CollectedClientData

from accounts.people import passkeys

DATA = AuthenticatorData.create(hashlib.sha256(b"capsules.example").digest(), 1, 0)


def told(**response: bytes) -> dict[str, object]:
    """As a browser sends it, of a key that was made or has signed."""
    said = CollectedClientData.create("webauthn.get", b"x" * 32, "https://capsules.example")
    coded = {name: websafe_encode(value) for name, value in {"clientDataJSON": said, **response}.items()}
    return {
        "id": websafe_encode(b"key"),
        "rawId": websafe_encode(b"key"),
        "type": "public-key",
        "response": coded,
    }


SIGNED = told(authenticatorData=DATA, signature=b"x")
MADE = told(attestationObject=AttestationObject.create("none", DATA, {}))


@pytest.mark.parametrize(
    "form, good, wrong",
    [
        (passkeys.LoginWebAuthnForm, SIGNED, MADE),
        (passkeys.ReauthenticateWebAuthnForm, SIGNED, MADE),
        (passkeys.AddWebAuthnForm, MADE, SIGNED),
    ],
)
def test_each_form_takes_what_a_browser_tells_there_and_asks_for_what_is_missing(form, good, wrong):
    field = form.base_fields["credential"]
    assert field.clean(json.dumps(good)) == good
    for bad in (json.dumps(wrong), "[1]", "[" * 5000):
        with pytest.raises(BadRequest, match=r"^This is not a passkey\.$"):
            field.clean(bad)
    for nothing in ("", "null"):
        with pytest.raises(ValidationError, match="required"):
            field.clean(nothing)
    assert field.widget.is_hidden


def test_a_key_may_be_without_a_name_until_it_is_named():
    asked = [form.base_fields["name"] for form in (passkeys.AddWebAuthnForm, passkeys.EditWebAuthnForm)]
    assert [(field.label, field.required) for field in asked] == [("Name", False), ("Name", True)]
