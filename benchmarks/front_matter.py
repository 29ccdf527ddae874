"""What reading one memory file's front matter costs, by our line reader and by PyYAML.

python -m benchmarks.front_matter FILE
"""

from __future__ import annotations

import subprocess
import sys
import timeit
from collections.abc import Callable
from pathlib import Path

import yaml

from benchmarks.machine import described
from engram.core.yaml_lines import read_entries


def main() -> int:
    """Print the microseconds of one file, and what importing PyYAML costs a process."""
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").split("---")[1].strip().splitlines()
    text = "\n".join(lines)
    print(described())
    print(f"line reader     {_microseconds(lambda: read_entries(lines)):8.0f} µs")
    print(f"PyYAML          {_microseconds(lambda: yaml.load(text, yaml.SafeLoader)):8.0f} µs")
    if hasattr(yaml, "CSafeLoader"):
        print(f"PyYAML with C   {_microseconds(lambda: yaml.load(text, yaml.CSafeLoader)):8.0f} µs")
    print(f"import of PyYAML {_import_milliseconds():7.1f} ms")
    return 0


def _microseconds(read: Callable[[], object]) -> float:
    return min(timeit.repeat(read, number=200, repeat=5)) / 200 * 1e6


def _import_milliseconds() -> float:
    command = [sys.executable, "-X", "importtime", "-c", "import yaml"]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(5)]
    lines = [run.stderr.rstrip().splitlines()[-1] for run in runs]
    return min(int(line.split("|")[1]) for line in lines) / 1000


if __name__ == "__main__":
    sys.exit(main())
