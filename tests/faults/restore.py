"""The restore drill: what was backed up comes back, the same pages byte for byte.

    python -m tests.faults.restore        on DATABASE_URL (PostgreSQL), or on SQLite without it

It publishes, backs up with deploy/backup.sh, loses everything, restores with deploy/restore.sh, and compares all pages,
lists and files. It also looks whether a damaged backup, and a database with something in it, are refused.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from tests.support.running import DATABASE, ROOT, postgres, service

NOBODY = 65534
PATHS = ["/", "/api/v2/feed", "/feed.atom", "/sitemap.xml", "/north-shore", "/north-shore/feed.atom"]


def publish_all() -> None:
    from accounts.actors import Actor
    from accounts.models import User
    from capsules.models import Story
    from feed import tasks
    from publishing.actions import PublishRequest, publish

    owner = User.objects.get(email="owner@north-shore.example")
    for number, story in enumerate(
        Story.objects.filter(workspace__name="north-shore").order_by("created_at")
    ):
        mode = "TEASER" if number == 0 else "OFF"
        publish(story, request=PublishRequest(premiere_email_mode=mode), by=Actor.by_token(owner))
    tasks.refresh_ranks()


def everything() -> dict[str, str]:
    """A digest of each page, list and file that a reader can get, by address."""
    from django.conf import settings
    from django.test import Client

    from publishing.models import Bake, Premiere, Publication

    client, found = Client(), {}
    links = [
        publication.path for publication in Publication.objects.live().select_related("story__workspace")
    ]
    oembeds = [f"/oembed?url={settings.APP_URL}{link}" for link in links]
    blobs = sorted({f"/media/{name}" for bake in Bake.objects.all() for name in bake.blobs()})
    for path in [*PATHS, *links, *(f"{link}/embed" for link in links), *oembeds, *blobs]:
        answer = client.get(path)
        found[path] = f"{answer.status_code} {sha256(answer.getvalue()).hexdigest()}"
    found["premieres"] = ",".join(Premiere.objects.values_list("state", flat=True))
    return found


def main() -> int:
    kind = "PostgreSQL" if DATABASE else "SQLite"
    with tempfile.TemporaryDirectory(prefix="capsules-drill-") as place:
        lost, backups, restored = (Path(place, name) for name in ("lost", "backups", "restored"))
        lost.mkdir()
        with service(lost, stories=2, start=False) as running:
            return drill(kind, running.env, backups, restored)


def drill(kind: str, env: dict[str, str], backups: Path, restored: Path) -> int:
    run(env, sys.executable, "-m", "tests.faults.restore", "publish")
    before = looked(env)
    env = {**env, "ENV_FILE": "/nonexistent", "PYTHON": sys.executable}
    stamp = run(env, "deploy/backup.sh", str(backups)).split()[-1]
    env = elsewhere(env, restored)
    try:
        run(env, "deploy/restore.sh", stamp)
        folders = [folder for part in ("media", "pages") for folder in (restored / part).glob("**/")]
        closed = [folder for folder in folders if folder.stat().st_mode & 0o050 != 0o050]
        after = looked(env)
        again = run(env, "deploy/restore.sh", stamp, ok=False)
        page = restored / "pages/live/north-shore/of-the-lost-time.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.touch()
        replaced = run(env, "deploy/restore.sh", stamp, "--replace")
        faults = faulty_backups(env, backups, restored, stamp)
    finally:
        if DATABASE:
            postgres(f'DROP DATABASE IF EXISTS "{env["DATABASE_URL"].rsplit("/", 1)[1]}" WITH (FORCE)')
    held = after.pop("premieres"), before.pop("premieres")
    differing = [path for path in before if before[path] != after.get(path)]
    live = sum(answer.startswith("200") for answer in before.values())
    outcomes = {
        f"{live} of {len(before)} addresses answer 200 before": live == len(before),
        f"the same bytes at {len(before) - len(differing)} of {len(before)} addresses": not differing,
        f"premieres wait for staff afterwards (before: {held[1]}, after: {held[0]})": held
        == ("held", "scheduled"),
        "a database with something in it is refused": "Give --replace" in again,
        "and given up with --replace": "Restored." in replaced,
        "and so are the page files of the lost time": not page.exists(),
        "nginx, of the service's group, can read pages and media": len(folders) > 5 and not closed,
        **faults,
    }
    print(f"Restore drill on {kind}:")
    for outcome, is_so in outcomes.items():
        print(f"  {'ok  ' if is_so else 'FAIL'} {outcome}")
    for path in [*differing, *(path for path, answer in before.items() if answer[:3] != "200")]:
        print(f"       {path}: {before[path][:12]} before, {after.get(path, 'nothing')[:12]} after")
    return 0 if all(outcomes.values()) else 1


def faulty_backups(env: dict[str, str], backups: Path, restored: Path, stamp: str) -> dict[str, bool]:
    """What becomes of a restore of a damaged backup, and of one that is not there: outcomes in words."""
    copies = backups / "files/blobs"
    blob = next(copies.glob("*/*.jpg"), None) or next(copies.glob("*/*"))
    blob.write_bytes(blob.read_bytes()[:-1] + b"?")
    (restored / "media/blobs" / blob.relative_to(copies)).unlink()
    damaged = run(env, "deploy/restore.sh", stamp, "--replace", ok=False)
    foreign = "belongs to another user"
    if os.getuid() == 0:  # who is not root cannot give a folder away
        os.chown(restored, NOBODY, -1)
        foreign = run(env, "deploy/restore.sh", stamp, "--replace", ok=False)
        os.chown(restored, 0, -1)
    nowhere = run(env, "deploy/restore.sh", str(backups / "20200101T000000Z"), ok=False)
    return {
        "a damaged file is named": "damaged" in damaged and blob.name in damaged,
        "and leaves no premiere armed": looked(env)["premieres"] == "held",
        "the folder of another user is refused": "belongs to another user" in foreign,
        "a backup that is not there is said to be none": "is not a backup" in nowhere,
    }


def looked(env: dict[str, str]) -> dict[str, str]:
    run({**env, "DJANGO_SETTINGS_MODULE": "config.settings"}, sys.executable, "-m", "config.static")
    return json.loads(run(env, sys.executable, "-m", "tests.faults.restore", "look"))


def elsewhere(env: dict[str, str], folder: Path) -> dict[str, str]:
    """Another machine: an empty folder, and an empty database."""
    own = {**env, "DATA_DIR": str(folder)}
    if DATABASE:
        own["DATABASE_URL"] = env["DATABASE_URL"] + "_restored"
        postgres(f'CREATE DATABASE "{own["DATABASE_URL"].rsplit("/", 1)[1]}"')
    return own


def run(env: dict[str, str], *command: str, ok: bool = True) -> str:
    """What a command says; the drill ends where it should have gone well and did not, or the other way round."""
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    if (done.returncode == 0) is not ok:
        sys.exit(f"{' '.join(command)} returned {done.returncode}:\n{done.stdout}{done.stderr[-2000:]}")
    return done.stdout if ok else done.stdout + done.stderr


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(main())
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    if sys.argv[1] == "publish":
        publish_all()
    else:
        json.dump(everything(), sys.stdout)
