"""The demo's pictures and words are complete and fit each other."""

from itertools import chain

from PIL import Image

from capsules.demo.pictures import FOCUS, FOLDER, file_of
from capsules.demo.stories import EDITIONS, HARBOUR, LIVE, READY, DemoStory

EDITION = EDITIONS[0][2]
STORIES = (*LIVE, *READY, *HARBOUR, EDITION)


def pictures(*stories: DemoStory) -> set[str]:
    return {scene.picture for story in stories for scene in story.scenes}


def test_every_picture_is_full_hd_and_no_two_are_alike() -> None:
    for name in FOCUS:
        with Image.open(file_of(name)) as picture:
            assert (picture.format, picture.size) == ("WEBP", (1920, 1080)), name
    assert len({file_of(name).read_bytes() for name in FOCUS}) == len(FOCUS) >= 16


def test_the_pictures_are_small_enough_for_a_repository() -> None:
    files = list(FOLDER.iterdir())
    assert {file.stem for file in files} == FOCUS.keys()
    assert sum(file.stat().st_size for file in files) <= 8_000_000


def test_every_picture_says_what_a_crop_must_keep() -> None:
    assert all(0 < share < 1 for share in chain.from_iterable(FOCUS.values()))


def test_there_are_as_many_stories_as_the_demo_promises() -> None:
    assert (len(LIVE), len(READY), len(HARBOUR)) == (12, 20, 2)
    titles = [story.title for story in (*LIVE, *READY, *HARBOUR)]
    assert len(set(titles)) == len(titles)


def test_the_stories_use_every_picture_and_no_other() -> None:
    assert pictures(*STORIES) == FOCUS.keys()


def test_the_first_three_stories_need_at_most_ten_pictures() -> None:
    assert len(pictures(*LIVE[:3])) <= 10


def test_every_story_can_be_published_as_it_stands() -> None:
    for story in STORIES:
        assert 3 <= len(story.scenes) <= 5, story.title
        assert story.summary.endswith((".", "!", "?")), story.title
        assert story.author and story.language, story.title
        for scene in story.scenes:
            assert 1 <= len(scene.title.split()) <= 3, scene
            assert len(scene.text) > 20 and len(scene.alt) > 40, scene


def test_only_the_last_scene_of_a_story_is_a_finale() -> None:
    for story in STORIES:
        assert [scene.finale for scene in story.scenes] == [False] * (len(story.scenes) - 1) + [True], (
            story.title
        )


def test_the_ferry_has_its_second_edition() -> None:
    assert LIVE[0].title == EDITION.title == "The Last Ferry to Aldermoor"
    assert [scene.picture for scene in EDITION.scenes] == [scene.picture for scene in LIVE[0].scenes]
    assert EDITIONS[0] == ("classroom", "Classroom: simpler words, with questions", EDITION)


def test_the_ferry_is_told_in_german_and_in_arabic_with_its_own_pictures_and_descriptions() -> None:
    told = {story.language: story for _, _, story in EDITIONS}
    assert set(told) == {"en", "de", "ar"}
    for language in ("de", "ar"):
        assert [scene.picture for scene in told[language].scenes] == [
            scene.picture for scene in LIVE[0].scenes
        ]
        assert not {scene.alt for scene in told[language].scenes} & {scene.alt for scene in LIVE[0].scenes}


def test_one_live_story_is_told_in_another_language() -> None:
    assert {story.language for story in LIVE} == {"en", "fr"}


def test_some_live_stories_show_what_looks_are_and_most_are_as_capsules_are() -> None:
    looks = [story.look for story in LIVE if story.look]
    assert 4 <= len(looks) < len(LIVE) / 2
    assert {look.get("theme", "night") for look in looks} == {"night", "day", "paper", "ink"}
    assert {look.get("face", "serif") for look in looks} == {"serif", "sans", "slab"}
    assert any(story.look for story in LIVE[:3])  # what the front page shows first
