"""A sample of small changes, and which of them no test notices: `python -m tests.mutations [ROOM …] [--each N]`.

Each change flips a comparison, drops a statement, a guard or a filter, or swaps a constant. A room's tests run once,
which notes the functions that each test calls. For a change the process forks; the copy runs the tests of that function
until one fails. A template loses an attribute, half a condition, a filter or what it includes; the tests that show it
run. A room whose tests start a service has its changes in a copy of the tree, and runs all; so do scripts,
in one browser.
"""

from __future__ import annotations

import argparse
import ast
import functools
import gc
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from tests.studio import test_modules
from tests.support.chromium import CHROMIUM, FLAGS
from tests.support.syntax import parse

ROOT = Path(__file__).resolve().parents[1]
BROKEN = 9  # how a copy ends that could not try its change
MOST = 180  # seconds of computing for the tests of a change: more is noticed
PATIENCE = 60  # seconds by the clock for them, and ten times what they took without a change: more is noticed
MOST_SCRIPT = 60_000  # the same of a script, in ms

DRAFTS = "copies encode_rules history_rules media_rules scene_changes story_changes trash"
CAPSULES = (
    "authoring_api authoring_hostile authoring_status_table authoring_versions draft_rules edges "
    "focus history_copies locks import looks media_api tools_of_scenes upload_links"
)
STUDIO = (
    "by_apps by_apps_studio shared_links studio_editions studio_face studio_folders studio_history studio_lists "
    "studio_media studio_new_capsule studio_pages studio_publish studio_pulse studio_routes studio_way_in "
    "unfinished_previews"
)
ACCOUNTS = (
    "account_mail actors all_or_nothing audiences confirmation_code connections credentials_end edges erasing "
    "invitations key_scopes locks members passkeys passwords people permission_to_publish rates reauthentication "
    "registration reserved_names security_log sessions visits workspace_changes"
)
OAUTH = (
    "audiences client_documents connections consent_page cors credentials_end oauth_refusals oauth_tokens "
    "permission_to_publish redirects registration workspace_pages"
)
EVENTS = (
    "log told_once webhook_documents webhook_limits webhook_page webhook_receivers webhook_rounds "
    "webhook_rules webhooks"
)
FEED = "feed feed_pages feed_pins feed_ranks feeds list_files profile sitemap edges"
MODERATION = (
    "case_numbers cases dark dark_copies dark_guard dark_pictures dark_premieres dark_roles deciding floods letters "
    "privacy proofs reports staff"
)
PREMIERES = (
    "claiming premiere_mail premiere_schedule premiere_senders premiere_sending premiere_staff premiere_states "
    "subscriptions verdicts"
)
PUBLISHING = (
    "by_apps demo framing headers hostile_text leases page_changes page_files pages oembed plain_text placing "
    "publication_events publication_extras publish slugs edges status_callers status_table withdrawn_access"
)
STATISTICS = "counting numbers pages rules edges"
SERVER = (
    "answers broker error_bodies forms front_desk gate names_and_types not_allowed operation outage "
    "scratch shared_counts edges static texts_and_outages"
)
MCP = (
    "calls schemas reading writing media_tools going_live fetched gate access tools publishing hostile tries"
)


def files_of(folder: str, names: str) -> list[str]:
    return [f"tests/{folder}/test_{name}.py" for name in names.split()]


