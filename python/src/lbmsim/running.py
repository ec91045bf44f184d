"""The program at work: runs, checks, studies, comparisons."""

from __future__ import annotations

import builtins
import json
import os
import queue
import signal
import subprocess
import threading
import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Union

# A bar that is a line in a terminal and a widget in a notebook.
from tqdm.auto import tqdm

from .binary import Launcher, environment, launch, program
from .case import AnyCase, Case, as_case, set_words
from .errors import RunWarning, failure, need
from .result import Result

if TYPE_CHECKING:
    import pandas as pd

Changes = Union[Mapping[str, Any], None]


def run(
    case: AnyCase,
    *,
    ranks: int = 1,
    launcher: Launcher = None,
    output: str | os.PathLike[str] | None = None,
    set: Changes = None,
    restart: str | os.PathLike[str] | None = None,
    device: str | int | None = None,
    threads: int | None = None,
    overwrite: bool = False,
    progress: bool = True,
    args: Sequence[str] = (),
) -> Result:
    """Runs a case to its end.

    Ctrl-C, or the stop button of a notebook, ends the run with a checkpoint where the case has
    [checkpoint]; a second one ends it at once.

    Args:
        case: a Case, with its changes, or the path of a case file.
        ranks: number of ranks. More than one need an MPI library.
        launcher: what starts the ranks: "mpirun", "srun", or a list of it and its options. It
            gets `-n RANKS`. Default: none for one rank; else the one that the environment
            variable LBMSIM_MPIRUN names, srun in a SLURM job, or mpirun.
        output: folder for all outputs. Default: as the case says, out/NAME.
        set: keys to change for this run alone: {"run.steps": 100}.
        restart: "latest", "auto" (the latest checkpoint if there is one, else from the
            beginning), or the path of a checkpoint.
        device: "cpu", "cuda", "auto" or the number of a GPU. Default: as the case says.
        threads: threads of a rank. Default: its share of the cores.
        overwrite: begin anew in a folder with the results of another run, which are lost.
        progress: show a bar, with the speed in MLUPS (million cell updates a second).
        args: more words for the command line of `lbmsim run`.

    Returns:
        the output folder, opened; its `summary` tells how the run ended. Warnings of the
        program come as `lbmsim.RunWarning`.

    Raises:
        CaseError: the case is wrong; it was not run.
        RunError: the run failed, became unstable, or missed a value of [expect].
        KeyboardInterrupt: after Ctrl-C, when the run has ended.
    """
    case = as_case(case)
    words = _flags(("--restart", restart), ("--device", device), ("--threads", threads))
    words += ["--overwrite"] * overwrite + set_words(set) + list(args)
    with case._file() as file:
        command = [*launch(ranks, launcher), str(program()), "run", str(file), "--log", "json", *case._as(file)]
        job = _Job(case, [*command, *words, *_flags(("--output", output))], progress)
        job.wait()
    return job.result


# What has been said of the machine.
_told: builtins.set[str] = builtins.set()


