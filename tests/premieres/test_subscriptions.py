"""Subscribing, confirming, leaving; bringing subscribers along. Only who agreed gets mail."""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User, Workspace
from accounts.signals import personal_data_wanted
from config import stopping
from config.errors import NotFound
from publishing.mail import pauses
from publishing.models import ErasedAddress, Subscriber, SubscriptionRequest, Suppression
from publishing.subscribers import actions as subscriptions
from publishing.subscribers import confirmations, erasing
from publishing.subscribers import csv_files as subscriber_lists
from publishing.subscribers.addresses import normalised
from tests.publishing.test_races import at_once
from tests.support.locks import in_the_way
from tests.support.markup import parsed

pytestmark = pytest.mark.django_db
ASK = "/subscribe/north-shore"


@pytest.fixture
def open_house(live_story, north_shore, mailbox):
    """A workspace whose name is claimed, so that it has a public form."""
    return north_shore


def link_in(mailbox, address: str) -> str:
    text = mailbox.mail(address).get_body(["plain"]).get_content()
    return re.search(r"/confirm/\S+", text)[0]


def test_a_subscription_counts_only_after_the_link_was_confirmed_by_post(open_house, client, mailbox):
    assert client.post(ASK, {"email": "Reader@Example.org"}).status_code == 200
    assert not Subscriber.objects.exists()
    confirmations.send_due_confirmations()
    link = link_in(mailbox, "reader@example.org")

    assert "One more click" in client.get(link).content.decode()
    assert not Subscriber.objects.exists(), "mail scanners follow links"

    assert client.post(link).status_code == 200
    assert client.post(link).status_code == 200
    subscriber = Subscriber.objects.get()
    assert subscriber.email == "reader@example.org"
    assert "confirmed by the link" in subscriber.consent
    assert "You are subscribed" in client.get(link).content.decode(), "it does not ask again"


def test_the_answer_is_alike_for_known_unknown_and_closed_addresses(open_house, client):
    subscriptions.import_confirmed(open_house, [("known@example.org", "Counter.")])
    Suppression.objects.create(email="closed@example.org", reason="bounce")
    answers = {
        client.post(ASK, {"email": f"{who}@example.org"}).content for who in ("known", "new", "closed")
    }
    assert len(answers) == 1


def test_no_page_of_a_subscription_sets_a_cookie_or_needs_one(open_house, client, mailbox):
    client.handler.enforce_csrf_checks = True
    client.post(ASK, {"email": "reader@example.org"})
    confirmations.send_due_confirmations()
    link = link_in(mailbox, "reader@example.org")
    answers = [client.get(ASK), client.get(link), client.post(link)]
    leave = f"/unsubscribe/{Subscriber.objects.get().token}"
    answers += [client.get(leave), client.post(leave)]
    assert [answer.status_code for answer in answers] == [200] * 5
    assert not client.cookies
    for answer in answers:
        assert "no-store" in answer["Cache-Control"]
        assert (answer["Referrer-Policy"], answer["X-Robots-Tag"]) == ("no-referrer", "noindex")


def test_the_pages_behind_a_link_speak_the_language_of_the_form(open_house, client, mailbox):
    client.post(ASK, {"email": "reader@example.org", "language": "de"})
    confirmations.send_due_confirmations()
    link = link_in(mailbox, "reader@example.org").partition("?")[0]
    answers = [client.get(link), client.post(link)]
    leave = f"/unsubscribe/{Subscriber.objects.get().token}"
    answers += [client.get(leave), client.post(leave)]
    assert {re.search(r'<html lang="([^"]+)"', each.content.decode())[1] for each in answers} == {"de"}


def test_no_page_of_a_subscription_is_a_dead_end(open_house, client, mailbox):
    asked = client.post(ASK, {"email": "reader@example.org"})
    confirmations.send_due_confirmations()
    confirmed = client.post(link_in(mailbox, "reader@example.org"))
    left = client.post(f"/unsubscribe/{Subscriber.objects.get().token}")
    for answer in (asked, confirmed, left):
        assert '<a class="pill" href="/north-shore">' in answer.content.decode()
        assert parsed(answer).find(".//header/a[@class='brand']").get("href") == "/"


