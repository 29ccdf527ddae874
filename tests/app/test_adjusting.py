"""Adjusting: settings with their origin, roles and the wording of rules, kept where they hold."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from engram.app.engram import Engram, compose
from engram.app.inputs import Config, SetRole, SetRuleVariant
from engram.app.operations import operation
from engram.app.results import Result
from engram.app.settings_table import SETTINGS
from engram.errors import Damaged, EngramError, InvalidRequest, NotFound, Unavailable
from engram.record import Record
from engram.system.environment import Environment


class Desk:
    """One person with one project."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = root / "project"
        self.store = self.project / ".agents" / ".engram"
        self.local = self.store / "local" / "engram.config.json"
        self.person = root / ".config" / "engram" / "engram.config.json"
        self.variables: dict[str, str] = {}
        self.project.mkdir()

    def set_up(self) -> Desk:
        self.store.mkdir(parents=True)
        return self

    def engram(self) -> Engram:
        home = str(self.root)
        return compose(Environment(self.variables, home, str(self.project), platform="linux"))

    def run(self, name: str, asked: Record) -> Result:
        return operation(name).run(self.engram(), asked)

    def config(self, action: str, key: str = "", value: str = "", scope: str = "person") -> Result:
        return self.run("config", Config(action, key, value, scope))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_view_shows_every_setting_with_its_value_and_origin(desk: Desk) -> None:
    desk.variables["ENGRAM_ROLES"] = "qa, backend"
    told = desk.config("view")
    lines = told.text.splitlines()
    assert len(lines) == len(SETTINGS)
    assert "roles                  qa, backend  (environment)" in lines
    assert "load.limit             8  (default)" in lines
    assert told.data["settings"][2]["value"] == ["qa", "backend"]  # type: ignore[index]
    assert desk.config("view", "load.limit").text == "load.limit  8  (default)"


def test_get_gives_the_value_alone(desk: Desk) -> None:
    desk.config("set", "load.limit", "4")
    told = desk.config("get", "load.limit")
    assert told.text == "4"
    assert (told.data["value"], told.data["origin"]) == (4, str(desk.person))


def test_set_and_unset_write_the_file_of_the_scope(desk: Desk) -> None:
    shared = desk.set_up().root / "shared"
    shared.mkdir()
    desk.config("set", "global_path", str(shared))
    for scope, path in (
        ("person", desk.person),
        ("workspace", desk.store / "engram.config.json"),
        ("local", desk.local),
        ("global", shared / "engram.config.json"),
    ):
        told = desk.config("set", "load.max_tokens", "900", scope)
        assert str(path) in told.text
        assert json.loads(path.read_text())["load"] == {"max_tokens": 900}
        told = desk.config("unset", "load.max_tokens", scope=scope)
        assert told.text.endswith("it is 1600 (default).")
        assert "load" not in json.loads(path.read_text())


def test_unset_makes_no_file(desk: Desk) -> None:
    told = desk.config("unset", "roles")
    assert told.text.endswith("it is (none) (default).")
    assert not desk.person.exists()


def test_a_set_that_another_place_outweighs_says_so(desk: Desk) -> None:
    desk.set_up()
    desk.config("set", "load.limit", "6", "workspace")
    told = desk.config("set", "load.limit", "4")
    assert [each.id for each in told.diagnostics] == ["setting.shadowed"]
    assert str(desk.store / "engram.config.json") in told.diagnostics[0].message
    desk.variables["ENGRAM_READ"] = "off"
    told = desk.config("set", "read", "always")
    assert "ENGRAM_READ" in told.diagnostics[0].message
    assert desk.config("set", "proof", "compact").diagnostics == ()


@pytest.mark.parametrize(
    ("words", "kind", "code", "said"),
    [
        (("get",), InvalidRequest, "config.key_missing", "get"),
        (("get", "load.limits"), InvalidRequest, "setting.unknown", "load.limits"),
        (("view", "colour"), InvalidRequest, "setting.unknown", "colour"),
        (("set", "load.limit", "99"), InvalidRequest, "setting.value", "99"),
        (("set", "roles", "a/b"), InvalidRequest, "setting.value", "a/b"),
        (("set", "read", "auto", "workspace"), NotFound, "store.none", "workspace"),
    ],
)
def test_what_cannot_be_done_is_refused(
    desk: Desk, words: tuple[str, ...], kind: type[EngramError], code: str, said: str
) -> None:
    with pytest.raises(kind) as raised:
        desk.config(*words)
    assert raised.value.code == code
    assert said in raised.value.message
    assert raised.value.hint
    assert not desk.person.exists()


