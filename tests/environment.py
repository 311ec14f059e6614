"""Loaded before the settings are read (see addopts): tests never touch the data of the service."""

import os
import tempfile

os.environ["DATA_DIR"] = tempfile.mkdtemp(prefix="capsules-tests-")
os.environ["DEBUG"] = "true"
