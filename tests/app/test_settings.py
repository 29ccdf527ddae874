"""Settings: declared once, read from their places, written back with every other byte kept."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engram
from engram.app.settings import (
    Settings,
    local_file,
    personal_file,
    read_settings,
    write_setting,
)
from engram.app.settings_file import edit, parse
from engram.app.settings_table import (
    BY_KEY,
    FLAG,
    INTEGER,
    NAMES,
    SETTINGS,
    Setting,
    accepts,
    from_text,
    is_name,
    shown,
)
from engram.errors import Damaged, InvalidRequest
from engram.system.environment import Environment


class Places:
    """The files and variables that settings come from."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.variables: dict[str, str] = {}
        self.workspace = root / "project" / "engram.config.json"
        self.local = Path(local_file(str(self.workspace)))
        self.shared_folder = root / "shared"

    @property
    def environment(self) -> Environment:
        return Environment(self.variables, str(self.root), str(self.root), platform="linux")

    @property
    def person(self) -> Path:
        return Path(personal_file(self.environment))

    def read(self) -> Settings:
        return read_settings(self.environment, str(self.workspace))

    def problems(self) -> list[str]:
        return [each.id for each in self.read().problems]


def put(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_without_any_file_every_setting_has_its_default(places: Places) -> None:
    settings = places.read()
    assert settings.values == {each.key: each.default for each in SETTINGS}
    assert {settings.origin(each.key) for each in SETTINGS} == {"default"}
    assert settings.problems == ()
    assert settings.flag("enabled") is True
    assert settings.integer("load.limit") == 8
    assert settings.text("read") == "auto"
    assert settings.names("roles") == ()


def test_a_nearer_place_counts_more_than_a_farther_one(places: Places) -> None:
    put(places.person, {"load": {"limit": 2}, "global_path": str(places.shared_folder)})
    told = [places.read().integer("load.limit")]
    put(places.shared_folder / "engram.config.json", {"load": {"limit": 1, "max_tokens": 999}})
    told.append(places.read().integer("load.limit"))
    put(places.workspace, {"load": {"limit": 3}})
    told.append(places.read().integer("load.limit"))
    put(places.local, {"load": {"limit": 4}})
    told.append(places.read().integer("load.limit"))
    places.variables["ENGRAM_LOAD_LIMIT"] = "5"
    told.append(places.read().integer("load.limit"))
    assert told == [2, 2, 3, 4, 5]
    assert places.read().origin("load.limit") == "environment"
    assert places.read().integer("load.max_tokens") == 999
    assert places.read().origin("load.max_tokens") == str(
        places.shared_folder / "engram.config.json"
    )


def test_the_variable_of_the_global_folder_counts_more_than_the_persons_file(
    places: Places,
) -> None:
    put(places.person, {"global_path": "/from/the/file"})
    assert places.read().text("global_path") == "/from/the/file"
    assert places.read().origin("global_path") == str(places.person)
    places.variables["ENGRAM_GLOBAL_DIR"] = "/from/the/variable"
    assert places.read().text("global_path") == "/from/the/variable"
    assert places.read().origin("global_path") == "environment"


@pytest.mark.parametrize("key", [each.key for each in SETTINGS if not each.shared])
def test_a_file_that_comes_with_a_project_cannot_loosen_safety(places: Places, key: str) -> None:
    setting = BY_KEY[key]
    other: object = True if setting.kind == FLAG else (setting.choices or ("/elsewhere",))[-1]
    for path in (places.workspace, places.local):
        put(path, nested(key, other))
        settings = places.read()
        assert settings.values[key] == setting.default
        assert [each.id for each in settings.problems] == ["setting.not_shared"]
        assert key in settings.problems[0].message
        path.unlink()
    put(places.person, nested(key, other))
    assert places.read().values[key] == other


def test_a_full_snapshot_of_the_earlier_edition_is_read(places: Places) -> None:
    put(
        places.workspace,
        """\ufeff{
  // written by inject
  "version": "0.0.28", "theme": "dark", "global_path": "", "scope": "both", "update": "auto",
  "enabled": true, "read": "manual", "proof": "compact", "roles": ["backend"],
  "ignore": {"source": "engramignore", "also_ignore": ["*.secret", "private/**",],},
  "load": {"limit": 6, "max_tokens": 1200, "dependency_reserve_ratio": 0.2, "projection": "adaptive"},
  /* a variant that is chosen and not in use */
  "rule_variants": {"enabled": false, "active": "strict"},
  "author": {"name": "A", "email": "a@example.org"},
}
""",
    )
    settings = places.read()
    assert settings.problems == ()
    assert settings.integer("load.limit") == 6
    assert settings.names("roles") == ("backend",)
    assert settings.text("rule_variants.active") == "off"
    put(places.workspace, {"rule_variants": {"enabled": True, "active": "strict"}})
    assert places.read().text("rule_variants.active") == "strict"
    put(places.workspace, {"rule_variants": {"active": "light"}})
    assert places.read().text("rule_variants.active") == "light"
    put(places.workspace, {"rule_variants": "strict"})
    assert places.read().text("rule_variants.active") == "off"


def test_a_wrong_value_is_named_with_its_file_and_passed_over(places: Places) -> None:
    put(places.person, {"load": {"limit": 3}})
    put(places.workspace, {"load": {"limit": 999}, "roles": "backend", "enabled": None})
    settings = places.read()
    assert settings.integer("load.limit") == 3
    assert [each.id for each in settings.problems] == ["setting.value", "setting.value"]
    assert str(places.workspace) in settings.problems[0].message
    assert "roles" in settings.problems[0].message
    assert "1 to 32" in settings.problems[1].remediation


def test_a_wrong_variable_is_named_and_passed_over(places: Places) -> None:
    places.variables |= {"ENGRAM_READ": "sometimes", "ENGRAM_PROOF": "", "ENGRAM_ENABLED": "off"}
    settings = places.read()
    assert settings.text("read") == "auto"
    assert settings.flag("enabled") is False
    assert "ENGRAM_READ" in settings.problems[0].message
    assert len(settings.problems) == 1


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("{", 1),
        ("{\n\n  load: 3\n}", 3),
        ('{\n  "load" 3}', 2),
        ('{"a": 1 "b": 2}', 1),
        ('{"a": 1}\n}', 2),
        ("[1]", 1),
        ('{"a": "x\n"}', 1),
        ('{"a": "\\q"}', 1),
        ('{"a": "\\u12"}', 1),
        ('{"a": \n01}', 2),
        ('{"a": 1_0}', 1),
        ('{"a": nan}', 1),
        ('{"a": }', 1),
        ("{\n/* never ends }", 2),
        ('{"a": ' + "[" * 40, 1),
        ('{"a": [1 2]}', 1),
        ("<<<<<<< ours", 1),
    ],
)
def test_a_broken_file_is_named_with_its_line_and_stops_nothing(
    places: Places, content: str, line: int
) -> None:
    put(places.workspace, content)
    settings = places.read()
    assert settings.integer("load.limit") == 8
    assert [each.id for each in settings.problems] == ["settings.malformed"]
    assert f"{places.workspace}, line {line}: " in settings.problems[0].message
    with pytest.raises(Damaged, match=f"line {line}: "):
        write_setting(str(places.workspace), "load.limit", 3)
    assert places.workspace.read_text(encoding="utf-8") == content


