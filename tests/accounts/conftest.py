"""What the tests of accounts share."""

import pytest
from django.core.cache import cache

from accounts.models import User
from tests.support.oauth import App


@pytest.fixture(autouse=True)
def fresh_rate_limits(request: pytest.FixtureRequest) -> None:
    """For tests with a database: those of whole services have a database of their own."""
    if request.node.get_closest_marker("django_db") or {"db", "transactional_db"} & set(request.fixturenames):
        request.getfixturevalue("_django_db_helper")
        cache.clear()


@pytest.fixture
def app(owner: User) -> App:
    """A registered app, which North Shore's owner is asked about."""
    return App(owner)
