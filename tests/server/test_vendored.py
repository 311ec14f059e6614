"""What is vendored is what its sums say, and nothing else."""

import hashlib

from django.conf import settings

FOLDER = settings.BASE_DIR / "static/vendor"
SUMS = FOLDER / "SHA256SUMS"


def test_every_vendored_file_has_its_sum():
    found = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}"
        for path in sorted(FOLDER.iterdir())
        if path != SUMS
    ]
    assert found == SUMS.read_text().splitlines()


def test_no_vendored_script_points_at_a_source_map_that_is_not_there():
    assert not [path.name for path in FOLDER.glob("*.js") if "sourceMappingURL" in path.read_text()]
