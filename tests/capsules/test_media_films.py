"""Films, camera moves and social clips as they come out of the media pipeline."""

from __future__ import annotations

import random
import re
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from capsules import media, worker
from capsules.media import Rendition, child, clips, ffmpeg
from capsules.media.child import Pulse
from capsules.models import Encode
from capsules.painter import camera
from tests.support import media_files as files
from tests.support.media_files import ffmpeg_sees, frame_of, ignore

# --- films ---


@pytest.fixture(scope="module")
def percents() -> list[int]:
    """What was told while the film of `made` was made."""
    return []


@pytest.fixture(scope="module")
def made(tmp_path_factory, percents) -> dict[str, list[Rendition]]:
    """What the worker makes of a film with a title and of a picture, by the kind of encode."""
    folder = tmp_path_factory.mktemp("made")
    film = files.film(folder, "plain.mp4")
    named = files.ffmpeg(folder / "named.mp4", "-i SOURCE -c copy -metadata title=SECRET", film)
    picture = files.saved(folder, "a.png", files.photo(160, 84))

    def make(kind: str, source: Path, *, progress=ignore, **fields) -> list[Rendition]:
        (folder / kind).mkdir()
        return worker.render(Encode(kind=kind, **fields), [source], folder / kind, progress).renditions

    return {
        **{kind: make(kind, picture, focus=(0.2, 0.3)) for kind in ("still", "card", "move")},
        "film": make("film", named, progress=percents.append),
        "clip": make("clip", named, focus=[(0.2, 0.3)]),
    }


def test_what_is_made_tells_no_version_of_its_encoder_and_so_is_the_same_each_time(made):
    assert {kind: len(outputs) for kind, outputs in made.items()} == {
        "still": 6, "card": 1, "film": 2, "move": 1, "clip": 1,
    }  # fmt: skip
    for kind in ("film", "move", "clip"):
        for one in made[kind]:
            assert not re.search(rb"Lav[cf]\d", one.path.read_bytes()), one.path.name


def test_progress_rises_and_ends_at_a_hundred(made, percents):
    assert len(percents) > 1
    assert percents == sorted(percents)
    assert percents[-1] == 100


def test_how_far_an_encoder_is_is_told_while_it_works():
    """Of a picture that is shown for two seconds and read as slowly."""
    percents: list[int] = []
    slowly = "-re -f lavfi -i color=size=16x16:duration=2 -f null -"
    ffmpeg.run_ffmpeg(slowly.split(), seconds=2, pulse=Pulse(percents.append))
    assert any(10 < percent < 99 for percent in percents) and percents == sorted(percents)


def test_what_is_done_never_grows_less_and_is_a_hundred_only_at_the_end(monkeypatch):
    monkeypatch.setattr(child, "TICK", 0)
    percents: list[int] = []
    pulse = Pulse(percents.append)
    for percent in (40, 20, 140):
        pulse.reach(percent)
        pulse.beat()
    pulse.done()
    assert percents == [40, 40, 99, 100]


def test_a_film_is_as_long_as_its_pictures_and_not_as_its_header_says(tmp_path):
    source = files.film(tmp_path, "a.webm")
    data = bytearray(source.read_bytes())
    at = data.index(b"\x44\x89\x88") + 3  # Duration, a float of eight bytes, in milliseconds
    assert struct.unpack(">d", data[at : at + 8])[0] == pytest.approx(1000, abs=50)
    data[at : at + 8] = struct.pack(">d", 3_600_000)
    source.write_bytes(data)
    assert media.inspect(source, "film").duration == pytest.approx(1, abs=0.05)


def test_a_film_is_made_in_two_formats_without_sound_or_metadata(made):
    films = made["film"]
    assert [(one.role, one.format, one.width, one.height) for one in films] == [
        ("film", "mp4", 160, 90),
        ("film", "webm", 160, 90),
    ]
    assert [one.media_type.partition(";")[0] for one in films] == ["video/mp4", "video/webm"]
    assert 'codecs="avc1.6400' in films[0].media_type
    assert 'codecs="av01.0.' in films[1].media_type
    assert films[1].media_type.endswith('M.10"')
    for one in films:
        assert one.duration == pytest.approx(1, abs=0.05)
        data = one.path.read_bytes()
        assert b"SECRET" not in data
        assert b"mp4a" not in data
        assert len(data) == one.bytes
    mp4 = films[0].path.read_bytes()
    assert mp4.index(b"moov") < mp4.index(b"mdat")  # it starts to play before it has arrived


