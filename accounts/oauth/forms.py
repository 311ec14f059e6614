"""The answer to an app that asks for access."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.actors import PREPARES_ONLY, PUBLICATIONS_WRITE, SCOPES
from accounts.models import Connection, Membership, User

Publishing = Connection.Publishing
#: What can be answered to an app that asks to publish: what is sent, in words, and what it means.
PUBLISHING = (
    ("", _("No"), _("It publishes and unpublishes nothing.")),
    (
        PUBLICATIONS_WRITE,
        Publishing.WHEN_ASKED.label,
        _(
            "Where the app can show questions, you are asked there first. Elsewhere a capsule is live at once, and an "
            "email tells you, with a way to cancel what your subscribers get and to unpublish."
        ),
    ),
    (
        PREPARES_ONLY,
        Publishing.PREPARES.label,
        _("It gives you a link to our page. Nothing goes live before you press Publish there."),
    ),
)


class Radio(NamedTuple):
    value: str
    words: str
    hint: str
    is_checked: bool


class Permissions(forms.MultipleChoiceField):
    """Boxes, and radio buttons of the same name for the permission to publish, one of which sends nothing."""

    def to_python(self, value: object) -> list[str]:
        return [each for each in super().to_python(value) if each]


class Workspaces(forms.ModelMultipleChoiceField):
    """Some of the memberships. SQLite takes no number of more than 64 bits; it is not one of them either."""

    def clean(self, value: list[str]) -> QuerySet[Membership]:
        try:
            return super().clean(value)
        except OverflowError:
            told = self.error_messages["invalid_choice"]
            raise forms.ValidationError(told, "invalid_choice", {"value": ", ".join(value)}) from None


class ConsentForm(forms.Form):
    """Which workspaces, which of them by default, and which of the scopes that were asked for."""

    workspaces = Workspaces(
        Membership.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one workspace.")},
    )
    default = forms.ModelChoiceField(
        Membership.objects.none(),
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose the default workspace.")},
    )
    scopes = Permissions(
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Tick at least one permission, or deny the request.")},
    )

    def __init__(
        self,
        *args: Any,
        user: User,
        asked: Collection[str],
        connection: Connection | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.user, self.asked = user, [scope for scope in SCOPES if scope in asked]
        self.may_publish = PUBLICATIONS_WRITE in held(connection)
        memberships = user.memberships.select_related("workspace").order_by("workspace__title")
        self.fields["workspaces"].queryset = memberships  # type: ignore[attr-defined]
        self.fields["default"].queryset = memberships  # type: ignore[attr-defined]
        choices = [(scope, SCOPES[scope]) for scope in self.asked]
        if PUBLICATIONS_WRITE in self.asked:
            choices.append((PREPARES_ONLY, Publishing.PREPARES.label))
        self.fields["scopes"].choices = choices  # type: ignore[attr-defined]

    def boxes(self) -> list[object]:
        """All permissions but the one to publish."""
        return [box for box in self["scopes"] if PUBLICATIONS_WRITE not in box.data["value"]]

    def publishing(self) -> list[Radio]:
        """The answers to whether it may publish, if that was asked. Nobody finds one of its forms ticked: at first it
        is No, and where the app may publish already nothing, because No would take that back unseen.
        """
        if PUBLICATIONS_WRITE not in self.asked:
            return []
        ticked = [value for value in self["scopes"].value() or [] if PUBLICATIONS_WRITE in value]
        says_no = not self.may_publish or (self.is_bound and "" in (self["scopes"].data or ()))
        chosen = next(iter(ticked), "" if says_no else None)
        return [Radio(value, str(words), str(hint), value == chosen) for value, words, hint in PUBLISHING]

    def clean_scopes(self) -> list[str]:
        """The scopes, in their order; `publishing` becomes the form that was chosen."""
        ticked = self.cleaned_data["scopes"]
        answers = {value for value, _, _ in PUBLISHING}
        if self.may_publish and self.publishing() and answers.isdisjoint(self["scopes"].data or ()):
            # Silence would take it back unseen.
            raise forms.ValidationError(_("Choose whether it may publish."))
        prepares = PREPARES_ONLY in ticked
        self.cleaned_data["publishing"] = Publishing.PREPARES if prepares else Publishing.WHEN_ASKED
        if prepares:
            ticked = [*ticked, PUBLICATIONS_WRITE]
        return [scope for scope in SCOPES if scope in ticked]

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or {}
        default, workspaces = cleaned.get("default"), cleaned.get("workspaces")
        if default and workspaces is not None and default not in workspaces:
            self.add_error("default", _("The default workspace must be one of those you chose."))
        return cleaned


def first_choice(user: User, asked: list[str], connection: Connection | None) -> dict[str, object]:
    """The boxes that are ticked at first: reading, what the connection may do already, and its workspaces, else one.

    How it publishes is always chosen by hand.
    """
    memberships = list(user.memberships.order_by("workspace__title"))
    own = next((m for m in memberships if m.workspace_id == user.default_workspace_id), None)
    start = own or next(iter(memberships), None)
    chosen = [start] if start else []
    if connection is not None and (reached := [reach.membership for reach in connection.reaches.all()]):
        chosen, start = reached, reached[0]
    return {
        "workspaces": [membership.pk for membership in chosen],
        "default": start and start.pk,
        "scopes": [
            scope
            for scope in asked
            if scope != PUBLICATIONS_WRITE and (not scope.endswith(":write") or scope in held(connection))
        ],
    }


def held(connection: Connection | None) -> list[str]:
    return connection.scopes if connection else []


def lacking(asked: list[str], connection: Connection | None) -> list[str]:
    """In words, what a connected app asks for and may not do yet."""
    return [
        str(SCOPES[scope])
        for scope in SCOPES
        if connection and scope in asked and scope not in held(connection)
    ]
