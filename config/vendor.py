"""`make vendor`: fetches the vendored scripts with npm, checks their integrity, and writes static/vendor and its lock.

Nothing else needs npm: the files are checked in.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

from config.json_types import JsonObject

FOLDER = Path(__file__).resolve().parent.parent / "static" / "vendor"
LOCK = FOLDER / "lock.json"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def vendor(package: JsonObject, place: Path) -> None:
    """Packs one package of the lock, compares it with its integrity, and copies its files."""
    name = f"{package['name']}@{package['version']}"
    packed = subprocess.run(  # noqa: S603 - the words come from our own lock
        ["npm", "pack", name, "--json", "--pack-destination", str(place)],  # noqa: S607
        check=True,
        capture_output=True,
        text=True,
    )
    archive = place / json.loads(packed.stdout)[0]["filename"]
    kind, _, digest = package["integrity"].partition("-")
    if base64.b64encode(hashlib.new(kind, archive.read_bytes()).digest()).decode() != digest:
        raise SystemExit(f"{name} is not what the lock says.")
    with tarfile.open(archive) as files:
        for target, entry in package["files"].items():
            source = files.extractfile(f"package/{entry['from']}")
            assert source is not None  # noqa: S101 - a regular file
            # A source map that is not there makes collectstatic fail.
            text = re.sub(r"\n?//# sourceMappingURL=.*", "", source.read().decode())
            (FOLDER / target).write_text(text.rstrip("\n") + "\n")
            entry["sha256"] = sha256(FOLDER / target)


def main() -> None:
    lock = json.loads(LOCK.read_text())
    with tempfile.TemporaryDirectory() as place:
        for package in lock["packages"]:
            vendor(package, Path(place))
    LOCK.write_text(json.dumps(lock, indent=2) + "\n")


if __name__ == "__main__":
    main()
