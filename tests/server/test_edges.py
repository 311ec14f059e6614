"""Rules of a line or two that every part of the service leans on, each with its edges."""

from __future__ import annotations

import io
import threading
import time
from datetime import timedelta

import pytest
import time_machine
from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import Resolver404
from rest_framework import exceptions

from config import api, cursors, errors, ids, links, middleware, outbound, private_pages, retries
from config.addresses import is_public
from config.errors import Conflict, Fault, Invalid, Stale, Throttled
from config.settings import mail_domain
from config.slots import Slots
from config.views import page_not_found
from tests.support.sending import until


@pytest.mark.parametrize(
    "path, leads_to",
    [
        ("/studio/", "/studio"),
        ("/north-shore/small-voyages/?from=mail", "/north-shore/small-voyages?from=mail"),
        ("/no/such/page/at-all/", None),
        ("/media/", None),
        ("/subscribe/", None),
        ("/oauth/anything/", None),
        ("//elsewhere.example/", None),
        ("//elsewhere.example/voyage/", None),
    ],
)
def test_a_slash_too_many_leads_on_and_never_elsewhere(path, leads_to):
    path, _, query = path.partition("?")
    request = RequestFactory().get("/", PATH_INFO=path, QUERY_STRING=query)
    answer = page_not_found(request, Resolver404())
    assert answer.headers.get("Location") == leads_to
    assert answer.status_code == (301 if leads_to else 404)
    request.method = "POST"
    assert page_not_found(request, Resolver404()).status_code == 404


# --- Cursors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hours, fits", [(0, True), (23, True), (26, False), (-2, False)])
def test_a_cursor_is_good_for_a_day_and_not_before_it_was_made(hours, fits):
    with time_machine.travel("2030-01-01T10:30:00Z", tick=False) as clock:
        cursor = cursors.encode("feed", "q", 7)
        clock.shift(timedelta(hours=hours))
        if fits:
            assert cursors.decode("feed", "q", cursor) == (7,)
        else:
            with pytest.raises(Invalid) as refused:
                cursors.decode("feed", "q", cursor)
            assert "has expired" in refused.value.in_words()


def test_a_cursor_opens_its_own_list_only_and_cannot_be_made_up():
    cursor = cursors.encode("feed", "q", 7)
    middle = "A" if cursor[8] != "A" else "B"
    for name, parts, text in [
        ("events", "q", cursor),
        ("feed", "qq", cursor),
        ("feed", "i", cursor),
        ("feed", "q", cursor[:8] + middle + cursor[9:]),
        ("feed", "q", cursor[:-1]),
        ("feed", "q", cursor + "A"),
        ("feed", "q", cursor + "="),
        ("feed", "q", f" {cursor}"),
        ("feed", "q", ""),
        ("feed", "q", "é" * 40),
    ]:
        with pytest.raises(Invalid) as refused:
            cursors.decode(name, parts, text)
        assert [fault.path for fault in refused.value.faults] == ["cursor"]


def test_a_cursor_outlives_a_change_of_the_key_while_the_old_one_is_named(settings):
    cursor = cursors.encode("feed", "q", 7)
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another key of the service, longer than fifty characters"
    settings.SECRET_KEY_FALLBACKS = [old]
    assert cursors.decode("feed", "q", cursor) == (7,)
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(Invalid):
        cursors.decode("feed", "q", cursor)


# --- Identifiers and addresses ---------------------------------------------------------------------------------------

ONE = "7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11"


@pytest.mark.parametrize(
    "text, known",
    [
        (ONE, True),
        (ONE.upper(), True),
        (ONE.replace("-", ""), False),
        (f"{{{ONE}}}", False),
        (f"urn:uuid:{ONE}", False),
        (f" {ONE}", False),
        ("", False),
        (None, False),
        ("x", False),
    ],
)
def test_an_identifier_has_one_spelling(text, known):
    assert (ids.uuid_of(text) is not None) is known


