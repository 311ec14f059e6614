"""What deploy/ says of the service is so: metrics, sections of the documents, sizes of bodies, units."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import uuid

import pytest
import yaml
from django.conf import settings
from django.urls import reverse
from django.utils.text import slugify

from config import metrics
from tests.lived_in.instance import self_signed
from tests.support.running import ROOT

ENDINGS = re.compile(r"_(bucket|count|sum)$")
BOARD = json.loads((ROOT / "deploy/grafana.json").read_text())
RULES = [
    rule
    for group in yaml.load((ROOT / "deploy/alerts.yaml").read_text(), yaml.CSafeLoader)["groups"]
    for rule in group["rules"]
]
QUERIES = [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]
LINKS = {
    *re.findall(r"docs/[a-z]+\.md#[a-z-]+", json.dumps(BOARD)),
    *(rule["annotations"]["page"] for rule in RULES),
}


def known() -> set[str]:
    """The names of all metrics, as /metrics has them; a histogram without its endings."""
    counted = {
        f"{family.name}_total" if family.type == "counter" else family.name
        for family in metrics.counted.collect()
    }
    return counted | set(metrics.measures) | {"capsules_database_up"}


def test_every_metric_that_is_asked_for_exists():
    there = known()
    for query in [*QUERIES, *(rule["expr"] for rule in RULES)]:
        asked = {ENDINGS.sub("", name) for name in re.findall(r"\bcapsules_\w+", query)}
        assert asked <= there, f"{asked - there} in {query}"
        assert asked or "up{" in query or "probe_ssl" in query, query


def test_every_metric_is_on_the_dashboard_and_described():
    ours = {name for name in known() if name.startswith("capsules_")}
    described = (ROOT / "docs/operations.md").read_text()
    for name in ours:
        assert any(name in query for query in QUERIES), f"{name} is in no panel"
        assert f"`{name}" in described, f"{name} is not described"


def test_every_section_that_is_named_exists():
    assert len(LINKS) > 10
    for link in LINKS:
        page, _, anchor = link.partition("#")
        headings = re.findall(r"^#+ (.+)$", (ROOT / page).read_text(), re.MULTILINE)
        assert anchor in {slugify(heading) for heading in headings}, link


def test_every_alert_says_what_to_do_and_how_urgent_it_is():
    assert len({rule["alert"] for rule in RULES}) == len(RULES) >= 10
    for rule in RULES:
        assert rule["annotations"]["summary"] and rule["labels"]["severity"] in ("page", "ticket")


def test_the_rules_page_for_what_they_should_and_for_nothing_else():
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("NO PROMTOOL (it comes with Debian's prometheus): THE ALERT RULES ARE NOT TRIED.")
    told = subprocess.run(
        [promtool, "test", "rules", ROOT / "tests/server/alerts.yaml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr


def test_every_panel_has_a_place_of_its_own():
    assert len({panel["id"] for panel in BOARD["panels"]}) == len(BOARD["panels"])
    taken = set()
    for panel in BOARD["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken and max(x for x, _ in cells) < 24
        taken |= cells


def test_the_log_of_the_proxy_has_no_whole_address_and_no_query():
    conf = (ROOT / "deploy/nginx.conf").read_text()
    [form] = re.findall(r"log_format capsules '([^']*)'", conf)
    assert not {"$request", "$request_uri", "$uri", "$args", "$query_string", "$http_referer"} & set(
        form.split()
    )
    servers = re.findall(r"^server \{$", conf, re.MULTILINE)
    logs = re.findall(r"^  access_log \S+ (\w+) if=\$is_logged;$", conf, re.MULTILINE)
    assert logs == ["capsules"] * len(servers)
    assert len(re.findall(r"^  error_log \S+ crit;", conf, re.MULTILINE)) == len(servers)


# --- The proxy -------------------------------------------------------------------------------------------------

NGINX = (ROOT / "deploy/nginx.conf").read_text()
LOCATION = re.compile(r"^ +location (?:~ )?(\S+) \{[^{}]*?\n +client_max_body_size (\d+)m;", re.MULTILINE)
BESIDES = 1 << 20  # bytes of a form around its file
SENT = {
    "/api/v2/uploads/c2b6a1de/content": settings.MAX_BYTES["film"],
    "/studio/up/a-secret": settings.MAX_BYTES["film"] + BESIDES,
    "/studio/up/a-secret/ferry.mp4": settings.MAX_BYTES["film"],
    "/admin/capsules/asset/add/": settings.MAX_BYTES["film"] + BESIDES,
    reverse("studio_from_folder", args=[uuid.UUID(int=1)]): settings.FILE_FORM_LIMIT,
    reverse("studio_face", args=[uuid.UUID(int=1)]): settings.MAX_BYTES["picture"] + BESIDES,
    "/api/v2/stories": settings.STORY_BODY_LIMIT,
}


@pytest.mark.parametrize("path", SENT)
def test_the_proxy_takes_every_body_that_the_service_takes(path):
    server = int(re.search(r"^  client_max_body_size (\d+)m;", NGINX, re.MULTILINE)[1])  # type: ignore[index]
    own = [int(size) for pattern, size in LOCATION.findall(NGINX) if re.match(pattern, path)]
    assert SENT[path] <= (own or [server])[0] * 2**20


def test_the_proxy_gives_a_silent_connection_up_before_the_service_does():
    """What it sends on one that is just being closed has no answer."""
    kept = dict(re.findall(r"^upstream (\w+) \{[^}]*?keepalive_timeout (\d+)s;", NGINX, re.MULTILINE))
    assert int(kept["capsules"]) < settings.STOP_FAREWELL, "also a server that was told to stop"
    assert int(kept["capsules_mcp"]) < settings.CLIENT_PATIENCE


def test_the_units_serve_the_ports_that_the_proxy_asks():
    asked = set(re.findall(r"^  server 127\.0\.0\.1:(\d+) max_fails=0", NGINX, re.MULTILINE))
    units = (ROOT / "deploy/systemd/capsules.target").read_text()
    assert asked == set(re.findall(r"capsules-web@(\d+)\.service", units)) == {"8000", "8002"}


@pytest.mark.parametrize("unit", ["capsules-web@", "capsules-mcp", "capsules-worker"])
def test_whoever_reads_a_file_comes_before_whoever_has_a_page_made(unit):
    assert "\nCPUWeight=20\n" in (ROOT / f"deploy/systemd/{unit}.service").read_text()
    compose = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())["services"]
    assert compose[unit.removeprefix("capsules-").strip("@")]["cpu_shares"] == 205
    assert "cpu_shares" not in compose["nginx"]


def test_containers_take_no_setting_that_is_for_the_units_alone():
    env = (ROOT / "deploy/production.env").read_text()
    for_units = re.findall(r"^(\w+)=", env.partition("# systemd only")[2].partition("\n\n")[0], re.MULTILINE)
    assert for_units == ["DATABASE_URL", "REDIS_URL", "DATA_DIR"]
    services = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())["services"]
    ours = [service for service in services.values() if "env_file" in service]
    assert len(ours) == 5
    assert all({*for_units} <= {*service["environment"]} for service in ours)


@pytest.mark.skipif(shutil.which("nginx") is None or os.geteuid() != 0, reason="NO NGINX, OR NOT root")
def test_nginx_takes_the_configuration_as_it_is_deployed(tmp_path):
    """The other tests change a good part of it; here only places that this machine does not have are others."""
    self_signed(tmp_path)
    conf = (ROOT / "deploy/nginx.conf").read_text().replace("/var/log/nginx/", f"{tmp_path}/")
    conf = re.sub(r"/etc/letsencrypt/live/[^;]+", f"{tmp_path}/tls.pem", conf)
    if not socket.has_dualstack_ipv6():
        conf = re.sub(r".*listen \[::\]:.*\n", "", conf)
    (tmp_path / "capsules.conf").write_text(conf)
    main = f"pid {tmp_path}/pid; events {{ }} http {{ include {tmp_path}/capsules.conf; }}"
    (tmp_path / "nginx.conf").write_text(main)
    command = ["nginx", "-t", "-c", tmp_path / "nginx.conf", "-p", tmp_path, "-e", tmp_path / "error.log"]
    tried = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "test is successful" in tried.stderr, tried.stderr
