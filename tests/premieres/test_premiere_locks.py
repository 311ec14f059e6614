"""Whoever holds several premieres takes them in one order: no two wait for each other."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction

from publishing.models import Premiere, Publication
from publishing.premieres import arming
from tests.support import factories

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.both_databases,
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time"),
]
STALLS = 0.5  # seconds, in which whoever is in the way comes


def test_all_are_held_while_refused_ones_are_tried_again(north_shore, rendered, api):
    """The second takes the first premiere first, the one that was due first."""
    for number in range(2):
        story = factories.make_story(north_shore, rendered, title=f"Story {number}")
        assert api.publish(story, premiereEmailMode="TEASER").status_code == 200
    first, second = Premiere.objects.order_by("pk")
    assert first.due_at < second.due_at and Publication.objects.count() == 2
    held = []

    def hold() -> None:
        try:
            held.append(arming.hold_all("Why."))
        except Exception as error:
            held.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=hold)
    with transaction.atomic():
        for premiere in (first, second):
            Premiere.objects.select_for_update().get(pk=premiere.pk)
            if premiere == first:
                thread.start()
                thread.join(STALLS)
    thread.join()
    assert held == [2]