def test_leaving_takes_one_post_and_get_changes_nothing(open_house, client):
    subscriptions.import_confirmed(open_house, [("reader@example.org", "Counter.")])
    path = f"/unsubscribe/{Subscriber.objects.get().token}"
    assert b"<button" in client.get(path).content
    assert client.head(path).status_code == 200
    assert Subscriber.objects.active().exists()
    assert client.post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert client.post(path).status_code == 200
    assert not Subscriber.objects.active().exists()
    assert "You are unsubscribed" in client.get(path).content.decode(), "it does not ask again"


def test_an_unknown_or_old_link_is_not_found(open_house, client, mailbox):
    gone = client.get("/unsubscribe/unknown")
    assert gone.status_code == 404 and b"No subscription belongs to this link" in gone.content
    assert client.post("/confirm/unknown").status_code == 404
    assert "works for seven days" in client.get("/confirm/unknown").content.decode()
    assert client.get("/confirm/a%00b").status_code == client.post("/unsubscribe/a%00b").status_code == 404
    client.post(ASK, {"email": "reader@example.org"})
    confirmations.send_due_confirmations()
    SubscriptionRequest.objects.update(asked_at=Now() - subscriptions.CONFIRM_WITHIN)
    assert client.post(link_in(mailbox, "reader@example.org")).status_code == 404
    confirmations.send_due_confirmations()
    assert not SubscriptionRequest.objects.exists(), "who never confirmed is forgotten"


def test_asking_again_later_sends_another_with_longer_and_longer_rests(open_house, client, mailbox):
    client.post(ASK, {"email": "reader@example.org"})
    confirmations.send_due_confirmations()
    sent = []
    for rest in (1, 1, 4):
        SubscriptionRequest.objects.update(sent_at=Now() - subscriptions.REPEAT_AFTER * rest * 1.1)
        subscriptions.request_subscription(open_house, "reader@example.org")
        confirmations.send_due_confirmations()
        sent.append(len(mailbox.taken))
    assert sent == [2, 2, 3]


@pytest.mark.usefixtures("clock_stands")
def test_one_address_is_asked_for_three_times_a_minute_whatever_the_place(open_house, client):
    form = {"email": "reader@example.org"}
    answers = [client.post(ASK, form, REMOTE_ADDR=f"10.0.0.{n}").status_code for n in range(4)]
    assert answers == [200, 200, 200, 429]


def test_one_address_is_asked_for_a_few_times_a_day_whatever_the_place_and_the_pace(
    open_house, client, settings
):
    noon, limit = datetime(2026, 5, 4, 12, tzinfo=UTC), settings.RATES["subscription mail"]

    def status(minutes: int, email: str = "reader@example.org") -> int:
        with time_machine.travel(noon + timedelta(minutes=minutes)):
            return client.post(ASK, {"email": email}, REMOTE_ADDR=f"10.0.0.{minutes % 250}").status_code

    assert [status(2 * n) for n in range(limit)] == [200] * limit
    assert status(2 * limit) == 429
    assert status(2 * limit, "other@example.org") == 200
    assert status(24 * 60 - 1) == 429
    assert status(24 * 60 + 1) == 200, "a day after the first"


def test_what_is_no_address_is_refused_and_nothing_is_sent(open_house, client):
    for text in ("", "a@b", "a@" + "ü." * 600_000 + "de", '"a\r\nb"@example.org', "ü@example.org"):
        assert client.post(ASK, {"email": text}).status_code == 400, text[:20]
    assert not SubscriptionRequest.objects.exists()


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "typed, kept",
    [
        ("  Ines@Müller.Example ", "ines@xn--mller-kva.example"),
        ("ines@xn--mller-kva.example", "ines@xn--mller-kva.example"),
        # Domains of their own since IDNA 2008, which the codec of Python takes for others.
        ("ines@Straße.example", "ines@xn--strae-oqa.example"),
        ("ines@STRA\u1e9eE.example", "ines@xn--strae-oqa.example"),
        ("ines@strasse.example", "ines@strasse.example"),
        ("ines@σίσυφος.example", "ines@xn--kxa6ajbbmh.example"),
        ("ines@ΣΊΣΥΦΟΣ.example", "ines@xn--kxa6akbbkh.example"),
        ("ines@نامه\u200cای.example", "ines@xn--mgba3gch31f060k.example"),
    ],
)
def test_an_address_has_one_form(typed, kept):
    assert normalised(typed) == kept


