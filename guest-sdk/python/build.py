#!/usr/bin/env python3
"""From a step in Python to a component: ``python build.py [--out FILE]`` in the step's folder.

The folder has the step in ``step.py``, under the name ``step``, and this program runs by a Python that has componentize-py. componentize-py
imports what stands outside of the step once, and the component begins where that ended.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import NoReturn

SDK = Path(__file__).resolve().parent

#: What componentize-py is given as the component's module. The prelude comes before the step.
ENTRY = """\
from onceward_guest.component import component
from step import step
Guest = component(step)
"""


def failed(words: str) -> NoReturn:
    print(f"error: building the step in {Path.cwd()}: {words}", file=sys.stderr)
    sys.exit(1)


def tool() -> str:
    """componentize-py beside this Python, or on the path."""
    beside = Path(sysconfig.get_path("scripts")) / "componentize-py"
    found = str(beside) if beside.is_file() else shutil.which("componentize-py")
    if found is None:
        failed("componentize-py is not installed; run `python -m pip install componentize-py==0.25.1`")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the step in this folder as a component.")
    parser.add_argument("--out", type=Path, default=Path(f"{Path.cwd().name}.wasm"))
    out: Path = parser.parse_args().out
    if not Path("step.py").is_file():
        failed("there is no step.py, which has the step under the name `step`")
    # Beside the SDK where `onceward new` wrote it, and one folder higher in the project's own repository.
    places = [SDK / "../wit/since_v0.1.0", SDK / "../../wit/since_v0.1.0"]
    wit = next((place for place in places if place.is_dir()), None)
    if wit is None:
        failed(f"the host's interfaces are not beside the SDK in {SDK}; make the step anew with `onceward new`")
    part = out.with_name(f"{out.name}.part")
    packages = sysconfig.get_path("purelib")
    with tempfile.TemporaryDirectory() as entry:
        Path(entry, "onceward_entry.py").write_text(ENTRY)
        command = [tool(), "--wit-path", str(wit), "--world", "step", "componentize", "onceward_entry", "--stub-wasi"]
        for path in (entry, ".", str(SDK), packages):
            command += ["--python-path", path]
        ended = subprocess.run([*command, "--output", str(part)], stdout=sys.stderr, check=False)
    if ended.returncode != 0:
        part.unlink(missing_ok=True)
        failed("componentize-py could not make a component of it; its own words are above")
    # Whole or not there: a host may be loading it.
    os.replace(part, out)
    print(f"{out}: {-(-out.stat().st_size // 1024)} KiB", file=sys.stderr)


if __name__ == "__main__":
    main()
