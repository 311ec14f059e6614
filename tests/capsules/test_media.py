"""Which files the media pipeline takes and which it refuses, in what words; and how stills come out of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PIL import Image
from pillow_heif import register_heif_opener

from capsules import media
from capsules.media import ffmpeg, inspection
from capsules.painter import colour, pixels
from tests.support import media_files as files
from tests.support.media_files import ignore, opened

SECONDS_TO_REFUSE = 5  # of work, here and in the children
MIDDLE = (0.5, 0.5)


def worked() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def refused(source: Path, kind: str) -> str:
    """Why `source` is refused. It must be quick about it, and speak to the author."""
    began = worked()
    with pytest.raises(media.MediaRefused) as refusal:
        media.inspect(source, kind)
    assert worked() - began < SECONDS_TO_REFUSE
    message = str(refusal.value)
    assert message.endswith(".")
    assert str(source.parent) not in message
    assert "ffmpeg" not in message.lower()
    return message


# --- what a file is ---


@pytest.mark.parametrize("name, media_type", [
    ("a.jpg", "image/jpeg"), ("a.png", "image/png"), ("a.webp", "image/webp"), ("a.avif", "image/avif"),
])  # fmt: skip
def test_a_picture_of_each_format_is_recognised(name, media_type, tmp_path):
    source = files.saved(tmp_path, name).rename(tmp_path / "upload")  # the name tells nothing
    assert inspection.sniff(source) == media_type
    assert pixels.measure(source, media_type) == ((320, 200), False)


def test_a_picture_and_a_film_are_told_with_all_that_is_known_of_them(tmp_path):
    picture = files.saved(tmp_path, "a.avif")
    assert media.inspect(picture, "picture") == media.Facts("picture", "image/avif", "avif", 320, 200, None)
    film = files.film(tmp_path, "a.webm", seconds=0.4)
    assert media.inspect(film, "film") == media.Facts("film", "video/webm", "webm", 160, 90, 0.4, sound=True)


def test_a_film_that_does_not_say_how_long_it_is_is_measured(tmp_path):
    source = files.ffmpeg(tmp_path / "live.webm", "-f lavfi -i testsrc2=s=64x64:d=0.6 -c:v libvpx -live 1")
    assert media.inspect(source, "film").duration == pytest.approx(0.6, abs=0.1)


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
    assert "JPEG, PNG, WebP, AVIF or HEIC" in refused(text, "picture")
    assert "film" in refused(clip, "picture")


def test_what_is_no_film_is_refused(tmp_path):
    assert "MP4" in refused(files.written(tmp_path, "text.mp4", "just words"), "film")
    assert "MP4" in refused(files.written(tmp_path, "list.mp4", "#EXTM3U\n#EXTINF:1,\n/etc/passwd\n"), "film")
    assert "MP4" in refused(files.written(tmp_path, "byte.mp4", "x"), "film")
    assert "picture" in refused(files.saved(tmp_path, "a.png"), "film")
    assert "moving pictures" in refused(files.sound_only(tmp_path), "film")


@pytest.mark.parametrize("kind", ["picture", "film"])
def test_an_empty_file_is_refused(kind, tmp_path):
    assert "empty" in refused(files.written(tmp_path, "nothing", b""), kind)


def test_a_picture_of_absurd_size_is_refused_before_it_is_unpacked(tmp_path):
    assert "50 megapixels" in refused(files.png_bomb(tmp_path), "picture")
    large = files.png_bomb(tmp_path, 9000, 9000)  # Pillow would only warn
    assert "50 megapixels" in refused(large, "picture")
    wide = files.saved(tmp_path, "wide.png", files.picture(1600, 200))
    assert pixels.measure(wide, "image/png") == ((1600, 200), False)
    for source, why in (
        (files.saved(tmp_path, "line.png", files.picture(1601, 200)), "The long side may be at most 8 times"),
        (files.saved(tmp_path, "dot.png", files.picture(8, 8)), "too small"),
    ):
        with pytest.raises(pixels.Refused, match=why):
            pixels.measure(source, "image/png")


def test_a_film_of_absurd_size_is_refused(tmp_path, clip, monkeypatch):
    monkeypatch.setattr(ffmpeg, "MAX_PIXELS", 160 * 90 - 1)
    assert "4096 x 2160" in refused(clip, "film")
    monkeypatch.undo()
    source = "-f lavfi -i testsrc2=s=2x2:d=0.2 -c:v libx264"
    assert "too small" in refused(files.ffmpeg(tmp_path / "tiny.mp4", source), "film")


def test_a_picture_that_breaks_off_is_refused(tmp_path):
    source = files.cut(files.saved(tmp_path, "a.png", files.photo(320, 200)))
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
    source = files.saved(tmp_path, "a.png", files.picture(2000, 1288))
    made = media.make_still(source, out, focus=MIDDLE, progress=ignore).renditions
    sizes = {(one.role, one.width, one.height) for one in made}
    landscape = {("landscape", 640, 412), ("landscape", 1280, 824), ("landscape", 1920, 1236)}
    assert sizes == landscape | {("portrait", 720, 1281)}
    assert [one.format for one in made] == ["avif", "webp", "jpeg"] * 4
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


def read(source: Path) -> Image.Image:
    return pixels.read_picture(source, inspection.sniff(source), (640, 640))


def test_a_turned_picture_stands_upright(tmp_path):
    image = read(files.rotated_jpeg_with_gps(tmp_path))
    assert image.size == (200, 320)
    red, _, blue = image.getpixel((50, 40))
    assert red > 150 > blue  # the left half of the stored picture is on top


def test_a_colour_profile_is_applied(tmp_path):
    left = read(files.swapped_profile_png(tmp_path)).getpixel((40, 150))
    assert left[2] > 150 > left[0]  # stored red, meant blue


@pytest.mark.parametrize(
    "name, image",
    [
        ("cmyk.jpg", files.picture().convert("CMYK")),
        ("palette.png", files.picture().convert("P")),
        ("alpha.webp", files.picture().convert("RGBA")),
        ("broken-profile.png", files.picture()),
    ],
)
def test_every_kind_of_pixel_becomes_the_same_picture(name, image, tmp_path):
    options = {"icc_profile": b"no profile at all"} if "profile" in name else {}
    seen = read(files.saved(tmp_path, name, image, **options))
    assert seen.mode == "RGB" and seen.getpixel((40, 150)) == pytest.approx((200, 30, 30), abs=25)


def test_sixteen_bit_grey_keeps_its_lightness(tmp_path):
    seen = read(files.saved(tmp_path, "grey.png", Image.new("I;16", (64, 64), 40_000)))
    assert seen.convert("L").getpixel((32, 32)) == pytest.approx(40_000 / 257, abs=3)


def test_what_was_transparent_becomes_white(tmp_path):
    seen = read(files.saved(tmp_path, "hole.png", Image.new("RGBA", (64, 64), (0, 0, 0, 0))))
    assert seen.getpixel((32, 32)) == (255, 255, 255)


@pytest.mark.parametrize("name", ["a.png", "a.webp", "a.avif", "a.gif"])
def test_a_picture_that_moves_is_refused_with_what_to_do(name, tmp_path):
    more = [Image.new("RGB", (320, 200), (30, 160, 30))]
    source = files.saved(tmp_path, name, save_all=True, append_images=more, duration=100)
    assert pixels.measure(source, inspection.sniff(source)) == ((320, 200), True)
    told = "This picture moves. Save it as an MP4 film and upload that as a film."
    assert name != "a.gif" or refused(source, "picture") == told


def test_a_gif_that_stands_still_is_a_picture(tmp_path):
    source = files.saved(tmp_path, "a.gif")
    assert media.inspect(source, "picture").media_type == "image/gif"
    assert "MP4" in refused(source, "film")
    assert read(source).getpixel((40, 150)) == pytest.approx((200, 30, 30), abs=25)


def test_a_phones_heic_is_taken_upright_and_without_its_place(tmp_path, out):
    exif = Image.Exif()
    exif[files.ORIENTATION_TAG] = 6
    exif[0x010E] = "SECRET PLACE"
    register_heif_opener()
    source = files.saved(tmp_path, "a.heic", format="HEIF", exif=exif.tobytes())
    for brand in (b"mif1", b"heix", b"heic"):
        data = bytearray(source.read_bytes())
        data[8:12] = brand
        source.write_bytes(data)
        assert inspection.sniff(source) == "image/heic", brand
    assert media.inspect(source, "picture") == media.Facts("picture", "image/heic", "heic", 200, 320, None)
    result = media.make_still(source, out, focus=MIDDLE, progress=ignore)
    assert all(b"SECRET" not in one.path.read_bytes() for one in result.renditions)
    assert "picture" in refused(source, "film")


def test_a_frame_of_a_film_becomes_a_picture(tmp_path):
    both = "-f lavfi -i color=0xc81e1e:s=160x90:d=0.5 -f lavfi -i color=0x1e1ec8:s=160x90:d=0.5"
    source = files.ffmpeg(
        tmp_path / "two.mp4", f"{both} -filter_complex concat=n=2 -c:v libx264 -pix_fmt yuv420p"
    )
    for at, expected in ((0, (200, 30, 30)), (0.9, (30, 30, 200)), (99, (30, 30, 200))):
        media.take_still(source, tmp_path / "still.png", at=at)
        with Image.open(tmp_path / "still.png") as still:
            assert still.size == (160, 90)
            assert still.getpixel((80, 45)) == pytest.approx(expected, abs=12), at


def test_what_is_told_of_a_still_is_what_is_in_its_file(tmp_path):
    wide = files.film(tmp_path, "wide.mp4", size="2002x256", rate=5, seconds=0.2)
    for film in (files.rotated_film(tmp_path), wide):
        seen = media.inspect(film, "film").film
        _, told = media.take_still(film, tmp_path / "still.png", at=0, seen=seen)
        assert told == media.inspect(tmp_path / "still.png", "picture"), film.name


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
    source = files.saved(tmp_path, "b.jpg", files.picture(100, 160))
    (card,) = media.make_card(source, out, focus=(0.1, 0.5), progress=ignore).renditions
    assert (card.role, card.format, card.width, card.height) == ("card", "jpeg", 1200, 630)
    assert opened(card).size == (1200, 630)


def test_the_encoder_tells_its_build():
    assert media.ffmpeg_build().startswith("ffmpeg version ")
    assert all(isinstance(version, int) for version in media.RECIPE_VERSIONS.values())


def test_a_width_is_made_only_where_it_helps():
    assert pixels.widths(2000, (640, 1280, 1920)) == [640, 1280, 1920]
    assert pixels.widths(1300, (640, 1280, 1920)) == [640, 1280]
    assert pixels.widths(1000, (640, 1280, 1920)) == [640, 1000]
    assert pixels.widths(718, (640, 1280, 1920)) == [640, 718]
    assert pixels.widths(700, (640, 1280, 1920)) == [640]
    assert pixels.widths(300, (640, 1280, 1920)) == [300]