def test_a_robot_that_fills_the_hidden_field_gets_the_same_page_and_no_mail(open_house, client):
    asked = client.post(ASK, {"email": "a@example.org"}).content
    assert client.post(ASK, {"email": "b@example.org", "website": "http://spam.example"}).content == asked
    assert SubscriptionRequest.objects.count() == 1


def test_a_workspace_that_never_published_has_no_form_and_its_owner_is_told(harbour, person, client):
    assert client.get("/subscribe/harbour").status_code == 404
    client.force_login(person("stranger"))
    assert "from your first publish on" in client.get(f"/subscribers/{harbour.pk}").content.decode()


def test_who_left_can_come_back_by_confirming_again(open_house, client, mailbox):
    subscriptions.import_confirmed(open_house, [("reader@example.org", "Counter.")])
    subscriptions.end_subscription(Subscriber.objects.get().token)
    client.post(ASK, {"email": "reader@example.org"})
    confirmations.send_due_confirmations()
    client.post(link_in(mailbox, "reader@example.org"))
    assert Subscriber.objects.active().get().source == "form"


def test_after_leaving_the_old_link_brings_nobody_back_and_asking_sends_a_new_one(
    open_house, client, mailbox
):
    client.post(ASK, {"email": "reader@example.org"})
    confirmations.send_due_confirmations()
    old = link_in(mailbox, "reader@example.org")
    client.post(old)
    client.post(f"/unsubscribe/{Subscriber.objects.get().token}")
    assert client.get(old).status_code == client.post(old).status_code == 404
    assert not Subscriber.objects.active().exists()

    mailbox.taken.clear()
    client.post(ASK, {"email": "reader@example.org"})
    confirmations.send_due_confirmations()
    client.post(link_in(mailbox, "reader@example.org"))
    assert Subscriber.objects.active().exists()


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_who_leaves_while_confirming_has_left(open_house, client, mailbox):
    for number in range(3):
        subscriptions.request_subscription(open_house, f"reader-{number}@example.org")
    for request in SubscriptionRequest.objects.all():
        subscriber = subscriptions.confirm(request.token)
        at_once = threading.Barrier(2)

        def confirm(token=request.token, at_once=at_once) -> None:
            at_once.wait()
            with suppress(NotFound):
                subscriptions.confirm(token)
            connection.close()

        thread = threading.Thread(target=confirm)
        thread.start()
        at_once.wait()
        subscriptions.end_subscription(subscriber.token)
        thread.join()
    assert not Subscriber.objects.active().exists()


@pytest.mark.both_databases
def test_who_got_no_mail_because_it_was_refused_may_ask_again(open_house, client, mailbox):
    mailbox.answer = lambda stage, to, n: "554 5.7.1 relay access denied" if stage == "RCPT" else None
    subscriptions.request_subscription(open_house, "reader@example.org")
    assert confirmations.send_due_confirmations() == 0
    mailbox.answer = lambda *args: None
    subscriptions.request_subscription(open_house, "reader@example.org")
    assert confirmations.send_due_confirmations() == 0, "not at once"
    SubscriptionRequest.objects.update(asked_at=Now() - subscriptions.REPEAT_AFTER * 1.1)
    subscriptions.request_subscription(open_house, "reader@example.org")
    assert confirmations.send_due_confirmations() == 1


def test_a_refused_form_keeps_what_was_typed_as_text(open_house, client):
    answer = client.post(ASK, {"email": '"><b>reader@example'})
    assert answer.status_code == 400
    assert 'value="&quot;&gt;&lt;b&gt;reader@example"' in answer.content.decode()


@pytest.mark.both_databases
def test_a_confirmation_waits_for_a_server_that_is_down(open_house, client, mailbox, settings):
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, 1
    client.post(ASK, {"email": "reader@example.org"})
    assert confirmations.send_due_confirmations() == 0
    settings.EMAIL_PORT = port
    pauses.open_again()
    assert confirmations.send_due_confirmations() == 1


