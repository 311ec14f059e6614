"""What can happen to a premiere in which state, whom it reaches, and who sees and changes its readers."""

from __future__ import annotations

import html
import itertools
import smtplib
from datetime import timedelta
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import SecurityEvent, User
from config.errors import Conflict
from publishing.mail import pauses, transport
from publishing.mail.transport import HungUp, Refused, Unavailable
from publishing.models import (
    Delivery,
    ErasedAddress,
    MailServer,
    Premiere,
    Publication,
    PublicationEvent,
    Subscriber,
    SubscriptionRequest,
    Suppression,
)
from publishing.premieres import arming, outlook, sweeping
from publishing.subscribers import actions as subscriptions
from publishing.subscribers import erasing, owner_pages
from tests.support.mail import more_premieres, subscribe
from tests.support.queries import asks_as_often
from tests.support.rows import taken_back

pytestmark = pytest.mark.django_db

STATES = set(Premiere.State.values)
OPEN = ("scheduled", "sending", "held")


@pytest.fixture
def premiere(live_story, north_shore) -> Premiere:
    subscribe(north_shore, 1)
    return Premiere.objects.select_related("publication").get()


def deliver(premiere: Premiere, state: str = "uncertain") -> Delivery:
    next_try_at = timezone.now() if state == "pending" else None
    reader = Subscriber.objects.get()
    return Delivery.objects.create(
        premiere=premiere, subscriber=reader, email=reader.email, state=state, next_try_at=next_try_at
    )


def arm_again(premiere: Premiere) -> None:
    Publication.objects.update(published_at=None)
    arming.arm(Publication.objects.get(), "FULL")


def cancelled_by_staff(premiere: Premiere) -> None:
    by = Actor.by_staff(User.objects.get_or_create(email="s@staff.example", is_staff=True)[0])
    arming.cancel_forever(premiere.publication.story, arming.BY_STAFF, by=by)


DO = {
    "an unpublish": lambda premiere: arming.cancel(premiere.publication),
    "staff cancel": cancelled_by_staff,
    "staff release": arming.release_premiere,
    "staff resend": arming.resend_uncertain,
    "a letter that cannot be made": lambda premiere: arming.put_on_hold(Premiere.objects.sending(), "Why."),
    "operators hold all": lambda premiere: arming.hold_all("Why."),
    "its capsule is taken down": lambda premiere: arming.stop_for_case(Publication.objects.all()),
    "its case ended": lambda premiere: arming.go_on_after_cases(),
    "it is due": lambda premiere: sweeping.start_premiere(premiere.pk),
    "a publish": arm_again,
}
#: Where each leads, by the state before; elsewhere nothing changes.
LEADS = {
    "an unpublish": dict.fromkeys(OPEN, "cancelled_partial"),
    "staff cancel": dict.fromkeys(OPEN, "cancelled_partial"),
    "staff release": {"held": "sending"},
    "staff resend": {"sending": "sending", "done": "sending"},
    "a letter that cannot be made": {"sending": "held"},
    "operators hold all": {"scheduled": "held", "sending": "held"},
    "its capsule is taken down": {"sending": "held"},
    "its case ended": {"held": "scheduled"},
    "it is due": {"scheduled": "sending"},
    "a publish": {"cancelled": "scheduled"},
}
#: What staff do is refused in words where it cannot be done.
REFUSES = ("staff cancel", "staff release", "staff resend")


@pytest.mark.both_databases
def test_where_each_event_leads(premiere):
    deliver(premiere)
    for what, leads in LEADS.items():
        led, refused = {}, set()
        for before in STATES:
            with taken_back():
                Premiere.objects.update(state=before, note=arming.TAKEN_DOWN, due_at=Now())
                try:
                    DO[what](Premiere.objects.select_related("publication").get())
                except Conflict:
                    refused.add(before)
                led[before] = Premiere.objects.get().state
        assert led == {before: leads.get(before, before) for before in STATES}, what
        assert refused == (STATES - leads.keys() if what in REFUSES else set()), what


