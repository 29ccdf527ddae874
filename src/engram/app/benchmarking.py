"""Measuring retrieval on a team's own cases, with the product's own load; fit for CI."""

from __future__ import annotations

import json

from engram.app.inputs import Benchmark, Load
from engram.app.reading import load, ranked_for
from engram.app.results import Result
from engram.app.stores import OpenStores
from engram.core.measures import Measures, Outcome, measure
from engram.errors import Damaged, InvalidRequest
from engram.record import Record, replace
from engram.system.files import read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from engram.app.engram import Engram

VERSION = 1
LARGEST = 16 << 20  # bytes
FINDINGS = 1  # exit status
SHARES = ("recall", "mrr", "nothing")  # higher is better
COUNTS = ("forbidden", "tokens")  # lower is better
SLACK = 0.005  # a measure may be worse than its baseline by this much


class Case(Record):
    """One query, and what it should bring."""

    query: str
    expected: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    limit: int = 0  # memories at most; 0: as the settings say
    budget: int = 0  # tokens at most; 0: as the settings say
    category: str = ""


def benchmark(engram: Engram, asked: Benchmark) -> Result:
    """Run every case through `load`; exit status 1 when a limit or the baseline is not kept.

    Counts as no use of the memories. Raises InvalidRequest for a limit that names no measure,
    Damaged for a file that holds no cases.
    """
    limits = _limits(asked.fail_on)
    cases = read_cases(_read(engram, asked.file))
    outcomes = [_outcome(engram, case) for case in cases]
    whole = measure(outcomes)
    categories = {
        name: measure(each for each in outcomes if each.category == name)
        for name in sorted({case.category for case in cases if case.category})
    }
    failed = [told for name, limit in limits.items() if (told := _beyond(whole, name, limit))]
    if asked.baseline:
        failed += _worse(whole, _read(engram, asked.baseline))
    lines = [_table({"all": whole, **categories}), *(f"not kept: {each}" for each in failed)]
    data = {
        "version": VERSION,
        "measures": vars(whole),
        "categories": {name: vars(each) for name, each in categories.items()},
        "misses": [_missed(case, got) for case, got in zip(cases, outcomes, strict=True)],
        "failed": failed,
    }
    data["misses"] = [each for each in data["misses"] if each]  # type: ignore[attr-defined]
    return Result("\n".join(lines), data, exit_status=FINDINGS if failed else 0)


def read_cases(content: Any) -> list[Case]:
    """The cases of a file: `{"version": 1, "cases": [{"query": …, "expected": [ids]}, …]}`.

    Raises Damaged naming the case that is wrong.
    """
    found = content.get("cases") if isinstance(content, dict) else None
    if not isinstance(found, list) or content.get("version") != VERSION:
        raise Damaged(
            "benchmark.file",
            "The file holds no retrieval cases of version 1.",
            hint='It should be: {"version": 1, "cases": [{"query": "…", "expected": ["id"]}]}',
        )
    return [_case(number, each) for number, each in enumerate(found, 1)]


def _case(number: int, told: Any) -> Case:
    known = {"query", "expected", "forbidden", "limit", "budget", "category"}
    if not isinstance(told, dict) or not isinstance(told.get("query"), str) or told.keys() - known:
        raise Damaged(
            "benchmark.case",
            f"Case {number} is not one: it needs a query, and knows no other names than "
            f"{', '.join(sorted(known))}.",
            hint="Mend the case and run it again.",
        )
    lists = {name: told.get(name, []) for name in ("expected", "forbidden")}
    numbers = {name: told.get(name, 0) for name in ("limit", "budget")}
    if not all(isinstance(each, list) for each in lists.values()) or not all(
        isinstance(each, int) and each >= 0 for each in numbers.values()
    ):
        raise Damaged("benchmark.case", f"Case {number} holds a value of the wrong kind.")
    return Case(
        told["query"],
        tuple(map(str, lists["expected"])),
        tuple(map(str, lists["forbidden"])),
        numbers["limit"],
        numbers["budget"],
        str(told.get("category", "")),
    )


