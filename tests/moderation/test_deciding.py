"""What can be decided in which state of a case, by whom, who is told, and how long each thing of it is kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, Permission
from django.utils import timezone

from accounts.actions import workspaces
from accounts.decided import BECAUSE
from accounts.models import Membership, User
from accounts.statements import Reason, Statement
from config.errors import Conflict, Forbidden, Invalid, Locked
from publishing import dark
from publishing.models import Case, Publication, Report
from publishing.models.cases import APPEAL_WITHIN
from publishing.moderation import actions as moderation
from publishing.moderation import keeping
from tests.support import factories
from tests.support.moderation import WORDS, report
from tests.support.rows import taken_back

pytestmark = pytest.mark.django_db
SAID = Statement("spam", "", WORDS)
STATES = ("open", "dismissed", "frozen", "appealed", "upheld", "lifted")
#: The states in which each can be done.
ALLOWED = {
    "freeze": {"open"},
    "dismiss": {"open"},
    "suspend_workspace": {"open"},
    "lift": {"frozen", "appealed", "upheld"},
    "uphold": {"appealed"},
}


#: Whose report comes how long after a dismissal, whether about the same capsule, and whether it is refused.
RESTS = [
    ("n", timedelta(days=29), True, True),
    ("n", timedelta(days=31), True, False),
    ("m", timedelta(days=1), True, False),
    ("", timedelta(days=1), True, False),
    ("n", timedelta(days=1), False, False),
]
#: Who else is there, and whether an appeal waits for them.
WAITS = [
    ({"is_staff": True, "is_superuser": True}, True),
    ({"is_staff": True, "permission": "change_case"}, True),
    ({"is_staff": True, "group": True}, True),
    ({"is_staff": True}, False),
    ({"is_staff": True, "permission": "view_case"}, False),
    ({"permission": "change_case"}, False),
    ({"is_superuser": True}, False),
    ({"is_staff": True, "is_superuser": True, "is_active": False}, False),
]


@pytest.fixture
def case(live_story) -> Case:
    return report(live_story, email="reader@readers.example", network="n")


@pytest.fixture
def other(db) -> User:
    return User.objects.create_superuser("second@capsules.example", "x")


def decide(do: str, case: Case, by: User) -> None:
    said = {"freeze": (SAID,), "suspend_workspace": (SAID,)}.get(do, ())
    words = {"uphold": {"words": "No."}}.get(do, {})
    getattr(moderation, do)(case, *said, **words, by=by)


def bring(case: Case, state: str, by: User) -> None:
    """By hand, as somebody decided it yesterday."""
    yesterday = timezone.now() - timedelta(days=1)
    Case.objects.filter(pk=case.pk).update(state=state, handled_by=by, decided_at=yesterday)
    if state in Case.IN_FORCE:
        Publication.objects.update(frozen_at=yesterday, frozen_case=case)


@pytest.mark.parametrize("state", STATES)
def test_what_can_be_decided_in_which_state(state, case, staff, other, mailoutbox):
    bring(case, state, by=staff)
    before, done = len(mailoutbox), set()
    for do in ALLOWED:
        with taken_back():
            try:
                decide(do, Case.objects.get(pk=case.pk), other)
            except Conflict:
                assert Case.objects.get().state == state and len(mailoutbox) == before, do
            else:
                done.add(do)
                assert Case.objects.get(pk=case.pk).state != state, do
        before = len(mailoutbox)
    assert done == {do for do, states in ALLOWED.items() if state in states}


@pytest.mark.parametrize("state, may", [("frozen", True), ("upheld", True), ("appealed", False)])
def test_who_decided_gives_it_back_by_themselves_but_answers_no_appeal(state, may, case, staff, other):
    bring(case, state, by=staff)
    if may:
        moderation.lift(case, words="Sorry.", by=staff)
        assert Case.objects.get().answer == "", "there was nothing to answer"
        return
    for do in ("lift", "uphold"):
        with pytest.raises(Forbidden, match="the one who decided"):
            decide(do, case, staff)
    moderation.lift(case, words="We were wrong.", by=other)
    told = Case.objects.get()
    assert (told.state, told.answer, told.answered_by) == ("lifted", "We were wrong.", other)


def in_a_group(user: User) -> None:
    group = Group.objects.create(name="Helpers")
    group.permissions.set(Permission.objects.filter(codename="change_case"))
    user.groups.add(group)


def test_an_appeal_waits_only_for_somebody_who_may_answer_it(case, staff):
    for who, waits in WAITS:
        with taken_back():
            flags = {name: value for name, value in who.items() if name.startswith("is_")}
            helper = User.objects.create_user("helper@helpers.example", "x", **flags)
            if "permission" in who:
                helper.user_permissions.set(Permission.objects.filter(codename=who["permission"]))
            if "group" in who:
                in_a_group(helper)
            bring(case, "appealed", by=staff)
            if waits:
                with pytest.raises(Forbidden):
                    moderation.uphold(case, words="No.", by=staff)
            else:
                moderation.uphold(case, words="No.", by=staff)


@pytest.mark.parametrize(
    "age, error", [(APPEAL_WITHIN - timedelta(hours=1), None), (APPEAL_WITHIN, Conflict), (None, Conflict)]
)
def test_an_appeal_has_its_time(age, error, case, staff, owner):
    bring(case, "frozen", by=staff)
    Case.objects.update(decided_at=None if age is None else timezone.now() - age)
    if error is None:
        moderation.appeal(case, "  Mine. ", by=owner)
        assert Case.objects.get().appeal == "Mine."
    else:
        with pytest.raises(error):
            moderation.appeal(case, "Mine.", by=owner)


@pytest.mark.parametrize("text, error", [(" \n", Invalid), ("x" * 4001, Invalid), ("x" * 4000, None)])
def test_an_appeal_says_something_and_not_too_much(text, error, case, staff, owner):
    bring(case, "frozen", by=staff)
    if error is None:
        moderation.appeal(case, text, by=owner)
    else:
        with pytest.raises(error):
            moderation.appeal(case, text, by=owner)
        assert Case.objects.get().state == "frozen"


def test_an_appeal_is_sent_once_and_by_an_owner_of_this_workspace(case, staff, owner, person):
    bring(case, "frozen", by=staff)
    with pytest.raises(Forbidden):
        moderation.appeal(case, "Mine.", by=person("stranger"))  # who owns another one
    moderation.appeal(case, "Mine.", by=owner)
    Case.objects.update(state="frozen")
    with pytest.raises(Conflict, match="sent already"):
        moderation.appeal(case, "Again.", by=owner)


def test_what_rests_after_a_dismissal(case, staff, api, north_shore, rendered):
    for network, ended, same_capsule, refused in RESTS:
        with taken_back():
            Report.objects.update(network=network if not network else "n")
            moderation.dismiss(case, by=staff)
            Case.objects.update(ended_at=timezone.now() - ended)
            publication = case.publication
            if not same_capsule:
                second = factories.make_story(north_shore, rendered, title="Far shores")
                api.publish(second)
                publication = Publication.objects.select_related("story__workspace").get(story=second)
            if refused:
                with pytest.raises(Conflict):
                    moderation.report(publication, why="spam", network=network)
            else:
                assert moderation.report(publication, why="spam", network=network) != case


def test_what_was_lifted_can_be_reported_again_at_once(case, staff):
    moderation.freeze(case, SAID, by=staff)
    moderation.lift(case, by=staff)
    again = moderation.report(Publication.objects.get(), why="spam", network="n")
    assert again != case and again.state == "open"


def test_only_owners_who_are_active_are_told(case, staff, north_shore, owner, person, mailoutbox):
    away = User.objects.create_user("away@north-shore.example", "x", is_active=False)
    second = User.objects.create_user("second@north-shore.example", "x")
    for user in (away, second):
        Membership.objects.create(workspace=north_shore, user=user, role="owner")
    before = len(mailoutbox)
    moderation.freeze(case, SAID, by=staff)
    told = sorted(mail.to[0] for mail in mailoutbox[before:])
    assert told == sorted([owner.email, second.email, "reader@readers.example"])


@pytest.mark.parametrize("way", ["frozen", "suspended"])
def test_who_publishes_what_was_taken_down_is_told_why(way, case, live_story, staff):
    assert BECAUSE.keys() == set(Reason.values)
    if way == "frozen":
        moderation.freeze(case, SAID, by=staff)
    else:
        workspaces.suspend(live_story.workspace, by=staff, statement=SAID)
    live_story.workspace.refresh_from_db()
    with pytest.raises(Locked, match=BECAUSE[SAID.reason].strip()):
        dark.check_may_go_public(live_story)


# --- How long things are kept --------------------------------------------------------------------------------------

DAY = timedelta(days=1)


def test_each_thing_of_a_report_goes_in_its_time(case, staff):
    moderation.dismiss(case, words="Fine.", by=staff)
    Report.objects.update(words="Watches.")
    for age, left in (
        (keeping.NETWORKS_KEPT - DAY, "network email words"),
        (keeping.NETWORKS_KEPT + DAY, "email words"),
        (keeping.ADDRESSES_KEPT - DAY, "email words"),
        (keeping.ADDRESSES_KEPT + DAY, "words"),
        (keeping.WORDS_KEPT - DAY, "words"),
        (keeping.WORDS_KEPT + DAY, ""),
    ):
        keeping.forget_old_cases(timezone.now() + age)
        report = Report.objects.get()
        assert [name for name in ("network", "email", "words") if getattr(report, name)] == left.split(), age
        case.refresh_from_db()
        assert bool(case.words) == bool(case.subject) == ("words" in left), age
        assert (case.state, case.reason) == ("dismissed", "rights"), "they are counted"


def test_an_open_case_keeps_addresses_and_words_and_an_ended_one_of_an_erased_capsule_nothing(case, staff):
    Report.objects.update(words="Watches.")
    far = timezone.now() + 3 * keeping.WORDS_KEPT
    keeping.forget_old_cases(far)
    report = Report.objects.get()
    assert (report.email, report.words) == ("reader@readers.example", "Watches.")
    Publication.objects.all().delete()
    assert keeping.forget_old_cases(timezone.now()) == 0, "somebody waits for an answer"
    moderation.dismiss(case, by=staff)
    assert keeping.forget_old_cases(timezone.now()) == 1
    report.refresh_from_db()
    case.refresh_from_db()
    assert (report.email, report.words, case.subject) == ("", "", "")
    assert keeping.forget_old_cases(timezone.now()) == 0, "nothing is left of it"


def test_who_deletes_a_capsule_does_not_silence_who_reported_it(case, staff, mailoutbox):
    Publication.objects.all().delete()
    keeping.forget_old_cases(timezone.now())
    moderation.dismiss(case, by=staff)
    assert [mail.to for mail in mailoutbox[-1:]] == [["reader@readers.example"]]


def test_what_was_deleted_while_it_was_down_keeps_its_reasons_while_it_can_be_appealed(
    case, staff, mailoutbox
):
    moderation.freeze(case, SAID, by=staff)
    Publication.objects.all().delete()
    keeping.forget_old_cases(timezone.now())
    case.refresh_from_db()
    assert case.words and case.is_appealable
    moderation.lift(case, by=staff)
    [mail] = [mail for mail in mailoutbox if "no longer taken down" in mail.subject]
    assert "which was deleted meanwhile" in mail.body and "“”" not in mail.body
