"""What the admins of all apps share: rows to look at, actions on record, a question before the large ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import or_
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import lookup_spawns_duplicates
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ValidationError
from django.db import DataError, models
from django.db.models import Model, QuerySet
from django.db.models.constants import LOOKUP_SEP
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.text import smart_split, unescape_string_literal

from accounts.models import User
from config.errors import CapsulesError
from config.texts import contains

Row = TypeVar("Row", bound=Model)
#: That the page of a question may send back: a form has so many fields at most, and others beside the rows.
MOST_ROWS = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS - 100
TOO_MANY = f"At most {MOST_ROWS} rows at a time, please: narrow the list with its filters. Nothing was done."
GONE = "Rows chosen that are not in this list any more: {}. Nothing was done to them."
NO_SUCH_ROW = "What was chosen has an id that no row can have. Nothing was done."


def staff(request: HttpRequest) -> User:
    """The member of staff who sent this request."""
    assert isinstance(request.user, User)  # noqa: S101 (the admin asks for a login)
    return request.user


def slug_in(term: str) -> str:
    """The slug in a pasted public link or path; anything else is returned as it was typed."""
    return next(iter(segments_of(term)[1:]), term)


def workspace_in(term: str) -> str:
    """The workspace's name in a pasted public link or path; anything else as it was typed."""
    return next(iter(segments_of(term)), term)


def segments_of(link: str) -> list[str]:
    """What stands between the slashes of a link or path; nothing for what is neither."""
    try:
        place = urlsplit(link.strip())
    except ValueError:
        return []
    is_link = bool(place.netloc) or place.path.startswith("/")
    return [part for part in place.path.split("/") if part] if is_link else []


def unquoted(word: str) -> str:
    """A word that is searched for, or the words inside of quotation marks."""
    return unescape_string_literal(word) if word[0] in "\"'" and word[0] == word[-1] else word


def refusal_words(row: Model, error: CapsulesError) -> str:
    """Why an action was refused, every fault named."""
    return " ".join([f"{row}: {error}", *(f"{fault.path}: {fault.message}" for fault in error.faults)])


