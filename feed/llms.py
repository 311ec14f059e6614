"""/llms.txt: what is here for programs that read, and the newest capsules as Markdown (llmstxt.org)."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import conditional_page, require_safe

from config.links import absolute
from feed import entries
from publishing.pages.plain_text import MARKDOWN, escaped
from publishing.pages.views import CACHE_CONTROL

HEAD = """# {service}

> Short stories, one scene at a time. Every capsule is also there as Markdown: at its address with .md behind it.

## Newest capsules

"""
PLACES = (
    ("All capsules, as a feed", "/feed.json", "the newest 50; of one workspace at /<workspace>/feed.json"),
    ("Sitemap", "/sitemap.xml", "the address of every listed capsule"),
    ("API", "/api/v2/docs", "to write and publish capsules; its OpenAPI document is /api/v2/schema"),
    ("MCP", "/mcp", "the same for AI apps, with OAuth"),
)


@conditional_page
@require_safe
def llms(request: HttpRequest) -> HttpResponse:
    capsules = [
        f"- [{escaped(card.title)}]({absolute(card.path)}.md): {escaped(card.excerpt)}"
        for card in entries.of_all().entries()
    ]
    places = [f"- [{name}]({absolute(path)}): {words}" for name, path, words in PLACES]
    text = HEAD.format(service=settings.SERVICE_NAME) + "\n".join(capsules or ["None yet."])
    text += "\n\n## Other forms\n\n" + "\n".join(places) + "\n"
    return HttpResponse(text, MARKDOWN, headers={"Cache-Control": CACHE_CONTROL})
