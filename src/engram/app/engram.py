"""The composition root: environment, settings and stores, put together once for a run."""

from __future__ import annotations

from engram.app.settings import Settings, read_settings
from engram.errors import NotFound
from engram.record import Record
from engram.store.layout import Layout, find_workspace
from engram.system.environment import Environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from engram.app.asking import Person

    Progress = Callable[[int, int], None]


class Engram(Record):
    """What every operation works with."""

    environment: Environment
    settings: Settings
    workspace: Layout | None  # the project's store, where there is one
    global_store: Layout | None  # the person's store, where one is set up
    project: str = ""  # the folder that holds, or would hold, the workspace store
    progress: Progress | None = None  # called with (done, total) in long work; None: nobody watches
    person: Person | None = None  # who can say yes on this surface; None: nobody can be asked
    surface: str = "cli"
    counts_use: bool = True  # whether what is given out counts as used
    ask: Callable[[str], str] | None = None  # a short question to the person at the terminal

    @property
    def stores(self) -> tuple[Layout, ...]:
        """The stores that exist, the workspace first."""
        return tuple(each for each in (self.workspace, self.global_store) if each is not None)

    def store(self, scope: str) -> Layout:
        """The store of one scope; raises NotFound saying how to set it up."""
        found = self.workspace if scope == "workspace" else self.global_store
        if found is None:
            raise NotFound(
                "store.none",
                f"There is no {scope} memory here.",
                hint="Set it up with: engram inject"
                + ("" if scope == "workspace" else " --global-only --global-path DIR"),
            )
        return found


def compose(
    environment: Environment, *, workspace: str = "", progress: Progress | None = None
) -> Engram:
    """Put an Engram together for a run that starts in the environment's working directory.

    The project is `workspace`, else `ENGRAM_WORKSPACE`, else `CLAUDE_PROJECT_DIR`, else the
    nearest ancestor of the working directory that has a store (DESIGN: MCP). Reads the settings
    files, opens no index.
    """
    named = workspace or next(
        (environment.variables[n] for n in _PROJECT_VARIABLES if environment.variables.get(n)), ""
    )
    start = environment.absolute(named) if named else environment.working_directory
    project = find_workspace(start, environment.home) or start
    workspace_store = Layout.of_project(project)
    settings = read_settings(environment, workspace_store.config)
    global_root = settings.text("global_path")
    global_store = Layout(environment.absolute(global_root), "global") if global_root else None
    return Engram(
        environment,
        settings,
        workspace_store if workspace_store.exists() else None,
        global_store if global_store is not None and global_store.exists() else None,
        project,
        progress,
    )


_PROJECT_VARIABLES = ("ENGRAM_WORKSPACE", "CLAUDE_PROJECT_DIR")
