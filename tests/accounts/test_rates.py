"""Who is counted as one caller, and how a sign-in is limited without shutting its owner out."""

from __future__ import annotations

import pytest
import time_machine
from django.test import Client

from accounts.models import RateWindow
from accounts.people.adapters import at_app_url
from accounts.throttling import address_of, network_in

pytestmark = pytest.mark.django_db

PASSWORD = "a-long-enough-secret"


@pytest.mark.parametrize(
    "address, counted",
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("not:an:address", "not:an:address"),
        ("", ""),
    ],
)
def test_an_ipv6_network_is_one_caller(address, counted):
    assert network_in(address) == counted


@pytest.mark.both_databases
@pytest.mark.usefixtures("clock_stands")
def test_a_network_has_one_limit_and_a_long_address_is_no_error(client, settings):
    settings.BEHIND_PROXY = True
    settings.RATES = {**settings.RATES, "feed": 2}
    told = [
        client.get("/api/v2/feed", headers={"X-Forwarded-For": f"spoofed, 2001:db8::{n:x}"}).status_code
        for n in range(4)
    ]
    assert told == [200, 200, 429, 429]
    assert client.get("/api/v2/feed", headers={"X-Forwarded-For": "x" * 300}).status_code == 200
    assert len(address_of({"HTTP_X_FORWARDED_FOR": "x" * 300})) == 32


@pytest.mark.usefixtures("clock_stands")
def test_each_place_has_its_own_share_of_the_token_endpoint_and_of_the_consent_page(client, settings):
    settings.RATES = {**settings.RATES, "token": 4}
    statuses = []
    for address in ("203.0.113.9", "203.0.113.10"):
        caller = Client(REMOTE_ADDR=address)
        for _ in range(3):
            statuses.append(caller.post("/oauth/token", {"grant_type": "authorization_code"}).status_code)
            statuses.append(caller.get("/oauth/authorize").status_code)
    assert statuses == [400, 302, 400, 302, 429, 429] * 2


def try_to_sign_in(email: str, password: str, address: str, host: str = "testserver"):
    return Client(REMOTE_ADDR=address).post(
        "/account/login/", {"login": email, "password": password}, headers={"Host": host}
    )


@pytest.fixture
def owner_with_password(owner):
    owner.set_password(PASSWORD)
    owner.save()
    return owner


@pytest.mark.both_databases
def test_wrong_passwords_from_one_place_do_not_keep_the_owner_out_elsewhere(owner_with_password):
    email = owner_with_password.email
    for number in range(6):
        try_to_sign_in(
            email, "wrong", "203.0.113.9", host=f"testserver:{number + 1}"
        )  # another port does not help
    assert "sessionid" not in try_to_sign_in(email, PASSWORD, "203.0.113.9").cookies
    assert try_to_sign_in(email, PASSWORD, "198.51.100.7").status_code == 302


def test_wrong_passwords_from_many_places_are_limited_too(owner_with_password, settings):
    settings.RATES = {**settings.RATES, "login": 4}
    for number in range(4):
        try_to_sign_in(owner_with_password.email, "wrong", f"203.0.113.{number}")
    answer = try_to_sign_in(owner_with_password.email, PASSWORD, "198.51.100.7")
    assert answer.status_code == 200 and "Too many failed login attempts" in answer.content.decode()


def test_wrong_passwords_from_many_places_do_not_keep_the_owner_out_where_they_signed_in_before(
    owner_with_password, settings
):
    email, home = owner_with_password.email, "198.51.100.7"
    settings.RATES = {**settings.RATES, "login": 4}
    assert try_to_sign_in(email, PASSWORD, home).status_code == 302
    for number in range(9):
        try_to_sign_in(email, "wrong", f"203.0.113.{number}")
    assert "sessionid" not in try_to_sign_in(email, PASSWORD, "203.0.113.77").cookies
    assert try_to_sign_in(email.upper(), PASSWORD, home).status_code == 302
    for _ in range(5):
        try_to_sign_in(email, "wrong", home)
    assert "sessionid" not in try_to_sign_in(email, PASSWORD, home).cookies, "it has the bound of one place"


@pytest.mark.both_databases
def test_where_somebody_else_signed_in_is_no_place_of_the_owner(owner_with_password, person, settings):
    stranger, place = person("stranger"), "203.0.113.77"
    stranger.set_password(PASSWORD)
    stranger.save()
    settings.RATES = {**settings.RATES, "login": 4}
    assert try_to_sign_in(stranger.email, PASSWORD, place).status_code == 302
    for number in range(9):
        try_to_sign_in(owner_with_password.email, "wrong", f"203.0.113.{number}")
    assert "sessionid" not in try_to_sign_in(owner_with_password.email, PASSWORD, place).cookies


def test_the_bound_of_all_places_is_for_an_hour_and_names_nobody(owner_with_password, settings):
    email, home = owner_with_password.email, "198.51.100.7"
    settings.RATES = {**settings.RATES, "login": 3}
    with time_machine.travel("2026-11-21T10:20:00Z", tick=False) as clock:
        for number in range(3):
            try_to_sign_in(email, "wrong", f"203.0.113.{number}")
        refused = try_to_sign_in(email, PASSWORD, home)
        assert "Too many failed login attempts" in refused.content.decode()
        clock.move_to("2026-11-21T11:19:59Z")
        assert try_to_sign_in(email, PASSWORD, home).status_code == 200
        assert not RateWindow.objects.filter(key__contains="@").exists()
        clock.move_to("2026-11-21T11:20:01Z")
        assert try_to_sign_in(email, PASSWORD, home).status_code == 302


@pytest.mark.both_databases
def test_a_place_is_known_for_sixty_days_after_the_last_sign_in(owner_with_password, settings):
    email, home = owner_with_password.email, "198.51.100.7"
    settings.RATES = {**settings.RATES, "login": 1}
    with time_machine.travel("2026-11-21T10:20:00Z", tick=False) as clock:
        assert try_to_sign_in(email, PASSWORD, home).status_code == 302
        for days, status in ((59, 302), (59, 302), (61, 200)):
            clock.shift(days * 24 * 3600)
            try_to_sign_in(email, "wrong", "203.0.113.9")
            assert try_to_sign_in(email, PASSWORD, home).status_code == status


def test_a_place_is_a_network_of_which_an_address_varies(owner_with_password, settings):
    email = owner_with_password.email
    settings.RATES = {**settings.RATES, "login": 6}
    assert try_to_sign_in(email, PASSWORD, "2001:db8:1:2::1").status_code == 302
    for number in range(6):
        try_to_sign_in(email, "wrong", f"2001:db8:9:9::{number}")
    assert "sessionid" not in try_to_sign_in(email, PASSWORD, "2001:db8:9:9::7").cookies
    assert try_to_sign_in(email, PASSWORD, "2001:db8:1:2::2").status_code == 302, "where the owner was before"
    for number in range(5):
        try_to_sign_in(email, "wrong", f"2001:db8:1:2::{number}")
    assert "sessionid" not in try_to_sign_in(email, PASSWORD, "2001:db8:1:2::9").cookies


def test_a_link_keeps_its_path_and_its_query_at_our_address(settings):
    settings.APP_URL = "https://capsules.example"
    assert at_app_url("http://evil.example:1/a/b?c=d&e#f") == "https://capsules.example/a/b?c=d&e"
    assert at_app_url("http://evil.example/a") == "https://capsules.example/a"
