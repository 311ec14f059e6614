"""What goes live again while housekeeping forgets it stays, and keeps nothing else from being forgotten."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts.actors import Actor
from capsules.actions import drafts, previews
from publishing import restoring
from publishing.models import Bake, Publication
from tests.support import factories
from tests.support.locks import in_the_way

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

    def publish() -> int:
        return factories.Api(type(api.client)(), owner).publish(live_story).status_code

    with in_the_way('FROM "publishing_bake"', publish, stalls=STALLS) as answers:
        restoring.forget_old_bakes()
    assert answers == [200]
    live = Publication.objects.get(story=live_story).live_bake
    assert live is not None and live.digest == first.digest
    assert Bake.objects.filter(pk=live.pk, replaced_at=None).exists()
