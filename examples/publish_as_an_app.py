"""A small app that connects to Capsules by OAuth and publishes a capsule when you ask it to. Standard library only.

    python examples/publish_as_an_app.py http://127.0.0.1:8000 STORY_ID

It finds the server's addresses, registers itself, opens your browser for your consent, exchanges the code, asks
which premiere email mode to use, publishes, and refreshes its token once to show how.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import secrets
import sys
import urllib.error
import urllib.parse
import urllib.request
import webbrowser
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

SCOPE = "publications:read publications:write"
MODES = {"1": "FULL", "2": "TEASER", "3": "OFF"}


def call(method: str, url: str, *, form: Any = None, body: Any = None, token: str = "") -> Any:
    """The JSON answer; ends the program with the server's own words where it refuses."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    data = None
    if form is not None:
        data = urllib.parse.urlencode(form).encode()
    elif body is not None:
        data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:  # a first publish may take minutes
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"{method} {url}: {error.code} {error.read().decode()}")


def discover(base: str) -> tuple[str, dict[str, Any]]:
    """The API as a resource (RFC 9728), and the metadata of its authorization server (RFC 8414)."""
    resource = call("GET", f"{base}/.well-known/oauth-protected-resource/api/v2")
    issuer = resource["authorization_servers"][0]
    return resource["resource"], call("GET", f"{issuer}/.well-known/oauth-authorization-server")


class Callback(BaseHTTPRequestHandler):
    """Takes the one request that the browser brings back."""

    def do_GET(self) -> None:
        self.server.told = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"Done. You can close this window and go back to the app.\n")

    def log_message(self, *args: Any) -> None:
        """The address carries the code, which belongs into no log."""


def ask_for_consent(
    metadata: dict[str, Any], client_id: str, resource: str, server: HTTPServer
) -> dict[str, str]:
    """Sends the person to the consent page; returns what the token endpoint needs. Checks state and issuer."""
    verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    redirect_uri = f"http://127.0.0.1:{server.server_port}/callback"
    asked = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": redirect_uri,
        "scope": SCOPE,
        "state": state,
        "resource": resource,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    address = f"{metadata['authorization_endpoint']}?{urllib.parse.urlencode(asked)}"
    print(f"Opening your browser. If nothing opens, go to:\n{address}", flush=True)
    webbrowser.open(address)
    server.handle_request()
    told = server.told  # type: ignore[attr-defined]
    if told.get("state") != state or told.get("iss") != metadata["issuer"]:
        sys.exit("The answer does not belong to our question.")
    if "code" not in told:
        sys.exit(f"You said no: {told.get('error')}")
    return {"code": told["code"], "redirect_uri": redirect_uri, "code_verifier": verifier}


def ask_mode() -> str:
    """The premiere email mode; an app must ask before it publishes for the first time."""
    print("Who gets the premiere email?  1: the full story  2: a teaser  3: nobody", flush=True)
    return MODES.get(input("> ").strip(), "OFF")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", help="address of the service, http://127.0.0.1:8000")
    parser.add_argument("story", help="id of a capsule that is ready to be published")
    options = parser.parse_args()

    resource, metadata = discover(options.base)
    with HTTPServer(("127.0.0.1", 0), Callback) as server:
        # A loopback address is registered without its port: the system chooses one each time (RFC 8252).
        about = {"client_name": "Example app", "redirect_uris": ["http://127.0.0.1/callback"], "scope": SCOPE}
        client_id = call("POST", metadata["registration_endpoint"], body=about)["client_id"]
        grant = ask_for_consent(metadata, client_id, resource, server)
    form = {"grant_type": "authorization_code", "client_id": client_id, "resource": resource, **grant}
    tokens = call("POST", metadata["token_endpoint"], form=form)
    print(f"Connected. Granted: {tokens['scope']}", flush=True)
    if "publications:write" not in tokens["scope"].split():
        raise SystemExit("It may not publish: run it again, and let it publish on the page that opens.")

    address = f"{resource}/stories/{options.story}/publication"
    state = call("GET", address, token=tokens["access_token"])
    body = {} if state["isPublished"] else {"premiereEmailMode": ask_mode()}
    published = call("PUT", address, body=body, token=tokens["access_token"])
    print(f"Published: {published['url']}", flush=True)

    form = {"grant_type": "refresh_token", "client_id": client_id, "refresh_token": tokens["refresh_token"]}
    tokens = call("POST", metadata["token_endpoint"], form=form)  # the old refresh token is spent now
    me = call("GET", f"{resource}/me", token=tokens["access_token"])
    print(f"Refreshed. Still acting for {me['email']}.", flush=True)


if __name__ == "__main__":
    main()
