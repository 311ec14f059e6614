"""Loaded before the settings are read (see addopts): tests never touch the data of the service."""

import os
import tempfile
from pathlib import Path

os.environ["DATA_DIR"] = folder = tempfile.mkdtemp(prefix="capsules-tests-")
os.environ["REDIS_PREFIX"] = f"{Path(folder).name}:"
os.environ["DEBUG"] = "true"
