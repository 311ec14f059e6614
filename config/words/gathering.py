"""Finds every word of ours in code and templates, and brings the catalogues up to date with them."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from babel.messages import Catalog, extract, pofile
from django.conf import settings
from django.template import Context, Engine
from django.template.base import Node
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

from config.words import scripts
from config.words.compiling import PUBLIC, ROOT, STUDIO

#: Whose words only people who sign in read, by the beginnings of their paths: account and studio.
OF_THE_STUDIO = (
    "accounts/actions/",
    "accounts/actors.py",
    "accounts/decided.py",
    "accounts/models/",
    "accounts/names.py",
    "accounts/oauth/",
    "accounts/pages/",
    "accounts/people/",
    "accounts/templatetags/",
    "accounts/webhooks/",
    "capsules/",
    "config/api.py",
    "config/errors.py",
    "config/outage.py",
    "config/outbound.py",
    "config/texts.py",
    "publishing/actions.py",
    "publishing/baking.py",
    "publishing/by_apps/",
    "publishing/dark.py",
    "publishing/leases.py",
    "publishing/models/",
    "publishing/moderation/actions.py",
    "publishing/options.py",
    "publishing/premieres/",
    "publishing/restoring.py",
    "publishing/slugs.py",
    "publishing/statistics/",
    "publishing/studio/",
    "publishing/subscribers/addresses.py",
    "publishing/subscribers/csv_files.py",
    "publishing/subscribers/owner_pages.py",
    "static/",
    "templates/4",  # 404.html and the like
    "templates/5",
    "templates/account/",
    "templates/accounts/",
    "templates/allauth/",
    "templates/mfa/",
    "templates/studio/",
    "templates/subscriptions/audience.html",
    "templates/usersessions/",
)
APPS = ("accounts", "capsules", "config", "feed", "publishing")
FUNCTIONS = {
    **extract.DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "pgettext_lazy": ((1, "c"), 2),
    "ngettext_lazy": (1, 2),
}
IN_EXPRESSIONS = re.compile(r"""_\("([^"]+)"\)""")  # {{ title|default:_("Untitled") }}
WIDTH = 110  # of lines in the catalogues
#: Headers that say nothing here.
NOT_SAID = tuple(
    f'"{name}'.encode() for name in ("Report-", "POT-", "PO-", "Last-", "Language-Team", "Generated")
)


class Found(NamedTuple):
    """A word or sentence of ours: `plural` and `context` are "" for none."""

    file: str
    words: str
    plural: str = ""
    context: str = ""


@cache
def gather() -> list[Found]:
    return [*in_templates(), *in_code(), *in_scripts()]


def said_by(name: str) -> list[Found]:
    """The words of one kind of catalogue. What a public page says too is a public word."""
    everything = sorted(gather())
    public = [found for found in everything if not found.file.startswith(OF_THE_STUDIO)]
    if name == PUBLIC:
        return public
    known = {(found.context, found.words) for found in public}
    return [
        found
        for found in everything
        if found.file.startswith(OF_THE_STUDIO) and (found.context, found.words) not in known
    ]


def in_templates() -> Iterator[Found]:
    engine = Engine.get_default()
    for path in sorted((ROOT / "templates").rglob("*.*")):
        source = path.read_text()
        file = str(path.relative_to(ROOT))
        for words in IN_EXPRESSIONS.findall(source):
            yield Found(file, words)
        if "translate" not in source:
            continue
        for node in engine.from_string(source).nodelist.get_nodes_by_type(Node):
            if isinstance(node, TranslateNode):
                yield Found(file, str(node.filter_expression.var.literal), context=context_of(node))
            elif isinstance(node, BlockTranslateNode):
                plural = node.render_token_list(node.plural)[0] if node.plural else ""
                yield Found(file, node.render_token_list(node.singular)[0], plural, context_of(node))


def context_of(node: TranslateNode | BlockTranslateNode) -> str:
    return str(node.message_context.resolve(Context())) if node.message_context else ""


def in_code() -> Iterator[Found]:
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            source = path.read_bytes()
            if b"gettext" not in source:
                continue
            file = str(path.relative_to(ROOT))
            for _, words, _, context in extract.extract("python", io.BytesIO(source), FUNCTIONS):
                said = [words] if isinstance(words, str) else list(words)
                yield Found(file, said[0], said[1] if len(said) > 1 else "", context or "")


def in_scripts() -> Iterator[Found]:
    for path in scripts.scripts():
        for words, plural in scripts.words_in(path.read_text()):
            yield Found(str(path.relative_to(ROOT)), words, plural)


def empty(language: str | None = None) -> Catalog:
    # The same in every run, so that a catalogue changes with its words alone.
    stamp = datetime(2026, 1, 1, tzinfo=UTC)
    return Catalog(
        locale=language,
        charset="utf-8",
        fuzzy=False,
        header_comment="# Written by `make words`, but for the translations; see docs/languages.md.",
        project="Capsules",
        version="2",
        creation_date=stamp,
        revision_date=stamp,
    )


def template(*names: str) -> Catalog:
    """What catalogues of these kinds hold, without translations."""
    catalogue = empty()
    for found in [found for name in names for found in said_by(name)]:
        words = (found.words, found.plural) if found.plural else found.words
        catalogue.add(words, auto_comments=[found.file], context=found.context or None)
    return catalogue


def update(path: Path) -> None:
    """What is new is added without a translation (for public pages in English: as it is), what is gone goes.

    The English catalogue of the studio has no translations: it is what a translator begins with.
    """
    language = path.parent.parent.name
    catalogue = empty(language)
    if path.exists():
        catalogue = pofile.read_po(io.BytesIO(path.read_bytes()), locale=language)
    catalogue.update(template(path.stem), no_fuzzy_matching=True)
    if language == "en" and path.stem == PUBLIC:
        for message in catalogue:
            if message.id:  # else it is the head
                message.string = message.id
    written = io.BytesIO()
    pofile.write_po(written, catalogue, width=WIDTH, ignore_obsolete=True)
    kept = [line for line in written.getvalue().splitlines(keepends=True) if not line.startswith(NOT_SAID)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(kept))


def update_all() -> None:
    for code, _ in settings.LANGUAGES:
        update(ROOT / "locale" / code / "LC_MESSAGES" / f"{PUBLIC}.po")
    for path in studio_catalogues():
        update(path)


def studio_catalogues() -> list[Path]:
    """The English one, with which every translation begins, and those that somebody began."""
    return sorted((ROOT / "locale").glob(f"*/LC_MESSAGES/{STUDIO}.po"))
