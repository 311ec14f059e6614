"""Readers who came by a list: what of a file is read, how it is counted, and in which language they leave again."""

from __future__ import annotations

import re

import pytest

from publishing.models import Subscriber
from publishing.subscribers import actions as subscriptions
from publishing.subscribers.addresses import normalised
from publishing.subscribers.csv_files import csv_text, read_rows

pytestmark = pytest.mark.django_db
ASK = "/subscribe/north-shore"
ANNA = [("anna@example.org", "Fair")]


@pytest.mark.parametrize("filler", [";;", " ; ;", "", ";;;;"])
def test_empty_rows_of_a_spreadsheet_are_passed_over(filler):
    content = f"email;consent;state\n{filler}\nanna@example.org;Fair;\n{filler}\n{filler}\n"
    assert read_rows(content.encode()) == ANNA


def test_a_row_that_has_all_but_its_address_is_refused(north_shore):
    result = subscriptions.import_confirmed(north_shore, read_rows(b"email;consent\n;Fair\n"))
    assert result.refused == ["'' is not an email address."]


@pytest.mark.parametrize("first", ["sep=;", "SEP=;", '"sep=;"', "\ufeffsep=;"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_line_that_tells_excel_the_separator_is_not_the_names_of_columns(first, end):
    content = end.join([first, "name;email;consent", '"Berg, Anna";anna@example.org;Fair', ""])
    assert read_rows(content.encode()) == ANNA


@pytest.mark.parametrize("text", ["=1+1", "Fair;=1+1", "Fair\t@A1", 'Fair";-1', "Fair;\t=1", "Fair\n+1"])
def test_no_spreadsheet_finds_a_formula_in_a_file_and_it_comes_back_as_it_was(text):
    """One whose numbers have commas parts the cells by semicolons, inside of quotation marks that it does not see."""
    written = csv_text([("anna@example.org", text)])
    cells = [cell for parted in ";\t,\n" for cell in re.split(f"[{parted}\n]", written)]
    assert not [cell for cell in cells if cell.strip('"').startswith(("=", "+", "-", "@"))]
    [(_, back)] = read_rows(f"email,consent\n{written}".encode())
    assert back == text


@pytest.mark.parametrize(
    "text, written", [("Summer ;-)", "Summer ;-)"), (";-(1)", ";'-(1)"), (";-D", ";'-D")]
)
def test_a_smiley_that_no_spreadsheet_takes_for_a_formula_stays_as_it_is(text, written):
    """No formula closes a bracket that it did not open."""
    assert csv_text([[text]]) == f"{written}\r\n"


@pytest.mark.parametrize("between", [0, subscriptions.IMPORT_CHUNK])
def test_an_address_counts_once_however_often_it_is_in_a_list(between, north_shore):
    others = [(f"reader-{n}@example.org", "Fair") for n in range(between)]
    result = subscriptions.import_confirmed(
        north_shore, [*ANNA, *others, ("Anna@example.org ", "Other fair")]
    )
    assert (result.added, result.known, result.left, result.refused) == (between + 1, 0, 0, [])
    assert Subscriber.objects.get(email="anna@example.org").consent.endswith(": Fair"), "the first proof"


def test_an_address_with_other_letters_before_its_domain_is_refused_as_what_it_is(live_story, client):
    """And not as one that is none: mail reaches it, but not from every server."""
    with pytest.raises(ValueError, match=r"^'jörg@example.com' is not an email address that we can write to"):
        normalised("jörg@example.com")
    for typed, told in (("jörg@example.com", "before the @ it has"), ("jörg", "Please enter an email")):
        answer = client.post(ASK, {"email": typed})
        assert answer.status_code == 400 and told in answer.content.decode()
    with pytest.raises(ValueError, match=r"is not an email address\.$"):
        normalised("jörg")


def language_of(answer) -> str:
    return re.search(r'<html lang="([^"]+)"', answer.content.decode())[1]


@pytest.mark.parametrize("asked, language", [("de-AT,de;q=0.9,en;q=0.5", "de"), ("tlh", "en")])
def test_who_came_by_a_list_leaves_in_the_language_of_their_browser(asked, language, north_shore, client):
    subscriptions.import_confirmed(north_shore, ANNA)
    subscriber = Subscriber.objects.get()
    headers = {"Accept-Language": asked}
    leave, erase = f"/unsubscribe/{subscriber.token}", f"/unsubscribe/{subscriber.token}/delete"
    answers = [client.get(leave, headers=headers), client.post(leave, headers=headers)]
    answers.append(client.post(erase, headers=headers))
    assert [language_of(answer) for answer in answers] == [language] * 3


def test_who_came_by_a_form_leaves_in_its_language_whatever_their_browser_says(north_shore, client):
    subscriptions.import_confirmed(north_shore, ANNA)
    Subscriber.objects.update(language="fr")
    leave = f"/unsubscribe/{Subscriber.objects.get().token}"
    assert language_of(client.get(leave, headers={"Accept-Language": "de"})) == "fr"
