"""A first evening in Chromium: from the sign-up, by three photographs on a live page, to the deleted account."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.lived_in.authenticator import Authenticator
from tests.support.smtp import Mailbox

PATIENCE = 120_000  # ms that encodes, or a busy machine, may take
PASSWORD = "kelp-and-lantern-92"


def first_evening(page: Page, mailbox: Mailbox, photographs: list[str], name: str = "Ada") -> None:
    """`page`: of a context whose base_url is the service. Raises an AssertionError, or Playwright's Error, at the first
    thing that a person could not have done.
    """
    email, workspace = f"{name.lower()}@newcomers.example", f"Almanac of {name}"
    sign_up(page, mailbox, name=name, workspace=workspace, email=email)
    app = activate_authenticator(page)
    link = publish(page, photographs)
    data = download(page)
    assert data["account"]["email"] == email, data
    sign_out(page)
    sign_in(page, email, app)
    delete_everything(page, workspace, email)
    answer = page.goto(link)
    assert answer and answer.status == 404, f"{link} is still there"


def sign_up(page: Page, mailbox: Mailbox, *, name: str, workspace: str, email: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Make a capsule").first.click()
    fields = {"Your name": name, "Title of your workspace": workspace, "Email": email, "Password": PASSWORD}
    for label, words in fields.items():
        page.get_by_role("textbox", name=label).fill(words)
    page.get_by_role("button", name="Sign up").click()
    page.wait_for_url("**/account/confirm-email/")
    page.get_by_label("Code").fill(mailbox.code_for(email, PATIENCE / 1000))
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("button", name="Start with photographs")).to_be_visible()


def activate_authenticator(page: Page) -> Authenticator:
    """From any page of a signed-in person to an active authenticator app."""
    page.goto("/account/")
    page.get_by_role("link", name="Second factor, passkeys and recovery codes").click()
    return activate_from_its_page(page)


def activate_from_its_page(page: Page) -> Authenticator:
    page.get_by_role("link", name="Turn on").click()
    prove(page)
    app = Authenticator(page.get_by_label("Setup key").inner_text())
    enter_code(page, app, "Turn on")
    return app


def enter_code(page: Page, app: Authenticator, button: str) -> None:
    """The code of now, and the next one where its time was over before it came to the service."""
    asked = page.url
    for _ in range(3):
        page.get_by_role("textbox", name="Code").fill(app.code())
        with page.expect_navigation():
            page.get_by_role("button", name=button, exact=True).click()
        if not page.get_by_text("This code is wrong").is_visible():
            break
    page.wait_for_url(lambda url: url != asked)


def prove(page: Page) -> None:
    """Gives the password again where the page asks for it."""
    if "/account/reauthenticate/" in page.url:
        give_password_again(page)
        page.wait_for_url(lambda url: "/account/reauthenticate/" not in url)


def give_password_again(page: Page) -> None:
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()


def publish(page: Page, photographs: list[str]) -> str:
    """The link of a live page with these photographs, and words for each."""
    page.goto("/studio/new")
    page.get_by_role("button", name="Start with photographs").click()
    page.wait_for_selector("html[data-studio=ready]")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose photographs").click()
    chooser.value.set_files(photographs)
    scenes = page.locator("#strip [role=option]")
    expect(scenes).to_have_count(len(photographs))
    for number in range(len(photographs)):
        scenes.nth(number).click()
        expect(page.locator("#inspector h2")).to_contain_text(f"Scene {number + 1} of")
        page.locator("#field-text").fill(f"Words for light {number + 1}.")
    page.get_by_role("button", name="The whole capsule").click()
    page.get_by_role("textbox", name="Title", exact=True).fill("A day in three lights")
    page.locator(".bar .pill-accent:visible, .foot a:visible").first.click()
    dialog = page.locator("#dialog")
    expect(dialog).to_contain_text("Ready:", timeout=PATIENCE)
    dialog.get_by_text("No email").click()
    dialog.get_by_role("button", name="Publish").click()
    expect(dialog).to_contain_text("It is live", timeout=PATIENCE)
    link = str(dialog.locator("a").first.get_attribute("href"))
    answer = page.request.get(link)
    assert answer.status == 200, f"{link} is {answer.status}"
    assert f"Words for light {len(photographs)}." in answer.text(), f"{link} does not have the words"
    return link


def download(page: Page) -> dict[str, Any]:
    """What the service knows of the person, as they get it to their disk."""
    page.goto("/account/")
    link = page.get_by_role("link", name="Download everything about you")
    asks = "/account/reauthenticate/" in page.request.get(str(link.get_attribute("href"))).url
    with page.expect_download() as file:
        link.click()
        if asks:  # and then sends the file, which leads to no other page
            give_password_again(page)
    return dict(json.loads(Path(file.value.path()).read_text()))


def sign_out(page: Page) -> None:
    page.goto("/account/")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(lambda url: not url.endswith("/account/"))
    page.get_by_role("link", name="Sign in").first.click()


def sign_in(page: Page, email: str, app: Authenticator | None = None, password: str = PASSWORD) -> None:
    """On whatever page asks for it; with a code where the person has an authenticator."""
    page.get_by_role("textbox", name="Email").fill(email)
    page.get_by_role("textbox", name="Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    if app:
        page.wait_for_url("**/account/2fa/authenticate/**")
        enter_code(page, app, "Sign in")
    page.wait_for_url(lambda url: "/login/" not in url and "/authenticate/" not in url)


def delete_everything(page: Page, workspace: str, email: str) -> None:
    """The workspace, which the account may not leave alone, and then the account."""
    page.goto("/account/")
    page.get_by_role("link", name="Delete your account").click()
    prove(page)
    page.get_by_role("link", name=f"Delete {workspace}").click()
    confirm(page)
    page.wait_for_url("**/account/")
    page.get_by_role("link", name="Delete your account").click()
    confirm(page)
    page.wait_for_url("**/account/login/")
    expect(page.get_by_text("Your account was deleted.")).to_be_visible()


def confirm(page: Page) -> None:
    """Types what the page asks to be typed, and goes on."""
    typed = page.get_by_label("To go on, type")
    asked = page.locator("label[for=id_typed]").inner_text()
    typed.fill(asked.partition("type ")[2].strip())
    page.locator("main button.pill-danger").click()
