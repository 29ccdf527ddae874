"""What a public detection library catches of the labelled texts, where it is installed.

python -m benchmarks.scan.compare      (needs the package detect-secrets beside Engram)
"""

from __future__ import annotations

import runpy
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

MEASURE = Path(__file__).with_name("measure.py")


def main() -> int:
    """Print how many secrets, look-alikes and innocent texts the library marks."""
    began = time.perf_counter()
    try:
        library: Any = import_module("detect_secrets")  # not a dependency
        settings: Any = import_module("detect_secrets.settings")
    except ImportError:
        print("detect-secrets is not installed.")
        return 1
    print(f"import: {(time.perf_counter() - began) * 1000:.0f} ms")
    samples: Any = runpy.run_path(str(MEASURE))["samples"]
    for name in ("secrets", "lookalikes", "imperatives"):
        texts = [sample.text for sample in samples(name)]
        began = time.perf_counter()
        marked = 0
        for text in texts:
            with tempfile.NamedTemporaryFile("w", suffix=".md", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                found = library.SecretsCollection()
                with settings.default_settings():
                    found.scan_file(file.name)
                marked += bool(found.files)
        each = (time.perf_counter() - began) / len(texts) * 1000
        print(f"{name}: {marked} of {len(texts)} marked, {each:.1f} ms a text")
    return 0


if __name__ == "__main__":
    sys.exit(main())
