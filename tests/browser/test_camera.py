"""The camera is the browser's: what it draws of a still is what `capsules/painter/camera.py` says, and nothing else."""

from __future__ import annotations

import pytest

from capsules.painter import camera
from capsules.painter.crops import focus_in_crop
from tests.browser.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/north-shore/small-voyages"
SEEN = """([focus, time]) => {
  const scene = document.querySelector('#scene-3');
  const [x, y] = focus.map((part) => `${100 * part}%`);
  for (const name of ['--x', '--px']) scene.style.setProperty(name, x);
  for (const name of ['--y', '--py']) scene.style.setProperty(name, y);
  const picture = scene.querySelector('img');
  const [move] = picture.getAnimations();
  move.currentTime = time;
  const shot = picture.parentElement.parentElement.getBoundingClientRect();
  const whole = picture.getBoundingClientRect();
  return [(shot.left - whole.left) / whole.width, (shot.top - whole.top) / whole.height,
    (shot.right - whole.left) / whole.width, (shot.bottom - whole.top) / whole.height];
}"""


BARED = """() => [...document.querySelectorAll('.scene:not(.whole-wide) .shot')].filter((shot) => {
  const [box, stage] = [shot, shot.closest('.stage')].map((node) => node.getBoundingClientRect());
  return Math.abs(box.left - stage.left) > 1 || Math.abs(box.right - stage.right) > 1
    || getComputedStyle(shot).maskImage !== 'none';
}).length"""
AIM = """(y) => {
  const scene = document.querySelector('#scene-1');
  scene.style.setProperty('--y', y);
  return getComputedStyle(scene.querySelector('.shot img')).objectPosition.split(' ')[1];
}"""


def test_a_picture_fills_a_wide_screen_with_heads_whole_and_moves_as_the_camera_of_the_encoder_does(
    site, live_story, open_tab
):
    tab = open_tab(site + PATH + "#scene-3", bypass_csp=True, reduced_motion="reduce", with_requests=True)
    page = tab.page
    page.wait_for_timeout(300)
    time_of_it = "document.querySelector('#scene-3 img').getAnimations()[0].currentTime"
    assert page.evaluate(time_of_it) == 0, "it rests for those who want no motion"
    assert page.locator(".scene:not(.whole-wide) .shot").count() > 0
    assert page.evaluate(BARED) == 0, "it reaches both of its sides"
    assert [page.evaluate(AIM, y) for y in ("0%", "25%", "50%", "100%")] == ["0%", "0%", "50%", "100%"]
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        for focus in [(0.5, 0.5), (0, 1), (0.2, 0.7), (0.93, 0.38)]:
            aimed = focus if width < height else (focus[0], min(max(2 * focus[1] - 0.5, 0), 1))
            for time, along in [(0, 0), (3000, 1), (6000, 0)]:
                box = camera.view((1, 1), aimed, along, 1)
                seen = page.evaluate(SEEN, [focus, time])
                assert seen == pytest.approx(box, abs=0.001), (width, focus, time)
            half = camera.view((1, 1), aimed, 0.5, 1)
            assert page.evaluate(SEEN, [focus, 1500]) == pytest.approx(half, abs=0.005), (width, focus)
    page.get_by_role("button", name="Play motion").click()
    until(page, f"{time_of_it} > 1500")
    assert not [url for url in tab.requests if "scene-3" in url or url.endswith(".mp4")][1:]
    assert tab.complaints == []


@pytest.mark.parametrize("focus", [(0, 0), (0.3, 0.8), (1, 0.5)])
def test_the_focus_has_its_place_in_the_portrait_crop(focus):
    x, y = focus_in_crop((1600, 900), 9 / 16, focus)
    width = 900 * 9 / 16
    assert y == focus[1]
    assert min(max(focus[0] * 1600 - width / 2, 0), 1600 - width) + x * width == pytest.approx(
        focus[0] * 1600
    )
