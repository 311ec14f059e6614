"""What browsers are told where the service is reached by https."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

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
    browser.force_login(User.objects.create_user("ines@capsules.example"))
    home = browser.get("/account/", secure=secure)
    cookies = [morsel.OutputString() for morsel in browser.cookies.values()]
print(json.dumps({"form": form.status_code, "home": home.status_code, "cookies": cookies,
                  "hsts": home.headers.get("Strict-Transport-Security")}))
"""


@pytest.fixture
def told(tmp_path):
    def get(**changes: str):
        database = tmp_path / "capsules.sqlite3"
        shutil.copy(migrated.file(), database)
        env = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
        env |= {"DATA_DIR": str(tmp_path), "DEBUG": "false", "SECRET_KEY": "k" * 50}
        env |= {"ALLOWED_HOSTS": "capsules.example", "DATABASE_URL": f"sqlite:///{database}"}
        env |= {"DJANGO_SETTINGS_MODULE": "config.settings", **changes}
        command = [sys.executable, "-c", ASKED]
        run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, run.stderr[-2000:]
        return json.loads(run.stdout.splitlines()[-1])

    return get


def test_by_https_browsers_are_bound_to_https_and_cookies_to_this_host(told):
    answer = told(APP_URL="https://capsules.example")
    assert (answer["form"], answer["home"]) == (200, 200)
    assert answer["hsts"] == "max-age=31536000", "subdomains and preload are the operator's choice"
    by_name = {cookie.partition("=")[0]: cookie for cookie in answer["cookies"]}
    assert set(by_name) >= {"__Host-sessionid", "__Host-csrftoken"}
    for name in ("__Host-sessionid", "__Host-csrftoken"):
        # Browsers refuse the prefix without these three.
        assert "Secure" in by_name[name] and "Path=/" in by_name[name] and "Domain" not in by_name[name]
    assert "HttpOnly" in by_name["__Host-sessionid"]


def test_an_operator_may_bind_all_hosts_of_the_domain(told):
    answer = told(APP_URL="https://capsules.example", HSTS_SUBDOMAINS="true", HSTS_PRELOAD="true")
    assert answer["hsts"] == "max-age=31536000; includeSubDomains; preload"


def test_by_http_nothing_of_it_is_said(told):
    answer = told(APP_URL="http://capsules.example")
    assert (answer["home"], answer["hsts"]) == (200, None)
    assert any(cookie.startswith("sessionid=") for cookie in answer["cookies"])
