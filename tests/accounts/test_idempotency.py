"""A call repeated under one Idempotency-Key: to whom its answer is given again, and how long it is kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from accounts.actions import erasing
from accounts.models import IdempotentAnswer, Membership

pytestmark = pytest.mark.django_db
KEY = {"Idempotency-Key": "k-1"}


def duplicate(api, story):
    return api.call("POST", f"/stories/{story.pk}/duplicate", {"title": "Secret copy"}, headers=KEY)


@pytest.fixture
def editor(person):
    return person("editor")


def test_an_answer_is_given_again_to_who_may_still_write(api, editor, ready_story):
    first = duplicate(api.as_(editor), ready_story)
    again = duplicate(api.as_(editor), ready_story)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json() and again["Idempotency-Replayed"] == "true"


def test_a_removed_member_gets_no_answer_of_before(api, editor, ready_story):
    assert duplicate(api.as_(editor), ready_story).status_code == 201
    Membership.objects.filter(user=editor).delete()
    again = duplicate(api.as_(editor), ready_story)
    assert again.status_code == 404 and "Secret copy" not in again.content.decode()


def test_a_member_who_may_only_read_now_is_refused_as_at_first(api, editor, ready_story):
    assert duplicate(api.as_(editor), ready_story).status_code == 201
    Membership.objects.filter(user=editor).update(role="viewer")
    assert duplicate(api.as_(editor), ready_story).status_code == 403


def test_the_answers_of_a_deleted_workspace_are_deleted_with_it(api, owner, ready_story, north_shore):
    assert duplicate(api, ready_story).status_code == 201
    erasing.erase_workspace(north_shore, by=owner)
    assert not IdempotentAnswer.objects.exists()
    assert "Secret copy" not in duplicate(api, ready_story).content.decode()


def test_the_answers_of_a_deleted_account_are_deleted_with_it(api, owner, editor, ready_story):
    assert duplicate(api.as_(editor), ready_story).status_code == 201
    erasing.erase_user(editor, by=editor)
    assert not IdempotentAnswer.objects.exists()


def test_one_key_is_not_taken_for_the_same_words_at_another_address(api, ready_story, live_story, rendered):
    assert duplicate(api, ready_story).status_code == 201
    other = type(ready_story).objects.exclude(pk=ready_story.pk).get()
    assert duplicate(api, other).status_code == 409


def test_an_answer_of_which_no_workspace_is_known_is_not_given_again(api, ready_story):
    assert duplicate(api, ready_story).status_code == 201
    IdempotentAnswer.objects.update(workspace=None)
    assert duplicate(api, ready_story).status_code == 404


def test_a_call_that_still_runs_is_waited_for_until_its_lease_lapses(api, ready_story):
    assert duplicate(api, ready_story).status_code == 201
    IdempotentAnswer.objects.update(status=None)  # as if the first call were still at it
    token = IdempotentAnswer.objects.get().lease_token
    refused = duplicate(api, ready_story)
    assert (refused.status_code, refused["Retry-After"]) == (423, "1")
    assert IdempotentAnswer.objects.get().lease_token == token
    IdempotentAnswer.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert duplicate(api, ready_story).status_code == 201
    assert IdempotentAnswer.objects.get().lease_token != token