@pytest.mark.parametrize("what", REFUSES[1:])
def test_staff_send_nothing_that_is_not_live_or_carries_no_name(what, premiere):
    Premiere.objects.update(state=next(iter(LEADS[what])))
    for change, why in (
        ({"published_at": None}, "The capsule is not published."),
        ({"mode": "WHITE_LABEL"}, "A white-label publication sends no premiere email."),
    ):
        with taken_back():
            Publication.objects.update(**change)
            with pytest.raises(Conflict, match=why):
                DO[what](Premiere.objects.get())


def test_a_premiere_of_which_something_may_have_left_is_never_armed_again(premiere):
    for of in Delivery.State.values:
        with taken_back():
            deliver(premiere, of)
            arming.cancel(premiere.publication)
            left = of in ("submitting", "sent", "uncertain")
            assert Premiere.objects.get().state == ("cancelled_partial" if left else "cancelled")
            assert arming.may_announce(premiere.publication) is False, "it is published"
            Publication.objects.update(published_at=None)
            assert arming.may_announce(Publication.objects.get()) is not left
            sweeping.close_finished()
            assert Delivery.objects.exists() is (left or of in ("failed", "claimed", "cancelled"))


def test_what_waits_of_a_premiere_that_was_called_off_counts_as_cancelled_at_once(premiere, north_shore):
    deliver(premiere, "cancelled")
    subscribe(north_shore, 3)
    for state, reader in zip(("sent", "pending"), Subscriber.objects.filter(deliveries=None), strict=True):
        at = timezone.now() if state == "pending" else None
        Delivery.objects.create(
            premiere=premiere, subscriber=reader, email=reader.email, state=state, next_try_at=at
        )
    assert premiere.counts() == {"pending": 1, "sent": 1, "cancelled": 1}
    cancelled_by_staff(premiere)
    for _ in range(2):
        assert Premiere.objects.get().counts() == {"sent": 1, "cancelled": 2}
        sweeping.close_finished()


@pytest.mark.both_databases
def test_who_cancels_for_good_is_not_asked_again_and_who_unpublishes_is(premiere):
    arming.cancel(premiere.publication)
    assert Premiere.objects.get().may_be_armed_again
    arm_again(premiere)
    cancelled_by_staff(Premiere.objects.get())
    assert not Premiere.objects.get().may_be_armed_again
    told = PublicationEvent.objects.get(action=PublicationEvent.Action.PREMIERE_CANCELLED)
    assert (told.via, told.by.email) == ("staff", "s@staff.example")
    outlook.forget_who_cancelled(told.by)
    assert Premiere.objects.get().note == arming.BY_STAFF, "it names nobody"


#: Of a held premiere: whether it had begun, why it is held, whether readers get the capsule, whether it goes on.
HELD = [
    (True, arming.TAKEN_DOWN, True, True),
    (False, arming.TAKEN_DOWN, True, True),
    (True, arming.TAKEN_DOWN, False, False),
    (True, "Why.", True, False),
]


@pytest.mark.both_databases
def test_only_what_a_case_held_goes_on_when_it_has_ended(premiere):
    for begun, note, live, goes_on in HELD:
        with taken_back():
            Premiere.objects.update(state="held", note=note, started_at=Now() if begun else None)
            Publication.objects.update(published_at=Now() if live else None)
            arming.go_on_after_cases()
            found = Premiere.objects.get()
            assert (found.state, found.note) == (
                ("sending" if begun else "scheduled", "") if goes_on else ("held", note)
            )


def test_it_begins_in_time_and_not_a_day_late(premiere):
    for hours, state in ((1, "scheduled"), (-23, "sending"), (-25, "held")):
        with taken_back():
            Premiere.objects.update(due_at=Now() + timedelta(hours=hours))
            sweeping.start_premiere(premiere.pk)
            assert Premiere.objects.get().state == state


