"""Saving: proposals, verdicts, the person's yes, tokens, and what is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engram.app.asking import ACCEPT, EDIT, NOTE, Reply
from engram.errors import Conflict, InvalidRequest, NotApproved, NotFound, Unsafe
from engram.store.pending import LIFETIME_SECONDS
from tests.support.world import FakePerson, World, no, silence, yes

LINT = "Run make lint before every push."
TWO = "TYPE: rule | TEXT: Run make lint before every push.\nTYPE: knowledge | TEXT: Staging runs in eu-west-1."


def token_of(world: World, text: str = LINT) -> str:
    token = world.run("save", text=text, surface="mcp").data["approval_token"]
    assert isinstance(token, str)
    return token


@pytest.mark.contract("A1", "T5")
def test_a_save_proposes_and_writes_nothing(world: World) -> None:
    result = world.run("save-session", text=TWO, surface="mcp")

    assert world.memories() == {}
    assert "1. rule for workspace" in result.text
    assert "2. knowledge for workspace" in result.text
    assert f"approval_token: {result.data['approval_token']}" in result.text
    candidates = result.data["candidates"]
    assert isinstance(candidates, list)
    assert [each["verdict"] for each in candidates] == ["Verdict: ADD", "Verdict: ADD"]


@pytest.mark.contract("A1", "T6")
def test_a_commit_writes_exactly_the_bytes_that_were_proposed(world: World) -> None:
    result = world.run("save", text=LINT, surface="mcp")
    candidates = result.data["candidates"]
    assert isinstance(candidates, list)

    world.run("commit", approval_token=result.data["approval_token"], approve="all")

    assert world.memories() == {candidates[0]["file"]: candidates[0]["text"]}


@pytest.mark.contract("A1")
def test_a_commit_writes_only_the_chosen_candidates(world: World) -> None:
    token = world.run("save-session", text=TWO).data["approval_token"]

    result = world.run("commit", approval_token=token, approve=[2])

    assert [path.split("/")[0] for path in world.memories()] == ["knowledge"]
    outcomes = result.data["outcomes"]
    assert isinstance(outcomes, list)
    assert [each["outcome"] for each in outcomes] == ["not chosen", "written"]


@pytest.mark.contract("A1")
@pytest.mark.parametrize(
    "approve",
    [[], [3], [0], [1, 1], "ALL", "1", "yes", [True], ["1"], [1.0], 1, {"all": True}],
)
def test_any_other_approval_is_refused_and_leaves_the_token_usable(
    world: World, approve: object
) -> None:
    token = world.run("save-session", text=TWO).data["approval_token"]

    with pytest.raises(InvalidRequest):
        world.run("commit", approval_token=token, approve=approve)

    assert world.memories() == {}
    world.run("commit", approval_token=token, approve="all")
    assert len(world.memories()) == 2


@pytest.mark.contract("A3")
def test_a_token_works_once(world: World) -> None:
    token = token_of(world)
    world.run("commit", approval_token=token, approve="all")

    with pytest.raises(NotApproved, match="already used") as refused:
        world.run("commit", approval_token=token, approve="all")

    assert refused.value.code == "approval.spent"


@pytest.mark.contract("A3")
def test_a_spent_token_stays_spent_when_the_memory_is_deleted_and_proposed_anew(
    world: World,
) -> None:
    token = token_of(world)
    world.run("commit", approval_token=token, approve="all")
    (path,) = world.memories()
    Path(world.layout.root, path).unlink()
    token_of(world)

    with pytest.raises(NotApproved):
        world.run("commit", approval_token=token, approve="all")

    assert world.memories() == {}


@pytest.mark.contract("A3")
def test_a_token_expires_after_thirty_minutes(world: World) -> None:
    token = token_of(world)
    world.clock.now += LIFETIME_SECONDS + 1

    with pytest.raises(NotApproved, match="expired"):
        world.run("commit", approval_token=token, approve="all")


@pytest.mark.contract("A3")
def test_a_token_of_one_workspace_is_worthless_in_another(world: World, tmp_path: Path) -> None:
    token = token_of(world)
    other = World(tmp_path / "other").with_store()
    other.home = world.home
    other.layout.root  # noqa: B018 - the other project's own store
    pending = Path(world.layout.pending)
    Path(other.layout.local).mkdir(exist_ok=True)
    Path(other.layout.pending).write_bytes(pending.read_bytes())

    with pytest.raises(NotApproved):
        other.run("commit", approval_token=token, approve="all")

    assert other.memories() == {}


@pytest.mark.contract("A4")
def test_only_the_hash_of_the_token_is_kept_and_the_file_is_private(world: World) -> None:
    token = token_of(world)

    pending = Path(world.layout.pending)

    assert token not in pending.read_text()
    assert pending.stat().st_mode & 0o777 == 0o600
    assert "local/" in Path(world.layout.gitignore).read_text()


@pytest.mark.contract("A4")
def test_an_edited_candidate_cannot_be_approved_and_does_not_block_the_next(world: World) -> None:
    token = token_of(world)
    pending = Path(world.layout.pending)
    pending.write_text(pending.read_text().replace("make lint", "make evil"))

    with pytest.raises(NotApproved, match="changed after it was shown"):
        world.run("commit", approval_token=token, approve="all")

    world.run("commit", approval_token=token_of(world), approve="all")
    assert LINT in next(iter(world.memories().values()))


@pytest.mark.contract("A4")
@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"proposals": 3}', '{"proposals": [null, 7]}', "\udc80"]
)
def test_a_broken_pending_file_never_blocks(world: World, content: str) -> None:
    token = token_of(world)
    Path(world.layout.pending).write_bytes(content.encode("utf-8", "surrogateescape"))

    with pytest.raises(NotApproved):
        world.run("commit", approval_token=token, approve="all")
    world.run("commit", approval_token=token_of(world), approve="all")

    assert len(world.memories()) == 1


@pytest.mark.contract("A2", "A6")
def test_what_became_a_duplicate_meanwhile_is_held_back(world: World) -> None:
    token = token_of(world)
    world.save(LINT)

    result = world.run("commit", approval_token=token, approve="all")

    assert "since it was shown this has become NOOP duplicate of" in result.text
    assert len(world.memories()) == 1


@pytest.mark.contract("A6")
def test_a_supersession_is_applied_only_while_the_verdict_agrees(world: World) -> None:
    world.save("The upload limit is 20 MB.", type="knowledge")
    (old,) = world.memories()
    candidate = f"TYPE: knowledge | TEXT: The upload limit is 50 MB. | SUPERSEDES: {Path(old).stem}"
    first = world.run("save-session", text=candidate)
    assert f"Verdict: SUPERSEDE {Path(old).stem}" in first.text
    file = Path(world.layout.root, old)
    file.write_text(file.read_text() + "\nA person's edit.\n")

    result = world.run("commit", approval_token=first.data["approval_token"], approve="all")

    outcomes = result.data["outcomes"]
    assert isinstance(outcomes, list)
    assert outcomes[0]["outcome"] == "deferred"
    assert file.exists()


def test_superseding_keeps_the_old_memory_in_the_archive(world: World) -> None:
    world.save("The upload limit is 20 MB.", type="knowledge")
    (old,) = world.memories()
    stem = Path(old).stem

    world.run(
        "save-session",
        text=f"TYPE: knowledge | TEXT: The upload limit is 50 MB. | SUPERSEDES: {stem}",
        force=True,
    )

    (new,) = world.memories()
    assert f"supersedes: [{stem}]" in world.memories()[new]
    archived = world.files("archive")
    assert list(archived) == [f"archive/2026-12-01/{old}"]
    text = archived[f"archive/2026-12-01/{old}"]
    assert "lifecycle: superseded" in text
    assert f"superseded_by: {Path(new).stem}" in text
    assert "valid_until: 2026-12-01" in text
    assert world.run("verify").exit_status == 0
    assert "50 MB" in world.run("load", query="upload limit").text
    assert "20 MB" not in world.run("load", query="upload limit").text


def test_a_named_update_replaces_the_content_and_keeps_the_rest(world: World) -> None:
    world.save("Run make lint before every push.", type="rule")
    (path,) = world.memories()
    file = Path(world.layout.root, path)
    file.write_text(file.read_text().replace("type: rule\n", "type: rule  # ours\nowner: web\n"))
    world.run("verify", accept=Path(path).stem, force=True)

    world.run(
        "save-session",
        text=f"TYPE: rule | TEXT: Run make check before every push. | UPDATE: {Path(path).stem}",
        force=True,
    )

    text = world.memories()[path]
    assert "make check" in text
    assert "make lint before every push" not in text.split("# Run make lint")[1].split("\n", 1)[1]
    assert "type: rule  # ours\nowner: web\n" in text
    assert "revision: 2" in text


@pytest.mark.contract("E4")
def test_a_declined_proposal_is_revoked_wherever_it_waits(world: World) -> None:
    token = token_of(world)
    person = no()
    person.surface = "dialog"

    result = world.run("save", person, text=LINT, surface="mcp")

    assert "nothing was saved" in result.text
    with pytest.raises(NotApproved, match="approval was declined in the approval dialog"):
        world.run("commit", approval_token=token, approve="all")


def test_a_person_at_the_terminal_approves_what_was_shown(world: World) -> None:
    person = yes(1)

    world.run("save-session", person, text=TWO)

    (text,) = world.memories().values()
    for line in text.splitlines():
        assert line in person.shown[0]


def test_silence_leaves_the_proposal_waiting_with_a_token(world: World) -> None:
    result = world.run("save", silence(), text=LINT)

    assert result.text.startswith("nothing was saved")
    world.run("commit", approval_token=result.data["approval_token"], approve="all")
    assert len(world.memories()) == 1


def test_a_note_is_added_and_shown_again_before_the_yes(world: World) -> None:
    person = FakePerson(Reply(NOTE, note="Agreed in the retro."), Reply(ACCEPT, (1,)))

    world.run("save", person, text=LINT)

    assert "Agreed in the retro." in person.shown[1]
    (text,) = world.memories().values()
    assert "## Human Note\n\nAgreed in the retro." in text


def test_an_edited_text_is_judged_and_shown_again(world: World) -> None:
    world.variables["EDITOR"] = "sed -i s/lint/check/"
    person = FakePerson(Reply(EDIT, (1,)), Reply(ACCEPT, (1,)))

    world.run("save", person, text=LINT)

    (text,) = world.memories().values()
    assert "make check" in text


def test_a_secret_in_a_note_is_refused(world: World) -> None:
    secret = "AKIA" + "IOSFODNN7" + "QWERTYU"
    person = FakePerson(Reply(NOTE, note=f"key {secret}"))

    with pytest.raises(Unsafe) as refused:
        world.run("save", person, text=LINT)

    assert secret not in refused.value.message
    assert world.memories() == {}


@pytest.mark.parametrize("field", ["text", "context", "triggers", "tags"])
def test_a_secret_in_any_field_is_refused_before_anything_is_kept(world: World, field: str) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    fields = {"text": "Use the deploy key.", field: f"The key is {secret}"}
    line = "TYPE: knowledge | " + " | ".join(f"{k.upper()}: {v}" for k, v in fields.items())

    with pytest.raises(Unsafe) as refused:
        world.run("save-session", text=line)

    assert secret not in refused.value.message + str(refused.value.details)
    for path in world.home.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes()


def test_both_scopes_have_their_own_verdicts(world: World) -> None:
    world.with_global()
    world.save(LINT, scope="global")

    result = world.run("save", text=LINT, scope="both")

    candidates = result.data["candidates"]
    assert isinstance(candidates, list)
    assert [(each["scope"], each["action"]) for each in candidates] == [
        ("workspace", "ADD"),
        ("global", "NOOP"),
    ]
    world.run("commit", approval_token=result.data["approval_token"], approve=[1])
    assert len(world.memories()) == 1


def test_a_scope_that_does_not_exist_says_how_to_set_it_up(world: World) -> None:
    with pytest.raises(NotFound) as refused:
        world.run("save", text=LINT, scope="global")

    assert "inject --global-only" in refused.value.hint


@pytest.mark.contract("F1")
def test_a_session_is_written_by_force_from_lines_a_file_and_with_its_level(
    world: World, tmp_path: Path
) -> None:
    file = tmp_path / "candidates.txt"
    file.write_text(TWO, "utf-8-sig")

    world.run("save-session", file=str(file), force=True, query_level=50)

    assert len(world.memories()) == 2
    assert all(
        'source: "sessions:50"' in t or "source: sessions:50" in t
        for t in world.memories().values()
    )


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"text": "  "}, "save.empty"),
        ({"file": "missing.txt"}, "save.no_file"),
        ({"text": "TYPE: rule | TEXT: a | COLOUR: red"}, "candidate.unknown_field"),
    ],
)
def test_input_that_cannot_be_read_says_why(
    world: World, values: dict[str, Any], code: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        world.run("save-session", **values)

    assert refused.value.code == code


def test_a_file_that_is_no_text_is_refused(world: World, tmp_path: Path) -> None:
    file = tmp_path / "binary"
    file.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(InvalidRequest, match="not text in UTF-8"):
        world.run("save-session", file=str(file))


def test_two_candidates_for_one_memory_are_not_both_written(world: World) -> None:
    world.save("The upload limit is 20 MB.", type="knowledge")
    (path,) = world.memories()
    stem = Path(path).stem
    lines = "\n".join(
        f"TYPE: knowledge | TEXT: The upload limit is {size} MB. | UPDATE: {stem}"
        for size in (50, 70)
    )

    result = world.run("save-session", text=lines, force=True)

    outcomes = result.data["outcomes"]
    assert isinstance(outcomes, list)
    assert [each["outcome"] for each in outcomes] == ["written", "deferred"]
    assert "50 MB" in world.memories()[path]


def test_an_unknown_target_names_the_nearest(world: World) -> None:
    world.save(LINT)

    with pytest.raises(InvalidRequest) as refused:
        world.run(
            "save-session",
            text="TYPE: rule | TEXT: x y z | UPDATE: run-make-lint-before-every-pusj",
        )

    assert "run-make-lint-before-every-push" in refused.value.hint


def test_commit_without_a_store_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no workspace memory"):
        World(tmp_path).run("commit", approval_token="x", approve="all")  # noqa: S106


def test_the_manifest_and_the_changelog_follow_each_write(world: World) -> None:
    world.save(LINT)

    (path,) = world.memories()
    assert f"  {path}\n" in Path(world.layout.manifest).read_text()
    assert f" {path} " in Path(world.layout.changelog).read_text()
    assert world.run("verify").exit_status == 0


def test_a_write_meets_a_file_that_appeared_meanwhile(world: World) -> None:
    token = token_of(world)
    waiting = json.loads(Path(world.layout.pending).read_text())["proposals"][0]
    path = waiting["proposal"]["changes"][0]["path"]
    place = Path(world.layout.root, path)
    place.parent.mkdir(exist_ok=True)
    place.write_text("---\nbroken: [\n---\n")

    with pytest.raises(Conflict):
        world.run("commit", approval_token=token, approve="all")

    assert place.read_text() == "---\nbroken: [\n---\n"
