"""What docs/webhooks.md shows verifies what we send, in Python and in Node, and as libraries of others do."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from accounts.actions import keys
from accounts.events import keeping
from accounts.models import Webhook, WorkspaceEvent
from accounts.people.sealing import seal
from accounts.webhooks import sending, signing
from tests.support.ports import free_port
from tests.support.receiver import Receiver

PAGE = Path(__file__).parents[2] / "docs/webhooks.md"
BODY = json.dumps({"id": "evt_1", "sequence": 1, "data": {"title": "Kürbis 🎃"}}, ensure_ascii=False).encode()
NPM_LIBRARY = "standardwebhooks@1.0.0"
BY_LIBRARY = """
const { readFileSync } = require("node:fs");
const { Webhook } = require("standardwebhooks");
const of = (body, headers, key) => {
  try {
    return new Webhook(key).verify(Buffer.from(body, "base64").toString(), headers).id;
  } catch {
    return "refused";
  }
};
console.log(JSON.stringify(JSON.parse(readFileSync(0)).map((each) => of(...each))));
"""
#: Work that takes longer for every other event: done beside the next request, it would come out of order.
SLOW_PRINT = """
import builtins
import time


def print(number, *words, **how):
    time.sleep(number % 2 / 5)
    builtins.print(number, *words, **how)


"""
RUN = """
import { readFileSync } from "node:fs";
const said = JSON.parse(readFileSync(0));
const of = (body, headers, key) => {
  try { return verify(Buffer.from(body, "base64"), headers, key).id; } catch (error) { return error.message; }
};
console.log(JSON.stringify(said.map((each) => of(...each))));
"""


def shown(name: str) -> str:
    """The piece of code on the page that begins with this name; of a shell's, that has it."""
    language = {"py": "python", "mjs": "js"}.get(name.rpartition(".")[2], "sh")
    found = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (code,) = [
        each for each in found if name in each.partition("\n")[0] or (language == "sh" and name in each)
    ]
    return code


needs_node = pytest.mark.skipif(
    shutil.which("node") is None, reason="NO NODE: what the page shows for it was not run."
)


@pytest.fixture
def signed() -> tuple[Webhook, str, dict[str, str]]:
    hook = Webhook()
    secret = signing.give_keys(hook)
    headers = signing.headers(hook, "evt_1", BODY, at=timezone.now())
    return hook, secret, {name.lower(): value for name, value in headers.items()}


def test_the_page_shows_how_python_verifies(signed):
    _, secret, headers = signed
    room: dict = {}
    exec(shown("verify.py"), room)  # noqa: S102  # our own page
    assert room["verify"](BODY, headers, secret)["sequence"] == 1
    old = {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) - 400)}
    for body, given, key in (
        (BODY + b" ", headers, secret),
        (BODY, old, secret),
        (BODY, headers, signing.new_secret()),
    ):
        with pytest.raises(ValueError, match=r"old|ours"):
            room["verify"](body, given, key)


@needs_node
def test_the_page_shows_how_node_verifies(signed, tmp_path):
    hook, secret, headers = signed
    other = Webhook()
    wrong = signing.give_keys(other)
    program = tmp_path / "verify.mjs"
    program.write_text(shown("verify.mjs") + RUN)
    text = base64.b64encode(BODY).decode()
    longer = base64.b64encode(BODY + b" ").decode()
    late = signing.headers(hook, "evt_1", BODY, at=timezone.now() - timedelta(minutes=6))
    asked = [
        [text, headers, secret],
        [text, headers, hook.public_key],
        [longer, headers, secret],
        [longer, headers, hook.public_key],
        [text, headers, wrong],
        [text, headers, other.public_key],
        [text, late, secret],
    ]
    done = subprocess.run(
        ["node", program], input=json.dumps(asked), text=True, capture_output=True, timeout=60
    )
    not_ours = "The signature is not ours."
    assert json.loads(done.stdout or "[]") == ["evt_1", "evt_1", *[not_ours] * 4, "This is too old."], (
        done.stderr
    )


def test_the_page_shows_how_python_verifies_by_the_public_key(signed):
    hook, _, headers = signed
    room: dict = {}
    exec(shown("verify_by_key.py"), room)  # noqa: S102  # our own page
    assert room["verify_by_key"](BODY, headers, hook.public_key)["sequence"] == 1
    other = Webhook()
    signing.give_keys(other)
    late = signing.headers(hook, "evt_1", BODY, at=timezone.now() - timedelta(minutes=6))
    for body, given, key in (
        (BODY + b" ", headers, hook.public_key),
        (BODY, headers, other.public_key),
        (BODY, late, hook.public_key),
    ):
        with pytest.raises(ValueError, match=r"old|ours"):
            room["verify_by_key"](body, given, key)


def test_the_library_of_svix_verifies(signed):
    from svix.webhooks import Webhook as Verifier
    from svix.webhooks import WebhookVerificationError

    hook, secret, headers = signed
    Verifier(secret).verify(BODY, headers)
    late = signing.headers(hook, "evt_1", BODY, at=timezone.now() - timedelta(minutes=6))
    for body, given, key in (
        (BODY + b" ", headers, secret),
        (BODY, late, secret),
        (BODY, headers, signing.new_secret()),
    ):
        with pytest.raises(WebhookVerificationError):
            Verifier(key).verify(body, given)


