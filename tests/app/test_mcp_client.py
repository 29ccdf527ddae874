from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from engram.app.mcp_client import LEGACY, MODERN, Server
from engram.errors import Unavailable

ECHO = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": asked}), flush=True)
"""


def server(folder: Path, script: str, patience_seconds: float = 30.0) -> Server:
    command = (sys.executable, "-c", script)
    return Server(str(folder), os.environ, command=command, patience_seconds=patience_seconds)


def test_the_server_of_this_installation_shakes_hands_and_lists_its_tools(tmp_path: Path) -> None:
    with Server(str(tmp_path), os.environ) as running:
        told = running.initialize()
        assert told["protocolVersion"] == LEGACY
        assert "engram_load" in {tool["name"] for tool in running.ask("tools/list", {})["tools"]}


@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_a_tool_is_called_in_either_era(era: str, tmp_path: Path) -> None:
    with Server(str(tmp_path), os.environ) as running:
        result = running.call("engram_search", {"query": "anything"}, era)
    assert result["structuredContent"]["data"]["entries"] == []
    assert result.get("resultType") == ("complete" if era == MODERN else None)


def test_only_the_modern_era_sends_its_version_along(tmp_path: Path) -> None:
    with server(tmp_path, ECHO) as running:
        assert "_meta" not in running.call("a", {})["params"]
        meta = running.call("a", {}, MODERN)["params"]["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == MODERN


def test_a_refused_request_says_which_and_why(tmp_path: Path) -> None:
    with Server(str(tmp_path), os.environ) as running, pytest.raises(Unavailable) as refused:
        running.ask("no/such/method", {})
    assert refused.value.code == "mcp.refused"
    assert "no/such/method" in refused.value.message


def test_a_server_that_takes_nothing_more_is_reported(tmp_path: Path) -> None:
    with server(tmp_path, "") as running:
        running._running.wait()
        with pytest.raises(Unavailable) as silent:
            running.ask("ping", {"long": "x" * 1_000_000})
    assert silent.value.code == "mcp.no_answer"


def test_a_server_that_ends_without_an_answer_is_reported(tmp_path: Path) -> None:
    hasty = server(tmp_path, "import sys; sys.stdin.readline()")
    with hasty, pytest.raises(Unavailable) as silent:
        hasty.ask("ping", {})
    assert silent.value.code == "mcp.no_answer"


def test_a_server_that_answers_nothing_is_ended(tmp_path: Path) -> None:
    quiet = server(tmp_path, "import sys; sys.stdin.read()", 0.2)
    with quiet, pytest.raises(Unavailable) as silent:
        quiet.ask("ping", {})
    assert silent.value.code == "mcp.no_answer"


def test_a_server_that_does_not_end_with_its_input_is_ended(tmp_path: Path) -> None:
    with server(tmp_path, "import time; time.sleep(600)", 0.2) as running:
        pass
    assert running._running.returncode != 0


@pytest.mark.parametrize("nonsense", ["nonsense", "[]", "7"])
def test_what_is_no_answer_is_reported(tmp_path: Path, nonsense: str) -> None:
    script = f"import sys; sys.stdin.readline(); print({nonsense!r}, flush=True); sys.stdin.read()"
    with server(tmp_path, script) as running, pytest.raises(Unavailable) as told:
        running.ask("ping", {})
    assert told.value.code == "mcp.nonsense"
