# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Properties of the notebooks, without running them; scripts/test-notebooks.sh runs them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.fixture(params=NOTEBOOKS, ids=lambda file: file.stem)
def notebook(request: pytest.FixtureRequest) -> tuple[Path, dict[str, Any]]:
    file: Path = request.param
    return file, json.loads(file.read_text(encoding="utf-8"))


def test_there_are_five() -> None:
    assert [file.name[0] for file in NOTEBOOKS] == ["1", "2", "3", "4", "5"]


def test_stripped(notebook: tuple[Path, dict[str, Any]]) -> None:
    """No outputs and no traces of an editor or a machine: `scripts/test-notebooks.sh --strip`."""
    file, book = notebook
    assert book["metadata"] == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(book["cells"], 1):
        assert cell["id"] == f"{file.name[0]}-{number:02}"
        assert cell["metadata"] == {}
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
    assert file.stat().st_size < 30_000


def test_each_asserts_its_numbers(notebook: tuple[Path, dict[str, Any]]) -> None:
    _, book = notebook
    code = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    assert sum(len(re.findall(r"^\s*assert ", text, re.M)) for text in code) >= 3


def test_links_lead_to_files(notebook: tuple[Path, dict[str, Any]]) -> None:
    file, book = notebook
    text = "\n".join("".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "markdown")
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (file.parent / link).exists(), link
