"""A workspace's webhooks, and a receiver on this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.hooks import Hooks
from tests.support.receiver import Receiver, receiver


@pytest.fixture(autouse=True)
def only_here(settings) -> None:
    settings.FETCH_PRIVATE = ["127.0.0.0/8"]


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as told:
        yield told


@pytest.fixture
def hooks(api, north_shore) -> Hooks:
    return Hooks(api, north_shore)
