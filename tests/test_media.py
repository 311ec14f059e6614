"""The media pipeline on real files: what goes in, what comes out, what is refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from capsules import media
from capsules.media import camera, child, colour, ffmpeg, painting, pixels
from capsules.media.child import Limits
from tests import media_files as files

ROOT = Path(__file__).parents[1]
MIDDLE = (0.5, 0.5)
SECONDS_TO_REFUSE = 5


def ignore(percent: int) -> None:
    """A progress function for tests that do not look at it."""


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for samples that several tests read and none changes."""
    return tmp_path_factory.mktemp("samples")


@pytest.fixture(scope="module")
def clip(samples: Path) -> Path:
    return files.film(samples, "clip.mp4")


def refused(source: Path, kind: str) -> str:
    """Why `source` is refused. It must be quick about it, and speak to the author."""
    began = time.monotonic()
    with pytest.raises(media.MediaRefused) as refusal:
        media.inspect(source, kind)
    assert time.monotonic() - began < SECONDS_TO_REFUSE
    message = str(refusal.value)
    assert message.endswith(".")
    assert str(source.parent) not in message
    assert "ffmpeg" not in message.lower()
    return message


def opened(rendition: media.Rendition) -> Image.Image:
    image = Image.open(rendition.path)
    image.load()
    return image


def frame_of(film: Path, folder: Path, at: float = 0) -> Image.Image:
    """One frame of a film, as a browser would show it."""
    target = files.ffmpeg(folder / "frame.png", f"-ss {at} -i SOURCE -frames:v 1", film)
    return Image.open(target).convert("RGB")


def children_of(pid: int) -> set[int]:
    """The ids of all processes below `pid`."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):  # it ended while we looked
                continue
    below = {pid}
    while more := {one for one, parent in parents.items() if parent in below} - below:
        below |= more
    return below - {pid}


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def eventually(condition, seconds: float = 10) -> bool:
    """Whether `condition` comes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


# --- what a file is ---


@pytest.mark.parametrize(
    "name, media_type, extension",
    [
        ("a.jpg", "image/jpeg", "jpg"),
        ("a.png", "image/png", "png"),
        ("a.webp", "image/webp", "webp"),
        ("a.avif", "image/avif", "avif"),
    ],
)
def test_a_picture_of_each_format_is_recognised(name, media_type, extension, tmp_path):
    source = files.saved(tmp_path, name).rename(tmp_path / "upload")  # the name tells nothing
    assert media.inspect(source, "picture") == media.Facts("picture", media_type, extension, 320, 200, None)


@pytest.mark.parametrize("name, media_type", [("a.mp4", "video/mp4"), ("a.webm", "video/webm")])
def test_a_film_is_recognised(name, media_type, tmp_path):
    source = files.film(tmp_path, name)
    extension = name[2:]
    assert media.inspect(source, "film") == media.Facts("film", media_type, extension, 160, 90, 1.0)


def test_a_film_that_does_not_say_how_long_it_is_is_measured(tmp_path):
    source = files.ffmpeg(tmp_path / "live.webm", "-f lavfi -i testsrc2=s=160x90:d=2 -c:v libvpx -live 1")
    assert media.inspect(source, "film").duration == pytest.approx(2, abs=0.1)


def test_sizes_are_told_as_displayed(tmp_path):
    turned = media.inspect(files.rotated_jpeg_with_gps(tmp_path), "picture")
    assert (turned.width, turned.height) == (200, 320)
    turned = media.inspect(files.rotated_film(tmp_path), "film")
    assert (turned.width, turned.height) == (90, 160)
    wide = files.ffmpeg(
        tmp_path / "wide.mp4", "-f lavfi -i testsrc2=s=160x90:d=0.2 -vf setsar=2 -c:v libx264"
    )
    assert media.inspect(wide, "film").width == 320


# --- what is refused ---


