"""Forms as a browser sends them: with whatever the page has put into them."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.test import Client

from tests.support.markup import parsed, words_of


def sent_by(form: Any, button: Any) -> dict[str, str]:
    """What a form sends once this button of it was pressed."""
    data = {}
    for field in (*form.iter("input"), *form.iter("textarea")):
        is_sent = field.get("type") not in ("checkbox", "radio", "file") or field.get("checked") is not None
        if is_sent and field.get("name"):
            data[field.get("name")] = field.get("value", "") if field.tag == "input" else field.text or ""
    for field in form.iter("select"):
        options = list(field.iter("option"))
        chosen = next((each for each in options if each.get("selected") is not None), options[0])
        data[field.get("name")] = chosen.get("value", "")
    if button.get("name"):
        data[button.get("name")] = button.get("value", "")
    return data


def path_of(page: HttpResponse, form: Any, button: Any) -> str:
    """Where a form goes by this button."""
    path = button.get("formaction") or form.get("action")
    return path or page.wsgi_request.get_full_path()  # type: ignore[attr-defined, no-any-return]


def press(client: Client, page: HttpResponse, words: str, *, place: int = 0, **typed: str) -> HttpResponse:
    """Presses a button with these words, the first of them, after something was typed; returns where that leads."""
    found = [
        (form, button)
        for form in parsed(page).iter("form")
        for button in form.iter("button")
        if words in words_of(button)
    ]
    assert found, f"no button says {words}"
    form, button = found[place]
    data = {**sent_by(form, button), **typed}
    return getattr(client, form.get("method", "get"))(path_of(page, form, button), data, follow=True)
