"""What asks for a recent login, on the running service: with its own middleware, and in no test's transaction."""

from __future__ import annotations

import http.client
import subprocess
import sys
from urllib.parse import quote

import pytest

from tests.support.running import ROOT, Service, service

PAGES = [
    "/account/delete",
    "/account/data.json",
    "/account/2fa/totp/activate/",
    "/account/2fa/webauthn/add/",
    "/account/2fa/recovery-codes/generate/",
    "/account/workspaces/{workspace}/delete",
]


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with service(tmp_path_factory.mktemp("service"), stories=0) as started:
        yield started


def sign_in(running: Service, *, hours: float) -> str:
    """The key of the owner's web session, as if they had signed in `hours` ago."""
    command = [sys.executable, "-m", "tests.support.sign_in", running.seeded["owner"], str(hours)]
    done = subprocess.run(
        command, cwd=ROOT, env=running.env, check=True, capture_output=True, text=True, timeout=120
    )
    return done.stdout.strip()


def ask(running: Service, path: str, **headers: str) -> http.client.HTTPResponse:
    """The answer itself: no redirect is followed."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
    connection.request("GET", path.format(**running.seeded), headers=headers)
    answer = connection.getresponse()
    answer.read()
    return answer


def place(answer: http.client.HTTPResponse) -> tuple[int, str]:
    """The status, and the path of the page that one is sent to."""
    return answer.status, (answer.getheader("Location") or "").partition("?")[0]


@pytest.fixture(scope="module")
def old_session(running) -> str:
    return sign_in(running, hours=1)


@pytest.fixture(scope="module")
def fresh_session(running) -> str:
    return sign_in(running, hours=0)


@pytest.mark.parametrize("path", PAGES)
def test_after_an_hour_the_page_asks_who_it_is_and_comes_back(path, running, old_session):
    answer = ask(running, path, Cookie=f"sessionid={old_session}")
    assert place(answer) == (302, "/account/reauthenticate/")
    assert f"next={quote(path.format(**running.seeded), safe='')}" in answer.getheader("Location")


@pytest.mark.parametrize("path", PAGES)
def test_after_a_fresh_login_the_page_is_there(path, running, fresh_session):
    assert ask(running, path, Cookie=f"sessionid={fresh_session}").status == 200


def test_an_app_of_the_person_is_asked_for_the_password_too(running, old_session, fresh_session):
    path = "/account/api/app/v1/account/authenticators/webauthn"
    for session, status in ((old_session, 401), (fresh_session, 200)):
        assert ask(running, path, **{"X-Session-Token": session}).status == status