def test_bytes_that_are_no_text_are_named_with_their_line(places: Places) -> None:
    put(places.workspace, "").write_bytes(b'{\n "roles": ["\xff"]}')
    assert places.problems() == ["settings.malformed"]
    assert "line 2" in places.read().problems[0].message


@pytest.mark.parametrize("content", ["", "  \n", "{}", "// nothing yet\n{}"])
def test_an_empty_file_sets_nothing(places: Places, content: str) -> None:
    put(places.workspace, content)
    assert places.read().problems == ()
    write_setting(str(places.workspace), "load.limit", 3)
    assert places.read().integer("load.limit") == 3


def test_a_folder_in_the_place_of_the_file_stops_nothing(places: Places) -> None:
    places.workspace.mkdir(parents=True)
    assert places.problems() == ["file.not_regular"]


def test_a_link_to_a_file_elsewhere_is_followed_for_the_person_alone(places: Places) -> None:
    elsewhere = put(places.root / "dotfiles" / "engram.json", {"load": {"limit": 3}})
    for path in (places.person, places.workspace):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(elsewhere)
    settings = places.read()
    assert settings.origin("load.limit") == str(places.person)
    assert [each.id for each in settings.problems] == ["file.symlink"]
    write_setting(str(places.person), "load.limit", 4)
    assert places.person.is_symlink()
    assert json.loads(elsewhere.read_text())["load"]["limit"] == 4


