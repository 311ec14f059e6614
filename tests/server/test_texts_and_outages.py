"""What a text may have in it and where it is cut, and which error means that something the service needs is away."""

from __future__ import annotations

import errno
import logging
import sqlite3

import botocore.exceptions
import kombu.exceptions
import pytest
import redis
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.db import DataError, InternalError, OperationalError

from config import logs, outage, texts
from config.outbox import OutboxBackend

# --- Texts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text, line", [
    ("a  b\n\tc ", "a b c"), ("a\u2028b\u2029c\x00d\x85e", "a b c d e"), ("\u202ea\u200bb\ufeff", "ab"),
    ("\u0646\u200c\u0645", "\u0646\u200c\u0645"), ("\ud800\ufffe\uffffa", "a"), ("", ""), ("👨\u200d👩", "👨\u200d👩"),
])  # fmt: skip
def test_one_line_has_what_people_see(text, line):
    assert texts.one_line(text) == line


@pytest.mark.parametrize("text, length, short", [
    ("one two", 7, "one two"), ("one two", 6, "one…"), ("one two", 5, "one…"), ("one two", 4, "one…"),
    ("onetwo", 4, "one…"),
    ("one, two", 7, "one…"), ("one – two", 8, "one…"), ("one two three", 8, "one two…"), ("a\nb", 3, "a b"),
])  # fmt: skip
def test_a_long_line_is_cut_at_a_word(text, length, short):
    assert texts.cut(text, length) == short and len(texts.cut(text, length)) <= length


def test_a_subject_is_never_empty_long_or_code():
    assert texts.subject_line("") == texts.subject_line("\n\u200b") == "…"
    assert texts.subject_line("=?utf-8?q?x?=") == "= ?utf-8?q?x?="
    assert len(texts.subject_line("word " * 100)) <= 150 and texts.subject_line("x" * 150) == "x" * 150


@pytest.mark.parametrize("text, shown", [
    ("See https://a.example/b", "See https: / / a. example/ b"), ("ask me@a.example", "ask me@ a. example"),
    ("www.a.b", "www. a. b"), ("go to ink.example now", "go to ink. example now"), ("U.S.News", "U.S.News"),
    ("Ends here. Begins", "Ends here. Begins"), ("3.14", "3.14"), ("a\nb", "a b"),
])  # fmt: skip
def test_no_mail_program_makes_a_link_of_what_people_wrote(text, shown):
    found = texts.unlinked(text)
    assert found.replace(" ", "") == shown.replace(" ", "")
    assert (found == texts.one_line(text)) is (shown == texts.one_line(text))


def test_lines_end_in_one_way():
    assert texts.unix_breaks("a\r\nb\rc\nd\n\r") == "a\nb\nc\nd\n\n"


LRE, PDF, RLI, PDI = "\u202a", "\u202c", "\u2067", "\u2069"


@pytest.mark.parametrize("text, taken, left", [
    ("a\tb\nc\r\n", True, ""), ("a\0", False, None), ("\ud800", False, None), ("a\x07b", False, "ab"),
    ("a\x1fb\x7fc\x85", False, "abc"), ("\x0b\x0c", False, ""), ("a\ufffe", False, "a"), ("a\U0010ffff", False, "a"),
    ("a\ufdd0b", False, "ab"), (f"{LRE}a{PDF}", True, ""), (f"{LRE}a", False, "a"), (f"a{PDF}", False, "a"),
    (f"{LRE}a\n{PDF}", False, "a\n"), (f"{RLI}{LRE}a{PDF}{PDI}", True, ""), (f"{RLI}{LRE}a{PDI}{PDF}", False, "a"),
    (f"{RLI}a{PDF}", False, "a"), (f"ok{LRE}a{PDF}\n{PDI}b", False, f"ok{LRE}a{PDF}\nb"),
])  # fmt: skip
def test_which_characters_a_text_may_have(text, taken, left):
    if taken:
        texts.check_characters(text)
        assert texts.readable(text) == text
        return
    with pytest.raises(ValidationError):
        texts.check_characters(text)
    if left is not None:
        assert texts.readable(text) == left


@pytest.mark.parametrize("text, taken", [
    ("A title", True), ("=?x", False), ("a\nb", False), ("a\u200bb", False), ("ink.example", False),
    ("a@b.example", False),
    ("No. 5", True), ("می\u200cخواهم", True), ("https://x", False), ("Dr. Strange", True), ("写真。展", True),
])  # fmt: skip
def test_what_a_title_may_be(text, taken):
    if taken:
        texts.check_title(text)
    else:
        with pytest.raises(ValidationError):
            texts.check_title(text)


@pytest.mark.parametrize("text", ["a\nb", "a\rb", "a\u2028b", "a\u2029b"])
def test_one_line_has_no_break(text):
    texts.check_one_line("a b\tc")
    with pytest.raises(ValidationError):
        texts.check_one_line(text)


# --- Outages --------------------------------------------------------------------------------------------------------


