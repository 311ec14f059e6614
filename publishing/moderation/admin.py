"""Cases for staff: the capsule beside what was reported, and the decisions that can be taken."""

from __future__ import annotations

from collections.abc import Callable

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse

from accounts.admin_base import ReadOnlyAdmin, staff
from accounts.models import User
from accounts.statements import DECIDED, Statement
from capsules.models import Origin
from config.errors import CapsulesError, Forbidden
from config.ids import number_of
from publishing.models import Case, Publication
from publishing.moderation import actions
from publishing.pages.reading import Reading

SHOWN = 100  # capsules listed beside a case
REPORTS_SHOWN = 500
TICK_FIRST = "Tick that you mean the whole workspace."
MAY_NOT_SUSPEND = "This needs the permission to change workspaces, too."


class DecisionForm(forms.Form):
    """What staff say. The action asked for tells which of it it needs."""

    reason = forms.ChoiceField(choices=[("", "–"), *DECIDED], required=False, label="Reason")
    rule = forms.CharField(
        max_length=200,
        required=False,
        label="Law or rule",
        help_text="Which one, as the owner reads it: § 86a StGB, rule 4 of the terms, …",
    )
    words = forms.CharField(
        max_length=2000,
        required=False,
        label="Words to the owner",
        help_text="Facts and reasons in two or three sentences.",
        widget=forms.Textarea(attrs={"rows": 5}),
    )


@admin.register(Case)
class CaseAdmin(ReadOnlyAdmin):
    list_display = [
        "number",
        "subject",
        "state",
        "kind",
        "reason",
        "times_reported",
        "opened_at",
        "handled_by",
    ]
    list_filter = ["state", "kind", "reason"]
    search_fields = ["number", "subject", "workspace__name", "workspace__title"]
    list_select_related = ["handled_by"]
    date_hierarchy = "opened_at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Case]:
        return super().get_queryset(request).annotate(report_count=Count("reports"))

    @admin.display(description="reports", ordering="report_count")
    def times_reported(self, case: Case) -> int:
        return int(case.report_count)  # type: ignore[attr-defined]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: object = None
    ) -> HttpResponse:
        """The case. POST decides: `do` says what, the form why."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        cases = Case.objects.select_related(
            "workspace", "handled_by", "answered_by", "publication__story__workspace"
        )
        case = get_object_or_404(cases, pk=number_of(object_id))
        form = DecisionForm(request.POST or None, initial={"reason": case.reason, "rule": case.rule})
        if request.method == "POST":
            if not self.has_decide_permission(request):
                raise PermissionDenied
            if form.is_valid() and self.decided(request, case, form):
                return redirect(request.path)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.model._meta,
            "title": f"Case {case.number}",
            "case": case,
            "reports": case.reports.all()[:REPORTS_SHOWN],
            "report_count": case.reports.count(),
            "form": form,
            "because": Statement(case.reason).because,
            "others": others_of(case),
            "may_decide": self.has_decide_permission(request),
            "why_not": why_not(case, staff(request)),
            "buttons": [each for each in buttons_of(case) if self.may(request, case, each[0])],
            "shown": shown_by(case),
            "published": published_by(case),
            "copies": live_copies(case),
        }
        return TemplateResponse(request, "admin/case.html", context)

    def decided(self, request: HttpRequest, case: Case, form: DecisionForm) -> bool:
        said, by = form.cleaned_data, staff(request)
        statement = Statement(said["reason"], said["rule"].strip(), said["words"].strip())
        decisions: dict[str, tuple[str, Callable[[], None]]] = {
            "freeze": ("Taken down.", lambda: actions.freeze(case, statement, by=by)),
            "suspend": (
                "Taken down, and the workspace suspended.",
                lambda: actions.suspend_workspace(case, statement, by=by),
            ),
            "dismiss": ("Dismissed.", lambda: actions.dismiss(case, words=statement.words, by=by)),
            "lift": ("Lifted.", lambda: actions.lift(case, words=statement.words, by=by)),
            "uphold": ("Upheld.", lambda: actions.uphold(case, words=statement.words, by=by)),
        }
        told, act = decisions.get(request.POST.get("do", ""), ("", None))
        if act is None:
            self.message_user(request, "Choose what to do.", messages.ERROR)
            return False
        if not self.may(request, case, request.POST["do"]):
            self.message_user(request, MAY_NOT_SUSPEND, messages.ERROR)
            return False
        if request.POST["do"] == "suspend" and "whole" not in request.POST:
            self.message_user(request, TICK_FIRST, messages.ERROR)
            return False
        try:
            act()
        except CapsulesError as error:
            self.message_user(request, error.in_words(), messages.ERROR)
            return False
        self.log_change(request, case, told)
        self.message_user(request, f"{case}: {told}", messages.SUCCESS)
        return True

    def may(self, request: HttpRequest, case: Case, do: str) -> bool:
        """What concerns a whole workspace takes what the list of workspaces takes for it."""
        is_small = do != "suspend" and case.kind == Case.Kind.CAPSULE
        return is_small or request.user.has_perms(f"{app}.{name}" for app, name in actions.MAY_SUSPEND)


def buttons_of(case: Case) -> list[tuple[str, str]]:
    """What can be done with it now: (value, words)."""
    state = Case.State
    return {
        state.OPEN: [
            ("freeze", "Freeze"),
            ("dismiss", "Dismiss"),
            ("suspend", "Suspend the whole workspace"),
        ],
        state.FROZEN: [("lift", "Lift")],
        state.APPEALED: [("lift", "Lift"), ("uphold", "Uphold")],
        state.UPHELD: [("lift", "Lift")],
    }.get(state(case.state), [])


def why_not(case: Case, by: User) -> str:
    """Why somebody else has to decide it, or nothing."""
    try:
        actions.check_may_answer(case, by)
    except Forbidden as error:
        return error.in_words()
    return ""


def shown_by(case: Case) -> list[Reading]:
    """The capsule and its editions as readers got them; nothing where it was never published or is withdrawn."""
    if case.publication is None:
        return []
    rows = actions.with_editions(case.publication).filter(live_bake__isnull=False)
    return [Reading(row, []) for row in rows.with_bake()]


def published_by(case: Case) -> list[Publication]:
    """Of a workspace's case, what it has published."""
    if case.kind != Case.Kind.WORKSPACE or case.workspace_id is None:
        return []
    own = Publication.objects.published().filter(story__workspace=case.workspace_id)
    return list(own.select_related("story__workspace")[:SHOWN])


def others_of(case: Case) -> list[Case]:
    """The other cases of the same workspace, the latest first."""
    if case.workspace_id is None:
        return []
    return list(Case.objects.filter(workspace=case.workspace_id).exclude(pk=case.pk)[:SHOWN])


def live_copies(case: Case) -> list[Publication]:
    """What readers can open that was copied from the capsule of a case; it stays, with its pictures."""
    if case.about is None:
        return []
    copies = Origin.objects.filter(original=case.about).values("story")
    found = Publication.objects.live().filter(Q(story__in=copies) | Q(story__capsule__in=copies))
    return list(found.select_related("story__workspace")[:SHOWN])