def test_a_machine_without_a_home_has_the_defaults() -> None:
    nowhere = Environment({}, "", "", platform="linux")
    assert personal_file(nowhere) == ""
    assert read_settings(nowhere, "").integer("load.limit") == 8


def test_a_dotted_key_at_the_top_is_understood(places: Places) -> None:
    put(places.workspace, {"load.limit": 5})
    assert places.read().integer("load.limit") == 5
    write_setting(str(places.workspace), "load.limit", 6)
    assert json.loads(places.workspace.read_text()) == {"load.limit": 6}


def test_writing_keeps_comments_order_and_formatting(places: Places) -> None:
    put(
        places.workspace,
        '{\n  // ours\n  "read": "auto", "load": {"limit": 8}, // few\n  "other": [ 1,2 ],\n}\n',
    )
    write_setting(str(places.workspace), "load.limit", 4)
    write_setting(str(places.workspace), "load.max_tokens", 900)
    write_setting(str(places.workspace), "roles", ("backend", "qa"))
    assert places.workspace.read_text() == (
        '{\n  // ours\n  "read": "auto", "load": {"limit": 4, "max_tokens": 900}, // few\n'
        '  "other": [ 1,2 ],\n  "roles": ["backend", "qa"]\n}\n'
    )


def test_a_new_file_is_written_with_two_blanks_of_indent(places: Places) -> None:
    write_setting(str(places.workspace), "load.limit", 4)
    assert places.workspace.read_text() == '{\n  "load": {\n    "limit": 4\n  }\n}\n'


def test_removing_a_setting_leaves_the_others(places: Places) -> None:
    path = str(places.workspace)
    put(places.workspace, '{\n  "read": "off",\n  "load": {\n    "limit": 4\n  },\n  "x": 1\n}\n')
    write_setting(path, "load.limit", None)
    assert places.workspace.read_text() == '{\n  "read": "off",\n  "x": 1\n}\n'
    write_setting(path, "read", None)
    write_setting(path, "proof", None)
    write_setting(path, "load.max_tokens", None)
    assert places.workspace.read_text() == '{\n  "x": 1\n}\n'
    put(places.workspace, '{"read": "off", "proof": "off", "load": {"limit": 4,},}')
    write_setting(path, "load.limit", None)
    write_setting(path, "read", None)
    assert places.workspace.read_text() == '{"proof": "off", }'
    put(places.workspace, '{"proof": "off" /* few, short */, "read": "off"}')
    write_setting(path, "read", None)
    assert places.workspace.read_text() == '{"proof": "off" /* few, short */}'


@pytest.mark.parametrize("variant", ["off", "light", "balanced", "strict"])
def test_a_variant_is_written_so_that_the_earlier_edition_reads_the_same(
    places: Places, variant: str
) -> None:
    put(places.workspace, {"rule_variants": {"enabled": False, "active": "balanced"}})
    write_setting(str(places.workspace), "rule_variants.active", variant)
    assert places.read().text("rule_variants.active") == variant
    written = json.loads(places.workspace.read_text())["rule_variants"]
    assert written["enabled"] is (variant != "off")
    write_setting(str(places.workspace), "rule_variants.active", None)
    assert places.read().origin("rule_variants.active") == "default"
    assert json.loads(places.workspace.read_text()) == {}


def test_a_value_that_the_setting_does_not_take_is_not_written(places: Places) -> None:
    with pytest.raises(InvalidRequest, match=r"load\.limit") as raised:
        write_setting(str(places.workspace), "load.limit", 33)
    assert raised.value.hint == "It is a whole number from 1 to 32."
    assert not places.workspace.exists()


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda each: each.key)
def test_every_setting_takes_its_default_and_round_trips_as_text(setting: Setting) -> None:
    assert accepts(setting, setting.default)
    assert from_text(setting, shown(setting.default)) == setting.default
    assert setting.help.endswith(".")
    assert setting.variable.startswith("ENGRAM_")
    assert setting.expected
    for choice in setting.choices:
        assert from_text(setting, choice) == choice


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("load.limit", " 12 ", 12),
        ("load.limit", "0", None),
        ("load.limit", "twelve", None),
        ("load.limit", "٣", None),
        ("enabled", "No", False),
        ("enabled", "maybe", None),
        ("roles", "backend, reviewer", ("backend", "reviewer")),
        ("roles", "../etc", None),
        ("roles", "", ()),
        ("read", "always", "always"),
        ("global_path", "~/memory", "~/memory"),
    ],
)
def test_text_is_read_by_the_kind_of_the_setting(key: str, text: str, value: object) -> None:
    assert from_text(BY_KEY[key], text) == value