#: What is so of a reader, and whether a premiere reaches them.
REACHES = [
    ({}, True),
    ({"unsubscribed_at": timezone.now()}, False),
    ({"confirmed_at": timezone.now() + timedelta(hours=1)}, False),
    ({"workspace": "harbour"}, False),
    ("closed", False),
    ("erased", False),
]


def test_whom_a_premiere_reaches(premiere, harbour, north_shore):
    for change, reached in REACHES:
        with taken_back():
            reader = Subscriber.objects.get()
            if change == "closed":
                Suppression.objects.create(email=reader.email, reason="complaint")
            elif change == "erased":
                erasing.erase_subscriber(north_shore, reader.email, by=None)
            else:
                if "workspace" in change:
                    change = {"workspace": harbour}
                Subscriber.objects.update(**change)
            Premiere.objects.update(state="sending", started_at=Now())
            assert sweeping.enrol_chunk(premiere.pk) is False
            assert Delivery.objects.exists() is reached
            assert sweeping.enrol_chunk(premiere.pk) is False and Delivery.objects.count() == reached


@pytest.mark.parametrize("enrolled", [True, False])
def test_it_is_sent_when_everybody_is_enrolled_and_nothing_is_open(enrolled, premiere):
    over = set()
    for state in Delivery.State.values:
        with taken_back():
            deliver(premiere, state)
            Premiere.objects.update(state="sending", enrolled_at=Now() if enrolled else None)
            sweeping.close_finished()
            if Premiere.objects.get().state == "done":
                over.add(state)
    assert over == (set(Delivery.State.values) - {"pending", "claimed", "submitting"} if enrolled else set())


def test_a_second_sweep_ends_no_lease_that_holds(premiere):
    held = deliver(premiere, "claimed")
    for until, states in (
        (Now() + timedelta(minutes=1), ("claimed", "submitting")),
        (Now() - timedelta(minutes=1), ("pending", "uncertain")),
    ):
        for state, after in zip(("claimed", "submitting"), states, strict=True):
            Delivery.objects.update(state=state, next_try_at=None, lease_token=uuid4(), lease_until=until)
            sweeping.reap()
            held.refresh_from_db()
            assert held.state == after


# --- Pauses ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("db")
def test_a_pause_doubles_up_to_a_quarter_of_an_hour_and_a_taken_message_ends_it():
    lengths = []
    for _ in range(6):
        before = timezone.now()
        pauses.close("It refuses.")
        lengths.append(round((MailServer.objects.get().paused_until - before).total_seconds(), -1))
    assert lengths == [60, 120, 240, 480, 900, 900]
    assert pauses.is_closed() and pauses.pause().reason == "It refuses."
    pauses.open_again()
    assert not pauses.is_closed() and MailServer.objects.get().failures == 0
    pauses.close("Again.")
    MailServer.objects.update(paused_until=Now() - timedelta(seconds=1))
    assert not pauses.is_closed(), "a pause ends by itself"


# --- Readers who are deleted -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["pending", "claimed", "submitting", "sent"])
def test_an_erased_reader_leaves_their_count_and_no_address(state, premiere, north_shore, harbour, owner):
    mail = deliver(premiere, state)
    email = mail.email
    subscriptions.import_confirmed(harbour, [(email, "Counter.")])
    assert erasing.erase_subscriber(north_shore, email, by=owner)
    mail.refresh_from_db()
    assert mail.state == ("cancelled" if state in ("pending", "claimed") else state)
    assert email not in (mail.email, mail.error) and mail.subscriber is None
    assert Subscriber.objects.get().workspace == harbour, "another workspace keeps its own reader"
    assert SecurityEvent.objects.filter(kind="subscriber_erased").count() == 1
    result = subscriptions.import_confirmed(north_shore, [(email, "Counter.")])
    assert (result.added, result.left) == (0, 1)
    assert subscriptions.import_confirmed(harbour, [(email, "Counter.")]).left == 0


