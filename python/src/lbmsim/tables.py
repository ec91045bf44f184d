# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Tables: the CSV files of probes, lines, forces and series."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import need

if TYPE_CHECKING:
    import pandas as pd

_column = re.compile(r"^(.*\S) \(([^()]*(?:\([^()]*\))?[^()]*)\)$")


def read_table(path: Path) -> pd.DataFrame:
    """Reads a table. Units move from the column names to attrs["units"].

    A run in progress may be writing its last row: an incomplete row is ignored.
    """
    pandas = need("pandas", "pandas")
    text = path.read_bytes()
    text = text[: text.rfind(b"\n") + 1]
    try:
        frame: pd.DataFrame = pandas.read_csv(io.BytesIO(text), comment="#")
    except pandas.errors.EmptyDataError:
        frame = pandas.DataFrame()
    names, units = [], {}
    for column in frame.columns:
        m = _column.match(column)
        name, unit = (m[1], m[2]) if m else (column, "")
        names.append(name)
        units[name] = unit
    frame.columns = pandas.Index(names)
    frame.attrs = {"units": units, "source": str(path)}
    return frame


def case_text(path: Path) -> str | None:
    """Returns the resolved case in the header of a table, None without one."""
    lines: list[str] | None = None
    with path.open(encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                break
            if lines is not None:
                lines.append(line[2:] if line.startswith("# ") else line[1:])
            elif line.rstrip() == "# case:":
                lines = []
    return "".join(lines) if lines else None


class Tables(Mapping[str, "pd.DataFrame"]):
    """The tables of a run by file name.

    They are `probe_NAME`, `force_NAME`, `line_NAME`, `profile_NAME`, `spectrum_NAME` and `series_NAME`.
    A table is read on each access.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getitem__(self, name: str) -> pd.DataFrame:
        file = self._folder / f"{name}.csv"
        if not file.is_file():
            raise KeyError(f"there is no table {name!r}; there are: {', '.join(self) or 'none'}")
        return read_table(file)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(file.stem for file in self._folder.glob("*.csv")))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<tables: {', '.join(self) or 'none'}>"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)
