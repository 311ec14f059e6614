"""The OpenAPI document: true to the running service, and readable offline. `make check` compares it with the one that
is generated.
"""

from __future__ import annotations

import json
import re
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import URLResolver, get_resolver

from accounts.actors import SCOPES
from config import cursors
from config.schema import read_documents
from tests.support import openapi
from tests.support.forks import run_each
from tests.support.running import ROOT, WEB, Service, service


@pytest.mark.parametrize(
    "options",
    [{"query_params": {"format": "json"}}, {"headers": {"accept": "application/vnd.oai.openapi+json"}}],
)
def test_the_document_comes_as_json_for_whom_asks(client, options):
    answer = client.get("/api/v2/schema", **options)
    assert answer.headers["content-type"] == "application/vnd.oai.openapi+json"
    assert answer.json() == openapi.document()


def test_the_document_is_the_committed_one_and_costs_who_has_it_nothing(client):
    answer = client.get("/api/v2/schema")
    assert answer.content == Path(ROOT, "docs/openapi.yaml").read_bytes()
    assert client.get("/api/v2/schema", headers={"if-none-match": answer["ETag"]}).status_code == 304
    refused = client.delete("/api/v2/schema")
    assert (refused.status_code, refused["content-type"]) == (405, "application/json")


def test_sixty_first_requests_at_once_all_get_the_document(client):
    read_documents.cache_clear()
    start = threading.Barrier(60)

    def ask(number: int) -> int:
        start.wait(30)
        return (
            Client().get("/api/v2/schema", query_params={"format": "json"} if number % 2 else {}).status_code
        )

    with ThreadPoolExecutor(60) as clients:
        assert set(clients.map(ask, range(60))) == {200}
    assert read_documents.cache_info().misses == 1


def test_every_operation_has_an_example_and_every_answer_words():
    document = openapi.document()
    assert document["openapi"].startswith("3.1")
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            outages = {"503"} if method in ("get", "head") else {"503", "507"}
            assert path == "/api/v2/health" or outages <= set(operation["responses"]), f"{method} {path}"
            success = next(status for status in operation["responses"] if status.startswith("2"))
            ok = operation["responses"][success].get("content", {}).get("application/json")
            assert ok is None or ok.get("examples"), f"{method} {path} shows no example"
            for status, answer in operation["responses"].items():
                if status.startswith(("4", "5")):
                    assert answer["description"], f"{method} {path} {status}"
                    (shown, *_) = answer["content"]["application/json"]["examples"].values()
                    assert shown["value"]["error"].endswith("."), f"{method} {path} {status}"


def test_the_document_says_where_it_is_served_and_who_may_call_what():
    document = openapi.document()
    assert document["servers"] and document["info"]["contact"] and document["info"]["license"]["name"]
    named = {tag["name"] for tag in document["tags"]}
    scopes = document["components"]["securitySchemes"]["oauth"]["flows"]["authorizationCode"]["scopes"]
    assert set(scopes) == set(SCOPES)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert set(operation["tags"]) <= named, f"{method} {path}"
            public = path in ("/api/v2/health", "/api/v2/feed") or not operation["security"]
            asked = {scope for need in operation["security"] for scope in need.get("oauth", [])}
            assert asked <= set(scopes) and (public or operation["security"]), f"{method} {path}"
    change = document["paths"]["/api/v2/stories/{id}"]["patch"]
    assert {"oauth": ["stories:write"]} in change["security"]
    assert document["paths"]["/api/v2/health"]["get"]["security"] == []


def test_the_document_says_where_a_second_look_may_cost_no_body():
    """`tests/feed/test_feed.py` and `tests/capsules/test_authoring_versions.py` take the second look."""
    paths = openapi.document()["paths"]
    for path in ("/api/v2/feed", "/api/v2/stories/{id}/draft"):
        second = paths[path]["get"]["responses"]["304"]
        assert "content" not in second and "ETag" in second["headers"], path
        asked = {parameter["name"] for parameter in paths[path]["get"]["parameters"]}
        assert "If-None-Match" in asked, path


def test_the_document_promises_the_place_of_refused_words_where_there_are_words():
    """As `test_authoring_versions` sees it sent."""
    late = {
        f"{method} {path.removeprefix('/api/v2')}": "Location" in operation["responses"]["412"]["headers"]
        for path, operations in openapi.document()["paths"].items()
        for method, operation in operations.items()
        if "412" in operation["responses"]
    }
    assert {each for each, is_promised in late.items() if is_promised} == {
        "patch /stories/{id}",
        "patch /stories/{id}/scenes/{scene}",
    }
    assert len(late) > 4


def test_every_cursor_is_described_by_its_form():
    document = openapi.document()
    forms = {
        path: parameter["schema"].get("pattern")
        for path, item in document["paths"].items()
        for parameter in item.get("get", {}).get("parameters", [])
        if parameter["name"] == "cursor"
    }
    assert "/api/v2/feed" in forms
    assert set(forms.values()) == {f"^{cursors.FORM.pattern}$"}


def test_an_operation_is_not_described_by_the_docstring_of_its_view():
    """Some were: "/stories and /stories/{id}." tells nothing to whoever reads the document."""
    docstrings = {" ".join((view.cls.__doc__ or "").split()) for view in views_of(get_resolver())} - {""}
    for path, operations in openapi.document()["paths"].items():
        for method, operation in operations.items():
            described = " ".join(operation.get("description", "").split())
            assert described not in docstrings, f"{method} {path}"