def test_what_is_no_picture_is_refused(tmp_path, clip):
    text = files.written(tmp_path, "text.jpg", "just words")
    drawing = files.written(tmp_path, "drawing.svg", '<svg xmlns="http://www.w3.org/2000/svg"></svg>')
    assert refused(text, "picture") == refused(drawing, "picture") != refused(clip, "picture")
    assert "JPEG, PNG, WebP or AVIF" in refused(text, "picture")
    assert "JPEG, PNG, WebP or AVIF" in refused(files.saved(tmp_path, "a.gif"), "picture")
    assert "film" in refused(clip, "picture")


def test_what_is_no_film_is_refused(tmp_path):
    assert "MP4" in refused(files.written(tmp_path, "text.mp4", "just words"), "film")
    assert "MP4" in refused(files.written(tmp_path, "list.mp4", "#EXTM3U\n#EXTINF:1,\n/etc/passwd\n"), "film")
    assert "picture" in refused(files.saved(tmp_path, "a.png"), "film")
    assert "moving pictures" in refused(files.sound_only(tmp_path), "film")


@pytest.mark.parametrize("kind", ["picture", "film"])
def test_an_empty_file_is_refused(kind, tmp_path):
    assert "empty" in refused(files.written(tmp_path, "nothing", b""), kind)


def test_a_picture_of_absurd_size_is_refused_before_it_is_unpacked(tmp_path):
    assert "50 megapixels" in refused(files.png_bomb(tmp_path), "picture")
    assert "50 megapixels" in refused(
        files.png_bomb(tmp_path, 9000, 9000), "picture"
    )  # Pillow would only warn
    assert "too narrow" in refused(files.saved(tmp_path, "line.png", files.picture(1000, 40)), "picture")
    assert "too small" in refused(files.saved(tmp_path, "dot.png", files.picture(8, 8)), "picture")


def test_a_film_of_absurd_size_is_refused(tmp_path):
    source = "-f lavfi -i color=s=4200x2200:d=0.1 -c:v libx264 -preset ultrafast"
    assert "4096 x 2160" in refused(files.ffmpeg(tmp_path / "huge.mp4", source), "film")
    source = "-f lavfi -i testsrc2=s=2x2:d=0.2 -c:v libx264"
    assert "too small" in refused(files.ffmpeg(tmp_path / "tiny.mp4", source), "film")


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.webp", "a.avif"])
def test_a_picture_that_breaks_off_is_refused(name, tmp_path):
    source = files.cut(files.saved(tmp_path, name, files.photo(320, 200)))
    assert "damaged" in refused(source, "picture")


@pytest.mark.parametrize("how", ["as recorded", "ready for streaming", "webm"])
def test_a_film_that_breaks_off_is_refused(how, tmp_path):
    source = files.film(tmp_path, "a.webm" if how == "webm" else "a.mp4")
    if how == "ready for streaming":
        source = files.ffmpeg(tmp_path / "fast.mp4", "-i SOURCE -c copy -movflags +faststart", source)
    assert "damaged" in refused(files.cut(source), "film")


def test_a_film_with_damage_in_its_middle_is_refused_when_it_is_encoded(tmp_path, out, clip):
    source = files.ffmpeg(tmp_path / "fast.mp4", "-i SOURCE -c copy -an -movflags +faststart", clip)
    media.inspect(source, "film")
    data = bytearray(source.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 6000] = b"\xa5" * 6000
    source.write_bytes(data)
    with pytest.raises(media.MediaRefused, match="damaged"):
        media.make_film(source, out, progress=ignore)


def test_a_picture_in_a_film_container_is_no_film(tmp_path):
    source = files.ffmpeg(tmp_path / "a.mkv", "-f lavfi -i testsrc=d=1 -c:v png")
    assert "moving pictures" in refused(source, "film")