@pytest.mark.parametrize(
    "text, number",
    [
        ("0", 0),
        ("12", 12),
        ("999999999", 999999999),
        ("1234567890", None),
        ("-1", None),
        ("+1", None),
        ("1.0", None),
        ("٣", None),
        ("²", None),
        (" 1", None),
        ("1\n", None),
        ("", None),
    ],
)
def test_a_number_is_its_digits(text, number):
    assert ids.number_of(text) == number


@pytest.mark.parametrize(
    "address, public",
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("127.0.0.1", False),
        ("10.0.0.1", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),  # noqa: S104
        ("192.0.2.1", False),
        ("198.18.0.1", False),
        ("192.88.99.1", False),
        ("224.0.0.1", False),
        ("240.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("fc00::1", False),
        ("ff02::1", False),
        ("::ffff:8.8.8.8", False),
        ("64:ff9b::808:808", False),
        ("2001::1", False),
        ("2001:db8::1", False),
        ("2002:808:808::1", False),
        ("3fff::1", False),
        ("localhost", False),
        ("", False),
    ],
)
def test_which_addresses_are_on_the_public_internet(address, public, settings):
    settings.FETCH_PRIVATE = []
    assert is_public(address) is outbound.may_call(address) is public


@pytest.mark.parametrize(
    "address, called",
    [
        ("10.1.2.3", True),
        ("10.2.0.1", False),
        ("fd00::5", True),
        ("fd01::5", False),
        ("8.8.8.8", True),
        ("nonsense", False),
    ],
)
def test_a_private_network_is_called_where_the_operator_names_it(address, called, settings):
    settings.FETCH_PRIVATE = ["10.1.0.0/16", "fd00::/32"]
    assert outbound.may_call(address) is called
    assert outbound.is_ours(address) is (called and address != "8.8.8.8")


@pytest.mark.parametrize(
    "address, told",
    [
        ("https://ink.example/a?b", ""),
        ("http://ink.example", ""),
        ("https://ink.example:443/", ""),
        ("https://ink.example:80/", ""),
        ("https://ink.example:1024/", ""),
        ("https://ink.example:8443/", ""),
        ("https://ink.example:1023/", "port"),
        ("https://ink.example:22/", "port"),
        ("https://ink.example:0/", "port"),
        ("https://me@ink.example/", "user name"),
        ("https://:secret@ink.example/", "user name"),
        ("ftp://ink.example/", "like"),
        ("file:///etc/passwd", "like"),
        ("https:///a", "like"),
        ("ink.example", "like"),
        ("https://ink.example:99999/", "like"),
        ("https://[::1/", "like"),
        ("", "like"),
    ],
)
def test_which_addresses_may_be_tried(address, told):
    if not told:
        assert outbound.parts_of(address, path="url", like="x").hostname == "ink.example"
        return
    with pytest.raises(Invalid) as refused:
        outbound.parts_of(address, path="url", like="x")
    [fault] = refused.value.faults
    assert fault.path == "url" and told in fault.message


def test_addresses_elsewhere_stay_as_they_are(settings):
    settings.APP_URL = "https://capsules.example"
    assert links.absolute("/a") == "https://capsules.example/a"
    assert links.absolute("https://bucket.example/a") == "https://bucket.example/a"


def test_languages_are_told_where_there_are_several_and_each_once():
    assert links.by_language("/d", [("en", "/a"), ("en", "/b")]) == {}
    assert links.by_language("/d", []) == {}
    both = links.by_language("/d", [("en", "/a"), ("de", "/c"), ("en", "/b")])
    assert both == {"en": "/a", "de": "/c", "x-default": "/d"}


@pytest.mark.parametrize("age, wait", [(0, 10), (5, 10), (20, 20), (299, 299), (301, 300), (9000, 300)])
def test_waits_double_within_bounds(age, wait):
    soonest = timedelta(seconds=10)
    assert retries.next_wait(timedelta(seconds=age), soonest=soonest) == timedelta(seconds=wait)


