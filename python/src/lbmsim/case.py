# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Cases: TOML files that are read, changed and written. Their meaning is up to lbmsim."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from datetime import date, time
from pathlib import Path
from typing import Any, Union

# tomlkit preserves comments, blank lines and the order of unchanged keys.
import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError
from tomlkit.items import AbstractTable, Item

from .errors import CaseError, Problem, ValueTypeError, shown

AnyCase = Union["Case", str, "os.PathLike[str]"]


class Case(MutableMapping[str, Any]):
    """A case: the tables and keys of a TOML file, with its comments.

    Keys are named as in the case file, with dots between tables and key:

        case = Case("cavity.toml")
        case["fluid.viscosity"] = "1e-6 m2/s"
        case["output.probe.centre"] = {"at": ["5 cm", "5 cm"]}
        case["fluid"]["density"]                  # nested, the same
        del case["output.picture"]
        case.update({"run.steps": 1000, "collision.model": "trt"})

    Values are TOML values: quantities with units are texts, as in the file. numpy's
    numbers and arrays become numbers and lists. No value is checked here: `lbmsim.check` and `lbmsim.run` do
    that.

    Args:
        path: the file. Files that it names are looked for from its folder.

    Attributes:
        path: the file that it was read from or written to, None for a case from a text.
        name: the name of the case, of which its output folder is made: `out/NAME`.

    Raises:
        FileNotFoundError: there is no such file.
        CaseError: it is not valid TOML.
    """

    path: Path | None
    name: str

    def __init__(self, path: str | os.PathLike[str]) -> None:
        file = Path(path)
        self._read(file.read_text(encoding="utf-8"), file.stem, file.absolute(), str(path))
        self._saved: str | None = self.text

    @classmethod
    def from_text(cls, text: str, name: str = "case") -> Case:
        """Creates a case from the text of a case file. Files that it names are relative to the current folder."""
        case = cls.__new__(cls)
        case._read(text, name, None, f"{name}.toml")
        case._saved = None
        return case

    def _read(self, text: str, name: str, path: Path | None, shown_as: str) -> None:
        try:
            self._document = tomlkit.parse(text)
        except ParseError as e:
            problem = Problem(shown_as, e.line, e.col, f"{e}\n    the file is not valid TOML: https://toml.io")
            raise CaseError(f"{shown_as}:{e.line}:{e.col}: error: {problem.text}", [problem]) from None
        except TOMLKitError as e:  # such as a duplicate key: without a position
            problem = Problem(shown_as, None, None, f"{e}\n    the file is not valid TOML: https://toml.io")
            raise CaseError(f"{shown_as}: error: {problem.text}", [problem]) from None
        self.path, self.name = path, name

    @property
    def text(self) -> str:
        """The text of the case file."""
        text = tomlkit.dumps(self._document)
        # Tables written in several places have triggered bugs in tomlkit.
        if tomlkit.parse(text).unwrap() != self._document.unwrap():
            raise RuntimeError("tomlkit writes another case than it holds; please report it with the case file")
        return text

    @property
    def title(self) -> str:
        """The title of the case; "" without one."""
        return str(self._document.get("title", ""))

    def to_dict(self) -> dict[str, Any]:
        """Returns the case as plain dicts, lists, strings and numbers."""
        return dict(self._document.unwrap())

    def copy(self) -> Case:
        """Returns an independent copy of the case."""
        case = Case.from_text(self.text, self.name)
        case.path, case._saved = self.path, self._saved
        return case

    def save(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Writes the case file, by default to the file that it was read from.

        Files that it names are relative to the folder of the new file.

        Args:
            path: the file. An existing file is overwritten.

        Returns:
            the file.
        """
        if path is None and self.path is None:
            raise ValueError("the case has no file yet: give save a path")
        file = Path(path).absolute() if path is not None else self.path
        assert file is not None
        text = self.text
        file.write_text(text, encoding="utf-8")
        self.path, self.name, self._saved = file, file.stem, text
        return file

    # As a mapping.

    def __getitem__(self, key: str) -> Any:
        """The value of a key, `case["fluid.viscosity"]`, or a table, `case["fluid"]`.

        Defaults are applied by lbmsim: a key missing from the file does not exist here. The case
        of a result, `result.case`, has all keys.

        Raises:
            KeyError: the case has no such key.
        """
        at: Any = self._document
        for word in key.split("."):
            if not isinstance(at, Mapping) or word not in at:
                raise KeyError(key)
            at = at[word]
        return at

    def __setitem__(self, key: str, value: Any) -> None:
        """Changes a key, or adds it with its tables: `case["output.probe.top.every"] = 10`.

        A dict is a table, which replaces an existing one. `lbmsim.check(case)`
        reports whether the key and its value are valid.

        Raises:
            KeyError: a part of the key before its last dot is a value, not a table.
            lbmsim.ValueTypeError: TOML has no such type of value.
        """
        value = plain(value, key)
        *tables, last = key.split(".")
        at: Any = self._document
        for depth, word in enumerate(tables):
            if word not in at:
                # A table that contains only tables needs no header line.
                holds_tables = depth + 1 < len(tables) or isinstance(value, Mapping)
                at[word] = tomlkit.table(is_super_table=holds_tables)
            at = at[word]
            if not isinstance(at, MutableMapping):
                raise KeyError(f"{key}: {'.'.join(tables[: depth + 1])} is a value, not a table")
        at[last] = value

    def __delitem__(self, key: str) -> None:
        """Removes a key or a table."""
        *tables, last = key.split(".")
        at = self.get(".".join(tables)) if tables else self._document
        if not isinstance(at, MutableMapping) or last not in at:
            raise KeyError(key)
        del at[last]

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        title = f": {self.title}" if self.title else ""
        return f"<lbmsim.Case {shown(self.path) if self.path else self.name}{title}>"

    def _with(self, text: str) -> Case:
        """Returns the case with a different text; relative files are found as before."""
        case = self.copy()
        case._read(text, self.name, self.path, shown(self.path) if self.path else f"{self.name}.toml")
        return case

    @contextmanager
    def _file(self) -> Iterator[Path]:
        """Yields a file for lbmsim to read: the case's own, or a copy of the changed case.

        The copy is in the same folder, so that relative file names work and all ranks of a
        cluster see it.
        """
        text = self.text
        if self.path is not None and text == self._saved and self.path.exists():
            yield self.path
            return
        folder = self.path.parent if self.path is not None else Path.cwd()
        try:
            handle, name = tempfile.mkstemp(".toml", f".{self.name}-", folder)
        except OSError as e:
            why = f"a changed case is written beside its file for the run: {e.strerror}"
            raise OSError(e.errno, why, e.filename) from e
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as f:
                f.write(text)
            yield Path(name)
        except CaseError as e:
            if any(problem.line is not None for problem in e.problems):
                e.message += f"\n(lines refer to case.text{self._not_saved()})"
            raise
        finally:
            Path(name).unlink()

    def _not_saved(self) -> str:
        if self.path is None:
            return ", for the case has no file"
        if not self.path.exists():
            return f", for {shown(self.path)} is gone"
        return f", which is not saved: {shown(self.path)} on disk is another"

    def _output(self) -> str:
        """Returns the output folder of the case, relative to the current folder."""
        output = self._document.get("output")
        if isinstance(output, Mapping) and isinstance(output.get("dir"), str):
            return str(output["dir"])
        return f"out/{self.name}"

    def _as(self, file: Path) -> list[str]:
        """Returns the arguments that name the case in messages, whatever file lbmsim reads."""
        name = shown(self.path) if self.path else f"{self.name}.toml"
        return [] if name == str(file) else ["--as", name]


def as_case(case: AnyCase) -> Case:
    """Returns the case itself, or the case read from a path."""
    return case if isinstance(case, Case) else Case(case)


def plain(value: Any, key: str) -> Any:
    """Converts a value to a TOML type; numpy numbers and arrays become plain ones.

    Raises:
        ValueTypeError: TOML cannot represent the value.
    """
    if isinstance(value, (str, bool, int, float, date, time, AbstractTable)):
        return value
    if isinstance(value, Mapping):
        return {str(k): plain(v, f"{key}.{k}") for k, v in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist(), key)
    if isinstance(value, (list, tuple)):
        return [plain(v, key) for v in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Item):
        return value
    hint = "; del removes a key" if value is None else ""
    raise ValueTypeError(
        f"{key} cannot be {value!r}, of type {type(value).__name__}: "
        f"a case file holds texts, numbers, true and false, lists and tables{hint}"
    )


def set_words(changes: Mapping[str, Any] | None) -> list[str]:
    """Returns the command-line arguments that change keys: --set KEY=VALUE."""
    words: list[str] = []

    def add(key: str, value: Any) -> None:
        if isinstance(value, Mapping):
            for k, v in value.items():
                add(f"{key}.{k}", v)
        else:
            words.extend(("--set", f"{key}={tomlkit.item(value).as_string()}"))

    for key, value in (changes or {}).items():
        add(key, plain(value, key))
    return words


def _examples() -> Path:
    """Returns the folder of the examples: in the wheel, or in this file's source tree."""
    packed = Path(__file__).parent / "_examples"
    return packed if packed.is_dir() else Path(__file__).parents[3] / "cases" / "examples"


def examples() -> dict[str, str]:
    """Lists the included examples.

    Returns:
        the title of each, by name.
    """
    return {file.stem: Case(file).title for file in sorted(_examples().glob("*.toml"))}


def example(name: str) -> Case:
    """Returns one of the examples as a new case without a file.

    Args:
        name: such as "cavity"; `lbmsim.examples()` lists them.

    Raises:
        KeyError: there is no such example.
    """
    file = _examples() / f"{name}.toml"
    if not file.is_file():
        raise KeyError(f"there is no example {name!r}; there are {', '.join(examples())}")
    return Case.from_text(file.read_text(encoding="utf-8"), name)