@pytest.mark.parametrize("days, stays", [(29, True), (31, False), (None, True)])
def test_who_left_is_a_hash_after_a_while(days, stays, north_shore, settings):
    settings.LEFT_SUBSCRIBERS_KEPT = 30
    subscribe(north_shore, 1)
    now = timezone.now()
    Subscriber.objects.update(unsubscribed_at=days and now - timedelta(days=days))
    assert erasing.forget_those_who_left(now) == (not stays)
    assert Subscriber.objects.exists() is stays and ErasedAddress.objects.exists() is not stays


@pytest.mark.parametrize("days, of", [(29, "sent"), (31, "sent"), (31, "claimed")])
def test_deliveries_of_what_ended_are_numbers_after_a_while(days, of, premiere, settings):
    settings.DELIVERIES_KEPT = 30
    deliver(premiere, of)
    now, gone = timezone.now(), set()
    for state in STATES:
        with taken_back():
            Premiere.objects.update(state=state, finished_at=now - timedelta(days=days))
            if erasing.forget_deliveries(now):
                gone.add(state)
            assert Delivery.objects.exists() is (state not in gone), state
            assert Premiere.objects.get().counts() == {of: 1}, state
    assert gone == (STATES - set(OPEN) if (days, of) == (31, "sent") else set())


# --- Who may -------------------------------------------------------------------------------------------------------

ROUTES = {
    "": ("GET", 200),
    "/export.csv": ("GET", 200),
    "/import": ("POST", 302),
    "/delete": ("POST", 302),
}


def test_who_may_see_and_change_the_readers_of_a_workspace(north_shore, person, client):
    for route, who in itertools.product(ROUTES, ("admin", "editor", "nobody")):
        with taken_back():
            subscribe(north_shore, 1)
            email = Subscriber.objects.get().email
            client.logout()
            if who != "nobody":
                client.force_login(person(who))
            method, status = ROUTES[route]
            path = f"/subscribers/{north_shore.pk}{route}"
            sent = {"email": email, "consent": "Counter."}
            if route == "/import":
                sent["file"] = SimpleUploadedFile("people.csv", b"email\nnew@readers.example\n", "text/csv")
            answer = client.get(path) if method == "GET" else client.post(path, sent)
            may = who == "admin"
            if not may and answer.status_code == 302:
                assert "/login" in answer["Location"] and who == "nobody"
            else:
                assert answer.status_code == (
                    status if may else 404 if who != "nobody" or route != "/import" else 403
                )
            assert Subscriber.objects.filter(email=email).exists() is not (may and route == "/delete")
            assert Subscriber.objects.filter(email="new@readers.example").exists() is (
                may and route == "/import"
            )
            if may:
                kinds = {"": None, "/export.csv": "exported", "/import": "imported", "/delete": "erased"}
                told = [
                    kind
                    for kind in SecurityEvent.objects.values_list("kind", flat=True)
                    if "subscriber" in kind
                ]
                assert [kind.rpartition("_")[2] for kind in told] == [kinds[route]] * (route != "")


@pytest.mark.parametrize("flags, status", [
    ({"is_staff": True, "is_superuser": True}, 200), ({"is_superuser": True}, 404), ({"is_staff": True}, 404),
])  # fmt: skip
def test_staff_see_readers_only_as_staff_who_may(flags, status, north_shore, client):
    client.force_login(User.objects.create_user("staff@capsules.example", "x", **flags))
    assert client.get(f"/subscribers/{north_shore.pk}").status_code == status