def test_a_private_page_is_kept_nowhere_and_gives_nothing_away():
    told = dict(private_pages.keep_private(HttpResponse()).headers)
    wanted = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"}
    assert told | wanted == told


# --- Slots -----------------------------------------------------------------------------------------------------------


def test_who_finds_no_slot_waits_in_a_bounded_queue_and_each_gives_its_slot_back():
    slots, busy = Slots(1, 1, patience=0.5), Throttled("Busy.")
    with slots.slot(busy):
        begun = time.monotonic()
        with pytest.raises(Throttled), slots.slot(busy):
            pass
        assert time.monotonic() - begun >= 0.49, "there is room to wait"
        slots.patience = 60
        waiting = threading.Thread(target=slots.wait)
        waiting.start()
        until(lambda: not slots.queue._value, "it stands in the queue")
        with pytest.raises(Throttled), slots.slot(busy):
            pass
        assert waiting.is_alive(), "the queue is full: refused at once"
    waiting.join()
    slots.free.release()  # which `waiting` got
    with pytest.raises(Conflict), slots.slot(busy):
        raise Conflict
    for _ in range(3):
        with slots.slot(busy):
            pass


# --- Errors and bodies -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, status",
    [
        ("Invalid", 400),
        ("Forbidden", 403),
        ("NotFound", 404),
        ("Conflict", 409),
        ("Gone", 410),
        ("TooLarge", 413),
        ("Locked", 423),
        ("Throttled", 429),
        ("Unavailable", 503),
        ("NoSpace", 507),
    ],
)
def test_each_error_has_its_status_and_says_when_to_come_again(kind, status):
    error = getattr(errors, kind)("Why.", faults=[Fault("a", "b")], retry_after=7)
    answer = api.error_response(error)
    assert (answer.status_code, answer["Retry-After"]) == (status, "7")
    assert api.error_body(error) == {"error": "Why.", "details": [{"path": "a", "message": "b"}]}
    plain = getattr(errors, kind)()
    assert "details" not in api.error_body(plain) and "Retry-After" not in api.error_headers(plain)
    assert api.error_headers(getattr(errors, kind)(retry_after=0))["Retry-After"] == "1", "never at once"
    assert error.in_words() == "b" and plain.in_words() == str(plain)


def test_what_was_changed_meanwhile_names_its_version_and_where_the_refused_is_kept():
    assert api.error_headers(Stale(version=4)) == {"ETag": '"4"'}
    assert api.error_headers(Stale(version=4, kept_as="/r/3")) == {"ETag": '"4"', "Location": "/r/3"}
    assert api.error_status(Stale(version=4)) == 412


def test_a_long_list_of_faults_is_cut_and_counted():
    faults = [Fault("x" * 100, "no")] * (errors.MAX_FAULTS + 3)
    shown = errors.first(faults)
    assert len(shown) == errors.MAX_FAULTS + 1 and len(shown[0].path) == 80 and "3 more" in shown[-1].message
    assert len(errors.first(faults[: errors.MAX_FAULTS])) == errors.MAX_FAULTS


FIELDS = {
    "text": (api.Text(max_length=3, allow_blank=True), ["", " a "], [0, 1.0, True, None, "abcd", ["a"], {}]),
    "needed text": (api.Text(), ["a"], [""]),
    "flag": (api.Flag(), [True, False], [0, 1, "true", "yes", None]),
    "whole": (api.Whole(min_value=1, max_value=9), [1, 9], [0, 10, "1", 1.0, True, None]),
    "choice": (api.Choice(["a", "b"]), ["a", "b"], ["c", "", "A", 1, None]),
    "id": (api.Id(), [ONE], [ONE.replace("-", ""), "x", 1, None]),
    "number of a query": (
        api.WholeNumber(min_value=1),
        ["1", "007", "1234567890"],
        ["0", "1.0", " 5", "١", "", "1" * 101, "+1"],
    ),
}


