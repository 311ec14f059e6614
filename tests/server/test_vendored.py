"""What is vendored is what its lock says, and nothing else."""

import json

from config.vendor import FOLDER, LOCK, sha256


def test_every_vendored_file_is_the_one_in_the_lock():
    files = {
        name: entry["sha256"]
        for package in json.loads(LOCK.read_text())["packages"]
        for name, entry in package["files"].items()
    }
    present = {path.name: sha256(path) for path in FOLDER.iterdir() if path != LOCK}
    assert present == files


def test_no_vendored_script_points_at_a_source_map_that_is_not_there():
    assert not [path.name for path in FOLDER.glob("*.js") if "sourceMappingURL" in path.read_text()]
