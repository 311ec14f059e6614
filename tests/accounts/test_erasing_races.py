"""A workspace is deleted while somebody works in it: who was first finishes, and who comes later finds it gone."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from accounts.actions import erasing
from accounts.models import Workspace
from tests.support import factories
from tests.support.locks import held_up
from tests.support.oauth import App

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time"),
]


@pytest.mark.parametrize("what", ["an edit", "an unpublish", "a consent"])
def test_a_workspace_is_deleted_while_somebody_works_in_it(what, north_shore, owner, rendered, api):
    story = factories.make_story(north_shore, rendered)
    assert api.publish(story, premiereEmailMode="TEASER").status_code == 200
    app = App(owner)

    def work() -> Any:
        if what == "an edit":
            return api.call("PATCH", f"/stories/{story.pk}", {"title": "Changed"})
        if what == "an unpublish":
            return api.call("DELETE", f"/stories/{story.pk}/publication")
        return app.consent()

    with held_up(lambda: erasing.erase_workspace(north_shore, by=owner)) as (came, stall):
        assert work().status_code in (200, 302)
        stall()
    assert came == [None]
    assert not Workspace.objects.filter(pk=north_shore.pk).exists()
