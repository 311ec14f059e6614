"""Addresses and forms of the admin that somebody typed: an answer, never a failure."""

from __future__ import annotations

from itertools import product

import pytest
from django.contrib import admin
from django.contrib.messages import get_messages
from django.db.models import DateTimeField
from django.test import Client
from django.urls import reverse

from accounts.admin_base import NO_SUCH_ROW
from accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

LISTS = {
    model: f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
    for model in admin.site._registry
}
#: Past the calendar, past what Python's dates hold, and in UTC a day that is not there.
YEARS = ["9" * 23, "0", "9999", "10000"]
MOMENTS = ["9999-12-31 23:59:59-23:59", "0001-01-01 00:00:00+23:59"]


@pytest.fixture
def chief() -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_superuser("staff@capsules.example", "x"))
    return client


@pytest.mark.django_db(transaction=True)  # what PostgreSQL refuses ends a transaction
def test_a_time_that_cannot_be_is_refused_as_other_filters_are(chief):
    failed = []
    for model, rows in LISTS.items():
        names = [field.name for field in model._meta.concrete_fields if isinstance(field, DateTimeField)]
        for name in admin.site._registry[model].filtered_by() & {*names}:  # by others nobody may ask
            queries = [{f"{name}__year": year} for year in YEARS]
            queries += [{f"{name}__gte": moment} for moment in MOMENTS]
            queries += [{f"{name}__year": "9999", f"{name}__month": "12", f"{name}__day": "31"}]
            failed += [
                (rows, query) for query in queries if chief.get(reverse(rows), query).status_code >= 500
            ]
    assert not failed


def test_an_action_on_ids_that_no_row_can_have_does_nothing(chief, rf):
    asked = rf.get("/")
    asked.user = User.objects.get()
    for model, name in LISTS.items():
        first = list(admin.site._registry[model].get_actions(asked))[:1]  # they share what takes the ids
        for action, key in product(first, ("abc", "9" * 23, "9" * 5000)):
            answer = chief.post(reverse(name), {"action": action, "_selected_action": key})
            *_, said = get_messages(answer.wsgi_request)
            assert (answer.status_code, str(said)) == (302, NO_SUCH_ROW), (name, action, key[:23])


def test_a_row_whose_number_no_column_holds_is_not_there(chief):
    failed = []
    for model in LISTS:
        for page in ("change", "history", "delete") if model is User else ("change",):
            name = f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}"
            answer = chief.get(reverse(name, args=["9" * 23]))
            failed += [(name, answer.status_code)] if answer.status_code >= 500 else []
    assert not failed


#: Columns that let somebody in, or would with enough time; and one that nothing filters by.
SECRETS = {
    "accounts.User": ["password"],
    "accounts.ApiKey": ["digest"],
    "accounts.Application": ["client_secret"],
    "capsules.Upload": ["lease_token"],
    "publishing.Delivery": ["lease_token"],
    "publishing.Publication": ["lease_token"],
    "publishing.Subscriber": ["token", "consent"],
}


def test_no_address_of_a_list_asks_for_what_no_filter_offers(chief):
    models = {model._meta.label: model for model in LISTS}
    told = {
        (label, column, lookup): chief.get(
            reverse(LISTS[models[label]]), {f"{column}{lookup}": "0"}
        ).status_code
        for label, columns in SECRETS.items()
        for column, lookup in product(columns, ("", "__startswith", "__regex", "__gte", "__isnull"))
    }
    assert set(told.values()) == {400}, told


@pytest.mark.parametrize("moment", ["abc", "2026-11-29 10:00"])
def test_a_form_that_an_address_fills_in_leaves_moments_to_be_chosen(moment, chief):
    page = chief.get(reverse("admin:feed_pin_add"), {"starts_at": moment, "tier": "featured"})
    assert page.status_code == 200
    assert page.context["adminform"].form.initial["tier"] == "featured"
