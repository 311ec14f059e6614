"""A field is added by its column and one line of `capsules/fields.py`: everything else has it then."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from capsules.fields import SCENE, STORY

PROPERTY = re.compile(r"@property \{.*\} \[?(\w+)\b")
ROOT = Path(__file__).resolve().parents[2]
CHECKS = "tests/capsules/new_field_checks.py"


def test_a_new_field_is_everywhere():
    plugin = ["-p", "tests.support.new_fields", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command = [sys.executable, "-m", "pytest", "-q", *plugin, CHECKS]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]


def test_the_types_of_the_scripts_name_the_fields_that_there_are():
    script = (ROOT / "static" / "studio" / "fold.js").read_text()
    _, scene, story, *_ = [PROPERTY.findall(part) for part in script.split("@typedef {object} Of")]
    assert [field.name for field in SCENE] == scene[1 : scene.index("rendering")]
    assert {field.name for field in STORY} <= set(story)
