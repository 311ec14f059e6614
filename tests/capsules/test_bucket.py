"""Files in a bucket (STORAGE_URL): the real service against an S3 server on this machine."""

from __future__ import annotations

import re
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from storages.backends.s3 import S3Storage
from tusclient.exceptions import TusCommunicationError

from capsules import storage
from capsules.models import HiddenBlob
from config import outage
from publishing.moderation import blobs
from tests.support.bucket import REGION, bucket, silent
from tests.support.running import Answer, service
from tests.support.sending import call, large_film, send_through_a_kill, tus_client, until


def test_a_capsule_lives_in_a_bucket_from_its_encodes_to_its_page(tmp_path):
    with (
        bucket(secret="secret/+") as (address, s3, url, server),
        service(tmp_path, stories=0, start=False, WEB_PROCESSES="1") as running,
    ):
        shutil.rmtree(tmp_path / "media")  # the files of another's capsule, which nobody asks for
        running.env["STORAGE_URL"] = url
        running.start()
        film = a_film_arrives_though_its_receiver_is_killed(running, s3, tmp_path)
        page = running.call("GET", published_with(running, film).json()["url"])
        let_nobody_make_the_clip(running)
        assert address in page.headers["content-security-policy"]
        blob = rf'{address}/capsules/blobs/[^" ]+'
        for ending in ("jpeg", "avif", "webm", "mp4"):
            found = re.search(rf"{blob}\.{ending}", page.body.decode())
            with urllib.request.urlopen(found[0], timeout=60) as picture:
                assert picture.headers["Cache-Control"] == "public, max-age=31536000, immutable"
                assert len(picture.read()) > 100
        originals = [
            each["Key"] for each in s3.list_objects_v2(Bucket="capsules", Prefix="originals/")["Contents"]
        ]
        (still,) = [
            name for name in originals if name.endswith(".png")
        ]  # what came in parts, moto gives to all
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"{address}/capsules/{still}", timeout=60)
        tell_of_a_bucket_away(running, address, server, tmp_path)
    assert not any((tmp_path / "media").iterdir())


def a_film_arrives_though_its_receiver_is_killed(running, s3, folder) -> str:
    """The id of the film."""
    source = large_film(folder, 9 * 10**6)
    film = send_through_a_kill(running, source)
    found = s3.list_objects_v2(Bucket="capsules", Prefix="originals/")["Contents"]
    (key,) = (entry["Key"] for entry in found if entry["Size"] == source.stat().st_size)
    assert key.endswith(".mp4")
    assert s3.get_object(Bucket="capsules", Key=key)["Body"].read() == source.read_bytes()
    parts = {"Bucket": "capsules", "Prefix": "parts/"}
    until(lambda: s3.list_objects_v2(**parts)["KeyCount"] == 0, "no part")  # dropped after the answer
    return film


def published_with(running, film: str) -> Answer:
    """The answer to a publish of a story all scenes of which show the film."""
    scenes = [{"text": text, "animation": "film", "film": film} for text in ("One.", "Two.", "Three.")]
    story = call(running, "POST", "/stories", {"title": "Small voyages", "scenes": scenes})["id"]
    call(running, "POST", f"/stories/{story}/previews")
    answer = running.publication("PUT", story, timeout=300)
    assert answer.status == 200, answer.body
    return answer


def tell_of_a_bucket_away(running, address, server, folder) -> None:
    """First it refuses connections, then it takes them and says nothing."""
    film = folder / "ferry.mp4"
    film.write_bytes(b"a film")
    begun = call(running, "POST", "/uploads", {"kind": "film", "filename": "ferry.mp4", "size": 6})
    client = tus_client(running, begun["uploadUrl"])
    server.stop()
    with pytest.raises(TusCommunicationError) as refused:
        client.uploader(str(film), url=begun["uploadUrl"], retries=0).upload_chunk()
    assert (refused.value.status_code, str(outage.AWAY) in str(refused.value.response_content)) == (503, True)
    with silent(address):
        answer = running.call("GET", "/readyz", timeout=30)
    assert (answer.status, "storage" in answer.json()["reasons"]) == (503, True)