class _Job:
    """A run of the program, from its start to its end."""

    def __init__(self, case: Case, command: list[str], progress: bool) -> None:
        self.case = case
        self.folder: Path | None = None  # known when the run has started
        self.summary: dict[str, Any] | None = None
        self.error = ""
        self.stopped = False  # by us
        self.step = 0
        self.direct = command[0] == str(program())
        self.bar = tqdm(disable=True)  # until there is a run to show
        self.progress = progress
        # In a session of its own: a terminal sends Ctrl-C to all processes of ours, and a
        # launcher that gets it kills its ranks before they have written a checkpoint.
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=environment(),
            start_new_session=True,
        )
        self.other: deque[str] = deque(maxlen=100)  # the last lines that are no events
        self.events: queue.Queue[dict[str, Any] | None] = queue.Queue()
        # Threads read, so that no interrupt cuts a line, and neither pipe gets full.
        self.readers = [
            threading.Thread(target=self._read_events, args=(self.process.stdout,), daemon=True),
            threading.Thread(target=self._read_other, args=(self.process.stderr,), daemon=True),
        ]
        for reader in self.readers:
            reader.start()

    def _read_events(self, stream: IO[str]) -> None:
        for line in stream:
            try:
                event = json.loads(line)
                event["event"], event["data"]
            except (ValueError, KeyError, TypeError):
                self.other.append(line.rstrip())
            else:
                self.events.put(event)
        self.events.put(None)

    def _read_other(self, stream: IO[str]) -> None:
        for line in stream:
            self.other.append(line.rstrip())

    @property
    def result(self) -> Result:
        return Result(self.folder or self.case._output(), self.summary)

    def wait(self) -> None:
        """Until the run has ended. Raises an error if it did not end well."""
        try:
            self._follow()
        except BaseException as cause:  # Ctrl-C above all; a warning that is made an error, too
            self._end()
            if isinstance(cause, KeyboardInterrupt) and self.process.returncode == 0:
                raise KeyboardInterrupt(self._how_to_go_on()) from None
            raise
        finally:
            self.bar.close()
            for stream in (self.process.stdout, self.process.stderr):
                if stream is not None:
                    stream.close()
        code = self.process.returncode
        if code != 0:
            message = self.error or "\n".join(self.other) or "the program said nothing"
            left = self.result if self.folder is not None and self.folder.is_dir() else None
            raise failure(message, code if code > 0 else 128 - code, left)

    def _follow(self) -> None:
        while (event := self.events.get()) is not None:
            self._take(event["event"], event["data"])
        self.process.wait()
        for reader in self.readers:
            reader.join(timeout=10)  # a process that a launcher left behind may hold the pipe

    def _take(self, event: str, data: Any) -> None:
        if event == "start":
            self.folder = Path(data["output"]).absolute()
            self.step = data["first_step"]
            self.bar = tqdm(
                desc=self.case.name, unit=" steps", initial=self.step, disable=not self.progress, dynamic_ncols=True
            )
        elif event == "progress":
            self.bar.total = data["last_step"]
            self.bar.update(data["step"] - self.step)
            self.bar.set_postfix_str(f"{data['mlups']:.3g} MLUPS", refresh=False)
            self.step = data["step"]
        elif event == "warning" and not self.stopped:
            self._warn(str(data))
        elif event == "finish":
            self.bar.update(data["last_step"] - self.step)
            self.summary = data
        elif event == "error":
            self.error = str(data)

    def _warn(self, text: str) -> None:
        if text.startswith("no GPU: "):
            # That is about the machine: once is enough, and a sweep has many runs.
            if text in _told:
                return
            _told.add(text)
        with tqdm.external_write_mode():
            warnings.warn(text, RunWarning, stacklevel=6)  # the level is that of the line that called run

    def _end(self) -> None:
        """Ends the run as Ctrl-C does, and waits; a second Ctrl-C ends it at once."""
        self.stopped = True
        self.bar.set_description_str(f"{self.case.name}: stopping")
        self.bar.refresh()
        try:
            if self.direct:
                self._signal(signal.SIGINT)
            elif self.folder is not None and self.folder.is_dir():
                # Launchers pass signals on in different ways, and kill ranks that take their time.
                (self.folder / "stop.now").touch()
            else:
                self._signal(signal.SIGTERM)  # not a step has been computed
            self._follow()
        except BaseException:
            self._signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=10)
            except BaseException:
                self._signal(signal.SIGKILL)
                self.process.wait()
            raise

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def _how_to_go_on(self) -> str:
        told = f"the run has ended at step {self.summary['last_step']}" if self.summary else "the run has ended"
        if any(f["kind"] == "checkpoint" for f in (self.summary or {}).get("files", [])):
            told += '; lbmsim.run(..., restart="latest") goes on'
        return told


def _flags(*pairs: tuple[str, Any]) -> list[str]:
    return [
        word
        for name, value in pairs
        if value is not None
        for word in (name, os.fspath(value) if isinstance(value, os.PathLike) else str(value))
    ]


def _call(words: list[str], good: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[str]:
    """The program's output for commands that print and end."""
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", env=environment()
    )
    if done.returncode not in good:
        code = done.returncode
        message = done.stderr.strip() or done.stdout.strip() or "the program said nothing"
        raise failure(message, code if code > 0 else 128 - code)
    return done


@dataclass(frozen=True)
class Check:
    """What `lbmsim check` says of a case that can be run."""

    text: str
    """The derived numbers, the memory of a rank, and the files and bytes of every output."""
    warnings: list[str] = field(default_factory=list)
    """What deserves a look: a Mach number above 0.1, say."""

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__


def check(case: AnyCase, *, ranks: int | None = None, set: Changes = None) -> Check:
    """Checks a case without running it. It needs neither MPI nor the memory of the run.

    Args:
        case: a Case, or the path of a case file.
        ranks: number of ranks that the run would have.
        set: keys to change first.

    Returns:
        what the program says of it.

    Raises:
        CaseError: the case is wrong; all that is wrong is told at once.
    """
    case = as_case(case)
    with case._file() as file:
        words = [str(program()), "check", str(file), *case._as(file), *_flags(("--ranks", ranks)), *set_words(set)]
        done = _call(words)
    text = (done.stdout + done.stderr).strip()
    return Check(text, list(_warnings(text)))