@pytest.mark.parametrize("kind", FIELDS)
def test_a_field_takes_values_of_its_own_type_only(kind):
    field, good, bad = FIELDS[kind]
    for value in good:
        field.run_validation(value)
    for value in bad:
        with pytest.raises(exceptions.ValidationError):
            field.run_validation(value)


class Inner(api.WireSerializer):
    someName = api.Text()  # noqa: N815


class Outer(api.WireSerializer):
    innerPart = Inner(required=False)  # noqa: N815
    items = Inner(many=True, required=False)


@pytest.mark.parametrize(
    "data, paths",
    [
        ({}, []),
        ({"innerPart": {"someName": "a"}}, []),
        ({"x": 1}, ["x"]),
        ({"innerPart": {"someName": "a", "x": 1}}, ["innerPart.x"]),
        ({"innerPart": {"x": 1}}, ["innerPart.someName", "innerPart.x"]),
        ({"inner_part": {"someName": "a"}}, ["inner_part"]),
        (
            {"items": [{"someName": "a"}, {"someName": 5, "x": 1}], "y": 1},
            ["items.1.someName", "items.1.x", "y"],
        ),
        ([], [""]),
        (None, [""]),
        ("a", [""]),
    ],
)
def test_every_offence_in_a_body_is_named_by_its_path(data, paths):
    if not paths:
        told = api.check(Outer, data)
        assert not data or told == {"inner_part": {"some_name": "a"}}
        return
    with pytest.raises(Invalid) as refused:
        api.check(Outer, data)
    assert sorted(fault.path for fault in refused.value.faults) == paths


@pytest.mark.parametrize(
    "body, told",
    [
        (b'{"a": 1}', ""),
        (b" ", ""),
        (b"\xff", "UTF-8"),
        (b"{", "not JSON"),
        (b'{"a": NaN}', "not JSON"),
        (b"[Infinity]", "not JSON"),
        (b'{"a": 1, "a": 1}', "more than once"),
        (b'[{"b": {"a": 1, "a": 2}}]', "more than once"),
    ],
)
def test_a_body_is_strict_json(body, told):
    if not told:
        middleware.parse_json(body)
        return
    with pytest.raises(Invalid) as refused:
        middleware.parse_json(body)
    assert told in refused.value.in_words()


def test_a_body_is_nested_no_deeper_than_allowed(settings):
    settings.API_DEPTH_LIMIT = 3
    middleware.parse_json(b'[{"a": []}]')
    middleware.parse_json(b"[[],[],[1]]")
    for body in (b"[[[[]]]]", b'{"a": {"b": {"c": 1}}}', b'[1, {"a": [{}]}]'):
        with pytest.raises(Invalid, match=r"not acceptable") as refused:
            middleware.parse_json(body)
        assert "nested too deep" in refused.value.in_words()


@pytest.mark.parametrize(
    "size, declared, told",
    [
        (16, "16", ""),
        (17, "17", "larger than"),
        (17, "", "larger than"),
        (5, "16", "cut short"),
        (5, "1²", "not a number"),
        (5, "-5", "not a number"),
        (5, "17", "larger than"),
    ],
)
def test_how_long_a_body_may_be_and_has_to_be(size, declared, told, settings):
    settings.API_BODY_LIMIT = 16
    request = RequestFactory().generic("POST", "/api/v2/uploads", b"a" * size)
    request.META["CONTENT_LENGTH"] = declared
    request._stream = io.BytesIO(b"a" * size)
    if not told:
        assert len(middleware.read_body(request)) == size
        return
    with pytest.raises(Invalid, match=told):
        middleware.read_body(request)


@pytest.mark.parametrize(
    "url, domain",
    [
        ("https://capsules.example", "capsules.example"),
        ("https://capsules.example:8443/a", "capsules.example"),
        ("http://127.0.0.1:8000", "localhost"),
        ("http://localhost:8000", "localhost"),
        ("", "localhost"),
    ],
)
def test_our_mail_comes_from_our_host_where_that_is_a_name(url, domain):
    assert mail_domain(url) == domain