def test_other_files_are_never_read_through_a_text_that_names_them(tmp_path, out, clip):
    """Without the whitelists ffmpeg follows such texts: shown first, so that the refusal means something."""
    concat = files.written(tmp_path, "concat.mp4", f"ffconcat version 1.0\nfile '{clip}'\n")
    playlist = f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:{clip}\n#EXT-X-ENDLIST\n"
    hls = files.written(tmp_path, "hls.mp4", playlist)
    leaked = files.ffmpeg(tmp_path / "leaked.mp4", "-safe 0 -i SOURCE -c copy", concat)
    assert media.inspect(leaked, "film").width == 160
    for text in (concat, hls):
        refused(text, "film")
        with pytest.raises(media.MediaRefused):
            media.make_film(text, out, progress=ignore)
    assert list(out.iterdir()) == []


# --- stills ---


def test_a_still_is_made_in_all_sizes_and_formats(tmp_path, out):
    source = files.saved(tmp_path, "a.png", files.picture(2000, 1500))
    made = media.make_still(source, out, focus=MIDDLE, progress=ignore).renditions
    sizes = {(one.role, one.width, one.height) for one in made}
    landscape = {("landscape", 640, 480), ("landscape", 1280, 960), ("landscape", 1920, 1440)}
    assert sizes == landscape | {("portrait", 720, 1280), ("portrait", 844, 1500)}
    assert [one.format for one in made] == ["avif", "webp", "jpeg"] * 5
    for one in made:
        image = opened(one)
        assert image.size == (one.width, one.height)
        assert one.media_type == f"image/{one.format}" == Image.MIME[image.format]
        assert one.bytes == one.path.stat().st_size
        assert image.format != "JPEG" or image.info["progressive"]


def test_a_small_still_is_never_enlarged(tmp_path, out):
    made = media.make_still(files.saved(tmp_path, "a.png"), out, focus=MIDDLE, progress=ignore).renditions
    assert {(one.role, one.width, one.height) for one in made} == {
        ("landscape", 320, 200),
        ("portrait", 112, 200),
    }


def test_the_portrait_crop_keeps_the_focal_point(tmp_path, out):
    source = files.saved(tmp_path, "a.png")
    for focus, channel in [((0.1, 0.5), 0), ((0.9, 0.5), 2)]:
        made = media.make_still(source, out, focus=focus, progress=ignore).renditions
        portrait = next(opened(one) for one in made if (one.role, one.format) == ("portrait", "jpeg"))
        pixel = portrait.getpixel((56, 150))
        assert max(pixel) == pixel[channel]


def test_nothing_but_the_picture_survives(tmp_path, out):
    result = media.make_still(files.rotated_jpeg_with_gps(tmp_path), out, focus=MIDDLE, progress=ignore)
    for one in result.renditions:
        data = one.path.read_bytes()
        assert b"SECRET" not in data
        assert b"Exif" not in data
        image = opened(one)
        assert not image.getexif()
        assert {"exif", "icc_profile", "comment", "xmp"}.isdisjoint(image.info)


def test_a_turned_picture_stands_upright(tmp_path, out):
    result = media.make_still(files.rotated_jpeg_with_gps(tmp_path), out, focus=MIDDLE, progress=ignore)
    image = opened(result.renditions[2]).convert("RGB")
    assert image.size == (200, 320)
    red, _, blue = image.getpixel((50, 40))
    assert red > 150 > blue  # the left half of the stored picture is on top


def test_a_colour_profile_is_applied(tmp_path, out):
    result = media.make_still(files.swapped_profile_png(tmp_path), out, focus=MIDDLE, progress=ignore)
    left = opened(result.renditions[2]).convert("RGB").getpixel((40, 150))
    assert left[2] > 150 > left[0]  # stored red, meant blue


@pytest.mark.parametrize(
    "name, image",
    [
        ("cmyk.jpg", files.picture().convert("CMYK")),
        ("palette.png", files.picture().convert("P")),
        ("palette.webp", files.picture().convert("RGBA")),
        ("broken-profile.png", files.picture()),
    ],
)
def test_every_kind_of_pixel_becomes_the_same_picture(name, image, tmp_path, out):
    options = {"icc_profile": b"no profile at all"} if "profile" in name else {}
    source = files.saved(tmp_path, name, image, **options)
    result = media.make_still(source, out, focus=MIDDLE, progress=ignore)
    left = opened(result.renditions[2]).getpixel((40, 150))
    assert left == pytest.approx((200, 30, 30), abs=25)


