"""What a call through the MCP server costs: `python -m benchmarks.mcp [ROUNDS]`.

Reads one capsule with all its texts by the tool get_story and by GET /stories/{id}/draft in turns, each on a connection
that stays open, and prints both medians and their ratio. Both answers are checked to have the same texts.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2

from tests.mcp.running import called, started


def timed(client: httpx2.Client, method: str, url: str, **options: Any) -> tuple[float, str]:
    start = time.perf_counter()
    answer = client.request(method, url, **options)
    took = time.perf_counter() - start
    assert answer.status_code == 200, answer.text
    return took, answer.text


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as server:
        draft = f"{server.service.url}/api/v2/stories/{server.story}/draft"
        api = {"headers": {"Authorization": f"Bearer {server.service.seeded['token']}"}}
        accept = {"Accept": "application/json, text/event-stream"}
        headers = {"Authorization": f"Bearer {server.seeded['own']}", **accept}
        tool = {"headers": headers, "json": called("get_story", story=server.story)}
        by_api, by_mcp = [], []
        with httpx2.Client(timeout=60) as client:
            for index in range(rounds + 20):
                slow, text = timed(client, "POST", server.url, **tool)
                fast, body = timed(client, "GET", draft, **api)
                assert all(
                    f"This is scene {n} of Story 0." in answer for n in range(1, 5) for answer in (text, body)
                )
                if index >= 20:
                    by_mcp.append(slow)
                    by_api.append(fast)
    mcp, own = statistics.median(by_mcp), statistics.median(by_api)
    print(f"get_story: {mcp * 1000:.1f} ms by MCP, {own * 1000:.1f} ms by the API: ratio {mcp / own:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