#: Folders of a room → the tests that are for it.
ROOMS = {
    "capsules/actions": [
        *files_of("capsules", f"{DRAFTS} {CAPSULES} encoding stills_of_films"),
        *files_of("events", "log told_once"),
        *files_of("publishing", "page_changes publication_events studio_face studio_pages studio_history"),
        "tests/server/test_bystanders.py",
    ],
    "capsules/api": [
        *files_of("capsules", f"{CAPSULES} authoring_answers uploads uploads_for_scenes uploads_told"),
        *files_of("server", "bystanders neighbours"),
    ],
    "capsules/uploads": [
        *files_of(
            "capsules", "uploads uploads_for_scenes uploads_told fetching locks upload_links media_api"
        ),
        "tests/events/test_log.py",
    ],
    "publishing/studio": [
        *files_of("publishing", STUDIO),
        *files_of("moderation", "cases dark_premieres"),
        "tests/capsules/test_stills_of_films.py",
        *files_of("server", "bystanders neighbours"),
    ],
    "accounts/actions": [
        *files_of("accounts", ACCOUNTS),
        *files_of("moderation", "cases staff"),
        *files_of("server", "bystanders staff admin outage"),
        "tests/events/test_log.py",
        "tests/publishing/test_studio_face.py",
    ],
    "accounts/people": [
        *files_of("accounts", f"{ACCOUNTS} hashing totp words"),
        *files_of("server", "staff answers outage"),
        *files_of("moderation", "proofs"),
    ],
    "accounts/oauth": files_of("accounts", OAUTH),
    "accounts/webhooks accounts/events": [
        *files_of("events", EVENTS),
        "tests/server/test_bystanders.py",
    ],
    "accounts/*.py": files_of("accounts", f"{ACCOUNTS} {OAUTH} idempotency setup totp words workspace_pages"),
    "accounts/pages accounts/models": files_of(
        "accounts", f"{ACCOUNTS} {OAUTH} connect_app_page idempotency"
    ),
    "capsules/*.py capsules/models": files_of(
        "capsules",
        f"{CAPSULES} blob_serving copy_files encoding fetching pasting stills_of_films uploads "
        "uploads_for_scenes",
    ),
    "capsules/wire capsules/media": files_of(
        "capsules", f"{CAPSULES} encoding media_faults media stills_of_films"
    ),
    "publishing/moderation publishing/dark.py": files_of("moderation", MODERATION),
    "publishing/premieres publishing/mail publishing/subscribers": files_of("premieres", PREMIERES),
    "publishing/pages": files_of("publishing", PUBLISHING),
    "publishing/*.py publishing/api publishing/models publishing/by_apps": [
        *files_of("publishing", f"{PUBLISHING} by_apps_studio races"),
        *files_of("moderation", "dark cases"),
        *files_of("premieres", "premiere_schedule"),
    ],
    "publishing/statistics": files_of("statistics", STATISTICS),
    "feed": files_of("feed", FEED),
    "config/*.py": [
        *files_of("server", SERVER),
        *files_of("publishing", "hostile_text"),
        *files_of("events", "webhook_receivers"),
        *files_of("capsules", "fetching"),
    ],
    "capsules/mcp publishing/mcp": [*files_of("mcp", MCP), "tests/capsules/test_tools_of_scenes.py"],
    "templates": [
        *files_of("accounts", "connect_app_page consent_page edges people visits words workspace_pages"),
        *files_of("events", "webhook_documents webhook_limits webhook_page webhook_rules webhooks"),
        *files_of("feed", "feed_pages profile edges"),
        *files_of("moderation", MODERATION),
        *files_of("premieres", "premiere_mail premiere_staff subscriptions"),
        *files_of("publishing", f"{STUDIO} {PUBLISHING} studio_readers"),
        *files_of("server", "answers forms front_desk markup refused_fields staff"),
        *files_of("statistics", "numbers pages edges"),
    ],
    "static/studio": ["tests/studio/test_modules.py"],
}
SCRIPTS = "static/studio"
IN_A_COPY = "capsules/mcp publishing/mcp"


@dataclass(frozen=True)
class Change:
    file: str
    line: int
    function: str  # its qualified name; "" in a script or a template
    was: str
    now: str
    source: str  # the whole file with the change

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.was}  →  {self.now}"


# --- What can be changed in Python -----------------------------------------------------------------------------

FLIPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
#: Links in a chain of rows that can be left out.
LINKS = {"filter", "exclude", "order_by", "distinct", "select_for_update"}


