"""A method that an address does not take is refused in words, with a way on."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from tests.support import factories


@pytest.mark.parametrize(
    "form, answer",
    [
        ("/subscribers/{workspace}", "/subscribers/{workspace}/import"),
        ("/subscribers/{workspace}", "/subscribers/{workspace}/delete"),
        ("/studio/stories/{story}", "/studio/stories/{story}/duplicate"),
        ("/studio/stories/{story}", "/studio/stories/{story}/prepare"),
    ],
)
def test_back_to_the_answer_of_a_form_leads_to_the_form(owner_page, north_shore, form, answer):
    story = factories.make_draft(north_shore)
    names = {"workspace": north_shore.pk, "story": story.pk}
    response = owner_page.get(answer.format(**names))
    assert response.status_code == 405 and response["Allow"] == "POST"
    words = response.content.decode()
    assert "<h1>This is where a form leads</h1>" in words
    [way] = re.findall(r'class="pill pill-accent"\s+href="([^"]+)"', words)
    assert way == form.format(**names) and owner_page.get(way).status_code == 200


@pytest.mark.parametrize("address", ["oauth-register", "oauth-token", "oauth-revoke"])
def test_a_program_gets_the_refusal_as_json(client, db, address):
    response = client.get(reverse(address))
    assert response.status_code == 405 and response["Allow"]
    assert response.json() == {"error": 'Method "GET" not allowed.'}


def test_no_page_refuses_a_method_without_a_word(client, db):
    for address in ("/", "/robots.txt", "/favicon.ico", "/account/login/", "/oembed"):
        refused = client.generic("DELETE", address)
        assert refused.status_code in (403, 405) and refused.content, address