class StaffAdmin(admin.ModelAdmin):
    """Actions that name the permission they need, and that the history of each row records.

    Nothing is chosen from a list of all workspaces, which has no end: they are searched for by name.
    """

    finds_links = False  # whether its search takes a public link for the slug in it

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Years and dates that no calendar has, and numbers that no column holds, are refused as other filters are."""
        try:
            return super().get_changelist_instance(request)
        except (ValueError, OverflowError, ValidationError, DataError) as error:
            raise IncorrectLookupParameters(error) from error

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Only by what its list offers as a filter: by others, secrets that no page shows could be found out piece by
        piece.
        """
        column = lookup.split(LOOKUP_SEP)[0]
        return column in self.filtered_by() and super().lookup_allowed(lookup, value, request)

    def filtered_by(self) -> set[str]:
        """Its columns, and names of its own, that stand in addresses of its list."""
        offered = [each[0] if isinstance(each, tuple) else each for each in self.list_filter]
        names = [
            each if isinstance(each, str) else str(getattr(each, "parameter_name", "")) for each in offered
        ]
        names += [self.date_hierarchy or "", self.opts.pk.name]
        return {name.split(LOOKUP_SEP)[0] for name in names}

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet, search_term: str
    ) -> tuple[QuerySet, bool]:
        """Also in the capitals of every script, and where an accent is a character of its own: see `contains`."""
        term = slug_in(search_term) if self.finds_links else search_term
        if term.isascii():  # so that ids are found as well
            return super().get_search_results(request, queryset, term)
        fields = self.get_search_fields(request)
        words = [unquoted(word) for word in smart_split(term)]
        each = (reduce(or_, (contains(field, word) for field in fields)) for word in words)
        return queryset.filter(*each), any(lookup_spawns_duplicates(self.opts, field) for field in fields)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        """None too for a number that no column holds, which SQLite fails at."""
        try:
            return super().get_object(request, object_id, from_field)
        except OverflowError:
            return None

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, str | list[str]]:
        """What an address fills in, but for moments: their fields fail at text."""
        moments = {
            field.name for field in self.opts.concrete_fields if isinstance(field, models.DateTimeField)
        }
        told = super().get_changeform_initial_data(request)
        return {name: value for name, value in told.items() if name not in moments}

    def response_action(
        self, request: HttpRequest, queryset: QuerySet, *rest: Any, **named: Any
    ) -> HttpResponse | None:
        """An action on rows that cannot be does nothing, and says so; as of rows that are gone."""
        chosen = set(request.POST.getlist(ACTION_CHECKBOX_NAME))
        try:
            for key in chosen:
                self.model._meta.pk.clean(key, None)
        except ValidationError:
            self.message_user(request, NO_SUCH_ROW, messages.ERROR)
            return None
        if gone := len(chosen) - queryset.filter(pk__in=chosen).count():
            self.message_user(request, GONE.format(gone), messages.WARNING)
        return super().response_action(request, queryset, *rest, **named)

    def each(
        self,
        request: HttpRequest,
        rows: Iterable[Row],
        words: str,
        act: Callable[[Row], object],
        *,
        is_recorded: bool = True,
    ) -> None:
        """Calls `act` on every row and says what came of it, or why it was refused.

        `act` may return a text to show and record instead of `words`; or False where there was nothing to do, which
        is not recorded. An action that deletes its rows is in the audit log instead (`is_recorded` False).
        """
        for row in rows:
            try:
                outcome = act(row)
            except CapsulesError as error:
                self.message_user(request, refusal_words(row, error), messages.ERROR)
                continue
            except self.model.DoesNotExist:
                self.message_user(request, f"{row}: it was deleted meanwhile.", messages.ERROR)
                continue
            if outcome is False:
                self.message_user(request, f"{row}: there was nothing to do.", messages.INFO)
                continue
            told = outcome if isinstance(outcome, str) else words
            if is_recorded:
                self.log_change(request, row, told)
            self.message_user(request, f"{row}: {told}", messages.SUCCESS)

    def ask_first(
        self, request: HttpRequest, queryset: QuerySet[Row], *, action: str, title: str, **words: object
    ) -> HttpResponse:
        """The page between choosing an action and carrying it out.

        `words`: `text` (sentences), `items` (lines), `choices` ([(value, label)], none chosen), `fault`, `button`.
        """
        if queryset.count() > MOST_ROWS:
            self.message_user(request, TOO_MANY, messages.ERROR)
            return redirect(request.get_full_path())
        context = {
            **self.admin_site.each_context(request),
            "opts": self.model._meta,
            "title": title,
            "action": action,
            "rows": queryset,
            **words,
        }
        return TemplateResponse(request, "admin/ask_first.html", context)

    def erase_after_asking(
        self,
        request: HttpRequest,
        queryset: QuerySet[Row],
        erase: Callable[[Row], object],
        *,
        title: str,
        text: str,
        items: list[str],
    ) -> HttpResponse | None:
        """The two steps of every action named `erase`: `title`, `text` and `items` say what goes, then it goes."""
        if "confirmed" not in request.POST:
            words = {"text": [f"{text} This cannot be undone."], "items": items, "button": "Delete"}
            return self.ask_first(request, queryset, action="erase", title=title, **words)
        self.each(request, queryset, "Deleted.", erase, is_recorded=False)
        return None

    def has_erase_permission(self, request: HttpRequest) -> bool:
        """Whether somebody may run the action `erase`: it takes the permission to delete such rows."""
        return super().has_delete_permission(request)

    def formfield_for_dbfield(
        self, db_field: models.Field, request: HttpRequest, **kwargs: object
    ) -> forms.Field | None:
        """A form brings along what it showed: a field that only somebody else changed since then is left alone."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None:
            field.show_hidden_initial = True
        return field

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm, change: bool) -> None:
        """What was changed in the form alone: the rest of the row may have changed since the form read it."""
        if not change:
            return super().save_model(request, obj, form, change)
        for field in (form[name] for name in form.changed_data):
            shown = field.field.hidden_widget().value_from_datadict(
                form.data, form.files, field.html_initial_name
            )
            if shown is not None and field.field.has_changed(field.initial, shown):
                told = f"{field.label}: somebody else had set “{field.initial}” meanwhile. Yours stands now."
                self.message_user(request, told, messages.WARNING)
        columns = {field.name for field in obj._meta.concrete_fields}
        return obj.save(update_fields=columns & set(form.changed_data))

    def refuse_part(self, request: HttpRequest, message: str) -> None:
        """Says, instead of "was changed successfully", which part of a form was refused; the rest was saved."""
        request.refused_part = message  # type: ignore[attr-defined]

    def response_change(self, request: HttpRequest, obj: object) -> HttpResponse:
        message = getattr(request, "refused_part", "")
        if not message:
            return super().response_change(request, obj)
        self.message_user(request, f"{message} What else you changed was saved.", messages.ERROR)
        return redirect(request.path)


class ReadOnlyAdmin(StaffAdmin):
    """Rows that only the service itself writes."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_decide_permission(self, request: HttpRequest) -> bool:
        """Whether somebody may run the actions that need "decide": it takes the permission to change such rows."""
        return super().has_change_permission(request)
