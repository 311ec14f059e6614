"""What production refuses to start with, and what development refuses to serve."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from django.core.checks import Tags, run_checks

from config.settings import DEVELOPMENT_KEY
from config.web_server import is_loopback
from tests.support.forks import SERVICE, Ended, run_each
from tests.support.ports import free_port

OWN_KEY = "k" * 50


def environment(tmp_path: Path, **changes: str) -> dict[str, str]:
    """What production gets, with these changes."""
    others = ("DEBUG", "DATABASE_URL", "REDIS_URL")
    return {
        **{name: value for name, value in os.environ.items() if name not in others},
        "DATA_DIR": str(tmp_path),
        "DEBUG": "false",
        "SECRET_KEY": OWN_KEY,
        "ALLOWED_HOSTS": "capsules.example",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'x.sqlite3'}",
        **changes,
    }


SETTINGS = "import config.settings as s"


def read(tmp_path: Path, *environments: dict[str, str], show: str = "") -> list[Ended]:
    """How the settings are read in each of these environments, and what is printed of them."""
    program = f"{SETTINGS}; {show and f'print({show})'}"
    loaded = "import config.environment, config.schema_settings"
    return run_each(((changes, program) for changes in environments), environment(tmp_path), loaded=loaded)


def refusals(tmp_path: Path, environments: list[dict[str, str]]) -> list[str]:
    """What is said as the service does not start in each of these."""
    answers = read(tmp_path, *environments)
    for changes, ended in zip(environments, answers, strict=True):
        assert ended.code == 1, f"It starts with {changes}"
    return [ended.err for ended in answers]


def test_production_does_not_start_with_what_everybody_knows(tmp_path):
    table = [
        ({"SECRET_KEY": DEVELOPMENT_KEY}, "at least 50 characters"),
        ({"SECRET_KEY": "x"}, "at least 50 characters"),
        ({"SECRET_KEY": "k" * 49}, "at least 50 characters"),
        ({"SECRET_KEY_FALLBACKS": DEVELOPMENT_KEY}, "at least 50 characters"),
        ({"SECRET_KEY": ""}, "Set SECRET_KEY"),
        ({"ALLOWED_HOSTS": "*"}, "must name the hosts"),
        ({"ALLOWED_HOSTS": "capsules.example, *"}, "must name the hosts"),
    ]
    said = refusals(tmp_path, [changes for changes, _ in table])
    for (changes, words), told in zip(table, said, strict=True):
        assert words in told, changes


UNREADABLE = [
    {"BEHIND_PROXY": "ture"},
    {"REQUIRE_STAFF_MFA": "enabled"},
    {"WEB_THREADS": "32 # per process"},
    {"STOP_PATIENCE": "-1"},
    {"MAIL_RATE": "none"},
    {"APP_URL": "capsules.example"},
    {"APP_URL": "ftp://capsules.example"},
    {"BASE_URL": "https//capsules.example"},
    {"MCP_URL": "capsules.example/mcp"},
    {"DATABASE_URL": "postgre://me:hush@127.0.0.1/capsules"},
    {"DATABASE_URL": "postgres://me:hu#sh/@127.0.0.1/capsules"},
    {"REDIS_URL": "127.0.0.1:6379"},
    {"STORAGE_URL": "s3://key:hu/sh@capsules"},
    {"EMAIL_URL": "smtp+tls://me:hush#@mail.example:587"},
    {"EMAIL_URL": "mail.example"},
    {"LOG_LEVEL": "verbose"},
    {"FETCH_PRIVATE": "10.1.2.3/16"},
    {"PORT": "80000"},
    {"MCP_PORT": "65536"},
    {"WEB_PROCESSES": "0"},
    {"WEB_THREADS": "0"},
    {"MCP_CONNECTIONS": "0"},
    {"PUBLISH_SLOTS": "0"},
    {"DATABASE_POOL": "0", "DATABASE_URL": "postgres://me@127.0.0.1/capsules"},
    {"ALLOWED_HOSTS": "https://capsules.example"},
    {"ALLOWED_HOSTS": "capsules.example, capsules.example:8443"},
    {"ALLOWED_HOSTS": "capsules.example/"},
    {"ALLOWED_HOSTS": "::1"},
    {"DATA_DIR": "/dev/null"},
    {"DATA_DIR": "/dev/null/data"},
]


def test_a_setting_that_cannot_be_read_is_named_and_no_secret_with_it(tmp_path):
    for changes, words in zip(UNREADABLE, refusals(tmp_path, UNREADABLE), strict=True):
        assert f": {next(iter(changes))} " in words.splitlines()[-1], changes
        assert not any(part in words for part in ("hush", "hu#sh", "hu%23sh", "hu/sh")), changes


def test_a_setting_is_read_as_it_is_meant(tmp_path):
    other, network = "o" * 50, "10.1.0.0/16"
    show = "s.SECRET_KEY_FALLBACKS, s.FETCH_PRIVATE, s.METRICS_TOKEN, s.LOG_LEVEL"
    meant = {"SECRET_KEY_FALLBACKS": f"{OWN_KEY}, {other}", "FETCH_PRIVATE": f"127.0.0.0/8, {network}"}
    [ended] = read(tmp_path, {**meant, "METRICS_TOKEN": "$token", "LOG_LEVEL": "info"}, show=show)
    told = f"{[OWN_KEY, other]} {['127.0.0.0/8', network]} $token INFO"
    assert (ended.code, ended.out.strip()) == (0, told), ended.err


def test_an_empty_variable_is_one_that_is_not_set(tmp_path):
    """As the lines of `.env.example` read when nothing but their mark is taken away."""
    names = ["APP_URL", "BASE_URL", "MCP_URL", "MCP_PORT", "PAGES_DIR", "DEFAULT_FROM_EMAIL", "WEB_THREADS"]
    show = f"[str(getattr(s, name)) for name in {names}]"
    unset, empty = read(tmp_path, {"DEBUG": "true"}, {"DEBUG": "true", **dict.fromkeys(names, "")}, show=show)
    assert unset.out == empty.out != ""


@pytest.mark.parametrize("address, warned", [("http://127.0.0.1:8000", True), ("https://a.example", False)])
def test_the_operator_is_told_where_links_would_lead_nowhere(address, warned, settings):
    settings.APP_URL = address
    told = run_checks(tags=[Tags.security], include_deployment_checks=True)
    assert any("Set APP_URL" in str(message.hint) for message in told) is warned


SERVER = "from config import web_server; sys.argv = ['web_server', {}]; web_server.main()"
SERVE = "from django.core.management import execute_from_command_line; "
SERVE += "execute_from_command_line(['manage.py', 'serve', {}])"
TOLD = """
import os, signal, weakref
from config.management.commands import serve

