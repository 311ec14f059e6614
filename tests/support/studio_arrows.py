"""Which scripts of the studio import which: `python -m tests.support.studio_arrows [FOLDER] > docs/studio-modules.svg`.

A module stands above all that it imports. Dashed arrows are parts that are fetched when first needed. Prints figures
to stderr. In a folder where one object is handed around (as until November 2026), its users have an arrow to main.js.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from html import escape
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "static" / "studio"
IMPORT = re.compile(r'^(?:import|export) [^;]*?from "\./([\w-]+)\.js"', re.MULTILINE)
LATER = re.compile(r'(?:import\("\./([\w-]+)\.js"\)|\bpart\("([\w-]+)"\))')
TYPES = re.compile(r"/\*.*?\*/", re.DOTALL)
HANDED_AROUND = re.compile(r"\bstudio\.(?!js)\w+\b")
ROW, COLUMN, PAD = 26, 178, 20  # pixels

Arrows = dict[str, set[str]]


def read(folder: Path) -> tuple[Arrows, Arrows]:
    """What each module imports at once, and what it has fetched later."""
    now, later = Arrows(), Arrows()
    for file in sorted(folder.glob("*.js")):
        code = TYPES.sub("", file.read_text())
        now[file.stem] = set(IMPORT.findall(code))
        later[file.stem] = {one or other for one, other in LATER.findall(code)}
        if HANDED_AROUND.search(code) and file.stem != "main":
            now[file.stem].add("main")
    if "provide" in (folder / "parts.js").read_text():
        later["parts"] = set()  # the list of all that comes later, which others ask for by name
    return now, later


def circles(arrows: Arrows) -> list[list[str]]:
    """Modules that reach one another, in groups."""
    reached = {name: reach(arrows, name) for name in arrows}
    groups = {
        tuple(sorted(o for o in reached[name] if name in reached.get(o, ())))
        for name in arrows
        if name in reached[name]
    }
    return [list(group) for group in sorted(groups)]


def reach(arrows: Arrows, start: str) -> set[str]:
    found, waiting = set[str](), list(arrows[start])
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += arrows.get(name, ())
    return found


def floors(arrows: Arrows) -> dict[str, int]:
    """How many steps a module is above the lowest; those in a circle stand on one floor."""
    floor = dict.fromkeys(arrows, 0)
    for _ in arrows:
        for name, imported in arrows.items():
            below = [floor[o] for o in imported if name not in reach(arrows, o)]
            floor[name] = max([floor[name], *(each + 1 for each in below)])
    return floor


def svg(now: Arrows, later: Arrows) -> str:
    rows = defaultdict(list)
    for name, floor in floors(now).items():
        rows[floor].append(name)
    columns = max(map(len, rows.values()))
    at = {
        name: (PAD + COLUMN * i, PAD + 3 * ROW * (max(rows) - floor))
        for floor, names in rows.items()
        for i, name in enumerate(names)
    }
    size = f"0 0 {2 * PAD + COLUMN * columns} {2 * PAD + 3 * ROW * len(rows)}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" font-family="sans-serif" font-size="12">'
    ]
    for arrows, style in ((now, 'stroke="#47a"'), (later, 'stroke="#a84" stroke-dasharray="4 3"')):
        for name, imported in arrows.items():
            for other in sorted(imported & at.keys()):
                (x, y), (u, v) = at[name], at[other]
                lines.append(
                    f'<line x1="{x + 70}" y1="{y + 18}" x2="{u + 70}" y2="{v}" {style} opacity=".5"/>'
                )
    for name, (x, y) in at.items():
        lines.append(f'<rect x="{x}" y="{y}" width="150" height="18" rx="4" fill="#fff" stroke="#999"/>')
        lines.append(f'<text x="{x + 6}" y="{y + 13}">{escape(name)}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def figures(now: Arrows, later: Arrows) -> str:
    together = {name: now[name] | later[name] for name in now}
    most = max(now, key=lambda name: len(now[name]))
    found, with_later = circles(now), circles(together)
    return (
        f"{len(now)} modules, {sum(map(len, now.values()))} arrows and {sum(map(len, later.values()))} later, "
        f"{max(floors(now).values()) + 1} floors, circles of {[len(c) for c in found]} modules, "
        f"with what comes later of {[len(c) for c in with_later]}; "
        f"{most} imports most: {len(now[most])}; with what comes later {max(map(len, together.values()))}"
    )


if __name__ == "__main__":
    both = read(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
    sys.stdout.write(svg(*both))
    sys.stderr.write(figures(*both) + "\n")
