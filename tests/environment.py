"""Loaded before the settings are read (see addopts): tests never touch the data of the service."""

import gc
import logging
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from config.words.compiling import compile_outdated

OWN = [tempfile.mkdtemp(prefix="capsules-tests-")]
os.environ["DATA_DIR"] = OWN[0]
os.environ["REDIS_PREFIX"] = f"{Path(OWN[0]).name}:"
os.environ["DEBUG"] = "true"
if "SHARED_FOLDER" not in os.environ:  # what every process of a run shares, the services it starts included
    OWN.append(tempfile.mkdtemp(prefix="capsules-shared-"))
    os.environ["SHARED_FOLDER"] = OWN[1]
# Services and encoders start hundreds of times: where bytecode may not be kept, each would compile all of Django.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
compile_outdated()  # the words of every page
gc.disable()  # until all is imported, of which nothing becomes garbage: a third of that time

STACK = 66_000  # values of 8 bytes: it takes a piece of 1 MB, of which half is left for what is called


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> object:
    """Runs a test where Python has a large piece of stack.

    Python 3.11 takes its stack in pieces of 16 kB and gives one back as soon as it is empty: a loop that calls at the
    end of a piece maps and unmaps memory in every turn (python/cpython#142183), which took a quarter of a test's time.
    """
    return item.config.pluginmanager.getplugin("runner").pytest_runtest_protocol(item, nextitem)


pytest_runtest_protocol.__code__ = pytest_runtest_protocol.__code__.replace(co_stacksize=STACK)

FOLDERS = [Path(folder) for folder in OWN]  # and what the settings made in the first


def pytest_configure(config: pytest.Config) -> None:
    """Also for a second session of one process, which a mutation run has."""
    logging.disable(logging.NOTSET)
    for folder in FOLDERS:
        folder.mkdir(exist_ok=True)


def pytest_unconfigure(config: pytest.Config) -> None:
    logging.disable()  # threads that miss the folders have nobody to tell any more
    FOLDERS.extend(sorted(path for path in FOLDERS[0].rglob("*") if path.is_dir()))
    for folder in OWN:
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_finish() -> None:
    """What was imported stays: to look through it for garbage, even once, costs more than that would give back."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    gc.enable()