@pytest.mark.parametrize("scope", ["workspace", "local"])
def test_what_loosens_safety_is_not_written_into_a_project(desk: Desk, scope: str) -> None:
    desk.set_up()
    with pytest.raises(InvalidRequest) as raised:
        desk.config("set", "load.changed", "show", scope)
    assert raised.value.code == "setting.not_shared"
    assert not (desk.store / "engram.config.json").exists()


def test_a_broken_file_is_not_overwritten(desk: Desk) -> None:
    desk.person.parent.mkdir(parents=True)
    desk.person.write_text('{\n  "load": \n}')
    with pytest.raises(Damaged, match="line 3"):
        desk.config("set", "load.limit", "4")
    assert desk.person.read_text() == '{\n  "load": \n}'


def test_without_a_home_the_persons_file_has_no_place(desk: Desk) -> None:
    nowhere = Environment({}, "", str(desk.project), platform="linux")
    with pytest.raises(Unavailable) as raised:
        operation("config").run(compose(nowhere), Config("set", "load.limit", "4"))
    assert raised.value.code == "settings.no_place"
    assert "ENGRAM_CONFIG_DIR" in raised.value.hint


@pytest.mark.contract("T7", "T12")
def test_roles_hold_from_the_next_load_on_and_the_agent_is_told_to_reload(desk: Desk) -> None:
    desk.set_up()
    told = desk.run("set-role", SetRole(("backend", "qa", "backend")))
    assert desk.engram().settings.names("roles") == ("backend", "qa")
    assert told.text.startswith("Roles: backend, qa. ")
    assert told.text.splitlines()[-1].startswith("Agent action: ")
    assert told.data == {"roles": ["backend", "qa"], "file": str(desk.local)}
    assert told.diagnostics == ()


@pytest.mark.contract("T7")
def test_an_empty_list_clears_roles_that_the_project_sets(desk: Desk) -> None:
    desk.set_up()
    desk.config("set", "roles", "frontend", "workspace")
    assert desk.engram().settings.names("roles") == ("frontend",)
    told = desk.run("set-role", SetRole(()))
    assert told.text.startswith("Roles: none. ")
    assert desk.engram().settings.names("roles") == ()


def test_a_choice_for_a_project_stays_out_of_git(desk: Desk) -> None:
    desk.set_up()
    desk.run("set-role", SetRole(("qa",)))
    ignored = desk.local.parent / ".gitignore"
    assert ignored.read_text() == "*\n"
    assert sorted(each.name for each in desk.store.iterdir()) == ["local"]
    if os.name == "posix":
        assert desk.local.parent.stat().st_mode & 0o777 == 0o700
    ignored.write_text("*\n!keep\n")
    desk.run("set-role", SetRole(()))
    assert ignored.read_text() == "*\n!keep\n"


def test_without_a_store_a_choice_holds_for_all_projects(desk: Desk) -> None:
    told = desk.run("set-role", SetRole(("qa",)))
    assert told.data["file"] == str(desk.person)
    assert desk.engram().settings.names("roles") == ("qa",)


@pytest.mark.parametrize("name", ["../x", "a b", "", "a,b"])
def test_a_role_that_is_no_name_is_refused_and_nothing_written(desk: Desk, name: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        desk.run("set-role", SetRole(("qa", name)))
    assert raised.value.code == "role.name"
    assert not desk.person.exists()


def test_a_role_that_a_variable_outweighs_is_told(desk: Desk) -> None:
    desk.variables["ENGRAM_ROLES"] = "ops"
    told = desk.run("set-role", SetRole(("qa",)))
    assert [each.id for each in told.diagnostics] == ["setting.shadowed"]


@pytest.mark.contract("T7", "T12")
@pytest.mark.parametrize("variant", ["light", "balanced", "strict", "off"])
def test_a_rule_variant_holds_from_the_next_load_on(desk: Desk, variant: str) -> None:
    desk.set_up()
    desk.config("set", "rule_variants.active", "light", "workspace")
    told = desk.run("set-rule-variant", SetRuleVariant(variant))
    assert desk.engram().settings.text("rule_variants.active") == variant
    assert told.text.splitlines()[-1].startswith("Agent action: ")
    assert told.data == {"variant": variant, "file": str(desk.local)}
