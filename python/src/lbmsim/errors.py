# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Errors and warnings of lbmsim as Python exceptions."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .result import Result

# The exit codes of lbmsim, as listed in docs/run.md.
MEANINGS = {
    1: "the machine, a file or lbmsim failed",
    2: "the case or an argument is invalid",
    3: "the run became unstable",
    4: "an [expect] value was missed",
    5: "a difference was found",
    130: "interrupted by Ctrl-C before the first step, or by a second one: the last checkpoint remains",
    137: "killed: the last checkpoint remains",
    143: "terminated by SIGTERM before the first step, or by a second one: the last checkpoint remains",
}


class Error(Exception):
    """Base class of the errors of this package that are not built-in exceptions."""


class RunError(Error):
    """lbmsim ended with a nonzero exit code.

    Its text is lbmsim's message, and the meaning of the exit code.

    Attributes:
        message: the message of lbmsim.
        code: its exit code (128 plus the signal's number, if a signal ended it).
        meaning: the meaning of the exit code, in a few words.
        result: the result of the run, None if it has no output folder.
    """

    def __init__(self, message: str, code: int, result: Result | None = None) -> None:
        self.message = message
        self.code = code
        self.meaning = MEANINGS.get(code, "not an exit code of lbmsim: from the launcher or the system")
        self.result = result
        super().__init__(f"{message}\n(exit code {code}: {self.meaning})")


class Problem(NamedTuple):
    """One error of a case."""

    file: str
    """The case file, or `set={"KEY": VALUE}` for a key that was set for the run."""
    line: int | None
    """Line in the file, from 1. None if the error concerns the whole file."""
    column: int | None
    """Column in the line, from 1."""
    text: str
    """The error, the line, and the remedy."""


class ValueTypeError(Error, TypeError):
    """A value that TOML cannot represent, such as a complex number."""


class CaseError(RunError):
    """The case is invalid; lists all errors.

    Attributes:
        problems: every problem with its position.
        file: the file of the first problem.
        line: the line of the first problem, from 1; None if it has none.
    """

    def __init__(self, message: str, problems: list[Problem]) -> None:
        self.problems = problems
        self.file = problems[0].file
        self.line = problems[0].line
        super().__init__(message, 2)

    def __str__(self) -> str:
        return self.message


class RunWarning(UserWarning):
    """A warning of lbmsim about a case or a run."""


class MissingExtraError(Error, ImportError):
    """A library is missing; install the matching extra of this package."""


_place = re.compile(r"^(?:(?P<set>set=\{.*?\})|(?P<file>.+?):(?P<line>\d+):(?P<column>\d+)): error: ")


def problems(message: str) -> list[Problem]:
    """Returns the problems listed in a message of lbmsim, with their positions."""
    found: list[Problem] = []
    for line in message.splitlines():
        if m := _place.match(line):
            file, number, column = m["set"] or m["file"], m["line"], m["column"]
            found.append(
                Problem(file, int(number) if number else None, int(column) if column else None, line[m.end() :])
            )
        elif found:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{line}")
    return found


# The flags of lbmsim that are arguments here, and their possible values; a name in
# capitals is a placeholder.
_value = r'"(?:[^"\\]|\\.)*"|[A-Z]+\b|latest\b|auto\b|cpu\b|cuda\b|-?\d[\d.]*(?![\w./])|[^\s"]*[./][^\s"]*[^\s".,:;)]'
_flag = re.compile(
    rf"--(?P<overwrite>overwrite)\b|--(?P<name>restart|output|device|threads|ranks|levels|first|ratio|order)\b"
    rf"(?: (?P<value>{_value}))?"
)
_set = re.compile(r"""--set (?P<key>[\w.]+)=(?P<value>"[^"]*"|'[^']*'|\[[^\[\]]*\]|[^\s\[{"',;:()]+)""")
_set_at = re.compile(r"^--set (?P<key>[^=\s]+)=(?P<value>.*?)(?=: error: )", re.MULTILINE)
_command = re.compile(rf"lbmsim run (?P<case>{_value})(?P<flags>(?: --(?:overwrite|(?:restart|output) (?:{_value})))*)")
_listed = re.compile(r"(?:^  --[a-z]+\b.*\n?)+", re.MULTILINE)
_listed_line = re.compile(r"^  (--[a-z]+(?: \S+)?) {2,}(\S.*)$")


def in_python(text: str) -> str:
    """Returns a message of lbmsim with its flags rewritten as Python arguments.

    `--restart latest` becomes `restart="latest"`, and `--set KEY=VALUE` becomes `set={"KEY": VALUE}`.
    """

    def quoted(value: str) -> str:
        is_itself = value.startswith('"') or value.isupper() or re.fullmatch(r"-?[\d.]+", value)
        return value if is_itself else f'"{value}"'

    def flag(m: re.Match[str]) -> str:
        return (
            "overwrite=True" if m["overwrite"] else f"{m['name']}={quoted(m['value'] or '...')}".replace('"..."', "...")
        )

    def changed(m: re.Match[str]) -> str:
        return f'set={{"{m["key"]}": {m["value"]}}}'

    def command(m: re.Match[str]) -> str:
        words = [quoted(m["case"]), *(flag(f) for f in _flag.finditer(m["flags"]))]
        return f"lbmsim.run({', '.join(words)})"

    def listed(m: re.Match[str]) -> str:
        # The effect of the flags is in a separate column.
        rows = [(_listed_line.match(line), line) for line in m.group().splitlines()]
        words = [_flag.sub(flag, row[1]) if row else "" for row, _ in rows]
        width = max(map(len, words))
        lines = [f"  {word:{width}}  {row[2]}" if row else line for word, (row, line) in zip(words, rows)]
        return "\n".join(lines) + "\n" * m.group().endswith("\n")

    text = _set_at.sub(changed, text)
    text = _set.sub(changed, text).replace("--set |", "set   |")
    text = _command.sub(command, text)
    return _flag.sub(flag, _listed.sub(listed, text))


def failure(message: str, code: int, result: Result | None = None) -> RunError:
    """Returns the error for an exit code: a CaseError if the message has positions in a case."""
    message = in_python(message)
    if code == 2 and (listed := problems(message)):
        return CaseError(message, listed)
    return RunError(message, code, result)


def need(module: str, extra: str) -> Any:
    """Imports an optional library on first use."""
    try:
        return importlib.import_module(module)
    except ImportError as e:
        raise MissingExtraError(f'{module} is missing: pip install "lbmsim[{extra}]" ({e})') from e


def shown(path: Path) -> str:
    """Returns a path for display, relative to the current folder if it is inside."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