def test_an_address_that_makes_the_server_hang_up_holds_no_other_confirmation_up(open_house, client, mailbox):
    mailbox.answer = lambda stage, to, n: "hang up" if (stage, to) == ("RCPT", "odd@example.org") else None
    subscriptions.request_subscription(open_house, "odd@example.org")
    subscriptions.request_subscription(open_house, "reader@example.org")
    assert confirmations.send_due_confirmations() == 0
    pauses.open_again()
    assert confirmations.send_due_confirmations() == 1
    assert mailbox.addresses == ["reader@example.org"]
    for _ in range(confirmations.TRIES):
        SubscriptionRequest.objects.filter(next_try_at__isnull=False).update(next_try_at=Now())
        confirmations.send_due_confirmations()
        pauses.open_again()
    assert not SubscriptionRequest.objects.filter(next_try_at__isnull=False).exists()


def test_a_confirmation_that_cannot_be_written_is_given_up_and_holds_no_other_up(open_house, mailbox, caplog):
    odd = SubscriptionRequest.objects.create(
        workspace=open_house, email="odd\u0130@example.org", next_try_at=timezone.now()
    )
    subscriptions.request_subscription(open_house, "reader@example.org")
    for _ in range(confirmations.TRIES):
        confirmations.send_due_confirmations()
        SubscriptionRequest.objects.filter(next_try_at__isnull=False).update(
            next_try_at=Now(), lease_until=None
        )
    odd.refresh_from_db()
    assert (mailbox.addresses, odd.next_try_at) == (["reader@example.org"], None)
    assert "not one header" in odd.error and "cannot be written: ValueError" in caplog.text
    assert "example.org" not in caplog.text


def test_a_confirmation_that_another_worker_took_over_is_not_sent_again(open_house, mailbox):
    subscriptions.request_subscription(open_house, "reader@example.org")
    slow = confirmations.claim_request()
    assert confirmations.send_due_confirmations() == 0, "one worker has it"
    SubscriptionRequest.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert confirmations.send_due_confirmations() == 1
    assert not confirmations.send_confirmation(confirmations.Connection(), slow)
    assert mailbox.addresses == ["reader@example.org"]


@pytest.mark.both_databases
def test_a_refused_confirmation_is_tried_again_after_a_while(open_house, mailbox):
    mailbox.answer = lambda stage, to, n: "451 4.2.1 later" if stage == "RCPT" else None
    subscriptions.request_subscription(open_house, "reader@example.org")
    assert confirmations.send_due_confirmations() == 0
    assert confirmations.send_due_confirmations() == 0
    request = SubscriptionRequest.objects.get()
    assert (request.attempts, request.lease_token) == (1, None)
    assert request.next_try_at > timezone.now() + confirmations.TRY_AGAIN / 2


# --- Bringing subscribers along --------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_no_import_that_runs_brings_back_who_is_erased_meanwhile(north_shore):
    email = "gone@readers.example"
    request = SubscriptionRequest.objects.create(workspace=north_shore, email=email)
    with in_the_way(
        'FROM "publishing_erasedaddress"', lambda: erasing.erase_subscriber(north_shore, email, by=None)
    ) as came:
        subscriptions.import_confirmed(north_shore, [(email, "Counter.")])
    assert came == [True] and not SubscriptionRequest.objects.filter(pk=request.pk).exists()
    assert not Subscriber.objects.exists() and ErasedAddress.objects.exists()


def test_an_import_needs_a_proof_of_consent_and_brings_nobody_back(north_shore):
    Suppression.objects.create(email="closed@example.org", reason="complaint")
    subscriptions.import_confirmed(
        north_shore, [("left@example.org", "Counter."), ("known@example.org", "Counter.")]
    )
    subscriptions.end_subscription(Subscriber.objects.get(email="left@example.org").token)
    people = [
        *[(f"{who}@example.org", "Book fair, May 2026") for who in ("new", "left", "closed", "known")],
        ("silent@example.org", " "),
        ("nonsense", "Book fair"),
    ]
    result = subscriptions.import_confirmed(north_shore, people)
    assert (result.added, result.known, result.left, len(result.refused)) == (1, 1, 2, 2)
    assert "Book fair, May 2026" in Subscriber.objects.get(email="new@example.org").consent
    assert set(Subscriber.objects.active().values_list("email", flat=True)) == {
        "new@example.org",
        "known@example.org",
    }


def upload(client, content: bytes, **fields):
    file = SimpleUploadedFile("people.csv", content, "text/csv")
    workspace = Workspace.objects.get(name="north-shore")
    return client.post(f"/subscribers/{workspace.pk}/import", {"file": file, **fields}, follow=True)


