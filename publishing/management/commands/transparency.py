"""`manage.py transparency --year 2026`: what was reported and decided, as CSV, for a yearly report."""

from __future__ import annotations

import csv
from collections import defaultdict
from statistics import median
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db.models import Count, Min
from django.utils import timezone

from publishing.models import Case
from publishing.statistics.wire import YEARS

COLUMNS = (
    *("year", "month", "kind", "reason"),
    *("reports", "frozen", "dismissed", "appeals", "lifted", "median hours"),
)


def year(text: str) -> int:
    """Raises ValueError, which argparse puts into words."""
    number = int(text)
    if number not in YEARS:
        raise ValueError
    return number


class Command(BaseCommand):
    help = "Prints cases of a year as CSV: by the month in which they began, by kind and reason. Nobody is named."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--year", type=year, default=timezone.now().year)

    def handle(self, *args: object, year: int, **options: object) -> None:
        out = csv.writer(self.stdout)
        out.writerow(COLUMNS)
        cases = Case.objects.filter(opened_at__year=year).annotate(
            report_count=Count("reports"), first_report_at=Min("reports__at")
        )
        groups: dict[tuple[int, str, str], list[object]] = defaultdict(list)
        for case in cases:
            groups[case.opened_at.month, case.kind, case.reason or "none"].append(case)
        for (month, kind, reason), found in sorted(groups.items()):
            out.writerow([year, month, kind, reason, *counts(found)])


def counts(cases: list[Any]) -> list[object]:
    """In the order of the columns; the hours are those from the first report to the decision."""
    hours = [
        (case.decided_at - case.first_report_at).total_seconds() / 3600
        for case in cases
        if case.decided_at and case.first_report_at
    ]
    return [
        sum(case.report_count for case in cases),
        sum(case.decided_at is not None and case.state != Case.State.DISMISSED for case in cases),
        sum(case.state == Case.State.DISMISSED for case in cases),
        sum(case.appealed_at is not None for case in cases),
        sum(case.state == Case.State.LIFTED for case in cases),
        f"{median(hours):.1f}" if hours else "",
    ]
