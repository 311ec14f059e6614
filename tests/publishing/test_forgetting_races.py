"""What goes live again while housekeeping forgets it stays, and keeps nothing else from being forgotten."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from accounts.actors import Actor
from capsules.actions import drafts, previews
from publishing import restoring
from publishing.models import Bake, Publication
from tests.support import factories

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
STALLS = 2.0  # seconds, in which whoever is in the way comes


def test_a_version_that_goes_live_again_is_not_forgotten(live_story, api, owner, settings):
    first = Publication.objects.get(story=live_story).live_bake
    by, title = Actor.by_token(owner), live_story.title
    for new in ("Another title", title):
        drafts.update_story(live_story, {"title": new}, by=by)
        previews.build_preview(live_story)
        if new != title:
            assert api.publish(live_story).status_code == 200
    settings.BAKES_KEPT, settings.BLOB_RETENTION = 0, timedelta()
    answers: list[int] = []

    def publish() -> None:
        try:
            answers.append(factories.Api(type(api.client)(), owner).publish(live_story).status_code)
        finally:
            connection.close()

    meanwhile = threading.Thread(target=publish)

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        answer = execute(sql, *rest)
        if sql.startswith("SELECT") and "publishing_bake" in sql and meanwhile.ident is None:
            meanwhile.start()
            meanwhile.join(STALLS)
        return answer

    with connection.execute_wrapper(note):
        restoring.forget_old_bakes()
    meanwhile.join()
    assert answers == [200]
    live = Publication.objects.get(story=live_story).live_bake
    assert live is not None and live.digest == first.digest
    assert Bake.objects.filter(pk=live.pk, replaced_at=None).exists()
