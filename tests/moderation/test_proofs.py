"""Who sends more forms than a network usually does proves work: once for each form, and only up to a bound."""

from __future__ import annotations

import base64
import html
import json
import re

import altcha
import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts import proofs
from accounts.models import User
from accounts.people import signup
from publishing.models import Report, SubscriptionRequest
from publishing.moderation import pages

pytestmark = pytest.mark.django_db
LINK = "/north-shore/small-voyages"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(proofs, "LARGEST", 200)
    cache.clear()


def solved(challenge: str) -> str:
    asked = json.loads(challenge)
    found = altcha.solve_challenge_v1(
        asked["challenge"], asked["salt"], asked["algorithm"], asked["maxNumber"], 0
    )
    del asked["maxNumber"]
    return base64.b64encode(json.dumps({**asked, "number": found.number}).encode()).decode()


def challenge_in(answer) -> str:
    return html.unescape(re.search(r'data-challenge="([^"]+)"', answer.content.decode())[1])


def send(**more: str):
    return Client().post("/report", {"link": LINK, "why": "spam", **more})


def test_a_solution_counts_once_for_its_purpose_and_in_its_time(monkeypatch):
    solution = solved(proofs.challenge("report"))
    assert not proofs.is_solved(solution, "subscribe")
    assert proofs.is_solved(solution, "report") and not proofs.is_solved(solution, "report")
    monkeypatch.setattr(proofs, "SOLVED_WITHIN", -proofs.SOLVED_WITHIN)
    assert not proofs.is_solved(solved(proofs.challenge("report")), "report")


def test_what_is_no_solution():
    endless = base64.b64encode(b"[" * 1490).decode()
    for made_up in ("", "x", "e30=", "W10=", "a" * 5000, "é", endless):
        assert not proofs.is_solved(made_up, "report"), made_up


def test_a_changed_solution_is_none():
    solution = json.loads(base64.b64decode(solved(proofs.challenge("report"))))
    for change in (
        {"number": solution["number"] + 1},
        {"salt": "0" + solution["salt"]},
        {"signature": "0" * 64},
    ):
        forged = base64.b64encode(json.dumps({**solution, **change}).encode()).decode()
        assert not proofs.is_solved(forged, "report")


@pytest.mark.usefixtures("clock_stands")
def test_the_sixth_report_goes_through_with_a_proof_and_the_next_needs_another(live_story, monkeypatch):
    monkeypatch.setattr(pages, "PROVED_REPORTS", 2)
    assert [send().status_code for _ in range(6)] == [200] * 5 + [429]
    solution = solved(challenge_in(send()))
    assert [send(altcha=solution).status_code for _ in range(2)] == [200, 429]
    statuses = [send(altcha=solved(challenge_in(send()))).status_code for _ in range(3)]
    assert statuses == [200, 429, 429] and Report.objects.count() == 7


@pytest.mark.usefixtures("clock_stands")
def test_so_does_a_subscription(live_story, settings):
    def ask(number: int, **more: str):
        return Client().post("/subscribe/north-shore", {"email": f"reader-{number}@readers.example", **more})

    assert [ask(number).status_code for number in range(11)] == [200] * 10 + [429]
    answer = ask(12, altcha=solved(challenge_in(ask(12))))
    assert answer.status_code == 200 and SubscriptionRequest.objects.count() == 11


@pytest.mark.usefixtures("clock_stands")
def test_whose_address_was_written_to_too_often_is_offered_no_sum_that_changes_nothing(live_story):
    answers = [Client().post("/subscribe/north-shore", {"email": "anna@example.org"}) for _ in range(4)]
    assert answers[-1].status_code == 429 and int(answers[-1]["Retry-After"]) <= 60
    page = answers[-1].content.decode()
    assert "Please try again after" in page and 'value="anna@example.org"' in page
    assert "data-challenge" not in page and "proof.js" not in page


# --- Signing up ------------------------------------------------------------------------------------------------


HEADLESS = "/account/api/app/v1/auth/signup"


def sign_up(number: int, **more: str):
    form = {"email": f"person-{number}@people.example", "password1": "kelp-and-lantern-92", "name": "Åsa"}
    return Client().post("/account/signup/?next=/studio", {**form, **more})


def sign_up_by_api(number: int, **more: str):
    body = {"email": f"app-{number}@people.example", "password": "kelp-and-lantern-92", **more}
    return Client().post(HEADLESS, json.dumps(body), content_type="application/json")