def migrate(*args, **options):
    os.kill(os.getpid(), signal.SIGINT)

serve.call_command = migrate
"""
#: Where Python drops what a handler raises: within a callback, as the lock of an import has one.
TOLD_IN_A_CALLBACK = """
def migrate(*args, **options):
    gone = {1}
    told = weakref.ref(gone, lambda _: os.kill(os.getpid(), signal.SIGINT))
    del gone

serve.call_command = migrate
"""
#: Where a check finds an error.
MOVED = """
from django.core.checks import Error, register

@register
def library(**kwargs):
    return [Error("A library keeps this elsewhere now.", id="tests.E001")]
"""
#: Where SQLite itself refuses to grow past a page.
FULL = """
import manage, os
settings.DATABASES["default"]["OPTIONS"]["init_command"] = "PRAGMA max_page_count = 2"
sys.argv = ["manage.py", "migrate", "-v0"]
manage.main()
"""
PROGRAMS = {
    "web": SERVER.format(""),
    "MCP": "from config import mcp_server; mcp_server.main()",
    "worker": "from config.celery import app; app.worker_main(['worker', '-P', 'threads', '--loglevel', 'INFO'])",
    "timer": "from config.celery import app; app.start(['beat'])",
}


@pytest.fixture(scope="module")
def not_started(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, Ended]]:
    """A port that is taken, and how the service ends in development where it may not listen, cannot, or is told to."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        programs = {
            "server": SERVER.format("'--host', '::'"),
            "service": SERVE.format("'--host', '::'"),
            "PORT": f"settings.PORT = {taken}; " + SERVE.format(""),
            "MCP_PORT": f"settings.MCP_PORT = {taken}; " + SERVE.format(""),
            "full": FULL,
            "told": TOLD + SERVE.format(""),
            "told in a callback": TOLD + TOLD_IN_A_CALLBACK + SERVE.format(""),
            **{role: MOVED + program for role, program in PROGRAMS.items()},
        }
        env = environment(tmp_path_factory.mktemp("data"), DEBUG="true", SECRET_KEY="")
        env |= {"PORT": str(free_port()), "MCP_PORT": str(free_port())}
        loaded = f"{SERVICE}import sys; from django.conf import settings"
        ended = run_each((({}, program) for program in programs.values()), env, loaded=loaded)
    return taken, dict(zip(programs, ended, strict=True))


