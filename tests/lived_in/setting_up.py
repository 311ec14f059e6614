"""From `manage.py setup` to the admin: a password, a second factor by an authenticator, and in."""

from __future__ import annotations

import base64
import hmac
import re
import struct
import subprocess
import sys
import time
from urllib.parse import urlencode

import httpx2

from tests.lived_in.instance import Instance
from tests.support.running import ROOT

PASSWORD = "kelp-and-lantern-92"
PERIOD = 30  # seconds of a code


def code_of(secret: str) -> str:
    """What an authenticator shows now (RFC 6238)."""
    counter = struct.pack(">Q", int(time.time()) // PERIOD)
    digest = hmac.digest(base64.b32decode(secret), counter, "sha1")
    (number,) = struct.unpack_from(">I", digest, digest[-1] & 15)
    return f"{(number & 0x7FFFFFFF) % 10**6:06}"


def set_up_and_reach_the_admin(instance: Instance, turn: int) -> list[str]:
    """What went wrong on the way, in the order of README; each turn has a person and a workspace of its own."""
    email = f"first{turn}@capsules.example"
    flags = ["--email", email, "--workspace", f"Press {turn}", "--password-stdin"]
    for _ in range(2):  # a second run changes nothing
        done = subprocess.run(
            [sys.executable, "manage.py", "setup", *flags],
            cwd=ROOT,
            env=instance.running.env,
            input=PASSWORD + "\n",
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            return [f"manage.py setup: {done.stderr[-500:]}"]
    with httpx2.Client(
        base_url=instance.url,
        verify=instance.tls or True,
        follow_redirects=True,
        timeout=60,
        headers={"Referer": instance.url + "/"},
    ) as browser:
        login = sent(browser, "/account/login/", login=email, password=PASSWORD)
        asked = browser.get("/admin/")
        if asked.url.path != "/account/2fa/":
            return [
                f"setup: {login.url} and /admin/ lead to {asked.url} ({asked.status_code}), not to the second factor"
            ]
        page = browser.get("/account/2fa/totp/activate/")
        if page.url.path == "/account/reauthenticate/":  # a login is no proof for this, however young it is
            page = sent(browser, str(page.url), page, password=PASSWORD)
        found = re.search(r"[A-Z2-7]{32}", page.text)
        if page.status_code != 200 or not found:
            return [
                f"setup: the page of the authenticator is {page.status_code} and shows no secret ({page.url})"
            ]
        sent(browser, "/account/2fa/totp/activate/", page, code=code_of(found[0]))
        admin = browser.get("/admin/")
        if admin.status_code != 200 or admin.url.path != "/admin/":
            return [f"setup: with a second factor /admin/ is {admin.status_code} at {admin.url}"]
    return []


def sent(
    browser: httpx2.Client, path: str, page: httpx2.Response | None = None, **fields: str
) -> httpx2.Response:
    """The answer to a form, with the token that its page has."""
    page = page or browser.get(path)
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert token, f"{path} has no form: {page.status_code}"
    form = urlencode({"csrfmiddlewaretoken": token[1], **fields})
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return browser.post(path, content=form, headers=headers)