@pytest.mark.parametrize("kind", [FLAG, INTEGER, NAMES])
@pytest.mark.parametrize("value", [1.5, None, {}, ["a b"], [1], "x"])
def test_a_value_of_another_kind_is_not_taken(kind: str, value: object) -> None:
    defaults: dict[str, bool | int | tuple[str, ...]] = {FLAG: False, INTEGER: 0, NAMES: ()}
    assert not accepts(Setting("x", kind, defaults[kind], "", maximum=9), value)


@pytest.mark.parametrize("name", ["a", "Back-End.2_x", "9", "x" * 64])
def test_a_name_is_letters_digits_and_three_signs(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize("name", ["", ".a", "-a", "a b", "ä", "x" * 65, "a/b", 3])
def test_anything_else_is_no_name(name: object) -> None:
    assert not is_name(name)


@pytest.mark.contract("F3", "N1")
def test_the_settings_that_the_contract_names_have_its_defaults_and_bounds() -> None:
    limit = BY_KEY["mcp.resource_limit"]
    assert (limit.default, limit.minimum, limit.maximum) == (20, 0, 200)
    assert limit.shared
    assert BY_KEY["load.working_ttl_days"].kind == INTEGER


def test_every_setting_asked_for_in_the_source_is_declared() -> None:
    asked = re.compile(r"\.(?:text|integer|flag|names|origin)\(\s*\"([a-z_.]+)\"")
    source = Path(engram.__file__).parent
    keys = {key for path in source.rglob("*.py") for key in asked.findall(path.read_text())}
    assert keys
    assert keys <= set(BY_KEY)


simple = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False)
values = st.recursive(
    simple.filter(lambda x: x not in (float("inf"), float("-inf"))),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(), values, max_size=5)
plain = st.text(alphabet="abc", min_size=1, max_size=3)
content = st.recursive(
    st.integers(0, 9) | st.booleans(),
    lambda inner: st.dictionaries(plain, inner, min_size=1, max_size=3),
    max_leaves=8,
)


def sound(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


@given(objects, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_what_json_writes_is_read_the_same(
    value: dict[str, object], ascii_only: bool, indent: int | str | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    if sound(text):
        assert parse(text, "x") == json.loads(text.encode("utf-8", "surrogatepass"))


@given(st.text(alphabet='{}[],:"\\/* \n\tu01eatrfnls-.#'))
def test_any_text_is_read_or_refused_with_a_line(text: str) -> None:
    try:
        told: object = parse(text, "settings")
    except Damaged as error:
        told = error.details["line"]
    assert isinstance(told, dict) or told in range(1, text.count("\n") + 2)


@given(
    st.dictionaries(plain, content, max_size=4),
    st.lists(plain, min_size=1, max_size=3),
    st.sampled_from([None, 2]),
    st.integers(0, 99) | st.text() | st.lists(st.text(), max_size=2),
)
def test_an_edit_changes_its_key_alone(
    before: dict[str, object], path: list[str], indent: int | None, value: object
) -> None:
    text = json.dumps(before, indent=indent)
    written = edit(text, "x", ".".join(path), value)
    assert json.loads(written) == with_value(before, path, value)
    removed = edit(text, "x", ".".join(path), None)
    assert json.loads(removed) == without(before, path)


def with_value(content: dict[str, object], path: list[str], value: object) -> dict[str, object]:
    if len(path) == 1:
        return content | {path[0]: value}
    inner = content.get(path[0])
    return content | {
        path[0]: with_value(inner if isinstance(inner, dict) else {}, path[1:], value)
    }


def without(content: dict[str, object], path: list[str]) -> dict[str, object]:
    inner = content.get(path[0])
    rest = {name: value for name, value in content.items() if name != path[0]}
    if len(path) == 1:
        return rest
    if not isinstance(inner, dict) or path[1] not in inner:
        return content
    left = without(inner, path[1:])
    return content | {path[0]: left} if left else rest


def nested(key: str, value: object) -> object:
    for part in reversed(key.split(".")):
        value = {part: value}
    return value