def test_development_serves_this_machine_only(not_started):
    _, ends = not_started
    for ended in (ends["server"], ends["service"]):
        assert ended.code and "a key that everybody knows" in ended.err


def test_no_process_starts_where_a_check_finds_an_error(not_started):
    _, ends = not_started
    for role in PROGRAMS:
        assert ends[role].code > 0, role
        assert "A library keeps this elsewhere now." in ends[role].err, role


def test_a_command_says_that_there_is_no_space_left(not_started):
    _, ends = not_started
    assert ends["full"].code == 1 and ends["full"].err.startswith("No space left: make room")
    assert "Traceback" not in ends["full"].err


@pytest.mark.parametrize("taken", ["PORT", "MCP_PORT"])
def test_a_service_whose_port_is_taken_says_so_and_starts_nothing(taken, not_started):
    port, ends = not_started
    ended = ends[taken]
    assert ended.code and f"port {port}: Address already in use." in ended.err
    assert f"{taken}=" in ended.err and "Traceback" not in ended.err and not ended.out


def test_a_first_start_says_what_it_waits_for_and_ends_quietly_when_it_is_told_to(not_started):
    _, ends = not_started
    for ended in (ends["told"], ends["told in a callback"]):
        assert ended.code == 0 and ended.out.startswith("Preparing the database"), ended
        assert ended.out.count("\n") == 1 and not ended.err, ended


def test_every_loopback_address_is_this_machine_and_no_other_is():
    assert all(is_loopback(host) for host in ("127.0.0.1", "127.0.0.2", "::1", "localhost"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "::", "127.0.0.1.evil.example"))  # noqa: S104


def test_pages_may_load_media_from_where_readers_reach_the_bucket(tmp_path):
    table = {
        "s3://capsules": "https://capsules.s3.amazonaws.com",
        "s3://key:secret@capsules?endpoint_url=https://s3.example": "https://s3.example",
        "s3://key:secret@capsules?endpoint_url=http://s3:8333&custom_domain=capsules.example/media": "https://capsules.example",
    }
    answers = read(tmp_path, *({"STORAGE_URL": url} for url in table), show="*s.MEDIA_ORIGIN")
    assert [ended.out.strip() for ended in answers] == [*table.values()], answers


def test_a_data_folder_that_was_open_is_closed_and_a_group_keeps_its_rights(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o755)
    [ended] = read(tmp_path, {"DATA_DIR": str(folder)})
    assert ended.code == 0, ended.err
    assert folder.stat().st_mode & 0o777 == 0o750


def test_a_new_data_folder_is_closed_to_other_users_of_the_machine(tmp_path):
    folder = tmp_path / "data"
    [ended] = read(tmp_path, {"DATA_DIR": str(folder)})
    assert ended.code == 0, ended.err
    assert folder.stat().st_mode & 0o077 == 0
