"""How our own code reaches Redis: a client that gives up soon, and keys that no other installation has."""

import redis
from django.conf import settings


def connect() -> redis.Redis:
    """A client whose calls give up after REDIS_TIMEOUT."""
    timeout = settings.REDIS_TIMEOUT
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=timeout, socket_connect_timeout=timeout)


def key(name: str) -> str:
    """The name under this installation's prefix: others may share the database."""
    return settings.REDIS_PREFIX + name
