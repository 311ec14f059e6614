"""What staff and owners see of a premiere, and what staff decide."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from capsules.garbage import blobs_in_use
from capsules.models import Encode
from publishing import front_desk, measures
from publishing.mail import pauses
from publishing.models import Bake, Delivery, Premiere, Publication, Subscriber
from publishing.premieres import sweeping
from tests.support.mail import more_premieres, subscribe, sweep_at
from tests.support.oauth import one_line
from tests.support.queries import asks_as_often

pytestmark = pytest.mark.django_db
LIST = "/admin/publishing/premiere/"


@pytest.fixture
def staff(client):
    client.force_login(User.objects.create_superuser("staff@capsules.example"))
    return client


@pytest.fixture
def premiere(live_story, north_shore, mailbox) -> Premiere:
    subscribe(north_shore, 3)
    return Premiere.objects.get()


def act(client, premiere: Premiere, action: str, **more):
    return client.post(LIST, {"action": action, "_selected_action": [premiere.pk], **more}, follow=True)


def state() -> str:
    return Premiere.objects.get().state


def test_staff_see_the_due_time_counts_and_errors_in_words(staff, premiere, mailbox):
    mailbox.answer = lambda stage, to, n: "550 5.7.1 go away" if to == "reader-1@readers.example" else None
    sweep_at()
    assert "2 sent, 1 failed" in staff.get(LIST).content.decode()
    page = staff.get(f"{LIST}{premiere.pk}/change/").content.decode()
    assert "The mail server refused it: 550 5.7.1 go away" in page
    assert staff.get("/admin/publishing/delivery/").status_code == 200
    assert staff.get("/admin/publishing/mailserver/").status_code == 200
    assert staff.get("/admin/publishing/subscriber/").status_code == 200


def test_the_list_can_be_narrowed_to_premieres_with_uncertain_deliveries(staff, premiere, mailbox):
    def listed(query: str) -> list[Premiere]:
        return list(staff.get(f"{LIST}{query}").context["cl"].queryset)

    assert '<a href="?uncertain=yes">Some</a>' in one_line(staff.get(LIST))
    assert (listed(""), listed("?uncertain=yes")) == ([premiere], [])
    mailbox.answer = lambda stage, to, n: "hang up" if (stage, n) == ("DATA", 0) else None
    sweep_at()
    assert listed("?uncertain=yes") == [premiere]


def test_staff_see_a_premiere_of_which_nothing_was_sent(staff, premiere, api, live_story):
    page = staff.get(f"{LIST}{premiere.pk}/change/").content.decode()
    assert "none yet" in page and "Not paused." in page
    assert all(f"{LIST}{premiere.pk}/preview/{mode}" in page for mode in ("FULL", "TEASER"))
    api.unpublish(live_story)
    page = staff.get(f"{LIST}{premiere.pk}/change/").content.decode()
    assert "The capsule is not published." in page and f"{premiere.pk}/preview/" not in page


def test_who_may_not_see_premieres_previews_none(client, premiere):
    client.force_login(User.objects.create_user("helper@capsules.example", is_staff=True))
    assert client.get(f"{LIST}{premiere.pk}/preview/FULL").status_code == 403
    client.logout()
    assert client.get(f"{LIST}{premiere.pk}/preview/FULL").status_code == 302


@pytest.mark.parametrize("mode", ["FULL", "TEASER.txt"])
def test_staff_preview_both_mails_in_a_sandbox(mode, staff, premiere):
    answer = staff.get(f"{LIST}{premiere.pk}/preview/{mode}")
    assert answer.status_code == 200
    is_text = mode.endswith(".txt")
    assert answer["Content-Type"] == f"text/{'plain' if is_text else 'html'}; charset=utf-8"
    content = answer.content.decode()
    assert ("<html" in content) is not is_text
    assert "This is scene 1" in content
    assert ("This is scene 3" in content) is mode.startswith("FULL")
    assert "/unsubscribe/of-the-recipient" in content, "nobody's own link"
    assert "sandbox" in answer["Content-Security-Policy"]


def test_a_preview_that_is_not_there_is_404(staff, premiere):
    for key, mode in ((1, "FULL"), (0, "OFF"), (0, "FULL.html"), (0, "FULL.txt.txt")):
        assert staff.get(f"{LIST}{premiere.pk + key}/preview/{mode}").status_code == 404, mode


def test_staff_cancel_a_premiere_and_it_is_recorded(staff, premiere, mailbox):
    act(staff, premiere, "cancel")
    sweep_at()
    assert state() == "cancelled"
    assert mailbox.taken == []
    assert LogEntry.objects.get().change_message == "Cancelled."
    assert "already cancelled" in act(staff, premiere, "cancel").content.decode()


def test_staff_release_a_held_premiere(staff, premiere, mailbox):
    sweep_at(timedelta(hours=25))
    assert state() == "held"
    act(staff, premiere, "release")
    sweeping.send_due_premieres()
    assert len(mailbox.taken) == 3


def test_uncertain_deliveries_go_out_again_only_in_two_steps_and_it_is_recorded(staff, premiere, mailbox):
    mailbox.answer = lambda stage, to, n: "hang up" if (stage, n) == ("DATA", 0) else None
    sweep_at()
    uncertain = Delivery.objects.get(state="uncertain")

    first = act(staff, premiere, "resend_uncertain").content.decode()
    assert uncertain.email in first
    assert Delivery.objects.filter(state="uncertain").exists()

    act(staff, premiere, "resend_uncertain", confirmed="yes")
    assert LogEntry.objects.get().change_message == "Sent uncertain deliveries again: 1."
    mailbox.answer = lambda *args: None
    sweeping.send_due_premieres()
    assert mailbox.twice() == [uncertain.email]


def test_an_owner_sees_how_the_premiere_goes(client, owner, north_shore, premiere, mailbox):
    client.force_login(owner)
    assert "None yet" in client.get(f"/subscribers/{north_shore.pk}").content.decode()
    sweep_at()
    assert "3 sent" in one_line(client.get(f"/subscribers/{north_shore.pk}"))
    assert client.get(f"/subscribers/{north_shore.pk}/premieres/{premiere.pk}/FULL").status_code == 200


def test_an_owner_reads_that_a_premiere_had_nobody_to_go_to(client, owner, north_shore, premiere):
    Subscriber.objects.all().delete()
    sweep_at()
    client.force_login(owner)
    page = client.get(f"/subscribers/{north_shore.pk}").content.decode()
    assert "There was nobody to send it to" in page and "None yet" not in page


def test_a_pause_is_told_to_owners_and_staff_who_may_end_it_on_record(
    client, owner, north_shore, premiere, mailbox
):
    mailbox.answer = lambda stage, to, n: "454 4.7.0 not you" if stage == "MAIL" else None
    sweep_at()
    client.force_login(owner)
    assert "Sending continues by itself" in one_line(client.get(f"/subscribers/{north_shore.pk}"))

    watcher = User.objects.create_user("watcher@capsules.example", is_staff=True)
    for model in ("premiere", "mailserver"):
        watcher.user_permissions.add(Permission.objects.get(codename=f"view_{model}"))
    client.force_login(watcher)
    assert "454 4.7.0 not you" in client.get(f"{LIST}{premiere.pk}/change/").content.decode()
    ending = {"action": "open_again", "_selected_action": [1]}
    client.post("/admin/publishing/mailserver/", ending)
    assert pauses.is_closed()

    watcher.user_permissions.add(Permission.objects.get(codename="change_mailserver"))
    client.post("/admin/publishing/mailserver/", ending)
    assert not pauses.is_closed()
    assert "454 4.7.0 not you" in LogEntry.objects.get().change_message


def test_pictures_of_a_sent_mail_are_kept_as_long_as_the_capsule_is_published(
    premiere, live_story, api, settings
):
    settings.BAKES_KEPT = 0  # nothing else needs them
    sweep_at()
    pictures = Premiere.objects.get().bake.blobs()
    Encode.objects.update(outputs=None)
    Bake.objects.update(replaced_at=timezone.now() - 2 * settings.BLOB_RETENTION)
    assert pictures <= blobs_in_use()
    Publication.objects.update(published_at=None)
    assert not pictures & blobs_in_use()


def test_members_read_that_staff_did_it_and_not_who(staff, premiere, api, live_story, person):
    act(staff, premiere, "cancel")
    [told] = [
        each
        for each in api.get(f"/stories/{live_story.pk}/publication/history").json()["items"]
        if each["action"] == "premiere cancelled"
    ]
    assert (told["by"], told["via"]) == (None, "staff")
    staff.force_login(person("viewer"))
    page = staff.get(reverse("studio_versions", args=[live_story.pk])).content.decode()
    assert "as staff of the service" in page and User.objects.get(is_staff=True).email not in page


def test_the_list_asks_as_often_for_many_premieres(staff, premiere, north_shore):
    assert asks_as_often(staff, LIST, after=lambda: more_premieres(north_shore))


def test_what_waits_with_its_capsule_waits_for_nobody_of_the_staff(premiere):
    for note, waits in [(Premiere.TAKEN_DOWN, False), ("It is more than 24 hours late.", True)]:
        Premiere.objects.update(state="held", note=note)
        assert Premiere.objects.held_for_staff().exists() is waits
        assert measures.premieres_held() == {"": float(waits)}
        (held, *_) = front_desk.waiting_premieres()
        assert held.count == int(waits)
