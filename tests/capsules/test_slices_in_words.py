"""What is said of a slice that an upload does not take."""

from __future__ import annotations

import pytest

from tests.capsules.test_uploads import begin, send

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("size, words", [(1, "1 byte"), (2, "2 bytes")])
def test_one_byte_is_not_several(size, words, api):
    id = begin(api, size=size).json()["id"]
    over = send(api, id, b"x" * (size + 1))
    assert over.status_code == 413
    assert over.json() == {"error": f"The upload was announced with {words}; this would be more."}
    id = begin(api, size=size + 1).json()["id"]
    assert send(api, id, b"x" * size).status_code == 204
    assert send(api, id, b"x").json() == {"error": f"The upload has {words}. Please go on from there."}


def test_nothing_is_sent_to_an_upload_that_the_service_fetches(api):
    id = begin(api, sourceUrl="https://pictures.example/ferry.png").json()["id"]
    refused = send(api, id, b"x")
    words = "The service fetches this file itself; nothing can be sent to it."
    assert (refused.status_code, refused.json()) == (413, {"error": words})