def _outcome(engram: Engram, case: Case) -> Outcome:
    limit = case.limit or engram.settings.integer("load.limit")
    values = {**engram.settings.values, "load.limit": limit}
    measured = replace(engram, settings=replace(engram.settings, values=values), counts_use=False)
    with OpenStores(measured) as stores:
        ranked = ranked_for(stores, case.query) if engram.stores else []
    given = load(measured, Load(case.query, budget_tokens=case.budget or None))
    ids = tuple(_as_named(each.id, each.key, case) for each in ranked)
    return Outcome(ids, case.expected, case.forbidden, _number(given.data["tokens"]), case.category)


def _as_named(id: str, key: str, case: Case) -> str:
    """An entry by its key where the case names it so, else by its id."""
    return key if key in (*case.expected, *case.forbidden) else id


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _missed(case: Case, got: Outcome) -> dict[str, object]:
    """What a case should have brought and did not, or brought and should not have."""
    missing = [id for id in case.expected if id not in got.ranked]
    wrong = [id for id in got.ranked if id in case.forbidden or not case.expected]
    if not missing and not wrong:
        return {}
    return {"query": case.query, "missing": missing, "wrong": wrong}


def _limits(text: str) -> dict[str, float]:
    """`recall=0.9,forbidden=0` as limits by measure."""
    limits: dict[str, float] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, _, value = part.partition("=")
        try:
            limits[name.strip()] = float(value)
        except ValueError:
            limits[name.strip()] = -1.0
        if name.strip() not in (*SHARES, *COUNTS) or limits[name.strip()] < 0:
            raise InvalidRequest(
                "benchmark.limit",
                f"“{part}” is no limit.",
                hint=f"For example: --fail-on recall=0.9,forbidden=0 (of {', '.join(SHARES)}: at "
                f"least; of {', '.join(COUNTS)}: at most).",
            )
    return limits


def _beyond(measures: Measures, name: str, limit: float) -> str:
    value = float(getattr(measures, name))
    bad = value < limit if name in SHARES else value > limit
    return f"{name} is {value:.3g}, the limit is {limit:g}" if bad else ""


def _worse(now: Measures, baseline: Any) -> list[str]:
    """What is worse than in an earlier result (`--json`) of the same command."""
    data = baseline.get("data", {}) if isinstance(baseline, dict) else {}
    before: Mapping[str, Any] = data.get("measures", {}) if isinstance(data, dict) else {}
    if not before:
        raise Damaged(
            "benchmark.baseline",
            "The baseline is no result of this command.",
            hint="Make one with: engram benchmark FILE --json > baseline.json",
        )
    told: list[str] = []
    for name in (*SHARES, "forbidden"):
        was, value = float(before.get(name, 0)), float(getattr(now, name))
        fell = was - value if name in SHARES else value - was
        if fell > SLACK:
            told.append(f"{name} is {value:.3g}, it was {was:.3g}")
    return told


def _table(rows: Mapping[str, Measures]) -> str:
    heads = ("", "cases", "recall", "mrr", "nothing", "forbidden", "tokens")
    cells: Sequence[Sequence[str]] = [
        heads,
        *(
            (
                name,
                str(each.cases),
                f"{each.recall:.3f}",
                f"{each.mrr:.3f}",
                f"{each.nothing:.3f}",
                str(each.forbidden),
                f"{each.tokens:.0f}",
            )
            for name, each in rows.items()
        ),
    ]
    widths = [max(len(row[at]) for row in cells) for at in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )


def _read(engram: Engram, path: str) -> Any:
    place = engram.environment.absolute(path)
    try:
        return json.loads(read_bounded(place, LARGEST, follow=True))
    except (ValueError, RecursionError) as error:
        raise Damaged(
            "benchmark.json", f"{path} is no JSON: {error}.", hint="Mend the file."
        ) from error