def let_nobody_make_the_clip(running) -> None:
    """The social clip, which the worker makes after a publish: nobody waits for it here."""
    until(lambda: running.sql("SELECT id FROM capsules_encode WHERE kind = 'clip'"), "the clip is asked for")
    running.sql("UPDATE capsules_encode SET state = 'failed', lease_token = NULL WHERE kind = 'clip'")


NAME = "ab/picture.jpeg"


@pytest.fixture
def places(monkeypatch) -> Iterator[tuple[str, Storage, Storage]]:
    """The address of a server, and the places in its bucket for what is public and for what is hidden."""
    with bucket() as (address, *_):
        keys = {"access_key": "key", "secret_key": "secret", "region_name": REGION}
        options = {**keys, "bucket_name": "capsules", "endpoint_url": address}
        public, hidden = (S3Storage(**options, location=place) for place in ("blobs", "hidden"))
        monkeypatch.setattr(storage, "blobs", lambda: public)
        monkeypatch.setattr(storage, "hidden", lambda: hidden)
        yield address, public, hidden


def test_an_address_from_before_the_files_were_in_a_bucket_leads_there(places, client, db):
    address, public, _ = places
    name = public.save(f"ab/{'ab' * 32}.jpeg", ContentFile(b"a picture"))
    led = client.get(f"/media/{name}")
    assert (led.status_code, led["Location"].split("?")[0]) == (302, f"{address}/capsules/blobs/{name}")
    with urllib.request.urlopen(led["Location"], timeout=60) as picture:
        assert picture.read() == b"a picture"


@pytest.mark.django_db(transaction=True)
def test_what_is_taken_down_is_moved_where_no_reader_may_look_and_back(places):
    address, public, hidden = places
    public.save(NAME, ContentFile(b"a picture"))
    HiddenBlob.objects.create(name=NAME)
    for _ in range(2):  # the second time there is nothing left to do
        blobs.put_in_place(NAME)
    assert (public.exists(NAME), hidden.exists(NAME)) == (False, True)
    for place in ("blobs", "hidden"):
        with pytest.raises(urllib.error.HTTPError, match=r"40[34]"):
            urllib.request.urlopen(f"{address}/capsules/{place}/{NAME}", timeout=60)
    HiddenBlob.objects.update(is_hidden=False, is_settled=False)
    blobs.put_in_place(NAME)
    assert (public.exists(NAME), hidden.exists(NAME)) == (True, False)
    assert HiddenBlob.objects.get().is_settled
    with urllib.request.urlopen(f"{address}/capsules/blobs/{NAME}", timeout=60) as picture:
        assert (picture.read(), picture.headers["Content-Type"]) == (b"a picture", "image/jpeg")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_hidden, is_forgotten", [(False, False), (True, True)])
def test_two_who_move_a_file_of_a_bucket_to_and_fro_do_not_lose_it(
    is_hidden, is_forgotten, places, monkeypatch
):
    """One has brought it, and comes to take the other copy away when a second has moved it back."""
    _, public, hidden = places
    before, other = (public, hidden) if is_hidden else (hidden, public)
    before.save(NAME, ContentFile(b"a picture"))
    HiddenBlob.objects.create(name=NAME, is_hidden=is_hidden)
    bring = storage.bring_file

    def bring_late(*args: object, **kwargs: object) -> None:
        bring(*args, **kwargs)
        monkeypatch.setattr(storage, "bring_file", bring)
        HiddenBlob.objects.update(is_hidden=not is_hidden, is_settled=False)
        blobs.put_in_place(NAME)
        if is_forgotten:
            HiddenBlob.objects.all().delete()
            other.save(NAME, ContentFile(b"a picture"))  # a third, who was told after this

    monkeypatch.setattr(storage, "bring_file", bring_late)
    blobs.put_in_place(NAME)
    assert (before.exists(NAME), other.exists(NAME)) == (True, is_forgotten)
