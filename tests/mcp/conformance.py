"""`python -m tests.mcp.conformance`: the official conformance suite against our MCP server, both protocol generations.

Most scenarios call tools, prompts and resources of fixed names; `tests.mcp.reference` has them, behind the same gate
and transport. What asks of any server is asked of the real one too. The suite brings no token, so a proxy adds one.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

from tests.mcp.running import Server, another, started
from tests.support.ports import free_port

#: It needs Node 22, which the package `node` brings where the machine has an older one.
PACKAGES = ["-p", "@modelcontextprotocol/conformance@0.2.0-alpha.12", "-p", "node@22"]

NO_SESSIONS = (
    "needs a session: a server without any cannot ask or tell between two requests of an older client"
)
NOT_OFFERED = "not offered, and not declared among the server's capabilities"
#: What each revision of the protocol requires and the server does not do, with the reason.
LEFT_OUT = {
    "2026-07-28": {"completion-complete": NOT_OFFERED},
    "2025-11-25": {
        "completion-complete": NOT_OFFERED,
        "logging-set-level": NOT_OFFERED,
        "resources-subscribe": NOT_OFFERED,
        "resources-unsubscribe": NOT_OFFERED,
        "tools-call-with-logging": NOT_OFFERED,
        "tools-call-sampling": NO_SESSIONS,
        "tools-call-elicitation": NO_SESSIONS,
        "elicitation-sep1034-defaults": NO_SESSIONS,
        "elicitation-sep1330-enums": NO_SESSIONS,
        "server-sse-multiple-streams": NO_SESSIONS,
        "server-sse-polling": NO_SESSIONS,
    },
}
#: What asks of any server, whatever its tools are.
OF_ANY_SERVER = {
    "2026-07-28": [
        "tools-list",
        "resources-list",
        "prompts-list",
        "sep-2164-resource-not-found",
        "caching",
        "http-header-validation",
        "input-required-result-unsupported-methods",
        "dns-rebinding-protection",
    ],
    "2025-11-25": [
        "server-initialize",
        "ping",
        "tools-list",
        "tools-call-error",
        "resources-list",
        "prompts-list",
        "dns-rebinding-protection",
    ],
}
HEAD_END = b"\r\n\r\n"
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def forward(token: str, source: int, target: int) -> None:
    """Listens on the port `source` and passes each request on to `target`, with a token."""
    own = f"Authorization: Bearer {token}\r\nConnection: close".encode()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(HEAD_END)).removesuffix(HEAD_END)
        except asyncio.IncompleteReadError:  # a connection that was opened and not used
            writer.close()
            return
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        ours, theirs = await asyncio.open_connection("127.0.0.1", target)
        theirs.write(b"\r\n".join([*lines, own]) + HEAD_END)
        await asyncio.gather(pipe(reader, theirs), pipe(ours, writer))

    listening = await asyncio.start_server(handle, "127.0.0.1", source)
    await listening.serve_forever()


def with_token(server: Server, target: int) -> str:
    """The address of a proxy in front of the MCP server on the port `target`."""
    source = free_port()
    work = forward(server.seeded["own"], source, target)
    threading.Thread(target=lambda: asyncio.run(work), daemon=True).start()
    return f"http://127.0.0.1:{source}/mcp"


def passes(npx: str, folder: Path, what: str, url: str, *options: str) -> bool:
    """Runs a part of the suite; prints its summary, and everything where it failed."""
    suite = [npx, "--yes", *PACKAGES, "conformance", "server", "--url", url, *options]
    done = subprocess.run(suite, cwd=folder, timeout=600, capture_output=True, text=True)
    told = COLOURS.sub("", done.stdout)
    print(f"{'FAILED' if done.returncode else 'Passed'}: {what}")
    if done.returncode:
        print(told + done.stderr, flush=True)
    elif "=== SUMMARY ===" in told:
        print(told.partition("=== SUMMARY ===")[2].strip(), flush=True)
    return done.returncode == 0


def judged(npx: str, folder: Path, server: Server) -> bool:
    """True if all runs passed. A scenario that is left out and passes fails its run too."""
    results = []
    with another(server, "tests.mcp.reference") as port:
        for revision, left_out in LEFT_OUT.items():
            expected = folder / f"left-out-{revision}.yml"
            expected.write_text("server:\n" + "".join(f"  - {name}\n" for name in left_out))
            options = ["--requirements", revision, "--expected-failures", str(expected)]
            what = f"everything that {revision} requires, with the suite's own tools"
            results.append(passes(npx, folder, what, with_token(server, port), *options))
    for revision, scenarios in OF_ANY_SERVER.items():
        for scenario in scenarios:
            options = ["--scenario", scenario, "--spec-version", revision]
            what = f"{scenario} of {revision}, the product's own tools"
            results.append(passes(npx, folder, what, with_token(server, server.port), *options))
    return all(results)


def main() -> int:
    npx = shutil.which("npx")
    if npx is None:
        print(
            "SKIPPED: the conformance suite needs npm (npx), which is not here. Nothing was tested.",
            file=sys.stderr,
        )
        return 0
    with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as server:
        passed = judged(npx, Path(folder), server)
    for revision, left_out in LEFT_OUT.items():
        for scenario, reason in left_out.items():
            print(f"Left out of {revision}: {scenario}: {reason}.")
    print("Everything else passed." if passed else "Something failed, see above.")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
