"""Scripts are modules: under hashed names they must find each other, and the editor's must be light."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles.finders import find, get_finder
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.files import File
from django.core.files.storage import FileSystemStorage
from django.template import engines
from django.test import override_settings

from config import processes, static
from config.static import StaticStorage, without_comments

STATIC = Path(find("base.css")).parent
OWN = sorted(file for file in STATIC.rglob("*.[cj]s*") if "vendor" not in file.parts)
IMPORT = r'^(?:import|export) [^;]*?from ?"([^"]+)"'
HASHED = re.compile(r"\.[0-9a-f]{12}\.js$")
MOST = 72_000  # bytes, of which 8,000 say what a module imports
TEMPLATES = Path(settings.TEMPLATES[0]["DIRS"][0])
# How many longer lines a template may have.
LONG = {  # plain text: a line break here would be one in the mail
    "account/email/account_already_exists_message.txt": 1,
    "account/email/email_confirmation_message.txt": 2,
    "account/email/password_reset_key_message.txt": 1,
    "accounts/email/invitation.txt": 2,
    "mfa/email/recovery_codes_generated_message.txt": 1,
    "mfa/email/totp_activated_message.txt": 1,
    "mfa/email/totp_deactivated_message.txt": 1,
    "mfa/email/webauthn_added_message.txt": 1,
    "mfa/email/webauthn_removed_message.txt": 1,
    "moderation/email/appealed.txt": 1,
    "moderation/email/lifted.txt": 2,
    "moderation/email/statement.txt": 4,
    "moderation/email/upheld.txt": 2,
}


@pytest.fixture(scope="module")
def collected(tmp_path_factory) -> Iterator[Path]:
    """Every script of ours as collectstatic leaves it, without running collectstatic."""
    folder = tmp_path_factory.mktemp("static")
    names = [str(file.relative_to(STATIC)) for file in STATIC.rglob("*.js")]
    with override_settings(DEBUG=False):
        storage, sources = StaticStorage(location=folder, base_url="/static/"), FileSystemStorage(STATIC)
        for name in names:
            with (STATIC / name).open("rb") as file:
                storage.save(name, File(file))
        failed = [
            each for each in storage.post_process({n: (sources, n) for n in names}) if each[2] is not True
        ]
        assert [each for each in failed if isinstance(each[2], Exception)] == []
        yield folder


def hashed(folder: Path, name: str) -> Path:
    stem = re.escape(Path(name).stem)
    [found] = [
        f for f in (folder / name).parent.iterdir() if re.fullmatch(rf"{stem}\.[0-9a-f]{{12}}\.js", f.name)
    ]
    return found


def loaded_with(script: Path) -> set[Path]:
    """A module and everything that it imports at once, directly or not."""
    known: set[Path] = set()
    waiting = [script]
    while waiting:
        known.add(now := waiting.pop().resolve())
        imported = {(now.parent / name).resolve() for name in re.findall(IMPORT, now.read_text(), re.M)}
        waiting += imported - known
    return known


def test_modules_import_each_other_by_their_hashed_names(collected):
    scripts = [
        file for file in collected.rglob("*.js") if HASHED.search(file.name) and "vendor" not in file.parts
    ]
    assert len(scripts) > 40
    assert all(script.stat().st_size for script in scripts)
    for script in scripts:
        code = script.read_text()
        for name in [*re.findall(IMPORT, code, re.M), *re.findall(r'import\("([^"]+)"\)', code)]:
            assert HASHED.search(name), (script.name, name)
            assert (script.parent / name).exists(), (script.name, name)


def test_the_editors_own_scripts_at_first_are_light(collected):
    scripts = [
        file for file in loaded_with(hashed(collected, "studio/main.js")) if file.parent.name == "studio"
    ]
    assert len(scripts) > 20
    assert sum(file.stat().st_size for file in scripts) <= MOST


def test_what_tells_of_reads_adds_little_to_the_script_of_a_page(collected):
    """The script before it, which told that a page was loaded, had 248 bytes."""
    for script in (hashed(collected, "reads.js"), STATIC / "reads.js"):
        assert len(gzip.compress(script.read_bytes(), 9)) <= 248 + 600


def test_scripts_lose_comments_and_indentation_but_no_line_and_no_string():
    script = 'let a = "// b";\n  /* One\n     two */\n  a += "/* c */"; // why\n    // whole\nhttp(`x`);\n'
    assert without_comments(script) == 'let a = "// b";\n\n\na += "/* c */";\n\nhttp(`x`);\n'
    quoted = "a = b; // it's\nc = '; // d';\n"
    assert without_comments(quoted) == quoted
    assert without_comments("a(/** @type {B<C>} */ (d));\n") == "a((d));\n"
    assert without_comments("  /** @type {B} */ (c).d();\ne();\n/* f */\n") == "(c).d();\ne();\n\n"


def test_no_line_of_styles_and_scripts_is_too_long_and_no_file_too_large():
    assert len(OWN) > 100
    for file in OWN:
        lines = file.read_text().splitlines()
        assert [line for line in lines if len(line) > 120] == [], file
        assert len(lines) < {".js": 200, ".css": 400}[file.suffix], file


def test_no_field_that_authors_write_in_is_cut_by_the_browser():
    """Browsers cut what is pasted at `maxlength`, without a word. What is searched for may be cut."""
    files = [*TEMPLATES.glob("studio/*.html"), *STATIC.glob("studio/*.js")]
    fields = [field for file in files for field in re.findall(r"<(?:input|textarea)[^>]*>", file.read_text())]
    assert [field for field in fields if "maxlength" in field and 'type="search"' not in field] == []


def test_the_services_own_pages_are_as_light_as_the_theme_of_capsules_by_day():
    themes = (STATIC / "themes.css").read_text()
    day = "".join(re.findall(r"^\.theme-day[^{]*{(.*?)^}", themes, re.DOTALL | re.MULTILINE))
    token = re.compile(r"(--[\w-]+): (.+?);")
    ours = dict(token.findall((STATIC / "light.css").read_text()))
    assert ours and ours == {name: value for name, value in token.findall(day) if name in ours}


def test_no_line_of_a_template_is_too_long():
    files = sorted(file for file in TEMPLATES.rglob("*") if file.is_file())
    assert len(files) > 100
    found = {}
    for file in files:
        if long := [line for line in file.read_text().splitlines() if len(line) > 120]:
            found[str(file.relative_to(TEMPLATES))] = len(long)
    assert found == LONG


def test_static_files_are_collected_again_only_when_they_changed(tmp_path, settings, monkeypatch):
    deleted: list[str] = []
    settings.STATICFILES_DIRS = [tmp_path / "sources"]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = tmp_path / "collected"
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources/a.css").write_text("a { color: red }")
    get_finder.cache_clear()
    try:
        assert static.collect_static() and not static.collect_static()
        (tmp_path / "sources/b.css").write_text("b { color: blue; }")
        with monkeypatch.context() as patch:
            patch.setattr(FileSystemStorage, "delete", lambda storage, name: deleted.append(name))
            assert static.collect_static()
        assert deleted == [], "another web server may be serving it"
        (tmp_path / "sources/a.css").write_text("a { color: blue; }")
        assert static.collect_static() and not static.collect_static()
        kept = re.compile(r"[ab](\.[0-9a-f]{12})?\.css(\.gz)?|staticfiles\.json|collect(ed\.txt|ing)")
        assert [file for file in tmp_path.glob("collected/*") if not kept.fullmatch(file.name)] == []
        assert any("blue" in file.read_text() for file in tmp_path.glob("collected/a.*.css"))
    finally:
        get_finder.cache_clear()


def test_in_development_a_page_can_be_shown_before_anything_was_collected(tmp_path, settings):
    settings.STATIC_ROOT = tmp_path
    assert staticfiles_storage.url("base.css") == "/static/base.css"
    settings.DEVELOPMENT = False
    with pytest.raises(ValueError, match="Missing staticfiles manifest entry"):
        staticfiles_storage.url("base.css")


def test_a_process_has_all_templates_before_the_next_version_lies_there(monkeypatch):
    loaders = engines["django"].engine.template_loaders
    for loader in loaders:
        loader.reset()
    processes.load_templates()
    monkeypatch.setattr("django.template.loaders.filesystem.Loader.get_contents", None)
    for name in ("404.html", "publishing/page.html", "account/email/email_confirmation_message.txt"):
        assert engines["django"].get_template(name)
