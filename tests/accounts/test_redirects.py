"""Redirect addresses by themselves: what is wrong with one, whether two are the same, and where one leads."""

from __future__ import annotations

import pytest

from accounts.oauth.redirects import (
    Destination,
    are_of_one_site,
    destination,
    is_private_scheme,
    redirect_fault,
    same,
)

LONGEST = "https://ink.example/" + "a" * 480


@pytest.mark.parametrize(
    "uri",
    [
        LONGEST,
        "https://ink.example",
        "https://ink.example:8443/callback?a=b",
        "https://ink.example/a..b/c.d",
        "https://[2001:db8::1]/callback",
        "http://127.0.0.1:51004/callback",
        "http://[::1]",
        "http://localhost/callback",
        "com.example.app:/callback",
        "com.example.app://callback",
        "vscode://publisher.extension/callback",
    ],
)
def test_an_address_that_can_be_registered(uri):
    assert redirect_fault(uri) == ""


@pytest.mark.parametrize(
    "uri, told",
    [
        (LONGEST + "a", "must be printable ASCII of at most 500 characters"),
        ("https://ink.example/ä", "must be printable ASCII of at most 500 characters"),
        ("https://ink.example/a b", "must be printable ASCII of at most 500 characters"),
        ("", "must be printable ASCII of at most 500 characters"),
        ("https://ink.example/#there", "must not have a fragment"),
        ("https://ink.example\\@evil.example/", "must not have dot segments or backslashes"),
        ("https://ink.example/a/../b", "must not have dot segments or backslashes"),
        ("https://ink.example/.", "must not have dot segments or backslashes"),
        ("https://ink.example/%2E%2e/b", "must not have dot segments or backslashes"),
        ("https://ink.example:99999/", "is not a URI"),
        ("https://[::1/", "is not a URI"),
        ("https://ines@ink.example/", "must not have user information"),
        ("http://localhost:0/", "must not have the port 0"),
        ("https://*.ink.example/", "must name one host, in ASCII"),
        ("http://ink.example/", "must be https; plain http is for loopback addresses only"),
        ("HTTPS://ink.example/", "must be https; plain http is for loopback addresses only"),
        (
            "ink:/callback",
            "must be https, a loopback address, or the private scheme of an app, which is a domain ",
        ),
        (
            "javascript:alert(1)",
            "must be https, a loopback address, or the private scheme of an app, which is a ",
        ),
    ],
)
def test_an_address_that_cannot_be_registered_and_why(uri, told):
    assert redirect_fault(uri).startswith(told) and (told.endswith(" ") or redirect_fault(uri) == told)


def test_a_private_scheme_is_a_domain_turned_round_or_known(settings):
    assert is_private_scheme("com.example") and is_private_scheme("cursor") and not is_private_scheme("ink")
    settings.OAUTH_PRIVATE_SCHEMES = ["ink"]
    assert is_private_scheme("ink") and redirect_fault("ink://callback") == ""


@pytest.mark.parametrize(
    "uris, one",
    [
        ([], True),
        (["https://ink.example/a", "https://ink.example/b"], True),
        (["https://auth.ink.example/", "https://ink.example/"], True),
        (["https://a.ink.example/", "https://b.ink.example/"], False),
        (["https://evilink.example/", "https://ink.example/"], False),
        (["https://ink.example/", "http://localhost/", "com.example.app:/x"], True),
    ],
)
def test_https_addresses_are_of_one_site(uris, one):
    assert are_of_one_site(uris) is one


@pytest.mark.parametrize(
    "requested, registered, is_same",
    [
        ("https://ink.example/a", "https://ink.example/a", True),
        ("https://ink.example/a", "https://ink.example/b", False),
        ("https://ink.example:1/a", "https://ink.example:2/a", False),
        ("http://127.0.0.1:5000/a", "http://127.0.0.1/a", True),
        ("http://127.0.0.1:5000/a", "http://127.0.0.1:6000/a", True),
        ("http://127.0.0.1:5000/a", "http://127.0.0.1/b", False),
        ("http://127.0.0.1:5000/a", "http://localhost/a", False),
        ("http://127.0.0.1:5000/a", "https://ink.example/a", False),
        ("https://ink.example/a", "http://127.0.0.1/a", False),
        ("http://localhost:3118/a", "http://localhost:3118/a", True),
        ("http://127.0.0.1.evil.example/a", "http://127.0.0.1/a", False),
        ("http://127.0.0.1:1@evil.example/a", "http://127.0.0.1/a", False),
        ("https://127.0.0.1/a", "http://127.0.0.1/a", False),
        ("http://127.0.0.1:0/a", "http://127.0.0.1/a", False),
        ("cursor://anysphere.cursor/a", "cursor://anysphere.cursor/a", True),
        ("com.example.app:/b", "com.example.app:/a", False),
        ("https://ink.example/#a", "https://ink.example/#a", False),
    ],
)
def test_only_the_port_of_a_loopback_address_may_differ(requested, registered, is_same):
    assert same(requested, registered) is is_same


def test_a_person_is_told_where_an_answer_goes():
    assert destination("http://localhost:5000/a") == Destination("device", "this device")
    assert destination("https://ink.example:8443/a") == Destination("site", "ink.example")
    assert destination("com.example.app:/a") == Destination("scheme", "com.example.app:")