@needs_node
def test_the_npm_library_of_standard_webhooks_verifies(signed, tmp_path):
    hook, secret, headers = signed
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", NPM_LIBRARY]
    quickly = {**os.environ, "npm_config_fetch_retries": "0", "npm_config_cache": str(tmp_path / "cache")}
    try:
        subprocess.run(install, cwd=tmp_path, env=quickly, timeout=90, check=True, capture_output=True)
    except (subprocess.SubprocessError, OSError):
        pytest.skip("NPM'S REGISTRY IS OUT OF REACH: its library of Standard Webhooks was not tried.")
    program = tmp_path / "verify.cjs"
    program.write_text(BY_LIBRARY)
    text, longer = (base64.b64encode(body).decode() for body in (BODY, BODY + b" "))
    late = signing.headers(hook, "evt_1", BODY, at=timezone.now() - timedelta(minutes=6))
    asked = [[text, headers, secret], [longer, headers, secret], [text, late, secret]]
    asked.append([text, headers, signing.new_secret()])
    done = subprocess.run(
        ["node", program], cwd=tmp_path, input=json.dumps(asked), text=True, capture_output=True, timeout=60
    )
    assert json.loads(done.stdout or "[]") == ["evt_1", "refused", "refused", "refused"], done.stderr


# --- Whole programs, against the service ------------------------------------------------------------------------


@contextmanager
def program(folder: Path, *command: str, **env: str):
    """A program of the page that runs; yields what it printed so far."""
    out = folder / "out.txt"
    with out.open("w") as file:
        running = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **env}, stdout=file, stderr=subprocess.STDOUT
        )
    try:
        yield out.read_text
    finally:
        running.kill()
        running.wait()


def until(found, said, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not found() and time.monotonic() < end:
        time.sleep(0.1)
    assert found(), said()


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["python", pytest.param("node", marks=needs_node)])
def test_the_receivers_of_the_page_take_each_event_once(hooks, tmp_path, language):
    command, ending = ("node", "mjs") if language == "node" else (sys.executable, "py")
    for name in ("verify", "receiver"):
        (tmp_path / f"{name}.{ending}").write_text(shown(f"{name}.{ending}"))
    if language == "python":
        (tmp_path / "receiver.py").write_text(SLOW_PRINT + shown("receiver.py"))
    port = free_port()
    hook = hooks.make(Receiver(port))
    with program(
        tmp_path, command, f"receiver.{ending}", PORT=str(port), CAPSULES_SECRET=hook["secret"]
    ) as said:
        until(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, said)
        hooks.tell(4)
        sending.send_due_webhooks()
        hooks.call("POST", hook, "/replay", {"after": 0})
        sending.send_due_webhooks()
        assert [state for _, state, _ in hooks.states(hook)] == ["done"] * 8, said()
        printed = [line for line in said().splitlines() if "story.restored" in line]
        assert printed == [f"{number} story.restored" for number in range(1, 5)], "stored before the answer"
        signing_key = signing.new_secret()
        Webhook.objects.update(secret=seal(signing_key, signing.PURPOSE))
        hooks.tell()
        sending.send_due_webhooks()
        assert hooks.states(hook)[-1] == (5, "waiting", 1), "it takes nothing of strangers"


@pytest.mark.django_db(transaction=True)
def test_what_the_page_shows_of_the_log_and_of_replays_works(hooks, there, owner, live_server, tmp_path):
    """The oldest events are gone by then: a first call with after=0 would be refused."""
    hook = hooks.make(there)
    hooks.tell(3)
    sending.send_due_webhooks()
    WorkspaceEvent.objects.update(at=timezone.now() - timedelta(days=31))
    keeping.forget_old_events()
    hooks.tell(2)
    key = keys.create_api_key(hooks.workspace, by=owner, scopes=["events:read", "webhooks:write"])[1]
    env = {"CAPSULES": live_server.url, "CAPSULES_KEY": key, "WORKSPACE": str(hooks.workspace.pk)}
    env |= {"WEBHOOK": hook["id"], "EVERY": "0.2"}

    def shell(name: str) -> dict:
        done = subprocess.run(
            ["bash", "-c", shown(name)], env={**os.environ, **env}, capture_output=True, timeout=60
        )
        return json.loads(done.stdout)

    assert [event["sequence"] for event in shell("/events")["items"]] == [4, 5]
    sending.send_due_webhooks()
    hooks.tell(30)
    assert shell("/replay") == {"count": 6}, "30 to 35"
    (tmp_path / "poll.py").write_text(shown("poll.py"))
    with program(tmp_path, sys.executable, "poll.py", **env) as said:
        until(lambda: said().count("\n") >= 32, said)
        assert [int(line.split()[0]) for line in said().splitlines()] == list(range(4, 36))
    hooks.tell()
    with program(tmp_path, sys.executable, "poll.py", **env) as said:
        until(lambda: said().count("\n") >= 1, said)
        assert said() == "36 story.restored\n"
