"""Setting up: make the stores of a project and of a person."""

from __future__ import annotations

from engram.app.inputs import Inject, Link
from engram.app.results import Result
from engram.app.settings import write_setting
from engram.errors import InvalidRequest
from engram.store.layout import Layout
from engram.store.memories import create_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.app.engram import Engram

USUAL_FOLDER = "~/.engram"
QUESTION = "Keep memories of your own too, for all your projects? Folder [{usual}; n for none]: "
NO = ("n", "no")


def inject(engram: Engram, asked: Inject) -> Result:
    """Create the stores that are asked for; what exists stays as it is.

    The workspace store is made in the project's folder, unless `global_only`. The global store is
    made in `global_path`, which is then remembered in the person's settings; without one it is
    made where the settings already say, and else where the person at the terminal wants it. There
    the person is also asked whether to connect the coding agents that are used here. Without a
    terminal nothing is asked, and nothing more is made than was asked for.
    """
    if asked.global_only and asked.no_global:
        raise InvalidRequest(
            "inject.nothing", "--global-only and --no-global together leave nothing to do."
        )
    path = "" if asked.no_global else _global_path(engram, asked)
    if asked.global_only and not path:
        raise InvalidRequest(
            "inject.no_path",
            "No folder is named for the global memory.",
            hint="engram inject --global-only --global-path DIR",
        )
    made: list[dict[str, object]] = []
    if not asked.global_only:
        made.append(_create(Layout.of_project(engram.project)))
    if path:
        made.append(_create(Layout(path, "global")))
        if path != engram.settings.text("global_path"):
            write_setting(engram.environment.person_settings, "global_path", path)
    lines = [_line(each) for each in made]
    lines += [] if asked.global_only or asked.no_link else _connected(engram)
    lines.append('Next: engram save "…" to remember something, engram load "…" to read it back.')
    return Result("\n".join(lines), {"stores": made})


def _global_path(engram: Engram, asked: Inject) -> str:
    """The folder of the global memory, "" for none."""
    environment = engram.environment
    named = asked.global_path or engram.settings.text("global_path")
    if not named and engram.ask is not None:
        answer = engram.ask(QUESTION.format(usual=USUAL_FOLDER)).strip()
        named = "" if answer.lower() in NO else answer or USUAL_FOLDER
    return environment.absolute(named) if named else ""


def _connected(engram: Engram) -> list[str]:
    """What became of the coding agents that are used here."""
    from engram.app.linking import detected, link, surroundings  # noqa: PLC0415 - seldom asked for

    hosts = detected(engram, surroundings(engram))
    if not hosts:
        return []
    names = " ".join(host.name for host in hosts)
    if engram.ask is None:
        return [f"Connect your coding agents with: engram link {names}"]
    answer = engram.ask(f"Connect {', '.join(host.title for host in hosts)}? [Y/n] ").strip()
    if answer.lower() in NO:
        return [f"Connect them later with: engram link {names}"]
    return link(engram, Link(tuple(host.name for host in hosts))).text.split("\n")


def _create(layout: Layout) -> dict[str, object]:
    created = create_store(layout)
    return {"scope": layout.scope, "root": layout.root, "created": list(created)}


def _line(told: dict[str, object]) -> str:
    if told["created"]:
        return f"{told['scope']}: memory set up in {told['root']}"
    return f"{told['scope']}: already set up in {told['root']}"
