"""One sender at a time has a webhook."""

from __future__ import annotations

import pytest
from django.utils import timezone

from accounts.models import Webhook
from accounts.webhooks import sending
from tests.events.test_webhook_rounds import make
from tests.publishing.test_races import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


def test_of_many_senders_that_look_at_once_one_takes_it(north_shore):
    for _ in range(5):
        hook = make(north_shore, "http://127.0.0.1:9/", next_at=timezone.now())
        takers = [lambda pk=hook.pk: Webhook.objects.due().take(pk, sending.LEASE, next_at=None)] * 8
        assert len([each for each in at_once(takers) if each]) == 1


def test_rows_of_a_set_that_joins_another_table_are_not_leased(north_shore):
    hook = make(north_shore, "http://127.0.0.1:9/")
    with pytest.raises(ValueError, match="joins no other table"):
        Webhook.objects.filter(workspace__suspended_at=None).lease(hook.pk, sending.LEASE)