def test_who_deletes_an_address_is_told_whether_there_was_one(north_shore, owner, client):
    subscribe(north_shore, 1)
    client.force_login(owner)
    email = Subscriber.objects.get().email
    for typed, told in [
        (f" {email.upper()} ", "The address was deleted. No import brings it back."),
        (email, f"Nothing is kept about {email} here."),
        ("nobody", "is not an email address"),
    ]:
        page = client.post(f"/subscribers/{north_shore.pk}/delete", {"email": typed}, follow=True)
        assert told in html.unescape(page.content.decode())


@pytest.mark.parametrize("name", ["mail", "rcpt", "data"])
@pytest.mark.parametrize(
    "code, kind", [(250, None), (252, None), (354, None), (421, HungUp), (450, Refused), (550, Refused)]
)
def test_what_each_answer_of_a_mail_server_means(code, kind, name):
    answer, wanted = (code, b"Why."), 354 if name == "data" else 250
    everyone = name == "mail"
    if code // 100 == wanted // 100:
        transport.expect(answer, wanted, everyone=everyone)
        return
    expected = smtplib.SMTPException if code < 400 else Unavailable if everyone else kind
    with pytest.raises(expected, match=r"Why\."):
        transport.expect(answer, wanted, everyone=everyone)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "states, share", [({}, 0), ({"sent": 1, "failed": 1}, 100), ({"sent": 1, "pending": 1, "claimed": 1}, 33)]
)
def test_an_owner_reads_how_much_of_it_needs_no_more_work(states, share, premiere):
    Premiere.objects.update(tally=states)
    (progress,) = owner_pages.progress_of(list(Premiere.objects.all()))
    assert progress[2:4] == (sum(states.values()), share)


def test_the_page_of_an_audience_asks_as_often_for_many_premieres(premiere, north_shore, owner, client):
    client.force_login(owner)
    assert asks_as_often(
        client, f"/subscribers/{north_shore.pk}", after=lambda: more_premieres(north_shore), most=12
    )


def test_the_pages_of_an_audience_are_of_this_workspace_alone(premiere, harbour, person, client):
    subscriptions.import_confirmed(harbour, [("theirs@readers.example", "Counter.")])
    client.force_login(person("stranger"))
    theirs = f"/subscribers/{harbour.pk}"
    page = client.get(theirs)
    assert page.context["active"] == 1 and page.context["premieres"] == []
    listed = b"".join(client.get(f"{theirs}/export.csv").streaming_content).decode()
    assert "theirs@" in listed and "reader-1@" not in listed
    assert client.get(f"{theirs}/premieres/{premiere.pk}/FULL").status_code == 404
    client.post(f"{theirs}/delete", {"email": "reader-1@readers.example"})
    assert Subscriber.objects.count() == 2


# --- The pages behind the link of a mail -----------------------------------------------------------------------------


BEHIND_LINKS = ("unsubscribe/{0}", "unsubscribe/{0}/delete", "confirm/{0}")


def test_a_page_behind_a_link_is_private_and_changes_something_by_post_alone(premiere, client):
    for token, page in itertools.product(("known", "a\0b"), BEHIND_LINKS):
        with taken_back():
            reader = Subscriber.objects.get()
            asked = SubscriptionRequest.objects.create(
                workspace=reader.workspace, email="new@readers.example"
            )
            of_page = asked.token if "confirm" in page else reader.token
            path = "/" + page.format(quote(of_page if token == "known" else token))
            client.logout()

            def state() -> tuple:
                return (list(Subscriber.objects.values()), list(SubscriptionRequest.objects.values()))

            before = state()
            for method in (client.get, client.head, client.put, client.post):
                answer = method(path)
                is_known = token == "known"
                if method == client.put:
                    assert answer.status_code == 405
                else:
                    assert answer.status_code == (
                        404 if not is_known else 302 if "delete" in page and method != client.post else 200
                    )
                assert not answer.cookies
                if method != client.put:
                    assert answer["Cache-Control"] == "no-store" and answer["X-Robots-Tag"] == "noindex"
                    assert answer["Referrer-Policy"] == "no-referrer"
                assert (state() != before) is (is_known and method == client.post)
