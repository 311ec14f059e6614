"""Both example programs against the instance, allowed by a person in Chromium."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page

from tests.lived_in.evening import sign_in
from tests.lived_in.instance import Instance
from tests.support.running import ROOT


def connect_both(page: Page, instance: Instance, drawn: Path) -> None:
    """The owner of a workspace has one publish a capsule again, and the other make one of the folder `drawn`."""
    page.goto("/account/login/")
    sign_in(page, "owner@north-shore.example", password=instance.told["facts"]["password"])
    told = allowed(page, instance, "publish_as_an_app.py", instance.url, instance.told["facts"]["live"])
    assert "Published: /north-shore/small-voyages" in told and "Refreshed." in told, told
    if not instance.certificate:
        return  # no proxy is there, which alone makes one address of the service and its MCP server
    told = allowed(page, instance, "make_a_capsule_as_an_app.py", f"{instance.url}/mcp", str(drawn))
    answer = page.goto(told.rsplit("Published: ", 1)[-1].strip())
    assert answer and answer.status == 200, told


def allowed(page: Page, instance: Instance, program: str, *arguments: str) -> str:
    """What the program prints once its page was answered with yes to everything; to its question it gets "3"."""
    trust = {"SSL_CERT_FILE": str(instance.certificate)} if instance.certificate else {}
    app = subprocess.Popen(
        [sys.executable, f"examples/{program}", *arguments],
        cwd=ROOT,
        env={**instance.running.env, "BROWSER": "true", **trust},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert app.stdout
        lines = [app.stdout.readline(), app.stdout.readline()]
        if lines[-1].startswith("http"):
            page.goto(lines[-1].strip())
            for box in page.locator("input[name=scopes][type=checkbox]").all():
                box.check()
            page.check("input[value='publications:write']")  # not the form that only prepares
            page.click("button[value=allow]")
            page.wait_for_url("**/callback?**")
        told, complaints = app.communicate("3\n", timeout=240)
    finally:
        app.kill()
        app.wait()
    assert app.returncode == 0, f"{program}: {''.join(lines)}{told}{complaints[-1500:]}"
    return told