def test_sixteen_bit_grey_keeps_its_lightness(tmp_path, out):
    source = files.saved(tmp_path, "grey.png", Image.new("I;16", (64, 64), 40_000))
    result = media.make_still(source, out, focus=MIDDLE, progress=ignore)
    assert opened(result.renditions[2]).convert("L").getpixel((32, 32)) == pytest.approx(40_000 / 257, abs=3)


def test_what_was_transparent_becomes_white(tmp_path, out):
    source = files.saved(tmp_path, "hole.png", Image.new("RGBA", (64, 64), (0, 0, 0, 0)))
    result = media.make_still(source, out, focus=MIDDLE, progress=ignore)
    assert opened(result.renditions[2]).getpixel((32, 32)) == (255, 255, 255)


@pytest.mark.parametrize("name", ["a.png", "a.webp", "a.avif"])
def test_of_an_animated_picture_the_first_frame_is_taken(name, tmp_path, out):
    more = [Image.new("RGB", (320, 200), (30, 160, 30))]
    source = files.saved(tmp_path, name, save_all=True, append_images=more, duration=100)
    assert media.inspect(source, "picture").width == 320
    result = media.make_still(source, out, focus=MIDDLE, progress=ignore)
    assert opened(result.renditions[2]).getpixel((40, 150)) == pytest.approx((200, 30, 30), abs=25)


@pytest.mark.parametrize("shade", [(255, 255, 255), (255, 240, 0), (0, 255, 255), (90, 120, 160), (0, 0, 0)])
def test_white_text_can_be_read_on_the_ambient_colour(shade):
    chosen = bytes.fromhex(colour.ambient(Image.new("RGB", (90, 160), shade))[1:])
    assert 1.05 / (colour.luminance(tuple(chosen)) + 0.05) >= 7


def test_the_ambient_colour_comes_from_the_lower_part():
    picture = Image.new("RGB", (90, 160), (255, 120, 0))
    picture.paste((20, 40, 120), (0, 90, 90, 160))
    red, _, blue = bytes.fromhex(colour.ambient(picture)[1:])
    assert blue > red


def test_a_card_is_always_of_the_size_that_link_previews_want(tmp_path, out):
    for source in (files.saved(tmp_path, "a.png"), files.saved(tmp_path, "b.jpg", files.picture(1000, 1600))):
        (card,) = media.make_card(source, out, focus=(0.1, 0.5), progress=ignore).renditions
        assert (card.role, card.format, card.width, card.height) == ("card", "jpeg", 1200, 630)
        assert opened(card).size == (1200, 630)


# --- films ---


def test_a_film_is_made_in_two_formats_without_sound_or_metadata(tmp_path, out, clip):
    source = files.ffmpeg(tmp_path / "named.mp4", "-i SOURCE -c copy -metadata title=SECRET", clip)
    made = media.make_film(source, out, progress=ignore).renditions
    assert [(one.role, one.format, one.width, one.height) for one in made] == [
        ("film", "mp4", 160, 90),
        ("film", "webm", 160, 90),
    ]
    assert [one.media_type.partition(";")[0] for one in made] == ["video/mp4", "video/webm"]
    assert 'codecs="avc1.6400' in made[0].media_type
    assert 'codecs="av01.0.' in made[1].media_type
    assert made[1].media_type.endswith('M.10"')
    for one in made:
        assert one.duration == pytest.approx(1, abs=0.05)
        data = one.path.read_bytes()
        assert b"SECRET" not in data
        assert b"mp4a" not in data
        assert len(data) == one.bytes
    mp4 = made[0].path.read_bytes()
    assert mp4.index(b"moov") < mp4.index(b"mdat")  # it starts to play before it has arrived


