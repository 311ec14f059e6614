"""Staff and premieres: what happens, previews, and the three decisions that a program must not take."""

from __future__ import annotations

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.actors import Actor
from accounts.admin_base import ReadOnlyAdmin, StaffAdmin, staff
from publishing.mail import pauses
from publishing.models import Delivery, MailServer, Premiere, Subscriber, Suppression
from publishing.models.premieres import counts_of
from publishing.premieres import arming
from publishing.premieres.preview import preview_response
from publishing.subscribers import erasing
from publishing.subscribers.addresses import normalised


class HasUncertain(admin.SimpleListFilter):
    title = "uncertain deliveries"
    parameter_name = "uncertain"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("yes", "Some")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Premiere]) -> QuerySet[Premiere]:
        lost = Delivery.objects.filter(premiere=OuterRef("pk")).uncertain()
        return queryset.filter(Exists(lost)) if self.value() == "yes" else queryset


@admin.register(Premiere)
class PremiereAdmin(ReadOnlyAdmin):
    list_display = ["publication", "mode", "state", "due_at", "progress", "note"]
    list_filter = ["state", HasUncertain, "mode"]
    search_fields = [f"publication__{name}" for name in ("slug", "story__title", "story__workspace__name")]
    list_select_related = ["publication__story__workspace"]
    date_hierarchy = "due_at"
    readonly_fields = ["progress", "problems", "mail_server", "previews"]
    actions = ["cancel", "release", "resend_uncertain"]

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.preview)
        return [path("<int:pk>/preview/<str:mode>", view, name="premiere-preview"), *super().get_urls()]

    def preview(self, request: HttpRequest, pk: int, mode: str) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return preview_response(get_object_or_404(Premiere, pk=pk), mode)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """The list with `counted` on its rows: what `progress` tells of them, with one query."""
        changes = super().get_changelist_instance(request)
        rows = list(changes.result_list)
        counts = counts_of(rows)
        for premiere in rows:
            premiere.counted = counts[premiere.pk]
        return changes

    @admin.display(description="deliveries")
    def progress(self, premiere: Premiere) -> str:
        counts: dict[str, int] | None = getattr(premiere, "counted", None)
        if counts is None:  # on the page of one
            counts = premiere.counts()
        return ", ".join(f"{count} {state}" for state, count in counts.items()) or "none yet"

    @admin.display(description="errors")
    def problems(self, premiere: Premiere) -> SafeString | str:
        return format_html_join("", "<div>{1} × {0}</div>", premiere.errors()) or "none"

    @admin.display(description="mail server")
    def mail_server(self, premiere: Premiere) -> str:
        pause = pauses.pause()
        return f"Paused until {pause.paused_until:%H:%M:%S} UTC. {pause.reason}" if pause else "Not paused."

    @admin.display(description="previews")
    def previews(self, premiere: Premiere) -> SafeString | str:
        if not premiere.publication.is_published:
            return "The capsule is not published."
        modes = [(reverse("admin:premiere-preview", args=[premiere.pk, m]), m) for m in ("FULL", "TEASER")]
        return format_html_join(" · ", '<a href="{}" target="_blank" rel="noopener">{}</a>', modes)

    @admin.action(description="Cancel: send nothing more", permissions=["decide"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Premiere]) -> None:
        by = Actor.by_staff(staff(request))

        def cancel(premiere: Premiere) -> None:
            arming.cancel_forever(premiere.publication.story, arming.BY_STAFF, by=by)

        self.each(request, queryset, "Cancelled.", cancel)

    @admin.action(description="Release a held one: send it now", permissions=["decide"])
    def release(self, request: HttpRequest, queryset: QuerySet[Premiere]) -> None:
        self.each(request, queryset, "Released.", arming.release_premiere)

    @admin.action(description="Send uncertain deliveries again …", permissions=["decide"])
    def resend_uncertain(self, request: HttpRequest, queryset: QuerySet[Premiere]) -> HttpResponse | None:
        """The first step says what may happen, the second one does it."""
        if "confirmed" not in request.POST:
            uncertain = Delivery.objects.filter(premiere__in=queryset, state=Delivery.State.UNCERTAIN)
            count = uncertain.count()
            return self.ask_first(
                request,
                queryset,
                action="resend_uncertain",
                title="Send uncertain deliveries again?",
                text=[
                    f"For {count} deliveries the mail server had the message, but its answer was lost. "
                    "Whoever did get it will get it twice."
                ],
                items=[f"{delivery.email}: {delivery.error}" for delivery in uncertain[:200]],
                button=f"Yes, send these {count} again",
            )

        def resend(premiere: Premiere) -> str:
            return f"Sent uncertain deliveries again: {arming.resend_uncertain(premiere)}."

        self.each(request, queryset, "Sent uncertain deliveries again.", resend)
        return None


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    list_display = ["email", "premiere", "state", "refusals", "next_try_at", "finished_at", "error"]
    list_filter = ["state"]
    search_fields = ["email", "premiere__publication__story__title"]
    list_select_related = ["premiere__publication__story"]
    show_full_result_count = False


@admin.register(MailServer)
class MailServerAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "paused_until", "failures", "reason", "next_free_at"]
    actions = ["open_again"]

    @admin.action(description="End the pause", permissions=["decide"])
    def open_again(self, request: HttpRequest, queryset: QuerySet[MailServer]) -> None:
        for server in queryset:
            pauses.open_again()
            self.log_change(request, server, f"Pause ended: {server.reason or 'there was none'}")
        arming.nudge(delay=0)
        self.message_user(request, "Sending goes on.", messages.SUCCESS)


@admin.register(Subscriber)
class SubscriberAdmin(ReadOnlyAdmin):
    list_display = ["email", "workspace", "source", "confirmed_at", "unsubscribed_at"]
    list_filter = ["source", ("unsubscribed_at", admin.EmptyFieldListFilter)]
    search_fields = ["email", "workspace__name"]
    list_select_related = ["workspace"]
    show_full_result_count = False
    actions = ["erase"]

    @admin.action(description="Delete the address …", permissions=["erase"])
    def erase(self, request: HttpRequest, queryset: QuerySet[Subscriber]) -> HttpResponse | None:
        by = staff(request)
        return self.erase_after_asking(
            request,
            queryset,
            lambda subscriber: erasing.erase_subscriber(subscriber.workspace, subscriber.email, by=by),
            title="Delete these addresses?",
            text="A keyed hash of each stays, so that no import brings it back.",
            items=[f"{subscriber} ({subscriber.workspace})" for subscriber in queryset],
        )


class SuppressionForm(forms.ModelForm):
    def clean_email(self) -> str:
        """As subscribers' addresses are written, or it would close nobody's."""
        try:
            return normalised(self.cleaned_data["email"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error


@admin.register(Suppression)
class SuppressionAdmin(StaffAdmin):
    """Staff close and reopen addresses."""

    list_display = ["email", "reason", "detail", "created_at"]
    list_filter = ["reason"]
    search_fields = ["email"]
    form = SuppressionForm
