"""Staff and premieres: what happens, previews, and the three decisions that a program must not take."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.admin import ReadOnlyAdmin
from config.errors import CapsulesError
from publishing.models import Delivery, MailServer, Premiere, Subscriber, Suppression
from publishing.premieres import arming, gate
from publishing.premieres.preview import preview_response


@admin.register(Premiere)
class PremiereAdmin(ReadOnlyAdmin):
    list_display = ["publication", "mode", "state", "due_at", "progress", "note"]
    list_filter = ["state", "mode", "publication__story__workspace"]
    search_fields = ["publication__story__title", "publication__slug"]
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

    @admin.display(description="deliveries")
    def progress(self, premiere: Premiere) -> str:
        return ", ".join(f"{count} {state}" for state, count in premiere.counts().items()) or "none yet"

    @admin.display(description="errors")
    def problems(self, premiere: Premiere) -> SafeString | str:
        return format_html_join("", "<div>{1} × {0}</div>", premiere.errors()) or "none"

    @admin.display(description="mail server")
    def mail_server(self, premiere: Premiere) -> str:
        pause = gate.pause()
        return f"Paused until {pause.paused_until:%H:%M:%S} UTC. {pause.reason}" if pause else "Not paused."

    @admin.display(description="previews")
    def previews(self, premiere: Premiere) -> SafeString | str:
        if not premiere.publication.is_published:
            return "The capsule is not published."
        modes = [(reverse("admin:premiere-preview", args=[premiere.pk, m]), m) for m in ("FULL", "TEASER")]
        return format_html_join(" · ", '<a href="{}" target="_blank" rel="noopener">{}</a>', modes)

    @admin.action(description="Cancel: send nothing more", permissions=["decide"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Premiere]) -> None:
        for premiere in queryset:
            self.decide(request, premiere, "Cancelled", arming.cancel_by_staff)

    @admin.action(description="Release a held one: send it now", permissions=["decide"])
    def release(self, request: HttpRequest, queryset: QuerySet[Premiere]) -> None:
        for premiere in queryset:
            self.decide(request, premiere, "Released", arming.release)

    @admin.action(description="Send uncertain deliveries again …", permissions=["decide"])
    def resend_uncertain(self, request: HttpRequest, queryset: QuerySet[Premiere]) -> HttpResponse | None:
        """The first step says what may happen, the second one does it."""
        if "confirmed" not in request.POST:
            uncertain = Delivery.objects.filter(premiere__in=queryset, state=Delivery.State.UNCERTAIN)
            context = {
                **self.admin_site.each_context(request),
                "title": "Send uncertain deliveries again?",
                "premieres": queryset,
                "uncertain": uncertain[:200],
                "count": uncertain.count(),
            }
            return render(request, "premiere/resend.html", context)
        for premiere in queryset:
            self.decide(request, premiere, "Sent uncertain deliveries again", arming.resend_uncertain)
        return None

    def decide(self, request: HttpRequest, premiere: Premiere, deed: str, act: Any) -> None:
        """Carries a decision out, records who took it, and tells what came of it."""
        try:
            outcome = act(premiere)
        except CapsulesError as error:
            self.message_user(request, f"{premiere}: {error}", messages.ERROR)
            return
        words = deed if outcome is None else f"{deed}: {outcome}"
        self.log_change(request, premiere, words)
        self.message_user(request, f"{premiere}: {words}.", messages.SUCCESS)


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
            gate.open_again()
            self.log_change(request, server, f"Pause ended: {server.reason or 'there was none'}")
        arming.nudge(delay=0)
        self.message_user(request, "Sending goes on.", messages.SUCCESS)


@admin.register(Subscriber)
class SubscriberAdmin(ReadOnlyAdmin):
    list_display = ["email", "workspace", "source", "confirmed_at", "unsubscribed_at"]
    list_filter = ["source", ("unsubscribed_at", admin.EmptyFieldListFilter), "workspace"]
    search_fields = ["email"]
    list_select_related = ["workspace"]
    show_full_result_count = False


class SuppressionForm(forms.ModelForm):
    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()


@admin.register(Suppression)
class SuppressionAdmin(admin.ModelAdmin):
    """Staff close and reopen addresses."""

    list_display = ["email", "reason", "detail", "created_at"]
    list_filter = ["reason"]
    search_fields = ["email"]
    form = SuppressionForm
