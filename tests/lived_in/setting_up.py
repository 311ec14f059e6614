"""From `manage.py setup` to the admin: a password, a second factor by an authenticator, and in. In Chromium."""

from __future__ import annotations

import subprocess
import sys

from playwright.sync_api import Page, expect

from tests.lived_in.evening import PASSWORD, activate_from_its_page, sign_in
from tests.lived_in.instance import Instance
from tests.support.running import ROOT


def set_up_and_reach_the_admin(page: Page, instance: Instance, turn: int) -> None:
    """The way of README; each turn has a person and a workspace of its own. Raises where it ends before the admin."""
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
        assert not done.returncode, f"manage.py setup: {done.stderr[-500:]}"
    page.goto("/admin/")
    sign_in(page, email)
    page.wait_for_url("**/account/2fa/")  # an admin has to have one
    activate_from_its_page(page)
    page.goto("/admin/")
    expect(page.get_by_role("heading", name="What would you like to look after?")).to_be_visible()