def _warnings(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.startswith("warning: "):
            yield line[len("warning: ") :]


@dataclass(frozen=True)
class Study:
    """A case on several grids."""

    data: dict[str, Any]
    """All of it, as `lbmsim study --json` prints it: `levels`, the grids, and `results`, the quantities."""

    @property
    def table(self) -> pd.DataFrame:
        """A row for each quantity of [expect]: its value on each grid (columns are the spacings), the
        observed order, the value extrapolated to spacing 0, the grid convergence index of the finest
        grid, relative to its value, and the study's warnings."""
        pandas = need("pandas", "pandas")
        rows = []
        for result in self.data["results"]:
            row = {level["spacing"]: value for level, value in zip(self.data["levels"], result["values"])}
            row |= {key: result[key] for key in ("order", "extrapolated", "gci")}
            rows.append({**row, "warnings": "; ".join(result["warnings"] or [])})
        names = [result["quantity"] for result in self.data["results"]]
        frame: pd.DataFrame = pandas.DataFrame(rows, index=pandas.Index(names, name="quantity"))
        return frame

    def __repr__(self) -> str:
        cells = ", ".join("x".join(map(str, level["cells"])) for level in self.data["levels"])
        return f"<lbmsim.Study of {self.data['title'] or self.data['case']}: {cells} cells>"


def study(
    case: AnyCase,
    *,
    levels: int = 3,
    first: float | None = None,
    ratio: float | None = None,
    scaling: str | None = None,
    order: float | None = None,
    ranks: int = 1,
    launcher: Launcher = None,
    set: Changes = None,
    device: str | int | None = None,
    threads: int | None = None,
) -> Study:
    """Runs a case on grids that get finer and finer: observed order, extrapolated values, uncertainty.

    Args:
        case: a Case, or the path of a case file. What its [expect] names is measured.
        levels: number of grids.
        first: factor by which the coarsest grid is finer than the case. Default 1.
        ratio: ratio of the spacings of two grids that follow each other. Default 2.
        scaling: "diffusive", the default: the time step falls with the square of the spacing, or
            "acoustic": it falls with the spacing.
        order: formal order of the method. Default 2.
        ranks, launcher, set, device, threads: as of `lbmsim.run`.

    Raises:
        CaseError: the case is wrong.
        RunError: a run failed.
    """
    case = as_case(case)
    words = _flags(
        ("--levels", levels),
        ("--first", first),
        ("--ratio", ratio),
        ("--scaling", scaling),
        ("--order", order),
        ("--device", device),
        ("--threads", threads),
    )
    with case._file() as file:
        start = [*launch(ranks, launcher), str(program()), "study", str(file), "--json"]
        done = _call([*start, *case._as(file), *words, *set_words(set)])
    return Study(json.loads(done.stdout))


@dataclass(frozen=True)
class Diff:
    """How two outputs, runs or cases differ."""

    data: dict[str, Any]
    """All of it, as `lbmsim diff --json` prints it."""

    @property
    def same(self) -> bool:
        """Whether all numbers are the same, bit for bit or within the tolerance."""
        return bool(self.data["same"])

    @property
    def table(self) -> pd.DataFrame:
        """A row for each field or column of each pair of files: the norms `l2` and `linf` of the difference,
        relative to those of b, and how many of its `numbers` differ."""
        pandas = need("pandas", "pandas")
        keys = ("unit", "numbers", "differ", "not_finite", "l2", "linf")
        rows = [
            {"file": report["a"], "name": part["name"], **{key: part[key] for key in keys}}
            for report in self.data["reports"] or []
            for part in report["parts"] or []
        ]
        frame: pd.DataFrame = pandas.DataFrame(rows, columns=["file", "name", *keys])
        return frame

    def __repr__(self) -> str:
        return f"<lbmsim.Diff: {'the same' if self.same else 'different'}>"


def diff(
    a: Result | Case | str | os.PathLike[str],
    b: Result | Case | str | os.PathLike[str],
    *,
    tolerance: float | None = None,
) -> Diff:
    """Compares two runs, two outputs of any kind, or two cases.

    Args:
        a, b: results, or paths: of output folders, of files in them, or of cases; or Cases.
        tolerance: numbers whose largest difference, relative to the largest number of b, is not
            above this count as the same.

    Raises:
        RunError: there is nothing to compare.
    """
    with _compared(a) as left, _compared(b) as right:
        done = _call([str(program()), "diff", left, right, "--json", *_flags(("--tolerance", tolerance))], (0, 5))
    return Diff(json.loads(done.stdout))


@contextmanager
def _compared(what: Result | Case | str | os.PathLike[str]) -> Iterator[str]:
    if isinstance(what, Case):
        case = what.copy()
        case["output.dir"] = what._output()  # where it is written to be read does not matter
        with case._file() as file:
            yield str(file)
    else:
        yield str(what.path) if isinstance(what, Result) else os.fspath(what)
