"""The commands of the documents, typed as a reader would, against the instance.

Every block of commands in README.md and docs/ is either run here, or in ELSEWHERE with who runs it or why nobody can;
`tests/server/test_documents.py` fails for a block that is in neither.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.lived_in.instance import Instance
from tests.support.running import ROOT

FENCE = re.compile(r"^```(?:sh|bash|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
HERE, THERE = "http://127.0.0.1:8000", "https://capsules.example"  # what the documents call the service
SECONDS = 180  # that the commands of one block may take


def blocks() -> dict[str, list[str]]:
    """The commands of every fence, by document."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    found = {str(page.relative_to(ROOT)): FENCE.findall(page.read_text()) for page in pages}
    return {page: commands for page, commands in found.items() if commands}


@dataclass(frozen=True)
class Typed:
    """How a block begins, what a reader sees who runs it, and what they put in the place of which words."""

    begins: str
    shows: tuple[str, ...]
    instead: dict[str, str] = field(default_factory=dict)


#: By document, what is run here. {folder} is an empty folder, {drawn} one with a capsule, {story} the id of a live one.
RUN: dict[str, tuple[Typed, ...]] = {
    "README.md": (
        Typed(
            "TOKEN=$(.venv/bin/python manage.py issue_token",
            ('"isRepublish":false', '"slug":"my-first-capsule"', '"isPublished":true', '"isPublished":false'),
        ),
        Typed(
            ".venv/bin/python manage.py import_capsule FOLDER",
            ("/exported\n",),
            {"import_capsule FOLDER": "import_capsule {drawn}", "ID FOLDER": "{story} {folder}/exported"},
        ),
    ),
    "docs/accounts.md": (
        Typed(
            "BASE=http://127.0.0.1:8000", ('"email":"owner@north-shore.example"', '"access_token":', "401")
        ),
    ),
    "docs/backup.md": (Typed("deploy/backup.sh /backups/capsules", ("Z\n",), {"/backups": "{folder}"}),),
    "docs/embed.md": (Typed("curl 'https://capsules.example/oembed", ('"html": "<iframe src=',)),),
}
SERVES = "its manage.py serve is every service of tests/support/running.py, its demo is tests/publishing/test_demo.py"
#: By document, how a block begins that is not run here: a test that runs it as written, or why nobody can.
ELSEWHERE: dict[str, dict[str, str]] = {
    "README.md": {
        "make run\n": SERVES,
        "make test ": "these are the tests: .ci/run",
        "python3 examples/publish_as_an_app.py": "tests/mcp/test_oauth_end_to_end.py",
        "cp deploy/production.env .env": "needs an engine that starts containers, and certbot a name in DNS",
        "apt-get install": "needs root on a machine with systemd, and certbot a name in DNS",
    },
    "docs/webhooks.md": {
        "export CAPSULES=": "values of a service of yours; tests/events/test_webhook_documents.py sets its own",
        'curl -H "x-api-key: $CAPSULES_KEY"': "tests/events/test_webhook_documents.py runs it",
        'curl -X POST -H "x-api-key: $CAPSULES_KEY"': "tests/events/test_webhook_documents.py runs it",
    },
    "docs/accounts.md": {
        "python examples/publish_as_an_app.py": "tests/mcp/test_oauth_end_to_end.py",
    },
    "docs/backup.md": {
        "systemctl stop": "needs systemd; deploy/restore.sh itself is run by tests/faults/restore.py",
        ".venv/bin/python -m tests.faults.restore": "tests/faults/restore.py",
        "compose() {": "needs an engine that starts containers",
        "compose down": "needs an engine that starts containers",
        "pg_basebackup": "needs a PostgreSQL server of one's own with a folder of archived logs",
        "mv $PGDATA": "needs a PostgreSQL server of one's own with a folder of archived logs",
    },
    "docs/authoring.md": {
        "": "tests/capsules/test_authoring_document.py",
    },
    "docs/index.md": {"make run\n": SERVES},
    "docs/looks.md": {"python -m benchmarks.looks": "minutes; it draws the pictures that the page shows"},
    "docs/mcp.md": {".venv/bin/python -m config.mcp_server": "tests/mcp/running.py"},
    "docs/operations.md": {
        "cd /opt/capsules && git pull": "needs systemd; tests/faults/rolling.py does the same",
        "manage copy_files in": "needs systemd; tests/capsules/test_copy_files.py copies both ways",
        "manage copy_files out": "needs systemd; tests/capsules/test_copy_files.py copies both ways",
    },
}


def commands_that_fail(instance: Instance, folder: Path, drawn: Path) -> list[str]:
    """What a reader of the documents would stumble over. `drawn`: a folder with a capsule."""
    story = instance.told["facts"]["live"]
    known = {"folder": str(folder), "drawn": str(drawn), "story": story}
    wrong = []
    for document, commands in blocks().items():
        for typed in RUN.get(document, ()):
            (block,) = [one for one in commands if one.startswith(typed.begins)]
            for words, others in typed.instead.items():
                block = block.replace(words, others.format(**known))
            said = run(instance, block)
            if "(exit code" in said:
                wrong.append(f"{document}, “{typed.begins}”: {said[-600:]}")
            wrong += [
                f"{document}, “{typed.begins}”: {missing!r} is not in {said[-600:]!r}"
                for missing in typed.shows
                if missing not in said
            ]
    return wrong


def run(instance: Instance, commands: str) -> str:
    """What the commands print, typed into a shell that stops at the first that fails, in the repository."""
    for address in (HERE, THERE):
        commands = commands.replace(address, instance.url)
    trust = {"CURL_CA_BUNDLE": str(instance.certificate)} if instance.certificate else {}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=ROOT,
        env={**instance.running.env, **trust},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.stdout + (f"\n(exit code {done.returncode})" if done.returncode else "")