@pytest.fixture
def flooded(monkeypatch, settings):
    """Two sign-ups came from this network, which are all that it has here."""
    assert signup.SIGN_UPS == 10
    monkeypatch.setattr(signup, "SIGN_UPS", 2)
    for number in range(2):
        assert b"data-challenge" not in Client().get("/account/signup/").content
        assert sign_up(number).status_code == 302
    assert User.objects.filter(email__endswith="@people.example").count() == 2


def test_who_signs_up_past_the_threshold_is_told_what_to_do(flooded, settings):
    with time_machine.travel("2030-01-01T10:20:00Z", tick=False):
        for number in range(2):
            sign_up(number, email=f"later-{number}@people.example")
        answer = sign_up(9, workspace_title="Fish & Chips")
    page = answer.content.decode()
    assert answer.status_code == 429 and answer["Retry-After"] == "3600"
    for words in (
        "Sign up after 11:20 UTC",
        html.escape(settings.DEFAULT_FROM_EMAIL),
        "proof.js",
        "data-proof",
    ):
        assert words in page
    for typed in ("person-9@people.example", "Åsa", "Fish &amp; Chips"):
        assert f'value="{typed}"' in page
    assert "kelp-and-lantern-92" not in page
    assert not User.objects.filter(email="person-9@people.example").exists()


@pytest.mark.usefixtures("clock_stands")
def test_a_solved_challenge_makes_one_account(flooded, monkeypatch):
    monkeypatch.setattr(signup, "PROVED_SIGN_UPS", 2)
    solution = solved(challenge_in(sign_up(3)))
    assert [sign_up(number, altcha=solution).status_code for number in (3, 4)] == [302, 429]
    statuses = [sign_up(number, altcha=solved(proofs.challenge("sign-up"))).status_code for number in (5, 6)]
    assert statuses == [302, 429]  # work does not make it endless
    assert User.objects.filter(email__endswith="@people.example").count() == 4


def test_other_solutions_make_none(flooded, monkeypatch):
    altered = json.loads(base64.b64decode(solved(proofs.challenge("sign-up"))))
    altered["number"] += 1
    monkeypatch.setattr(proofs, "SOLVED_WITHIN", -proofs.SOLVED_WITHIN)
    expired = solved(proofs.challenge("sign-up"))
    monkeypatch.undo()
    monkeypatch.setattr(signup, "SIGN_UPS", 2)
    monkeypatch.setattr(proofs, "LARGEST", 200)
    of_others = [solved(proofs.challenge(purpose)) for purpose in ("report", "subscribe")]
    made_up = base64.b64encode(json.dumps(altered).encode()).decode()
    for number, solution in enumerate(["", "x", made_up, expired, *of_others]):
        assert sign_up(number + 10, altcha=solution).status_code == 429
        assert sign_up_by_api(number + 10, altcha=solution).status_code == 400
    assert User.objects.filter(email__endswith="@people.example").count() == 2


@pytest.mark.usefixtures("clock_stands")
def test_the_headless_api_counts_with_the_page(flooded):
    refused = sign_up_by_api(1)
    assert refused.status_code == 400
    [error] = refused.json()["errors"]
    assert error["code"] == "too_many_sign_ups" and "from your network" in error["message"]
    again = re.search(r"after (\d\d:\d\d) UTC", error["message"])[1]
    assert again != f"{timezone.now():%H:%M}"
    assert (
        sign_up_by_api(1, altcha=solved(proofs.challenge("sign-up"))).status_code == 401
    )  # the code comes next
    assert User.objects.filter(email="app-1@people.example").exists()


@pytest.mark.usefixtures("clock_stands")
def test_another_network_has_a_count_of_its_own(flooded):
    statuses = []
    for number, place in enumerate((1, 1, 1, 2)):
        form = {"email": f"far-{number}@people.example", "password1": "kelp-and-lantern-92"}
        answer = Client(REMOTE_ADDR=f"203.0.113.{place}").post("/account/signup/", form)
        statuses.append(answer.status_code)
    assert statuses == [302, 302, 429, 302]


def test_a_known_address_is_asked_as_any_other(flooded, owner):
    assert sign_up(3, email=owner.email).status_code == sign_up(3).status_code == 429


def test_what_is_mistyped_is_not_counted_and_spends_no_solution(flooded):
    solution = solved(challenge_in(sign_up(3)))
    assert sign_up(3, altcha=solution, password1="12345").status_code == 200
    assert sign_up(3, altcha=solution).status_code == 302
