"""What browsers are told where the service is reached by https."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.server.test_production import environment, read
from tests.support import migrated
from tests.support.running import ROOT

#: One page with a form and one with a session, asked of the service with the settings of its environment.
ASKED = """
import json, django
django.setup()
from django.conf import settings
from django.test import Client, override_settings
from accounts.models import User
plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
secure = settings.APP_URL.startswith("https")
with override_settings(STORAGES={**settings.STORAGES, "staticfiles": plain}):
    browser = Client(headers={"host": "capsules.example"})
    form = browser.get("/account/login/", secure=secure)
    User.objects.create_user("ines@capsules.example", "kelp-and-lantern-92")
    login = {"login": "ines@capsules.example", "password": "kelp-and-lantern-92"}
    browser.post("/account/login/", login, secure=secure)
    home = browser.get("/account/", secure=secure)
    cookies = [morsel.OutputString() for morsel in browser.cookies.values()]
print(json.dumps({"form": form.status_code, "home": home.status_code, "cookies": cookies,
                  "hsts": home.headers.get("Strict-Transport-Security")}))
"""


def told(tmp_path: Path, **changes: str) -> Any:
    shutil.copy(migrated.file(), tmp_path / "x.sqlite3")
    env = environment(tmp_path, DJANGO_SETTINGS_MODULE="config.settings", **changes)
    command = [sys.executable, "-c", ASKED]
    run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout.splitlines()[-1])


def test_by_https_browsers_are_bound_to_https_and_cookies_to_this_host(tmp_path):
    https = {"APP_URL": "https://capsules.example"}
    answer = told(tmp_path, **https, HSTS_SUBDOMAINS="true", HSTS_PRELOAD="true")
    assert (answer["form"], answer["home"]) == (200, 200)
    assert answer["hsts"] == "max-age=31536000; includeSubDomains; preload"
    by_name = {cookie.partition("=")[0]: cookie for cookie in answer["cookies"]}
    assert set(by_name) >= {"__Host-sessionid", "__Host-csrftoken"}
    for name in ("__Host-sessionid", "__Host-csrftoken"):
        # Browsers refuse the prefix without these three.
        assert "Secure" in by_name[name] and "Path=/" in by_name[name] and "Domain" not in by_name[name]
    assert "HttpOnly" in by_name["__Host-sessionid"]


def test_subdomains_and_preload_are_the_operators_choice_and_by_http_nothing_of_it_is_said(tmp_path):
    shown = ("HSTS_SECONDS", "HSTS_INCLUDE_SUBDOMAINS", "HSTS_PRELOAD", "SSL_REDIRECT")
    show = ", ".join([*(f"s.SECURE_{name}" for name in shown), "getattr(s, 'SESSION_COOKIE_NAME', None)"])
    wanted = {"HSTS_SUBDOMAINS": "true", "HSTS_PRELOAD": "true"}
    https, http = read(
        tmp_path,
        {"APP_URL": "https://capsules.example"},
        {"APP_URL": "http://capsules.example", **wanted},
        show=show,
    )
    assert https.out == "31536000 False False True __Host-sessionid\n", https.err
    assert http.out == "0 False False False None\n", http.err
