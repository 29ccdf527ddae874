"""The agents: how each is run without a login, what it lists, and which flags it needs."""

from __future__ import annotations

import json
import re
import shlex

from tests.hosts_real.lab import Lab, Said

GLOBAL, WORKSPACE = "global", "workspace"
COMMIT, LOAD = "engram_commit", "engram_load"


class Agent:
    """One host program; `lab` is where it runs."""

    name = ""
    shows = r"$^"  # what its list says of a server that is connected
    sees = ""  # before a tool's name, in what the model is offered
    writes: frozenset[str] = frozenset()  # files that it makes in a project by itself
    to_load: tuple[str, ...] = ()  # flags for a turn in which engram_load may run

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.set_up()

    # What differs

    def set_up(self) -> None:
        """What a person has set up before Engram comes: the model, trust in the folder."""

    def variables(self) -> dict[str, str]:
        return {}

    def accept(self, scope: str, said: Said) -> None:
        """What a person does after linking, as the command told them."""

    def take_leave(self, scope: str, said: Said) -> None:
        """What a person does after unlinking, as the command told them."""

    def list_words(self) -> tuple[str, ...]:
        return (self.name, "mcp", "list")

    def turn_words(self, prompt: str) -> tuple[str, ...]:
        raise NotImplementedError

    # What does not

    def run(self, *words: str) -> Said:
        return self.lab.run(*words, **self.variables())

    def turn(self, prompt: str, *flags: str) -> Said:
        """One prompt without a person, to its end."""
        return self.run(*self.turn_words(prompt), *flags)

    def listed(self) -> str:
        """What the host says of its servers; some write it to stderr."""
        said = self.run(*self.list_words())
        assert said.status == 0, said
        return said.out + said.err

    def is_connected(self) -> bool:
        return re.search(self.shows, self.listed()) is not None

    def link(self, scope: str) -> Said:
        said = self.lab.engram("link", self.name, *flags_of(scope))
        self.accept(scope, said)
        return said

    def unlink(self, scope: str) -> Said:
        said = self.lab.engram("unlink", self.name, *flags_of(scope))
        self.take_leave(scope, said)
        return said


class Claude(Agent):
    name = "claude"
    shows = r"(?m)^engram: .*engram-mcp.* ✔ Connected$"
    sees = "mcp__engram__"
    writes = frozenset({".claude/settings.local.json"})
    to_load = ("--allowedTools", f"mcp__engram__{LOAD}")

    def variables(self) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": self.lab.model.address,
            "ANTHROPIC_API_KEY": "sk-ant-fake",
            "IS_SANDBOX": "1",  # it may bypass permissions as root
        }

    def accept(self, scope: str, said: Said) -> None:
        if scope == GLOBAL:
            self._as_told(said, "claude mcp add --scope user engram -- ")
        else:
            approved = {"hasTrustDialogAccepted": True, "enabledMcpjsonServers": ["engram"]}
            self.lab.write(".claude.json", {"projects": {str(self.lab.project): approved}})

    def take_leave(self, scope: str, said: Said) -> None:
        if scope == GLOBAL:
            self._as_told(said, "claude mcp remove --scope user engram")

    def _as_told(self, said: Said, command: str) -> None:
        (line,) = re.findall(f"(?m)^.*: ({re.escape(command)}.*)$", said.out)
        ended = self.run(*shlex.split(line))
        assert ended.status == 0, ended

    def turn_words(self, prompt: str) -> tuple[str, ...]:
        return ("claude", "-p", prompt)


class Codex(Agent):
    name = "codex"
    shows = r'"name": "engram",\s+"enabled": true'  # it starts no server to list it

    def set_up(self) -> None:
        provider = {
            "name": "mock",
            "base_url": f"{self.lab.model.address}/v1",
            "wire_api": "responses",
            "request_max_retries": 0,
            "stream_max_retries": 0,
            "supports_websockets": False,
        }
        self.lab.write(
            ".codex/config.toml",
            'model = "gpt-5.2" # mine\nmodel_provider = "mock"\n\n[model_providers.mock]\n'
            + "".join(f"{key} = {json.dumps(value)}\n" for key, value in provider.items())
            + f'\n[projects."{self.lab.project}"]\ntrust_level = "trusted"\n',
        )

    def list_words(self) -> tuple[str, ...]:
        return ("codex", "mcp", "list", "--json")

    def turn_words(self, prompt: str) -> tuple[str, ...]:
        return ("codex", "exec", "--dangerously-bypass-hook-trust", prompt)


class Gemini(Agent):
    name = "gemini"
    shows = r"(?m)^✓ engram: .*engram-mcp.* - Connected$"
    sees = "mcp_engram_"
    to_load = ("--allowed-mcp-server-names", "engram")

    def set_up(self) -> None:
        key = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        self.lab.write(".gemini/settings.json", f"// mine\n{json.dumps(key)}\n")

    def variables(self) -> dict[str, str]:
        return {
            "GOOGLE_GEMINI_BASE_URL": self.lab.model.address,
            "GEMINI_API_KEY": "fake",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def turn_words(self, prompt: str) -> tuple[str, ...]:
        return ("gemini", "-p", prompt, "-m", "gemini-2.5-flash")


class OpenCode(Agent):
    name = "opencode"
    shows = r"✓ engram .*connected"
    sees = "engram_"

    def set_up(self) -> None:
        options = {"baseURL": f"{self.lab.model.address}/v1", "apiKey": "x"}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": options,
            "models": {"m": {"tool_call": True}},
        }
        settings = {"model": "mock/m", "provider": {"mock": provider}}
        schema = '"$schema": "https://opencode.ai/config.json",'
        text = f"{{ {schema} // mine\n{json.dumps(settings)[1:-1]},\n}}\n"
        self.lab.write(".config/opencode/opencode.jsonc", text)

    def turn_words(self, prompt: str) -> tuple[str, ...]:
        return ("opencode", "run", prompt)


class Copilot(Agent):
    name = "copilot"
    shows = r"(?m)^  engram \(local\)$"
    sees = "engram-"

    def set_up(self) -> None:
        self.lab.write(".copilot/config.json", {"trusted_folders": [str(self.lab.project)]})

    def variables(self) -> dict[str, str]:
        return {
            "COPILOT_PROVIDER_BASE_URL": f"{self.lab.model.address}/v1",
            "COPILOT_PROVIDER_API_KEY": "x",
            "COPILOT_MODEL": "gpt-5.2",
        }

    def turn_words(self, prompt: str) -> tuple[str, ...]:
        return ("copilot", "-p", prompt)


AGENTS = {each.name: each for each in (Claude, Codex, Gemini, OpenCode, Copilot)}


def flags_of(scope: str) -> tuple[str, ...]:
    return ("--global",) if scope == GLOBAL else ()