def test_a_film_is_cut_at_twelve_seconds(tmp_path, out):
    source = files.film(tmp_path, size="64x64", rate=5, seconds=14)
    assert media.inspect(source, "film").duration == 14
    made = media.make_film(source, out, progress=ignore).renditions
    assert [one.duration for one in made] == [pytest.approx(12, abs=0.05)] * 2


def test_a_film_of_odd_size_becomes_even(tmp_path, out):
    odd = "-f lavfi -i testsrc2=s=320x200:d=0.4 -vf scale=161:91,setsar=1 -pix_fmt yuv420p -c:v libvpx"
    source = files.ffmpeg(tmp_path / "odd.webm", odd)
    assert media.inspect(source, "film").width == 161
    made = media.make_film(source, out, progress=ignore).renditions
    assert {(one.width, one.height) for one in made} == {(160, 90)}


def test_a_turned_film_stands_upright(tmp_path, out):
    made = media.make_film(files.rotated_film(tmp_path), out, progress=ignore).renditions
    assert {(one.width, one.height) for one in made} == {(90, 160)}


def test_a_large_and_fast_film_is_made_smaller_and_slower(tmp_path, out):
    source = files.film(tmp_path, size="1600x900", rate=60, seconds=0.2)
    mp4, _ = media.make_film(source, out, progress=ignore).renditions
    assert (mp4.width, mp4.height) == (1280, 720)
    assert ffmpeg_sees(mp4.path).count(" 30 fps") == 1


def ffmpeg_sees(film: Path) -> str:
    command = [ffmpeg.binary(), "-hide_banner", "-i", str(film)]
    return subprocess.run(command, capture_output=True, text=True, timeout=30).stderr


@pytest.mark.parametrize("transfer", ["smpte2084", "arib-std-b67"])
def test_an_hdr_film_becomes_an_ordinary_one_that_looks_alike(transfer, tmp_path, out):
    marks = "-color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709 -pix_fmt yuv420p"
    shade = "-f lavfi -i color=c=0x9a6a40:s=160x90:d=0.4 -vf scale=out_color_matrix=bt709 -c:v libx264"
    plain = files.ffmpeg(tmp_path / "plain.mp4", f"{shade} {marks}")
    hdr = files.hdr_film(tmp_path, plain, transfer)
    assert "yuv420p10le" in ffmpeg_sees(hdr)
    mp4, _ = media.make_film(hdr, out, progress=ignore).renditions
    seen = ffmpeg_sees(mp4.path)
    assert "yuv420p(tv, bt709, progressive)" in seen
    assert frame_of(mp4.path, tmp_path).getpixel((80, 45)) == pytest.approx((0x9A, 0x6A, 0x40), abs=12)


def test_the_same_source_makes_the_same_bytes(tmp_path, clip):
    picture = files.saved(tmp_path, "a.png", files.photo(640, 360))

    def outputs(name: str) -> dict[str, bytes]:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "move").mkdir()
        media.make_still(picture, folder, focus=MIDDLE, progress=ignore)
        media.make_card(picture, folder, focus=MIDDLE, progress=ignore)
        media.make_film(clip, folder, progress=ignore)
        media.make_move(picture, folder / "move", focus=MIDDLE, progress=ignore)
        media.make_clip([clip, picture], folder, progress=ignore)
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.*")}

    first = outputs("first")
    assert len(first) == 6 + 1 + 2 + 2 + 1
    assert first == outputs("second")


# --- camera moves and the social clip ---


def test_a_camera_move_lasts_six_seconds_and_loops_without_a_jump(tmp_path, out):
    source = files.saved(tmp_path, "a.png", files.photo(320, 180))
    made = media.make_move(source, out, focus=(0.2, 0.3), progress=ignore).renditions
    assert [(one.role, one.format, one.width, one.height, one.duration) for one in made] == [
        ("film", "mp4", 320, 180, 6.0),
        ("film", "webm", 320, 180, 6.0),
    ]
    ends = difference(frame_of(made[0].path, tmp_path, 0), frame_of(made[0].path, tmp_path, 5.96))
    there = difference(frame_of(made[0].path, tmp_path, 0), frame_of(made[0].path, tmp_path, 3))
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