def python_changes(file: str) -> Iterator[Change]:
    text = (ROOT / file).read_text()
    tree = parse(text)
    for name, function in functions_in(tree):
        # Decorators and defaults have run when a function gets its new code.
        past = {id(node) for each in (*function.decorator_list, function.args) for node in ast.walk(each)}
        for node in ast.walk(function):
            if id(node) in past:
                continue
            for other in others(node):
                yield change_of(file, text, name, node, other)


def functions_in(tree: ast.AST, path: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions that stand by themselves or in a class, with their qualified names; those inside are theirs."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{path}{node.name}", node  # type: ignore[misc]
        elif isinstance(node, ast.ClassDef):
            yield from functions_in(node, f"{path}{node.name}.")


def others(node: ast.AST) -> Iterator[ast.AST]:
    """What could stand here instead."""
    match node:
        case ast.Compare(ops=[only], left=left, comparators=comparators) if type(only) in FLIPS:
            yield ast.Compare(left=left, ops=[FLIPS[type(only)]()], comparators=comparators)  # type: ignore[list-item]
        case ast.BoolOp():
            yield ast.BoolOp(op=FLIPS[type(node.op)](), values=node.values)  # type: ignore[arg-type]
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.Expr() if "super()" in ast.unparse(node):
            return  # the changed function would not know its class, and could not be put in
        case ast.If(body=[*_, ast.Raise() | ast.Return()], orelse=[]) | ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Assign(targets=[ast.Subscript()]):
            yield ast.Pass()
        case ast.Call(func=ast.Attribute(value=rows, attr=link)) if link in LINKS:
            yield rows
            for left_out in node.keywords if len(node.keywords) > 1 else []:
                rest = [each for each in node.keywords if each is not left_out]
                yield ast.Call(func=node.func, args=node.args, keywords=rest)
        case ast.Subscript(value=rows, slice=ast.Slice(upper=ast.expr())):
            yield rows
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield ast.Constant(value + 1)


def change_of(file: str, text: str, function: str, node: ast.AST, other: ast.AST) -> Change:
    lines = text.splitlines(keepends=True)
    first, last = node.lineno - 1, node.end_lineno - 1  # type: ignore[attr-defined]
    start, end = node.col_offset, node.end_col_offset  # type: ignore[attr-defined]
    was = ast.get_source_segment(text, node) or ""
    now = ast.unparse(other)
    if not isinstance(other, ast.Pass | ast.Constant):
        now = f"({now})"
    before = lines[first].encode()[:start].decode()
    after = lines[last].encode()[end:].decode()
    new = [*lines[:first], before + now + after, *lines[last + 1 :]]
    shown = " ".join(was.split())
    return Change(file, node.lineno, function, shown[:90], " ".join(now.split())[:90], "".join(new))  # type: ignore[attr-defined]


# --- What can be changed in a script -----------------------------------------------------------------------------

# Attributes of markup are left out, and `once`: what listens then has said all that it says.
SWAPS = [
    (r"===", "!=="), (r"!==", "==="), (r"(?<=\s)<(?=\s)", "<="), (r"(?<=\s)>(?=\s)", ">="), (r"&&", "||"),
    (r"\|\|", "&&"), (r"(?<!once: )(?<!=\")\btrue\b", "false"),
    (r"(?<!=\")\bfalse\b", "true"), (r"(?<=\s)\+(?=\s)", "-"), (r"\?\?(?!=)", "&&"),
    (r"(?<=if \()!", ""), (r"^ +if \([^{}]*\) return;$", ""), (r"^ +(?!return|const|let|throw)[\w.?]+\([^{}]*\);$", ""),
]  # fmt: skip


def script_changes(file: str) -> Iterator[Change]:
    text = (ROOT / file).read_text()
    comments = [range(*found.span()) for found in re.finditer(r"/\*.*?\*/|//[^\n]*", text, re.DOTALL)]
    for pattern, now in SWAPS:
        for found in re.finditer(pattern, text, re.MULTILINE):
            if any(found.start() in comment for comment in comments) or '"' in found[0]:
                continue
            line = text.count("\n", 0, found.start()) + 1
            was = text.splitlines()[line - 1].strip()[:90]
            new = text[: found.start()] + now + text[found.end() :]
            yield Change(file, line, "", was, new.splitlines()[line - 1].strip()[:90] or "(nothing)", new)


# --- What can be changed in a template ---------------------------------------------------------------------------

# What an attribute is: a name and a text in which tags may stand, whose own quotation marks do not end it.
ATTRIBUTE = r""" [a-z-]+="(?:\{[%{].*?[%}]\}|[^"{])*\""""
LOOKS = (" class=", " style=", " d=", " viewbox=", " name=", " type=", " content=")
CUTS = [
    (ATTRIBUTE, ""), (r"\b (?:required|hidden|novalidate|disabled|multiple|open)(?=[ >])", ""),
    (r"(?<=\{% if )not ", ""), (r"(?<=\{% if )(?!not |.*?(?: or | and |==))", "not "),
    (r" and [\w.= ]+(?= %\})", ""), (r"(?<=\{% if )[\w.]+ and ", ""), (r" or [\w.= ]+(?= %\})", ""),
    (r"\|(?!safe|stringformat)\w+(?::\"[^\"]*\")?(?= \}\})", ""), (r"\{% include [^%]*%\}", ""),
    (r"\{% csrf_token %\}", ""), (r"<input type=\"hidden\"[^>]*>", ""), (r"(?<=in )(\w+) reversed(?= %\})", r"\1"),
]  # fmt: skip


def template_changes(file: str) -> Iterator[Change]:
    text = (ROOT / file).read_text()
    for pattern, now in CUTS:
        for found in re.finditer(pattern, text):
            if found[0].lower().startswith(LOOKS):
                continue
            line = text.count("\n", 0, found.start()) + 1
            new = text[: found.start()] + found.expand(now) + text[found.end() :]
            was = found[0].strip() or text.splitlines()[line - 1].strip()
            yield Change(file, line, "", was[:90], now, new)


#: What the files of a room are changed by, by the end of their names.
CHANGES = {".py": python_changes, ".js": script_changes, ".html": template_changes, ".txt": template_changes}


def sample(room: str, each: int, seed: int) -> list[Change]:
    """Always the same changes of a room, and no two of one line."""
    found = []
    for place in room.split():
        for path in sorted(ROOT.glob(place) if place.endswith(".py") else (ROOT / place).rglob("*")):
            file = str(path.relative_to(ROOT))
            if path.suffix in CHANGES:
                found += CHANGES[path.suffix](file)
    random.Random(f"{seed} {room}").shuffle(found)
    return list({(change.file, change.line): change for change in reversed(found)}.values())[-each:]


# --- A room whose tests run in this process ----------------------------------------------------------------------


class Forks:
    """A plugin: instead of the tests, the changes; each in a copy of the process that has run all tests once."""

    def __init__(self, changes: list[Change]) -> None:
        self.changes = changes
        self.survivors: list[Change] = []
        self.calls: dict[tuple[str, str], set[int]] = defaultdict(set)  # function → places of its tests
        self.files = {str(ROOT / change.file): change.file for change in changes}
        self.passed: dict[str, float] = {}  # test → seconds that it took

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.passed[report.nodeid] = report.duration

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        shown = note_templates()
        for place in range(len(session.items)):

            def note(frame: FrameType, event: str, _: object, place: int = place) -> None:
                code = frame.f_code
                if event == "call" and code.co_filename in self.files:
                    self.calls[self.files[code.co_filename], outermost(code)].add(place)

            forget_answers(set(self.files))
            threading.setprofile(note)
            sys.setprofile(note)
            try:
                run_one(session.items, place, session)
            finally:
                sys.setprofile(None)
                threading.setprofile(None)  # type: ignore[arg-type]
            reads_files = "test_markup" in session.items[place].nodeid
            for template in TEMPLATES if reads_files else shown:
                self.calls[template, ""].add(place)
            shown.clear()
        session.testsfailed = 0
        for change in self.changes:
            self.try_out(session, change)
        return True

    def try_out(self, session: pytest.Session, change: Change) -> None:
        places = sorted(self.calls[change.file, change.function])
        items = [session.items[place] for place in places if session.items[place].nodeid in self.passed]
        usual = sum(self.passed[item.nodeid] for item in items)
        sys.stdout.flush()
        child = os.fork()
        if not child:
            try:
                signal.alarm(PATIENCE + 10 * int(usual))
                os._exit(run_changed(session, change, items))
            except BaseException:
                traceback.print_exc()
                os._exit(BROKEN)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == 0:
            self.survivors.append(change)
        if status == BROKEN:
            raise RuntimeError(f"This change could not be tried: {change}")
        words = f"survives {len(items)} tests" if status == 0 else "is noticed"
        print(f"\n{change}: {words}", flush=True)


TEMPLATES = {str(path.relative_to(ROOT)) for path in (ROOT / "templates").rglob("*.*")}


def note_templates() -> set[str]:
    """A set to which every template is added that a test shows from now on, by the name of its file."""
    from django.test.signals import template_rendered

    shown: set[str] = set()

    def note(template: Any, **kwargs: object) -> None:
        shown.add(f"templates/{template.origin.template_name}")

    template_rendered.connect(note, weak=False)
    return shown


def run_one(items: list[pytest.Item], place: int, session: pytest.Session) -> None:
    """Runs a test; after the last one, what the session has stays as it is."""
    item = items[place]
    rest = [*items[place + 1 :], session.items[0], session.items[-1]]
    following = next(each for each in rest if each is not item)
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def outermost(code: CodeType) -> str:
    return code.co_qualname.split(".<locals>")[0]


def run_changed(session: pytest.Session, change: Change, items: list[pytest.Item]) -> int:
    """Runs tests with a change until one fails: 1 then, 0 where none does."""
    from django.db import connection

    signal.setitimer(signal.ITIMER_PROF, MOST)
    name = str(connection.settings_dict["NAME"])
    connection.close()
    connection.settings_dict["NAME"] = shutil.copy(name, f"{name}-{os.getpid()}")
    put_in_template(change) if change.file in TEMPLATES else put_in(change)
    for place in range(len(items)):
        run_one(items, place, session)
        if session.testsfailed:
            return 1
    return 0


def put_in(change: Change) -> None:
    """Gives the changed function its new code, wherever this process has it: under decorators, too."""
    path = str(ROOT / change.file)
    new = {}
    waiting = [compile(change.source, path, "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        new.setdefault((code.co_qualname, code.co_freevars), code)
        waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
    gc.unfreeze()
    forget_answers({path})
    for function in gc.get_objects():
        # Not `isinstance`, which would wake the lazy objects of Django and fail in some.
        if type(function) is not FunctionType or function.__code__.co_filename != path:
            continue
        code = function.__code__
        if outermost(code) == change.function and function.__name__ != "<lambda>":
            function.__code__ = new.get((code.co_qualname, code.co_freevars), code)


def put_in_template(change: Change) -> None:
    """Lets this process read a template with its change, and forget all that it has read."""
    from django.template import engines
    from django.template.loaders.filesystem import Loader

    from tests.server import test_markup

    place = change.file.removeprefix("templates/")
    read = Loader.get_contents
    Loader.get_contents = lambda self, origin: (
        change.source if origin.template_name == place else read(self, origin)
    )
    for loader in engines["django"].engine.template_loaders:
        loader.reset()
    if place in test_markup.PAGES:
        test_markup.PAGES[place] = test_markup.elements_of(change.source)


def forget_answers(paths: set[str]) -> None:
    """Of functions in these files that remember what they answered: else a test that hears it again calls nothing."""
    for found in cached_functions():
        if found.__wrapped__.__code__.co_filename in paths:
            found.cache_clear()


@functools.cache
def cached_functions() -> list[Any]:
    gc.unfreeze()
    kind = type(cached_functions)
    found = [each for each in gc.get_objects() if type(each) is kind and each is not cached_functions]
    gc.freeze()
    return [each for each in found if hasattr(each.__wrapped__, "__code__")]


def run_here(room: str, changes: list[Change]) -> list[Change]:
    plugin = Forks(changes)
    options = ["-q", "--tb=no", "-p", "no:xdist", "-p", "no:cacheprovider"]
    pytest.main([*options, *ROOMS[room]], plugins=[plugin])
    return plugin.survivors


# --- A room whose tests start other processes ----------------------------------------------------------------------


def run_in_a_copy(room: str, changes: list[Change]) -> list[Change]:
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True)
        (copy / ".venv").symlink_to(ROOT / ".venv")
        for change in changes:
            file = copy / change.file
            before = file.read_text()
            file.write_text(change.source)
            command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:xdist", *ROOMS[room]]
            run = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
            file.write_text(before)
            if run.returncode == 0:
                survivors.append(change)
            print(f"{change}: {'survives' if run.returncode == 0 else 'is noticed'}", flush=True)
    return survivors


# --- The scripts of the studio ---------------------------------------------------------------------------------------


def run_scripts(room: str, changes: list[Change]) -> list[Change]:
    """The cases of tests/studio in one browser, over a copy of the scripts with each change."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        test_modules.STATIC = Path(shutil.copytree(ROOT / "static", Path(folder) / "static"))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        server = ThreadingHTTPServer(("127.0.0.1", 0), test_modules.Files)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        survivors = []
        for change in changes:
            file = Path(folder) / change.file
            before = file.read_text()
            file.write_text(change.source)
            fault = certain_fault(browser, f"http://127.0.0.1:{server.server_port}")
            file.write_text(before)
            if not fault:
                survivors.append(change)
            print(f"{change}: {fault or 'survives'}", flush=True)
        server.shutdown()
    return survivors


def certain_fault(browser: Browser, address: str) -> str:
    """The name of a case that fails beside all others and alone: on a busy machine one may only be late."""
    for file, found in faults(browser, address, list(test_modules.FILES)):
        if any(faults(browser, address, [file])):
            return found
    return ""


def faults(browser: Browser, address: str, files: list[str]) -> Iterator[tuple[str, str]]:
    """Files, each with its first case that fails. All run at once, each in a page of its own."""
    pages = {file: browser.new_page() for file in files}
    begin = """(file) => void import("/cases/runner.js").then(({ firstFault }) => firstFault(`/cases/${file}`))
        .catch(() => `${file} does not run`).then((fault) => { window.fault = fault; })"""
    try:
        for file, page in pages.items():
            page.goto(address)
            page.wait_for_selector("html[data-page=ready]")
            page.evaluate(begin, file)
        for file, page in pages.items():
            try:
                page.wait_for_function("'fault' in window", timeout=MOST_SCRIPT)
                found = page.evaluate("window.fault")
            except Error:
                found = f"{file} does not end"
            if found:
                yield file, found
    finally:
        for page in pages.values():
            page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", default=list(ROOMS))
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    for room in chosen.rooms:
        changes = sample(room, chosen.each, chosen.seed)
        run = {SCRIPTS: run_scripts, IN_A_COPY: run_in_a_copy}.get(room, run_here)
        survivors = run(room, changes)
        print(f"\n{room}: {len(changes) - len(survivors)} of {len(changes)} noticed", flush=True)
        for change in survivors:
            print(f"  {change}", flush=True)


if __name__ == "__main__":
    main()