def test_a_film_is_cut_at_twelve_seconds(tmp_path, out):
    source = files.film(tmp_path, size="64x64", rate=5, seconds=14)
    assert media.inspect(source, "film").duration == 14
    made = media.make_film(source, out, progress=ignore).renditions
    assert [one.duration for one in made] == [pytest.approx(12, abs=0.05)] * 2


def test_what_a_transparent_film_hides_stays_hidden(tmp_path, out):
    hidden = (
        "-f lavfi -i color=red:s=160x90:d=0.4,format=yuva420p,geq=lum=lum(X\\,Y):cb=cb(X\\,Y):cr=cr(X\\,Y)"
    )
    hidden += ":a=if(lt(X\\,80)\\,0\\,255) -c:v libvpx-vp9 -pix_fmt yuva420p"
    source = files.ffmpeg(tmp_path / "alpha.webm", hidden)
    mp4, _ = media.make_film(source, out, progress=ignore).renditions
    frame = frame_of(mp4.path, tmp_path)
    assert frame.getpixel((30, 45)) == pytest.approx((255, 255, 255), abs=6)
    assert frame.getpixel((120, 45)) == pytest.approx((254, 0, 0), abs=12)


def test_the_grainiest_film_stays_light_enough_for_a_phone(tmp_path, out):
    """With an own value for every pixel: without a ceiling it would be a sixteenth and a fifth over the bound."""
    shades = bytes(32 + value * 3 // 4 for value in range(256))
    pixels = random.Random(1).randbytes(400 * 224 * 3 // 2 * 90)
    raw = files.written(tmp_path, "grain.yuv", pixels.translate(shades))
    read = "-f rawvideo -pix_fmt yuv420p -s 400x224 -r 30 -i SOURCE"
    source = files.ffmpeg(tmp_path / "grain.mp4", f"{read} -c:v libx264 -preset ultrafast -crf 20", raw)
    made = media.make_film(source, out, progress=ignore).renditions
    assert source.stat().st_size > 6_000_000
    for one in made:
        assert one.bytes < 12_000_000 * 3 / 12 * 1.25, f"{one.format}: {one.bytes}"


def test_a_turned_film_of_odd_size_stands_upright_and_becomes_even(tmp_path, out):
    odd = "-f lavfi -i testsrc2=s=320x200:d=0.4 -vf scale=161:91,setsar=1 -pix_fmt yuv444p -c:v libx264"
    lying = files.ffmpeg(tmp_path / "odd.mp4", f"{odd} -preset ultrafast")
    source = files.ffmpeg(tmp_path / "turned.mp4", "-display_rotation 90 -i SOURCE -c copy", lying)
    assert (seen := media.inspect(source, "film")).width == 91 and seen.height == 161
    made = media.make_film(source, out, progress=ignore).renditions
    assert {(one.width, one.height) for one in made} == {(90, 160)}


def test_a_large_and_fast_film_is_made_smaller_and_slower(tmp_path, out):
    source = files.film(tmp_path, size="1600x200", rate=60, seconds=0.2)
    mp4, _ = media.make_film(source, out, progress=ignore).renditions
    assert (mp4.width, mp4.height) == (1280, 160)
    assert ffmpeg_sees(mp4.path).count(" 30 fps") == 1


def test_an_interlaced_film_is_made_progressive(tmp_path, out):
    lines = "-f lavfi -i testsrc2=s=160x96:r=50:d=0.2 -vf interlace -flags +ildct+ilme -c:v libx264"
    source = files.ffmpeg(tmp_path / "lines.mp4", lines)
    assert "top first" in ffmpeg_sees(source)
    mp4, _ = media.make_film(source, out, progress=ignore).renditions
    assert "progressive" in ffmpeg_sees(mp4.path)


def test_an_hdr_film_becomes_an_ordinary_one_that_looks_alike(tmp_path, out):
    marks = "-color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709 -pix_fmt yuv420p"
    shade = "-f lavfi -i color=c=0x9a6a40:s=160x90:d=0.4 -vf scale=out_color_matrix=bt709 -c:v libx264"
    plain = files.ffmpeg(tmp_path / "plain.mp4", f"{shade} {marks}")
    hdr = files.hdr_film(tmp_path, plain, "arib-std-b67")
    assert "yuv420p10le" in ffmpeg_sees(hdr)
    mp4, _ = media.make_film(hdr, out, progress=ignore).renditions
    seen = ffmpeg_sees(mp4.path)
    assert "yuv420p(tv, bt709, progressive)" in seen
    assert frame_of(mp4.path, tmp_path).getpixel((80, 45)) == pytest.approx((0x9A, 0x6A, 0x40), abs=12)
    film = media.inspect(hdr, "film").film
    assert film.hdr and replace(film, transfer="smpte2084").hdr and not replace(film, transfer="bt709").hdr


# --- camera moves and the social clip ---


def test_a_camera_move_lasts_six_seconds_and_loops_without_a_jump(made, tmp_path):
    (move,) = made["move"]
    assert (move.role, move.format, move.width, move.height, move.duration) == ("film", "mp4", 160, 84, 6.0)
    ends = difference(frame_of(move.path, tmp_path, 0), frame_of(move.path, tmp_path, 5.96))
    there = difference(frame_of(move.path, tmp_path, 0), frame_of(move.path, tmp_path, 3))
    assert ends < there / 4


def difference(one: Image.Image, other: Image.Image) -> float:
    """Mean difference of two pictures' pixels."""
    pairs = zip(one.convert("L").tobytes(), other.convert("L").tobytes(), strict=True)
    return sum(abs(a - b) for a, b in pairs) / (one.width * one.height)


@pytest.mark.parametrize("size", [(320, 200), (200, 320), (1333, 77), (64, 64)])
@pytest.mark.parametrize("focus", [(0, 0), (1, 1), (0.5, 0.5), (0.2, 0.9)])
def test_the_camera_never_leaves_the_picture_and_comes_nearer_to_the_focal_point(size, focus):
    frame = camera.frame_size(*size)
    views = [camera.view(size, focus, step / 20, frame[0] / frame[1]) for step in range(21)]
    for left, top, right, bottom in views:
        assert 0 <= left < right <= size[0] + 1e-6
        assert 0 <= top < bottom <= size[1] + 1e-6
    widths = [right - left for left, _, right, _ in views]
    assert widths == sorted(widths, reverse=True)
    left, top, right, bottom = views[-1]
    assert left - 1 <= focus[0] * size[0] <= right + 1
    assert top - 1 <= focus[1] * size[1] <= bottom + 1


def test_a_social_clip_is_of_the_size_that_link_previews_want(made):
    (clip,) = made["clip"]
    assert (clip.role, clip.format, clip.width, clip.height) == ("clip", "mp4", 1200, 630)
    assert clip.bytes < 10_000_000
    assert " 30 fps" in ffmpeg_sees(clip.path)


def test_a_social_clip_fades_through_films_and_pictures(tmp_path, out, monkeypatch):
    monkeypatch.setattr(clips, "CARD", (300, 158))
    slide = files.saved(tmp_path, "a.png", files.picture(600, 400))
    short, other, long = (
        files.ffmpeg(tmp_path / f"{colour}.mp4", f"-f lavfi -i color={colour}:s=64x36:r=10:d={seconds}")
        for colour, seconds in (("red", 0.5), ("lime", 0.5), ("blue", 3))
    )
    (made,) = media.make_clip([short, slide, long, other, short, other], out, progress=ignore).renditions
    assert (made.width, made.height) == (300, 158)
    slot = (clips.SECONDS + 5 * clips.FADE) / 6
    assert made.duration == pytest.approx(4 * clips.SHORTEST_SHOT + 2 * slot - 5 * clips.FADE, abs=0.1)
    assert [path.name for path in out.iterdir()] == ["clip.mp4"]
    red, green, _ = frame_of(
        made.path, tmp_path, made.duration - clips.SHORTEST_SHOT + clips.FADE / 2
    ).getpixel((150, 75))
    assert 80 < red < 200 and 80 < green < 200, "in the middle of the last fade"


def test_a_social_clip_of_a_long_story_shows_few_scenes_from_its_whole_length():
    story = [Path(f"{number}.mp4") for number in range(20)]
    assert [path.stem for path in clips.choose_shots(story)] == ["0", "3", "6", "10", "13", "16"]
    assert clips.choose_shots(story[:3]) == story[:3]
