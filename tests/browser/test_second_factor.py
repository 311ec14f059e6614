"""The pages of a second factor, on a phone and on a desk."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from playwright.sync_api import expect

from tests.browser.test_webhook_pages import looks_right
from tests.support.factories import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_code_is_typed_at_once_and_again_after_a_wrong_one(studio, owner):
    TOTP.activate(owner, generate_totp_secret())
    owner.set_password(PASSWORD)
    owner.save()
    page = studio("/account/login/", None, bypass_csp=True)
    page.fill("[name=login]", owner.email)
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    code = page.get_by_label("Code")
    expect(code).to_be_focused()
    page.keyboard.type("000000")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This code is wrong")).to_be_visible()
    expect(code).to_be_focused()
    page.keyboard.type("123456")
    expect(code).to_have_value("123456")
    looks_right(page, "second-factor")


def test_what_went_wrong_with_a_security_key_stands_apart_from_the_button_and_dates_are_written_out(
    studio, site, owner
):
    owner.set_password(PASSWORD)
    owner.save()
    page = studio("/account/2fa/webauthn/add/", bypass_csp=True)
    if "reauthenticate" in page.url:
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Confirm").click()
        page.wait_for_url("**/webauthn/add/")  # and until its script listens
    add = page.get_by_role("button", name="Add")
    add.click()
    told = page.get_by_role("alert")
    expect(told).to_contain_text("That did not work.")
    assert told.bounding_box()["y"] - add.bounding_box()["y"] - add.bounding_box()["height"] >= 12
    looks_right(page, "security-key-refused")
    key = Authenticator.objects.create(
        user=owner, type="webauthn", data={"name": "Blue key", "credential": {}}
    )
    Authenticator.objects.filter(pk=key.pk).update(created_at=datetime(2026, 11, 29, tzinfo=UTC))
    page.goto(f"{site}/account/2fa/webauthn/")
    row = page.get_by_role("row").filter(has_text="Blue key")
    expect(row).to_contain_text(re.compile(r"29 Nov 2026\s+never"))
    looks_right(page, "security-keys")
