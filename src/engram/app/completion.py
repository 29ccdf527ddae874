"""Completion scripts for shells, written from the table of operations."""

from __future__ import annotations

from engram.app.command_line import COMMON, page, spellings
from engram.app.inputs import Completion
from engram.app.operation import Operation
from engram.app.operations import shown_on
from engram.app.results import Result
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.app.engram import Engram


ZSH_APOSTROPHE, FISH_APOSTROPHE = "'\\''", "\\'"


class Command(Record):
    """What can follow the name of one command."""

    name: str
    summary: str
    options: tuple[str, ...]
    choices: dict[str, tuple[str, ...]]  # by option, its values
    words: tuple[str, ...]  # values of the first bare word


def completion(engram: Engram, asked: Completion) -> Result:  # noqa: ARG001 - an operation's shape
    """The script for one shell, to be read by it at its start."""
    commands = [
        _command(each, name) for each in shown_on("cli") for name in (each.name, *each.aliases)
    ]
    names = tuple(sorted(each.name for each in commands))
    commands.append(Command("help", "Show the commands, or the help of one.", (), {}, names))
    script = WRITERS[asked.shell](commands)
    return Result(script, {"shell": asked.shell})


def _command(operation: Operation, name: str) -> Command:
    shown = page(operation)
    known = spellings((*shown.options, *COMMON))
    return Command(
        name,
        operation.summary.rstrip("."),
        tuple(known),
        {option: each.choices for option, each in known.items() if each.choices},
        shown.positional[0].choices if shown.positional else (),
    )


def _bash(commands: list[Command]) -> str:
    cases = []
    for each in commands:
        choices = "".join(
            f"        {option}) words='{' '.join(values)}' ;;\n"
            for option, values in each.choices.items()
        )
        cases.append(
            f"    {each.name})\n      case $previous in\n{choices}"
            f"        *) words='{' '.join((*each.words, *each.options))}' ;;\n      esac ;;"
        )
    names = " ".join(each.name for each in commands)
    return f"""# bash completion of engram; in ~/.bashrc: eval "$(engram completion bash)"
_engram() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{names} --version' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{chr(10).join(cases)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _engram engram"""


def _zsh(commands: list[Command]) -> str:
    names = "\n".join(
        f"    {_quoted(f'{each.name}:{each.summary}', ZSH_APOSTROPHE)}" for each in commands
    )
    cases = []
    for each in commands:
        choices = "".join(
            f"        {option}) compadd -- {' '.join(values)}; return ;;\n"
            for option, values in each.choices.items()
        )
        cases.append(
            f"    {each.name})\n      case $words[CURRENT-1] in\n{choices}      esac\n"
            f"      compadd -- {' '.join((*each.words, *each.options))} ;;"
        )
    return f"""#compdef engram
# zsh completion of engram; in ~/.zshrc: eval "$(engram completion zsh)"
_engram() {{
  local -a commands=(
{names}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
{chr(10).join(cases)}
  esac
}}
compdef _engram engram"""


def _fish(commands: list[Command]) -> str:
    lines = [
        "# fish completion of engram; in ~/.config/fish/config.fish: engram completion fish | source",
        "complete -c engram -f",
    ]
    for each in commands:
        at = f"-n '__fish_seen_subcommand_from {each.name}'"
        lines.append(
            f"complete -c engram -n __fish_use_subcommand -a {each.name} -d {_quoted(each.summary, FISH_APOSTROPHE)}"
        )
        if each.words:
            lines.append(f"complete -c engram {at} -a '{' '.join(each.words)}'")
        for option in each.options:
            short = not option.startswith("--")
            values = each.choices.get(option, ())
            chosen = f" -x -a '{' '.join(values)}'" if values else ""
            lines.append(
                f"complete -c engram {at} {'-s' if short else '-l'} {option.lstrip('-')}{chosen}"
            )
    return "\n".join(lines)


def _powershell(commands: list[Command]) -> str:
    rows = "\n".join(
        f"    '{each.name}' = @({_listed((*each.words, *each.options))})" for each in commands
    )
    choices = "\n".join(
        f"    '{each.name} {option}' = @({_listed(values)})"
        for each in commands
        for option, values in each.choices.items()
    )
    return f"""# PowerShell completion of engram; in $PROFILE: engram completion powershell | Out-String | iex
Register-ArgumentCompleter -Native -CommandName engram -ScriptBlock {{
  param($word, $line, $position)
  $commands = [ordered]@{{
{rows}
  }}
  $choices = @{{
{choices}
  }}
  $given = @($line.CommandElements | ForEach-Object {{ $_.ToString() }})
  $before = if ($word) {{ $given.Count - 2 }} else {{ $given.Count - 1 }}
  $found = if ($before -lt 1) {{ $commands.Keys }}
    elseif ($choices["$($given[1]) $($given[$before])"]) {{
      $choices["$($given[1]) $($given[$before])"]
    }}
    else {{ $commands[$given[1]] }}
  $found | Where-Object {{ $_ -like "$word*" }} | ForEach-Object {{
    [System.Management.Automation.CompletionResult]::new($_)
  }}
}}"""


def _quoted(text: str, apostrophe: str) -> str:
    """A text in single quotes, where the shell writes one inside as `apostrophe`."""
    return "'" + text.replace("'", apostrophe) + "'"


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f"'{word}'" for word in words)


WRITERS = {"bash": _bash, "zsh": _zsh, "fish": _fish, "powershell": _powershell}
