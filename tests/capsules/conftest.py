"""Samples for what reads and renders media, and a place for what comes out."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from capsules.media import proposals
from tests.support import media_files as files
from tests.support.authoring import made


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One second of film with a tone."""
    return files.film(tmp_path_factory.mktemp("samples"))


@pytest.fixture
def small_slices(settings):
    """Parts of 1,000 bytes, and none of the test before."""
    settings.UPLOAD_SLICE = 1000
    shutil.rmtree(settings.MEDIA_ROOT / "parts", ignore_errors=True)


@pytest.fixture
def picture(tmp_path: Path) -> bytes:
    """The bytes of a small photograph."""
    return files.saved(tmp_path, "ferry.png", files.photo(64, 64)).read_bytes()


@pytest.fixture
def patient_search(monkeypatch):
    """A search for a subject has its time of the processor, however long that takes on a busy machine."""
    monkeypatch.setattr(proposals, "LIMITS", replace(proposals.LIMITS, seconds=120))


@pytest.fixture
def story(api) -> dict:
    """A capsule of three scenes without pictures, as the API tells it."""
    return made(api, scenes=[{"text": text} for text in ("one", "two", "three")])
