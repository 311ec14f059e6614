"""The answer to an app that asks for access."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.actors import SCOPES
from accounts.models import Connection, Membership, User


class ConsentForm(forms.Form):
    """Which workspaces, which of them by default, and which of the scopes that were asked for."""

    workspaces = forms.ModelMultipleChoiceField(
        Membership.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one workspace."},
    )
    default = forms.ModelChoiceField(
        Membership.objects.none(),
        widget=forms.RadioSelect,
        error_messages={"required": "Choose the default workspace."},
    )
    scopes = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Tick at least one permission, or deny the request."},
    )

    def __init__(self, *args: Any, user: User, asked: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user, self.asked = user, [scope for scope in SCOPES if scope in asked]
        memberships = user.memberships.select_related("workspace").order_by("workspace__title")
        self.fields["workspaces"].queryset = memberships  # type: ignore[attr-defined]
        self.fields["default"].queryset = memberships  # type: ignore[attr-defined]
        self.fields["scopes"].choices = [(scope, SCOPES[scope]) for scope in self.asked]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        default, workspaces = cleaned.get("default"), cleaned.get("workspaces")
        if default and workspaces is not None and default not in workspaces:
            self.add_error("default", "The default workspace must be one of those you chose.")
        return cleaned


def first_choice(user: User, asked: list[str], connection: Connection | None) -> dict[str, Any]:
    """The boxes that are ticked at first: reading, what the connection may do already, and its workspaces, else one."""
    memberships = list(user.memberships.order_by("workspace__title"))
    own = next((m for m in memberships if m.workspace_id == user.default_workspace_id), None)
    start = own or next(iter(memberships), None)
    chosen = [start] if start else []
    if connection is not None and (reached := [reach.membership for reach in connection.reaches.all()]):
        chosen, start = reached, reached[0]
    return {
        "workspaces": [membership.pk for membership in chosen],
        "default": start and start.pk,
        "scopes": [scope for scope in asked if not scope.endswith(":write") or scope in held(connection)],
    }


def held(connection: Connection | None) -> list[str]:
    return connection.scopes if connection else []


def lacking(asked: list[str], connection: Connection | None) -> list[str]:
    """In words, what a connected app asks for and may not do yet."""
    return [
        SCOPES[scope] for scope in SCOPES if connection and scope in asked and scope not in held(connection)
    ]