def of_sqlite(name: str) -> OperationalError:
    error = sqlite3.OperationalError("x")
    error.sqlite_errorname = name
    return caused(OperationalError("x"), error)


def of_postgresql(state: str | None, kind: type[Exception] = OperationalError) -> Exception:
    cause = Exception("x")
    cause.sqlstate = state  # type: ignore[attr-defined]
    return caused(kind("x"), cause)


def caused(error: Exception, by: Exception) -> Exception:
    error.__cause__ = by
    return error


@pytest.mark.parametrize("error, status", [
    (of_sqlite("SQLITE_FULL"), 507), (of_sqlite("SQLITE_READONLY"), 503), (of_sqlite("SQLITE_READONLY_DBMOVED"), 503),
    (of_sqlite("SQLITE_BUSY"), 503), (of_sqlite("SQLITE_LOCKED"), 503), (of_sqlite("SQLITE_IOERR_READ"), 503),
    (of_sqlite("SQLITE_CANTOPEN"), 503), (of_sqlite("SQLITE_ERROR"), None), (of_sqlite(""), None),
    (of_postgresql("53100"), 507), (of_postgresql("25006"), 503), (of_postgresql("57014"), 503),
    (of_postgresql("55P03"), 503), (of_postgresql("40P01"), 503), (of_postgresql("08006"), 503),
    (of_postgresql("53300"), 503), (of_postgresql("57P01"), 503), (of_postgresql(None), 503),
    (of_postgresql("42P01"), None), (of_postgresql(None, InternalError), None),
    (of_postgresql("22001", DataError), None),
    (OSError(errno.ENOSPC, "x"), 507), (OSError(errno.EDQUOT, "x"), 507), (OSError(errno.EROFS, "x"), 503),
    (OSError(errno.ENOENT, "x"), None), (redis.ConnectionError(), 503), (redis.TimeoutError(), 503),
    (redis.ResponseError(), None), (kombu.exceptions.OperationalError(), 503), (ValueError("x"), None), (None, None),
    (botocore.exceptions.EndpointConnectionError(endpoint_url="x"), 503),
    (caused(ValueError("x"), OSError(errno.ENOSPC, "x")), 507),
])  # fmt: skip
def test_which_error_means_that_something_is_away(error, status):
    found = outage.error_for(error)
    expected = {507: "NoSpace", 503: ("Unavailable", "Busy"), None: "NoneType"}[status]
    assert type(found).__name__ in expected
    if status == 503:
        assert found.retry_after == 3
    cannot_write = status == 507 or (found is not None and "save anything" in str(found))
    assert error is None or outage.cannot_write(error) is cannot_write
    assert error is None or (outage.for_operator(error) is None) is (status is None)


@pytest.mark.parametrize("needed", [True, False])
@pytest.mark.parametrize(
    "error, goes_on", [(of_sqlite("SQLITE_FULL"), True), (of_sqlite("SQLITE_BUSY"), False)]
)
def test_a_read_goes_on_where_its_note_cannot_be_written(error, goes_on, needed):
    def noted() -> bool:
        with outage.note(needed=needed):
            raise error
        return True

    if goes_on and not needed:
        assert noted()
    else:
        with pytest.raises(OperationalError):
            noted()


# --- Mails of the default, policies, logs ---------------------------------------------------------------------------


def test_without_a_mail_server_each_mail_is_a_whole_file_named_by_whom_it_is_for(settings, tmp_path):
    settings.OUTBOX_DIR = tmp_path / "outbox"
    mails = [
        EmailMessage("S", f"Body {n}.", "a@b.example", [to])
        for n, to in enumerate(["A/b@c.example", "x@y.example"])
    ]
    assert OutboxBackend().send_messages(mails) == 2
    files = sorted(settings.OUTBOX_DIR.iterdir(), key=lambda file: file.name.partition("-a_b@")[1])
    assert {file.suffix for file in files} == {".eml"}
    assert sorted("a_b@c.example" in file.name for file in files) == [False, True]
    assert sorted(f"Body {n}." in file.read_text() for file in files for n in (0, 1)) == [
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("told, behind_proxy, kept", [
    ("abcdefgh", True, True), ("abcdefgh", False, False), ("short", True, False), ("a" * 65, True, False),
    ("a b c d e f", True, False), ("", True, False),
])  # fmt: skip
def test_only_our_proxy_names_a_request_and_in_one_form(told, behind_proxy, kept, settings, client):
    settings.BEHIND_PROXY = behind_proxy
    found = client.get("/api/v2/health", headers={"X-Request-ID": told})["X-Request-ID"]
    assert (found == told) is kept and logs.FORM.fullmatch(found)


@pytest.mark.parametrize("id, line", [("", "Words"), ("abc", "Words [abc]")])
def test_a_line_ends_with_the_id_of_its_request(id, line):
    record = logging.LogRecord("x", logging.INFO, "x", 1, "Words", (), None)
    record.request_id = id
    assert logs.PlainFormatter("%(message)s").format(record) == line
