"""Static files under hashed names, compressed once by gzip; brotli at its best takes half a minute for the admin's.

python -m config.static     collects them, before a web server starts
"""

from __future__ import annotations

import fcntl
import hashlib
import re
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.management import call_command
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Only what fills whole lines, or ends one without a quote, so that no string of a script is touched: in our templates a
# line's indentation means nothing, and none of their lines begins with a comment, or ends with one after code.
COMMENT = re.compile(r"^[ \t]*(?:/\*(?:(?!\*/).)*\*/[ \t]*$|//[^\n]*$)", re.MULTILINE | re.DOTALL)
REMARK = re.compile(r"(?<=[;,{}()[\]]) // [^\n\"'`]*$", re.MULTILINE)
TYPE = re.compile(r"/\*\* @type \{[^\n]*?\} \*/ ?")  # of an expression
INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)
#: How modules name each other, and what takes its place. Django's own patterns for it stop at every `import` and brace
#: of every script: megabytes of the API's documents, once more for each floor of modules.
IMPORT = (r"""(?P<matched>"(?<=from "|port "|port\(")(?P<url>\.\.?/[\w./-]+\.js)")""", '"%(url)s"')

#: What a running web server reads, or one that starts: names with a hash, and which those are.
IN_USE = re.compile(r"\.[0-9a-f]{12}\.\w+$|^staticfiles\.json$")


class StaticStorage(CompressedManifestStaticFilesStorage):
    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("*.js", (IMPORT,)))
    # A script's name comes of those that it imports, so each floor of modules takes one.
    max_post_process_passes = 20

    def create_compressor(self, **options: object) -> object:
        return super().create_compressor(**options, use_brotli=False)

    def post_process(self, paths: dict[str, object], dry_run: bool = False, **options: object) -> object:
        """Names scripts by what `_save` left of them: their comments name modules, too, as types, and in circles."""
        stored = {name: (self, name) if is_own_script(name) else found for name, found in paths.items()}
        return super().post_process(stored, dry_run, **options)

    def stored_name(self, name: str) -> str:
        """In development a page can be shown before anything was collected."""
        if settings.DEVELOPMENT and not self.hashed_files:
            return name
        return str(super().stored_name(name))

    def _save(self, name: str, content: File[Any]) -> str:
        """What is in use takes its place in one step: another web server may be serving it."""
        if is_own_script(name):
            content.seek(0)  # hashing has read it
            content = ContentFile(without_comments(content.read().decode()).encode())
        if not IN_USE.search(name):
            return super()._save(name, content)
        made = super()._save(f"{name}.{secrets.token_hex(4)}", content)
        Path(self.path(made)).replace(self.path(name))
        return name

    def delete(self, name: str) -> None:
        """Django deletes what it is about to save again; what is in use stays until it is replaced."""
        if not IN_USE.search(name):
            super().delete(name)


def is_own_script(name: str) -> bool:
    return name.endswith(".js") and name.rpartition("/")[0] in ("", "studio")


def without_comments(script: str) -> str:
    """A script as browsers get it: a fifth smaller, and every line still has its number."""
    script = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), script)
    return INDENTATION.sub("", TYPE.sub("", REMARK.sub("", script)))


def collect_static() -> bool:
    """Collects the static files if they have changed since the last time; returns whether it did.

    Hashing and compressing all of them takes several seconds of every start. Of several at once one does it, and the
    others wait.
    """
    folder = Path(settings.STATIC_ROOT)
    folder.mkdir(parents=True, exist_ok=True)
    collected = folder / "collected.txt"
    with (folder / "collecting").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        now = sources()
        if collected.exists() and collected.read_text() == now:
            return False
        collected.unlink(missing_ok=True)  # an interrupted run is done again
        call_command("collectstatic", interactive=False, verbosity=0)
        collected.write_text(now)
        return True


def sources() -> str:
    """A digest of every static file's name, size and time, and of the code that compresses them."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for finder in get_finders():
        for name, storage in finder.list([]):
            stat = Path(storage.path(name)).stat()
            digest.update(f"{storage.path(name)}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


if __name__ == "__main__":
    import django

    django.setup()
    collect_static()
