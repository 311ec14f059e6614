"""The mails about cases: receipts and outcomes to those who reported, statements of reasons to owners.

They go out by the worker, as all mails about accounts. A mail to a reporter repeats nothing that somebody typed,
because anybody can type anybody's address; a mail to an owner says nothing about who reported.
"""

from __future__ import annotations

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext

from accounts.models import Membership, User
from accounts.people.letters import post_letter
from accounts.statements import Statement
from accounts.throttling import DAY, check_rate, short_digest
from config.errors import Throttled
from config.links import absolute
from config.words.languages import page_in
from publishing.models import Case, Report

RECEIPTS = 5  # a day to one address: it may be somebody else's


def send_receipt(report: Report) -> None:
    if not report.email:
        return
    try:
        check_rate("receipt", short_digest(report.email.lower()), per=DAY, limit=RECEIPTS)
    except Throttled:
        return  # the report is taken all the same
    with page_in(report.language, own=True):
        subject = gettext("Your report %(number)s") % {"number": report.case.number}
        send(report.email, subject, "receipt", report.case)


def send_outcome(case: Case) -> None:
    """To everybody who reported and gave an address, once each, however they spelled it."""
    reports = case.reports.exclude(email="").order_by("-pk").values_list("email", "language")
    first = {email.lower(): (email, language) for email, language in reports}
    for email, language in first.values():
        with page_in(language, own=True):
            subject = gettext("What became of your report %(number)s") % {"number": case.number}
            send(email, subject, "outcome", case, link=absolute(case.subject))


def send_statement(case: Case) -> None:
    what = "workspace was suspended" if case.kind == Case.Kind.WORKSPACE else "capsule was taken down"
    send_to_owners(case, f"Your {what} ({case.number})", "statement")


def send_lifted(case: Case, words: str) -> None:
    what = (
        "workspace is no longer suspended"
        if case.kind == Case.Kind.WORKSPACE
        else "capsule is no longer taken down"
    )
    send_to_owners(case, f"Your {what} ({case.number})", "lifted", answer=words)


def send_upheld(case: Case) -> None:
    send_to_owners(case, f"The answer to your appeal ({case.number})", "upheld")


def send_appeal_receipt(case: Case, by: User) -> None:
    send(by.email, f"Your appeal ({case.number})", "appealed", case)


def send_to_owners(case: Case, subject: str, name: str, **more: object) -> None:
    owners = Membership.objects.filter(workspace=case.workspace_id, role=Membership.Role.OWNER)
    for owner in owners.filter(user__is_active=True).select_related("user"):
        send(owner.user.email, subject, name, case, **more)


def send(email: str, subject: str, name: str, case: Case, **more: object) -> None:
    story = case.publication.story if case.publication is not None else None
    context = {
        "case": case,
        "story": story,
        "service": settings.SERVICE_NAME,
        "because": Statement(case.reason).because,
        "by_themselves": by_themselves(case),
        "operator": settings.DEFAULT_FROM_EMAIL,
        "link": absolute(case.path),
        "page": absolute(reasons_page(case)),
        **more,
    }
    text = render_to_string(f"moderation/email/{name}.txt", context).strip()
    post_letter(email, subject, text)


def by_themselves(case: Case) -> str:
    """With the case of a workspace, the capsules of it that are down by cases of their own, which go on without it."""
    if case.kind != Case.Kind.WORKSPACE:
        return ""
    own = Case.objects.in_force().filter(kind=Case.Kind.CAPSULE, workspace=case.workspace)
    named = own.exclude(publication=None).values_list("publication__story__title", "number")
    return ", ".join(f"“{title}” ({number})" for title, number in named)


def reasons_page(case: Case) -> str:
    """Where members of the workspace read the reasons, and its owners appeal."""
    if case.publication is not None:
        return reverse("studio_taken_down", args=[case.publication.story_id])
    is_suspended = case.kind == Case.Kind.WORKSPACE and case.workspace_id is not None
    return reverse("studio_suspended", args=[case.workspace_id]) if is_suspended else "/studio"
