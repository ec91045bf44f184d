# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Runs the notebooks, or strips them. Called by scripts/test-notebooks.sh."""

from __future__ import annotations

import base64
import shutil
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "python" / "notebooks"
OUT = ROOT / ".build" / "notebooks"
LIMIT = 600  # seconds of a cell, on a machine that has other work

# What a notebook may say on stderr: that the program takes the CPU, and how far a study is.
ALLOWED = ("RunWarning: no GPU: ", "refined by ")


def strip(file: Path) -> None:
    """Takes out what a run and an editor leave, and nothing else."""
    book = nbformat.read(file, as_version=4)
    for number, cell in enumerate(book.cells, 1):
        cell.metadata = {}
        cell.id = f"{file.name[0]}-{number:02}"
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book.metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    book.nbformat_minor = 5
    nbformat.write(book, file)


def complaints(text: str) -> list[str]:
    """The lines of a text on stderr that are not allowed; a warning's second line is its source."""
    left, skip = [], False
    for line in text.splitlines():
        if any(word in line for word in ALLOWED):
            skip = True
        elif line.strip() and not (skip and line.startswith("  ")):
            skip = False
            left.append(line)
    return left


def run(file: Path) -> str | None:
    """Runs a notebook in a separate folder. Returns its errors."""
    folder = OUT / file.stem
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    book = nbformat.read(file, as_version=4)
    client = NotebookClient(
        book, timeout=LIMIT, resources={"metadata": {"path": str(folder)}}, extra_arguments=["--log-level=ERROR"]
    )
    wrong = None
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as e:
        wrong = str(e)
    nbformat.write(book, folder / file.name)
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    pictures = [output.data["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    for number, picture in enumerate(pictures, 1):
        (folder / f"picture_{number}.png").write_bytes(base64.b64decode(picture))
    said = [line for o in outputs if o.get("name") == "stderr" for line in complaints(o.text)]
    if wrong is None and said:
        wrong = "on stderr:\n  " + "\n  ".join(said)
    if wrong is None and not pictures:
        wrong = "it shows no picture"
    return wrong


def main(words: list[str]) -> int:
    files = sorted(NOTEBOOKS.glob("*.ipynb"))
    if words == ["--strip"]:
        for file in files:
            strip(file)
        return 0
    chosen = [file for file in files if not words or any(file.name.startswith(word) for word in words)]
    if not chosen:
        print(f"test-notebooks: none is called {' or '.join(words)}; there are {', '.join(f.stem for f in files)}")
        return 2
    failed = 0
    for file in chosen:
        start = time.monotonic()
        wrong = run(file)
        print(f"{'FAILED' if wrong else 'ok':6} {file.stem:20} {time.monotonic() - start:6.1f} s", flush=True)
        if wrong:
            failed += 1
            print(wrong, flush=True)
    shown = OUT.relative_to(ROOT)
    print(f"test-notebooks: {len(chosen) - failed} of {len(chosen)} ok; what they showed is in {shown}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
