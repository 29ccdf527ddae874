"""Setting up: make the stores of a project and of a person."""

from __future__ import annotations

from engram.app.inputs import Inject
from engram.app.results import Result
from engram.app.settings import write_setting
from engram.errors import InvalidRequest
from engram.store.layout import Layout
from engram.store.memories import create_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.app.engram import Engram


def inject(engram: Engram, asked: Inject) -> Result:
    """Create the stores that are asked for; what exists stays as it is.

    The workspace store is made in the project's folder, unless `global_only`. The global store is
    made in `global_path`, which is then remembered in the person's settings; without one it is
    made where the settings already say, and else not at all.
    """
    if asked.global_only and asked.no_global:
        raise InvalidRequest(
            "inject.nothing", "--global-only and --no-global together leave nothing to do."
        )
    made: list[dict[str, object]] = []
    if not asked.global_only:
        made.append(_create(Layout.of_project(engram.project)))
    path = "" if asked.no_global else asked.global_path or engram.settings.text("global_path")
    if path:
        made.append(_create(Layout(engram.environment.absolute(path), "global")))
        if asked.global_path:
            person = engram.environment.person_settings
            write_setting(person, "global_path", engram.environment.absolute(asked.global_path))
    elif asked.global_only:
        raise InvalidRequest(
            "inject.no_path",
            "No folder is named for the global memory.",
            hint="engram inject --global-only --global-path DIR",
        )
    lines = [_line(each) for each in made]
    lines.append('Next: engram save "…" to remember something, engram load "…" to read it back.')
    return Result("\n".join(lines), {"stores": made})


def _create(layout: Layout) -> dict[str, object]:
    created = create_store(layout)
    return {"scope": layout.scope, "root": layout.root, "created": list(created)}


def _line(told: dict[str, object]) -> str:
    if told["created"]:
        return f"{told['scope']}: memory set up in {told['root']}"
    return f"{told['scope']}: already set up in {told['root']}"