def test_a_social_clip_fades_through_films_and_pictures(tmp_path, out, clip):
    slide = files.saved(tmp_path, "a.png", files.picture(600, 400))
    long = files.film(tmp_path, "long.mp4", size="64x64", rate=10, seconds=6)
    (made,) = media.make_clip([clip, slide, long], out, progress=ignore).renditions
    assert (made.role, made.format, made.width, made.height) == ("clip", "mp4", 1200, 630)
    assert 4 < made.duration <= 8
    assert made.bytes < 10_000_000
    assert " 30 fps" in ffmpeg_sees(made.path)
    assert [path.name for path in out.iterdir()] == ["clip.mp4"]


def test_a_social_clip_of_a_long_story_stays_short(out, clip):
    (made,) = media.make_clip([clip] * 20, out, progress=ignore).renditions
    assert made.duration <= 8


# --- what may go wrong on the way ---


def test_progress_is_told_often_and_ends_at_a_hundred(tmp_path, out):
    source = files.film(tmp_path, size="640x360", seconds=4)
    calls: list[tuple[float, int]] = []
    media.make_film(source, out, progress=lambda percent: calls.append((time.monotonic(), percent)))
    percents = [percent for _, percent in calls]
    assert percents == sorted(percents)
    assert percents[-1] == 100
    assert max(later - before for (before, _), (later, _) in pairwise(calls)) < 1.5


class LeaseLostError(Exception):
    """Stands for the caller who may not go on."""


@pytest.mark.parametrize("work", ["film", "move", "still"])
def test_work_stops_at_once_when_progress_raises(work, tmp_path, out):
    picture = files.saved(tmp_path, "a.png", files.photo(1920, 1080))
    film = files.film(tmp_path, size="640x360", seconds=12)
    before = children_of(os.getpid())

    def lose(percent: int) -> None:
        raise LeaseLostError

    makers = {
        "film": lambda: media.make_film(film, out, progress=lose),
        "move": lambda: media.make_move(picture, out, focus=MIDDLE, progress=lose),
        "still": lambda: media.make_still(picture, out, focus=MIDDLE, progress=lose),
    }
    began = time.monotonic()
    with pytest.raises(LeaseLostError):
        makers[work]()
    assert time.monotonic() - began < 3
    assert children_of(os.getpid()) <= before


def test_an_encoder_killed_from_outside_is_told_in_words(tmp_path, out):
    source = files.film(tmp_path, size="640x360", seconds=12)
    with pytest.raises(media.EncodeFailed, match="stopped from outside"):
        media.make_film(source, out, progress=lambda percent: kill_children())


def kill_children() -> None:
    for pid in children_of(os.getpid()):
        os.kill(pid, signal.SIGKILL)


def test_a_painter_killed_in_the_middle_of_a_move_is_told_in_words(tmp_path, out):
    source = files.saved(tmp_path, "a.png", files.photo(1920, 1080))

    def kill_the_painter(percent: int) -> None:
        for pid in children_of(os.getpid()):
            if b"painter" in Path(f"/proc/{pid}/cmdline").read_bytes() and percent:
                os.kill(pid, signal.SIGKILL)

    with pytest.raises(media.EncodeFailed, match="stopped from outside"):
        media.make_move(source, out, focus=MIDDLE, progress=kill_the_painter)


@pytest.fixture(scope="module")
def long_film(samples: Path) -> Path:
    return files.film(samples, "long.mp4", size="640x360", seconds=12)


