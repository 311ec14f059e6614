"""The OpenAPI document: committed as it is generated, true to the running service, and readable offline."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command

from tests.running import ROOT, Service, service


def test_the_committed_document_is_the_generated_one(tmp_path):
    generated = tmp_path / "openapi.yaml"
    call_command("spectacular", file=str(generated), validate=True, fail_on_warn=True)
    committed = Path(ROOT, "docs/openapi.yaml").read_text()
    assert generated.read_text() == committed, "Run `make schema` and commit docs/openapi.yaml."


def test_every_operation_has_an_example_and_every_answer_words():
    document = yaml.safe_load(Path(ROOT, "docs/openapi.yaml").read_text())
    assert document["openapi"].startswith("3.1")
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            ok = operation["responses"]["200"]["content"]["application/json"]
            assert ok.get("examples"), f"{method} {path} shows no example"
            for status, answer in operation["responses"].items():
                assert status == "200" or answer["description"], f"{method} {path} {status}"


def test_the_documentation_page_needs_nothing_from_elsewhere(client):
    page = client.get("/api/v2/docs").content.decode()
    assert "swagger-ui-bundle" in page
    assert "https://" not in page.replace("https://www.w3.org", "")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("schema"), stories=2, ENCODE_WAIT="1") as running:
        yield running


def cursor_of(running: Service) -> str:
    """A cursor that the feed gave: it is signed, so none can be made up."""
    for story in running.seeded["stories"]:
        assert running.publication("PUT", story).status == 200
    return running.call("GET", "/api/v2/feed?limit=1").json()["nextCursor"]


@pytest.mark.parametrize("credential", ["token", "key"])
def test_the_running_service_keeps_to_its_document(running, credential, tmp_path):
    """schemathesis with all its checks; the story of the examples is one that exists."""
    secret = running.seeded[credential]
    header = f"Authorization: Bearer {secret}" if credential == "token" else f"x-api-key: {secret}"
    config = tmp_path / "schemathesis.toml"
    config.write_text(
        f'[parameters]\n"path.id" = "{running.seeded["stories"][0]}"\n"query.cursor" = "{cursor_of(running)}"\n'
    )
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run"]
    command += [f"{running.url}/api/v2/schema", "-H", header, "--checks", "all", "--max-examples", "30"]
    command += ["--phases", "examples,coverage,fuzzing", "--seed", "1"]
    command += ["--suppress-health-check", "all", "--generation-with-security-parameters", "false"]
    outcome = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert outcome.returncode == 0, outcome.stdout[-6000:] + outcome.stderr[-2000:]
