"""Real prompts against real rules at size: 736 memories on disk, every prompt asked over MCP.

The set is not part of the project: name its file in AGENT_PROMPTS.
"""

from __future__ import annotations

import os
from pathlib import Path
from statistics import mean, median

import pytest

from benchmarks import agent_prompts

SET = os.environ.get("AGENT_PROMPTS", "")
FEWEST_FOUND = 0.5  # recall@8; by how much the prompts of `benchmarks/agent-prompts.md` exceed it
FEWEST_SILENT = 0.4  # of the prompts that need nothing


@pytest.mark.skipif(not SET, reason="AGENT_PROMPTS names no file with prompts and rules")
def test_real_prompts_bring_the_rules_that_they_need(capsys: pytest.CaptureFixture[str]) -> None:
    english = agent_prompts.read(Path(SET))[0]
    found = agent_prompts.measured(english)
    with capsys.disabled():
        print(
            f"\n{found.memories} memories, {len(found.recall)} prompts: recall@8 "
            f"{mean(found.recall):.3f}, median {median(found.milliseconds):.1f} ms"
        )
    assert found.memories == len(english["docs"])
    assert mean(found.recall) >= FEWEST_FOUND
    assert mean(found.silent) >= FEWEST_SILENT
