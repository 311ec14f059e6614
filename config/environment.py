"""Reads the environment for `settings`. What cannot be read is refused, and the refusal names the variable."""

from __future__ import annotations

import math
from ipaddress import ip_network
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from config.json_types import JsonObject

YES, NO = environ.Env.BOOLEAN_TRUE_STRINGS, ("false", "off", "n", "no", "0")
LAST_PORT = 65535
ESCAPED = "Signs such as / and # in a password are written as %2F and %23."


class Environment(environ.Env):
    """A mistyped word is neither true nor false: it would turn off what somebody wanted turned on."""

    def get_value(self, var: str, cast: object = None, *args: object, **kwargs: object) -> object:
        text = self.ENVIRON.get(var, "").strip()
        if text and cast is bool and text.lower() not in (*YES, *NO):
            raise ImproperlyConfigured(f"{var} must be true or false, not {text!r}.")
        if text and cast in (int, float):
            try:
                is_number = 0 <= cast(text) < math.inf
            except ValueError:
                is_number = False
            if not is_number:
                kind = "a whole number" if cast is int else "a number"
                raise ImproperlyConfigured(f"{var} must be {kind}, 0 or more, not {text!r}.")
        if text and cast is list:
            return [part.strip() for part in text.split(",") if part.strip()]
        if text and cast is str:
            return self.ENVIRON[var]  # the library would take $NAME for the value of another variable
        return super().get_value(var, cast, *args, **kwargs)

    def at_least_one(self, var: str, *, default: int) -> int:
        """For what does nothing at all with 0 of it."""
        number = int(self.int(var, default=default))
        if not number:
            raise ImproperlyConfigured(f"{var} must be 1 or more.")
        return number

    def port(self, var: str, *, default: int) -> int:
        number = int(self.int(var, default=default))
        if number > LAST_PORT:
            raise ImproperlyConfigured(f"{var} must be a port, at most {LAST_PORT}, not {number}.")
        return number


def must_be_address(name: str, url: str, *schemes: str) -> None:
    """Refuses what has another scheme or no host. The words do not repeat it: there may be a password in it."""
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in schemes and bool(parts.hostname)
        _ = parts.port  # raises ValueError too: a / or # in a password puts the rest of it there
    except ValueError:
        is_one = False
    if not is_one:
        begins = " or ".join(f"{scheme}://" for scheme in schemes)
        hint = f" {ESCAPED}" if "@" in url else ""
        raise ImproperlyConfigured(f"{name} must be an address that begins with {begins}.{hint}")


def hosts(name: str, text: str) -> list[str]:
    """Names as a browser sends them, without a port: nothing else is ever the same as one."""
    found = [part.strip() for part in text.split(",") if part.strip()]
    for host in found:
        if "/" in host or (":" in host and not (host[0] == "[" and host[-1] == "]")):
            raise ImproperlyConfigured(
                f"{name} must be names such as capsules.example or [::1], by commas, "
                f"without scheme, port and path, not {host!r}."
            )
    return found


def database(url: str) -> JsonObject:
    example = "postgres://user:password@host:5432/name or sqlite:////folder/file"
    told = ImproperlyConfigured(f"DATABASE_URL must be like {example}. {ESCAPED}")
    if not url.startswith(("postgres://", "postgresql://", "psql://", "pgsql://", "sqlite://")):
        raise told
    try:
        found: JsonObject = environ.Env.db_url_config(url)
    except ValueError:
        raise told from None
    return found


def mail_server(url: str) -> JsonObject:
    must_be_address("EMAIL_URL", url, "smtp", "smtp+tls", "smtps")
    # What everybody calls smtps, TLS from the first byte, the library calls smtp+ssl, and STARTTLS smtps.
    found: JsonObject = environ.Env.email_url_config(url.replace("smtps://", "smtp+ssl://", 1))
    return found


def networks(name: str, parts: list[str]) -> list[str]:
    try:
        return [str(ip_network(part)) for part in parts]
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name} must be networks such as 10.1.0.0/16, by commas: {error}."
        ) from None