def views_of(resolver: URLResolver) -> Iterator[Any]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from views_of(entry)
        elif hasattr(entry.callback, "cls"):
            yield entry.callback


def test_the_document_calls_what_an_address_names_by_its_name(api, live_story):
    """As the service does where there is none: of media and webhooks it said "There is no such story."."""
    known = {"{id}": str(live_story.pk), "{workspace}": str(live_story.workspace_id)}
    for path, operations in openapi.document()["paths"].items():
        *_, last = ["", *re.findall(r"{\w+}", path)]
        if last and "get" in operations:
            address = path.replace(last, "999" if last == "{number}" else str(uuid.uuid4()))
            for name, value in known.items():
                address = address.replace(name, value)
            missing = api.get(address.removeprefix("/api/v2")).json()["error"]
            (shown,) = operations["get"]["responses"]["404"]["content"]["application/json"][
                "examples"
            ].values()
            assert shown["value"]["error"] == missing, path
            named = next(each for each in operations["get"]["parameters"] if f"{{{each['name']}}}" == last)
            thing = missing.removeprefix("There is no such ").removesuffix(".")
            assert named["description"].startswith(f"The {thing} "), path


def test_trying_a_publish_out_begins_with_an_empty_body():
    document = openapi.document()
    body = document["paths"]["/api/v2/stories/{id}/publication"]["put"]["requestBody"]
    assert next(iter(body["content"]["application/json"]["examples"].values()))["value"] == {}


def test_the_documentation_page_needs_nothing_from_elsewhere(client):
    page = client.get("/api/v2/docs").content.decode()
    assert "swagger-ui-bundle" in page
    assert 'lang="en"' in page and "x-api-key" in page
    assert "https://" not in page.replace("https://www.w3.org", "")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    limits = {"ENCODE_WAIT": "1", "RATE_AUTHOR": "100000", "WEB_PROCESSES": "1"}
    with service(tmp_path_factory.mktemp("schema"), stories=2, program=WEB, **limits) as running:
        yield running


@pytest.fixture(scope="module")
def cursor(running: Service) -> str:
    """A cursor that the feed gave: it is signed, so none can be made up."""
    for story in running.seeded["stories"]:
        assert running.publication("PUT", story).status == 200
    return str(running.call("GET", "/api/v2/feed?limit=1").json()["nextCursor"])


#: What a body that fits its schema may be answered where people write: the schema cannot say which identifiers exist,
#: which cursor was given for which list, or which version is the present one. A publish waits for encodes, and nobody
#: encodes here.
AUTHORING = """
[[operations]]
include-path-regex = "/api/v2/(stories|workspaces|media|uploads)"
exclude-path-regex = "/publication$"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "304", "400", "401", "403", "404", "409", "410", "411", "412", "413", "415", "423", "429"]

[[operations]]
include-path-regex = "/publication$"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "423", "429"]

[[operations]]
include-operation-id = {}
generation.max-examples = 3

[phases.coverage]
unexpected-methods = ["TRACE"]
"""


def without_choice() -> list[str]:
    """Operations without a body and a query: only identifiers can be made up for them, which are not there."""
    return [
        operation["operationId"]
        for operations in openapi.document()["paths"].values()
        for operation in operations.values()
        if "requestBody" not in operation
        and not any(each["in"] == "query" for each in operation.get("parameters", []))
    ]


#: What has to be loaded for a run, and takes longer than a run of the examples; what it leaves is not looked through.
LOADED = "import gc, sys, schemathesis.cli, schemathesis.specs.openapi.schemas\ngc.disable()\n"
RUN = "os.chdir({!r}); sys.argv = {}; schemathesis.cli.schemathesis()"


def test_the_running_service_keeps_to_its_document(running, cursor, tmp_path):
    """schemathesis with all its checks; with a key the examples of what it may do, for nothing but the header differs.

    The story of the examples is one that exists. With a token, the phase of coverage sends them too.
    """
    hooks, config = Path(__file__).with_name("schemathesis_hooks.py"), tmp_path / "schemathesis.toml"
    config.write_text(
        f'hooks = "{hooks}"\n'
        f'[parameters]\n"path.id" = "{running.seeded["stories"][0]}"\n"query.cursor" = "{cursor}"\n'
        + AUTHORING.format(json.dumps(without_choice()))
    )
    of_keys = ["--phases", "examples", "--include-path-regex", "/(publication|visibility)$"]
    headers = {
        f"x-api-key: {running.seeded['key']}": of_keys,
        f"Authorization: Bearer {running.seeded['token']}": ["--phases", "coverage,fuzzing"],
    }
    common = ["schemathesis", "--config-file", str(config), "run", f"{running.url}/api/v2/schema?format=json"]
    common += ["--checks", "all", "--max-examples", "10", "--seed", "1", "--warnings", "off"]
    # Deleted, the story of all other examples would be gone; slices of files are not JSON and have their own tests.
    common += ["--exclude-operation-id", "deleteStory", "--exclude-path-regex", "/uploads/.+/content$"]
    common += ["--suppress-health-check", "all", "--generation-with-security-parameters", "false"]
    runs = [[*common, "-H", header, *phases] for header, phases in headers.items()]
    programs = [({}, RUN.format(str(tmp_path), run)) for run in runs]
    ends = run_each(programs, running.env, loaded=LOADED, patience=600)
    for header, ended in zip(headers, ends, strict=True):
        assert ended.code == 0, f"{header}\n{ended.out[-6000:]}{ended.err[-2000:]}"
