"""Pins, and the listed capsules that staff choose them from."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db import models
from django.forms import ModelForm
from django.http import HttpRequest

from accounts.admin_base import ReadOnlyAdmin, StaffAdmin
from feed import actions
from feed.models import Card, Pin, pinnable


class PinForm(ModelForm):
    def clean(self) -> dict[str, object]:
        """The end comes after the start as they will stand: what only somebody else changed stays as it is now."""
        said = super().clean() or {}
        changed = [name for name in ("starts_at", "ends_at") if name in self.changed_data and name in said]
        stands = dict(self.initial)
        stands.update((name, said[name]) for name in changed)
        start, end = stands.get("starts_at"), stands.get("ends_at")
        if self.instance.pk and changed and end and end <= start:
            times = f"from {start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}"
            self.add_error(changed[0], f"The end must come after the start. Now it would go {times}.")
        return said


@admin.register(Pin)
class PinAdmin(StaffAdmin):
    form = PinForm
    list_display = ["publication", "tier", "place", "starts_at", "ends_at", "ended_at"]
    list_filter = ["tier", ("ended_at", admin.EmptyFieldListFilter)]
    list_select_related = ["publication__story"]
    search_fields = ["publication__story__title", "publication__slug"]
    fields = ["publication", "tier", "place", "starts_at", "ends_at", "ended_at", "created_by"]
    readonly_fields = ["ended_at", "created_by"]
    actions = None  # deleting in bulk would leave the ranks behind

    def get_readonly_fields(self, request: HttpRequest, obj: object = None) -> list[str]:
        return [*self.readonly_fields, "publication"] if obj else self.readonly_fields

    def formfield_for_foreignkey(
        self, db_field: models.ForeignKey, request: HttpRequest, **kwargs: object
    ) -> Any:
        if db_field.name == "publication":
            kwargs["queryset"] = pinnable().select_related("story").order_by("story__title")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Pin, form: ModelForm, change: bool) -> None:
        if not change:
            obj.created_by_id = request.user.pk
        write = super().save_model  # of a pin that is changed only what the form changed
        actions.save_pin(obj, lambda pin: write(request, pin, form, change))

    def delete_model(self, request: HttpRequest, obj: Pin) -> None:
        actions.remove_pin(obj)


@admin.register(Card)
class CardAdmin(ReadOnlyAdmin):
    """What the lists show; read-only, because it follows from the publications."""

    list_display = ["title", "workspace", "visibility", "views", "published_at", "slug"]
    list_filter = ["story__visibility"]
    list_select_related = ["workspace", "story", "rank"]
    search_fields = ["title", "slug", "workspace__name"]
    show_full_result_count = False
    ordering = ["-published_at", "-publication_id"]

    @admin.display(ordering="story__visibility")
    def visibility(self, card: Card) -> str:
        return card.story.visibility

    @admin.display(ordering="rank__sort_key")
    def views(self, card: Card) -> int:
        return card.rank.views
