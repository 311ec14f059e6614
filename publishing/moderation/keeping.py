"""How long cases are kept: their words and addresses for a while, what is counted for good."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from publishing.models import Case, Report
from publishing.models.cases import APPEAL_WITHIN

NETWORKS_KEPT = timedelta(days=31)  # long enough for what rests after a dismissal
ADDRESSES_KEPT = APPEAL_WITHIN + timedelta(days=90)  # after a decision, which an appeal may change
WORDS_KEPT = timedelta(days=2 * 365)  # after the end of a case; while something is taken down by it, always


def forget_words(cases: QuerySet[Case]) -> int:
    """Leaves of cases what is counted: kind, reason, state and times."""
    Report.objects.filter(case__in=cases).update(words="", email="", network="")
    return cases.update(words="", rule="", appeal="", answer="", subject="")


def forget_old_cases(now: datetime) -> int:
    """Deletes from old cases what need not be kept any longer; returns of how many the words went."""
    Report.objects.filter(at__lt=now - NETWORKS_KEPT).exclude(network="").update(network="")
    decided = Q(case__decided_at__lt=now - ADDRESSES_KEPT) & ~Q(case__state__in=Case.GOING_ON[:1])
    Report.objects.filter(decided).exclude(email="").update(email="")
    ended = Case.objects.filter(ended_at__lt=now - WORDS_KEPT).exclude(state__in=Case.IN_FORCE)
    ended = ended.exclude(subject="")
    # Of a capsule that was deleted nothing is kept once nobody waits for an answer any more.
    waits = Q(state__in=[Case.State.OPEN, Case.State.APPEALED])
    may_appeal = Q(state=Case.State.FROZEN, decided_at__gt=now - APPEAL_WITHIN)
    erased = Case.objects.filter(publication=None, kind=Case.Kind.CAPSULE).exclude(subject="")
    erased = erased.exclude(waits | may_appeal)
    return forget_words(ended) + forget_words(erased)
