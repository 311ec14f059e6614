"""A webhook by hand: made, tested, looked through, replayed, changed and deleted by the forms of its pages."""

from __future__ import annotations

import pytest

from accounts.models import Webhook, WebhookDelivery
from accounts.webhooks import sending
from tests.support.forms import press
from tests.support.hooks import Hooks, numbers
from tests.support.receiver import receiver

pytestmark = pytest.mark.django_db(transaction=True)


def text(page) -> str:
    return page.content.decode()


def test_a_webhook_by_hand(owner_page, north_shore, settings, api):
    settings.FETCH_PRIVATE = ["127.0.0.0/8"]
    listed = f"/account/workspaces/{north_shore.pk}/webhooks"
    with receiver() as there:
        refused = press(owner_page, owner_page.get(listed), "Create webhook", url="http://10.0.0.1/hooks")
        assert "not on the public internet" in text(refused) and not Webhook.objects.exists()
        made = press(owner_page, refused, "Create webhook", url=there.url)
        hook = Webhook.objects.get()
        one = f"{listed}/{hook.pk}"
        assert "whsec_" in text(made) and f'href="{one}"' in text(made)
        page = owner_page.get(one)
        assert "whsec_" not in text(page)
        assert "A sample is on its way" in text(press(owner_page, page, "Send a sample"))
        Hooks(api, north_shore).tell(2)
        sending.send_due_webhooks()
        page = owner_page.get(one)
        assert "One event is sent again." in text(press(owner_page, page, "Send again"))
        assert "2 events are sent again." in text(press(owner_page, page, "Replay"))
        sending.send_due_webhooks()
        assert sorted(filter(None, numbers(there))) == [1, 1, 2, 2, 2]
        WebhookDelivery.objects.update(state="failed")
        assert "2 events are sent again." in text(press(owner_page, page, "Send what failed again"))

        page = press(owner_page, page, "Save", url="http://10.0.0.1/hooks")
        assert "not on the public internet" in text(page)
        typed = {"url": f"{there.url}/new", "description": "Rebuilds our site", "types": "story.trashed"}
        page = press(owner_page, page, "Save", **typed)
        assert "The webhook is changed." in text(page) and "told of story.trashed" in text(page)
        hook.refresh_from_db()
        assert (hook.url, hook.description, hook.types) == (*list(typed.values())[:2], ["story.trashed"])
        page = press(owner_page, page, "Turn off")
        hook.refresh_from_db()
        assert not hook.is_on and "Turn on" in text(page)
        press(owner_page, owner_page.get(f"{one}/delete"), "Delete")
        assert not Webhook.objects.exists()