@pytest.mark.parametrize(
    "limits, words",
    [
        (Limits(seconds=0.5, cpu_seconds=60, address_space=4 << 30, file_size=1 << 30), "too long"),
        (Limits(seconds=60, cpu_seconds=1, address_space=4 << 30, file_size=1 << 30), "too long"),
        (Limits(seconds=60, cpu_seconds=60, address_space=260 << 20, file_size=1 << 30), "memory"),
        (Limits(seconds=60, cpu_seconds=60, address_space=4 << 30, file_size=20_000), "more data"),
    ],
    ids=["clock", "computing time", "memory", "file size"],
)
def test_each_limit_on_an_encoder_ends_in_a_clear_failure(limits, words, long_film, out):
    work = ["-i", str(long_film), "-c:v", "libx264", "-preset", "veryslow", str(out / "a.mp4")]
    with pytest.raises(media.EncodeFailed, match=words) as failure:
        ffmpeg.encode(work, seconds=12, progress=ignore, limits=limits)
    assert "exit status" in failure.value.detail


def test_a_painter_out_of_memory_ends_in_a_clear_failure(tmp_path, out):
    source = files.saved(tmp_path, "a.png", files.picture(4000, 4000))
    limits = Limits(seconds=60, cpu_seconds=60, address_space=120 << 20, file_size=1 << 30)
    arguments = {"source": str(source), "media_type": "image/png", "focus": MIDDLE, "folder": str(out)}
    with pytest.raises(media.EncodeFailed, match="memory"):
        painting.paint("stills", ignore, limits, **arguments)


def test_an_encoder_without_a_disk_is_told_in_words_and_keeps_its_log_for_staff(long_film, tmp_path):
    with pytest.raises(media.EncodeFailed) as failure:
        media.make_film(long_film, tmp_path / "no such folder", progress=ignore)
    assert "No such file" in failure.value.detail
    assert str(tmp_path) not in str(failure.value)


ENCODING_PARENT = """
import sys
from pathlib import Path
from capsules import media
source, out = map(Path, sys.argv[1:])
say = lambda percent: print(percent, flush=True)
if source.suffix == ".png":
    media.make_move(source, out, focus=(0.5, 0.5), progress=say)
else:
    media.make_film(source, out, progress=say)
"""


@pytest.fixture(params=["film", "move"])
def encoding_parent(request, long_film, tmp_path, out) -> Iterator[subprocess.Popen]:
    """Another process that is in the middle of an encode."""
    source = long_film
    if request.param == "move":
        source = files.saved(tmp_path, "a.png", files.photo(1920, 1080))
    command = [sys.executable, "-c", ENCODING_PARENT, str(source), str(out)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as parent:
        yield parent
        parent.kill()


def test_no_encoder_outlives_its_killed_parent(encoding_parent):
    expected = (b"ffmpeg",)

    def encoders() -> set[int]:
        return {
            pid
            for pid in children_of(encoding_parent.pid)
            if alive(pid) and any(word in Path(f"/proc/{pid}/cmdline").read_bytes() for word in expected)
        }

    assert eventually(lambda: len(encoders()) > 0)
    running = children_of(encoding_parent.pid)
    encoding_parent.kill()
    assert eventually(lambda: not any(alive(pid) for pid in running), seconds=3)


def test_a_child_inherits_no_environment_and_cannot_gain_rights(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "leaked")
    heard: list[bytes] = []
    show = "import os; print(sorted(os.environ)); print(open('/proc/self/status').read())"
    limits = Limits(seconds=10, cpu_seconds=5, address_space=1 << 30, file_size=1 << 20)
    with child.Child([sys.executable, "-I", "-S", "-c", show], limits, hear=heard.append) as process:
        child.follow([process], limits.seconds)
        assert process.failure() is None
    assert b"SECRET_KEY" not in heard[0]
    assert b"NoNewPrivs:\t1" in heard


def test_the_encoder_tells_its_build():
    assert media.ffmpeg_build().startswith("ffmpeg version ")
    assert isinstance(media.RECIPE_VERSION, int)


def test_a_width_is_made_only_where_it_helps():
    assert pixels.widths(2000, (640, 1280, 1920)) == [640, 1280, 1920]
    assert pixels.widths(1300, (640, 1280, 1920)) == [640, 1280]
    assert pixels.widths(1000, (640, 1280, 1920)) == [640, 1000]
    assert pixels.widths(300, (640, 1280, 1920)) == [300]
