"""What browsers are told where the service is reached by https."""

from __future__ import annotations

from tests.server.test_production import read

HTTPS = {"APP_URL": "https://capsules.example"}
HTTP = {"APP_URL": "http://capsules.example"}
WANTED = {"HSTS_SUBDOMAINS": "true", "HSTS_PRELOAD": "true"}
SECURITY = ("HSTS_SECONDS", "HSTS_INCLUDE_SUBDOMAINS", "HSTS_PRELOAD", "SSL_REDIRECT")
COOKIES = (
    *("SESSION_COOKIE_NAME", "SESSION_COOKIE_SECURE", "SESSION_COOKIE_DOMAIN", "SESSION_COOKIE_PATH"),
    *("CSRF_COOKIE_NAME", "CSRF_COOKIE_SECURE", "CSRF_COOKIE_DOMAIN", "CSRF_COOKIE_PATH"),
)


def test_by_https_browsers_are_bound_to_https_and_cookies_to_this_host(tmp_path):
    """Subdomains and preload are the operator's choice, and by http nothing of it is said. Browsers refuse cookies of
    these names that are not secure, are of a domain, or of another path than "/".
    """
    show = ", ".join(
        [*(f"s.SECURE_{name}" for name in SECURITY), *(f"getattr(s, {name!r}, None)" for name in COOKIES)]
    )
    https, chosen, http = read(tmp_path, HTTPS, {**HTTPS, **WANTED}, {**HTTP, **WANTED}, show=show)
    cookies = "__Host-sessionid True None None __Host-csrftoken True None None"
    assert https.out == f"31536000 False False True {cookies}\n", https.err
    assert chosen.out == f"31536000 True True True {cookies}\n", chosen.err
    assert http.out == "0 False False False None False None None None False None None\n", http.err