def test_a_refused_import_keeps_how_people_agreed(north_shore, owner, client):
    client.force_login(owner)
    how = "At the fair's “counter”, May 2026"
    refused = upload(client, b"name\nInes\n", consent=how)
    assert parsed(refused).find(".//input[@id='import-consent']").get("value") == how
    again = client.get(f"/subscribers/{north_shore.pk}")
    assert not parsed(again).find(".//input[@id='import-consent']").get("value"), (
        "the page alone keeps nothing"
    )


def test_an_address_that_cannot_be_deleted_stays_to_be_mended(north_shore, owner, client):
    client.force_login(owner)
    for page, kept in (
        (
            client.post(f"/subscribers/{north_shore.pk}/delete", {"email": "ines@nowhere"}, follow=True),
            "ines@nowhere",
        ),
        (client.get(f"/subscribers/{north_shore.pk}"), ""),
    ):
        assert parsed(page).find(".//input[@id='id_erase']").get("value") == kept


def test_owners_import_and_export_their_subscribers_as_csv(north_shore, owner, client):
    client.force_login(owner)
    page = upload(
        client,
        "\ufeffEmail,Consent\na@example.org,=Signed at the counter\nb@example.org,\n".encode(),
        consent="Fair",
    )
    assert "2 added" in page.content.decode()
    answer = client.get(f"/subscribers/{north_shore.pk}/export.csv")
    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert lines[0] == ",".join(subscriber_lists.COLUMNS)
    assert [line.split(",")[0] for line in lines[1:]] == ["a@example.org", "b@example.org"]


@pytest.mark.both_databases
def test_an_export_sends_batches_and_holds_no_connection_while_one_is_on_its_way(north_shore, monkeypatch):
    monkeypatch.setattr(subscriber_lists, "BATCH", 2)
    released = []
    monkeypatch.setattr(subscriber_lists, "release_connection", lambda: released.append(True))
    subscriptions.import_confirmed(north_shore, [(f"{name}@example.org", "Fair") for name in "abcde"])
    pieces = subscriber_lists.lines(north_shore)
    next(pieces)
    for number, names in enumerate(["ab", "cd", "e"], start=1):
        assert [line.partition("@")[0] for line in next(pieces).splitlines()] == list(names)
        assert len(released) == number, "once for each batch, before it is sent"
    assert next(pieces, None) is None


