"""What production refuses to start with, and what development refuses to serve."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks import Tags, run_checks

from config.settings import DEVELOPMENT_KEY
from config.web_server import is_loopback
from tests.support.ports import free_port
from tests.support.running import ROOT

OWN_KEY = "k" * 50


def started(
    tmp_path: Path, *command: str, stdin: str = "", **changes: str
) -> subprocess.CompletedProcess[str]:
    env = {
        **{
            name: value
            for name, value in os.environ.items()
            if name not in ("DEBUG", "DATABASE_URL", "REDIS_URL")
        },
        "DATA_DIR": str(tmp_path),
        "DEBUG": "false",
        "SECRET_KEY": OWN_KEY,
        "ALLOWED_HOSTS": "capsules.example",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'x.sqlite3'}",
        **changes,
    }
    return subprocess.run(
        [sys.executable, *(command or ("-c", "import config.settings"))],
        cwd=ROOT,
        env=env,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


#: Reads the settings in a fork for each of the environments that it is given: to start Python takes ten times as long.
READ_EACH = """
import json, os, sys, traceback
import config.environment, config.schema_settings

for changes in json.load(sys.stdin):
    heard, said = os.pipe()
    if not os.fork():
        os.environ.update(changes)
        os.dup2(said, 2)
        try:
            import config.settings
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    os.close(said)
    with os.fdopen(heard) as file:
        words = file.read()
    print(json.dumps([os.waitstatus_to_exitcode(os.wait()[1]), words]))
"""


def refusals(tmp_path: Path, environments: list[dict[str, str]]) -> list[str]:
    """What is said as the service does not start in each of these."""
    run = started(tmp_path, "-c", READ_EACH, stdin=json.dumps(environments))
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(answers) == len(environments), run.stderr
    for changes, (code, _) in zip(environments, answers, strict=True):
        assert code == 1, f"It starts with {changes}"
    return [words for _, words in answers]


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


def test_production_starts_with_secrets_and_hosts_of_its_own(tmp_path):
    run = started(tmp_path, SECRET_KEY_FALLBACKS="o" * 50)
    assert run.returncode == 0, run.stderr


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
    show = "import config.settings as s; print(s.SECRET_KEY_FALLBACKS, s.FETCH_PRIVATE, s.METRICS_TOKEN, s.LOG_LEVEL)"
    meant = {"SECRET_KEY_FALLBACKS": f"{OWN_KEY}, {other}", "FETCH_PRIVATE": f"127.0.0.0/8, {network}"}
    run = started(tmp_path, "-c", show, **meant, METRICS_TOKEN="$token", LOG_LEVEL="info")
    assert run.stdout.strip() == f"{[OWN_KEY, other]} {['127.0.0.0/8', network]} $token INFO", run.stderr


def test_an_empty_variable_is_one_that_is_not_set(tmp_path):
    """As the lines of `.env.example` read when nothing but their mark is taken away."""
    names = ["APP_URL", "BASE_URL", "MCP_URL", "MCP_PORT", "PAGES_DIR", "DEFAULT_FROM_EMAIL", "WEB_THREADS"]
    show = f"import config.settings as s; print([str(getattr(s, name)) for name in {names}])"
    told = [
        started(tmp_path, "-c", show, DEBUG="true", **variables).stdout
        for variables in ({}, dict.fromkeys(names, ""))
    ]
    assert told[0] == told[1] != ""


@pytest.mark.parametrize("address, warned", [("http://127.0.0.1:8000", True), ("https://a.example", False)])
def test_the_operator_is_told_where_links_would_lead_nowhere(address, warned, settings):
    settings.APP_URL = address
    told = run_checks(tags=[Tags.security], include_deployment_checks=True)
    assert any("Set APP_URL" in str(message.hint) for message in told) is warned


@pytest.mark.parametrize("command", [("-m", "config.web_server"), ("manage.py", "serve")])
def test_development_serves_this_machine_only(command, tmp_path):
    run = started(tmp_path, *command, "--host", "::", DEBUG="true", SECRET_KEY="")
    assert run.returncode != 0 and "a key that everybody knows" in run.stderr


@pytest.mark.parametrize("taken", ["PORT", "MCP_PORT"])
def test_a_service_whose_port_is_taken_says_so_and_starts_nothing(taken, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ports = {"PORT": str(free_port()), "MCP_PORT": str(free_port()), taken: str(port)}
        run = started(tmp_path, "manage.py", "serve", **ports)
    assert run.returncode != 0 and f"port {port}: Address already in use." in run.stderr
    assert f"{taken}=" in run.stderr and "Traceback" not in run.stderr and not run.stdout


#: Is told to stop where Python drops what a handler raises: within a callback, as the lock of an import has one.
TOLD_IN_A_CALLBACK = """
import os, signal, sys, weakref
from django.core import management
from config.management.commands import serve

def migrate(*args, **options):
    gone = {1}
    told = weakref.ref(gone, lambda _: os.kill(os.getpid(), signal.SIGINT))
    del gone

serve.call_command = migrate
management.execute_from_command_line(["manage.py", "serve"])
"""


@pytest.mark.parametrize("command", [("manage.py", "serve"), ("-c", TOLD_IN_A_CALLBACK)])
def test_a_first_start_says_what_it_waits_for_and_ends_quietly_when_it_is_told_to(tmp_path, command):
    env = {**os.environ, "DATA_DIR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": "", "DEBUG": "true"}
    env |= {"PORT": str(free_port()), "MCP_PORT": "0", "DJANGO_SETTINGS_MODULE": "config.settings"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, *command], cwd=ROOT, env=env, text=True, **pipes) as serving:
        try:
            assert serving.stdout and serving.stdout.readline().startswith("Preparing the database")
            if command[0] == "manage.py":
                serving.send_signal(signal.SIGINT)
            said, complaints = serving.communicate(timeout=60)
        finally:
            serving.kill()
    assert (serving.returncode, said, complaints) == (0, "", "")


def test_every_loopback_address_is_this_machine_and_no_other_is():
    assert all(is_loopback(host) for host in ("127.0.0.1", "127.0.0.2", "::1", "localhost"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "::", "127.0.0.1.evil.example"))  # noqa: S104


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("s3://capsules", "https://capsules.s3.amazonaws.com"),
        ("s3://key:secret@capsules?endpoint_url=https://s3.example", "https://s3.example"),
        (
            "s3://key:secret@capsules?endpoint_url=http://s3:8333&custom_domain=capsules.example/media",
            "https://capsules.example",
        ),
    ],
)
def test_pages_may_load_media_from_where_readers_reach_the_bucket(url, origin, tmp_path):
    run = started(
        tmp_path,
        *("-c", "from config import settings; print(*settings.MEDIA_ORIGIN)"),
        STORAGE_URL=url,
    )
    assert run.stdout.strip() == origin, run.stderr


def test_a_data_folder_that_was_open_is_closed_and_a_group_keeps_its_rights(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o755)
    assert started(tmp_path, DATA_DIR=str(folder)).returncode == 0
    assert folder.stat().st_mode & 0o777 == 0o750


def test_a_new_data_folder_is_closed_to_other_users_of_the_machine(tmp_path):
    folder = tmp_path / "data"
    done = started(tmp_path, DATA_DIR=str(folder))
    assert done.returncode == 0, done.stderr
    assert folder.stat().st_mode & 0o077 == 0
