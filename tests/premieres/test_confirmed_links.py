"""The link that confirms a subscription, opened again."""

from __future__ import annotations

import pytest

from publishing.models import Subscriber
from publishing.subscribers import confirmations
from tests.premieres.test_subscriptions import ASK, link_in

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_link_says_that_it_was_used_to_whoever_opens_it_again(live_story, client, mailbox):
    client.post(ASK, {"email": "reader@example.org"})
    confirmations.send_due_confirmations()
    link = link_in(mailbox, "reader@example.org")
    assert "One more click" in client.get(link).content.decode()
    client.post(link)
    assert "You are subscribed" in client.get(link).content.decode(), "it does not ask again"
    client.post(f"/unsubscribe/{Subscriber.objects.get().token}")
    assert "You are subscribed" not in client.get(link).content.decode()