@pytest.mark.parametrize("sign", "=+-@\t")
def test_a_cell_that_a_spreadsheet_would_run_is_written_as_text_and_read_back(sign):
    assert subscriber_lists.csv_text([[f"{sign}cmd@example.org"]]) == f"'{sign}cmd@example.org\r\n"
    assert subscriber_lists.read_rows(f"email\n'{sign}cmd@example.org\n".encode(), consent="x") == [
        (f"{sign}cmd@example.org", "x")
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_list_may_come_from_any_spreadsheet(delimiter, end):
    content = f"Name{delimiter}Email{end}Ines{delimiter}ines@example.org{end}".encode()
    assert subscriber_lists.read_rows(content, consent="Fair") == [("ines@example.org", "Fair")]


def test_the_proof_for_all_rows_stands_for_a_cell_of_blanks():
    rows = b"email,consent\na@example.org, \nb@example.org,Shop\n"
    assert subscriber_lists.read_rows(rows, consent="Fair") == [
        ("a@example.org", "Fair"),
        ("b@example.org", "Shop"),
    ]


def test_an_export_brings_back_nobody_who_left_and_no_byte_that_is_no_text():
    exported = b"email,state,consent\nhere@example.org,subscribed,Fai\0r\ngone@example.org,left,Fair\n"
    assert subscriber_lists.read_rows(exported) == [("here@example.org", "Fair")]


def test_a_file_that_is_no_list_is_refused_in_words(north_shore, owner, client):
    client.force_login(owner)
    for content in (b"name\nx\n", b"email\n\xff\xfe\n", b""):
        assert "file" in upload(client, content, consent="Fair").content.decode(), content
    assert not Subscriber.objects.exists()


def test_the_numbers_of_an_audience_are_counted_without_a_list_of_its_subscribers(
    north_shore, person, client
):
    people = [(f"{name}@example.org", "Counter.") for name in ("here", "there", "closed", "gone")]
    subscriptions.import_confirmed(north_shore, people)
    Subscriber.objects.filter(email="gone@example.org").update(unsubscribed_at=Now())
    Suppression.objects.create(email="closed@example.org", reason="bounce")
    client.force_login(person("owner"))
    with CaptureQueriesContext(connection) as asked:
        page = client.get(f"/subscribers/{north_shore.pk}")
    assert {name: page.context[name] for name in ("active", "closed", "left")} == {
        "active": 3,
        "closed": 1,
        "left": 1,
    }
    counting = [query["sql"] for query in asked if 'FROM "publishing_subscriber"' in query["sql"]]
    assert len(counting) == 2
    assert not any('NOT ("publishing_subscriber"."id" IN' in sql for sql in counting)


@pytest.mark.both_databases
def test_staff_need_the_permission_for_subscribers(north_shore, client):
    staff = User.objects.create_user("staff@example.org", is_staff=True)
    client.force_login(staff)
    assert client.get(f"/subscribers/{north_shore.pk}/export.csv").status_code == 404
    staff.user_permissions.add(Permission.objects.get(codename="view_subscriber"))
    assert client.get(f"/subscribers/{north_shore.pk}/export.csv").status_code == 200
    assert upload(client, b"email\na@example.org\n", consent="Fair").status_code == 404
    staff.user_permissions.add(Permission.objects.get(codename="add_subscriber"))
    assert "1 added" in upload(client, b"email\na@example.org\n", consent="Fair").content.decode()


@pytest.mark.both_databases
def test_staff_close_an_address_with_a_domain_of_any_letters(north_shore, client):
    client.force_login(User.objects.create_superuser("staff@example.org"))
    subscriptions.import_confirmed(north_shore, [("leser@münchen.example", "Counter.")])
    typed = {"email": "Leser@München.example", "reason": "staff", "detail": ""}
    assert client.post("/admin/publishing/suppression/add/", typed).status_code == 302
    assert not Subscriber.objects.reachable().exists()
    answer = client.post("/admin/publishing/suppression/add/", typed | {"email": "leser@..example"})
    assert answer.status_code == 200


def test_a_person_downloads_the_subscriptions_of_a_domain_of_any_letters(north_shore):
    person = User.objects.create_user("leser@münchen.example")
    subscriptions.import_confirmed(north_shore, [(person.email, "Counter.")])
    answers = [answer for _, answer in personal_data_wanted.send(User, user=person)]
    [told] = [answer["subscriptions"] for answer in answers if "subscriptions" in answer]
    assert [each["email"] for each in told] == [Subscriber.objects.get().email]


@pytest.mark.django_db(transaction=True)
def test_one_thread_of_a_worker_waits_for_a_slow_mail_server(open_house, client, mailbox):
    mailbox.delay = 0.3
    for name in ("one", "two"):
        client.post(ASK, {"email": f"{name}@example.org"})
    assert sorted(at_once([confirmations.send_due_confirmations] * 2)) == [0, 2]
    assert mailbox.sessions == 1


def test_a_worker_that_stops_begins_no_further_mail(open_house, client, mailbox, monkeypatch):
    client.post(ASK, {"email": "one@example.org"})
    monkeypatch.setattr(stopping, "has_begun", lambda: True)
    assert confirmations.send_due_confirmations() == 0 and not mailbox.taken


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_who_confirms_again_while_those_who_left_are_forgotten_stays(
    open_house, client, mailbox, settings, monkeypatch
):
    settings.LEFT_SUBSCRIBERS_KEPT = 30
    subscriptions.import_confirmed(open_house, [("back@example.org", "Counter.")])
    Subscriber.objects.update(unsubscribed_at=timezone.now() - timedelta(days=31))
    client.post(ASK, {"email": "back@example.org"})
    again = SubscriptionRequest.objects.get().token
    leave_hash, threads = erasing.leave_hash, []

    def slowly(*args) -> None:
        threads.append(threading.Thread(target=confirm))
        threads[0].start()
        threads[0].join(0.5)
        leave_hash(*args)

    def confirm() -> None:
        subscriptions.confirm(again)
        connection.close()

    monkeypatch.setattr(erasing, "leave_hash", slowly)
    assert erasing.forget_those_who_left(timezone.now()) == 1
    threads[0].join()
    assert Subscriber.objects.get().is_active and not ErasedAddress.objects.exists()
