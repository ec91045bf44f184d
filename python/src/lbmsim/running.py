# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Runs, checks, studies and comparisons through the lbmsim executable."""

from __future__ import annotations

import builtins
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Callable, Union

# A bar that is a line in a terminal and a widget in a notebook.
from tqdm.auto import tqdm

from .binary import Launcher, environment, explained, launch, program
from .case import AnyCase, Case, as_case, set_words
from .errors import RunWarning, failure, in_python, shown
from .reports import Check, Diff, Refinement, Study
from .result import Result

Changes = Union[Mapping[str, Any], None]


def run(
    case: AnyCase,
    *,
    ranks: int = 1,
    launcher: Launcher = None,
    output: str | os.PathLike[str] | None = None,
    set: Changes = None,
    restart: str | os.PathLike[str] | None = None,
    start_from: Result | str | os.PathLike[str] | None = None,
    device: str | int | None = None,
    threads: int | None = None,
    overwrite: bool = False,
    progress: bool = True,
    live: bool | int | str = False,
    args: Sequence[str] = (),
) -> Result:
    """Runs a case until it ends.

    Ctrl-C, or the stop button of a notebook, ends the run with a checkpoint if the case has
    [checkpoint]; a second one kills it, and the last checkpoint remains.

    Args:
        case: a Case, with its changes, or the path of a case file.
        ranks: number of ranks. More than one requires an MPI library.
        launcher: the MPI launcher: "mpirun", "srun", or a list with its options;
            `-n RANKS` is added. Default: none for one rank; otherwise the environment
            variable LBMSIM_MPIRUN, srun in a SLURM job, or mpirun.
        output: folder for all outputs. Default: as in the case, out/NAME.
        set: keys to change for this run only: {"run.steps": 100}. Either of run.steps and
            run.time replaces the other.
        restart: "latest", "auto" (the latest checkpoint if there is one, otherwise from the
            beginning), or the path of a checkpoint.
        start_from: the flow of another run as the initial state: its result, its output folder, a
            checkpoint or a file of fields, relative to the working folder ([initial] from). Grid,
            velocity, viscosity and model may differ.
        device: "cpu", "cuda", "auto" or the number of a GPU. Default: as in the case.
        threads: threads per rank. Default: its share of the cores.
        overwrite: start over in a folder with results of another run, which are deleted.
        progress: show a bar with the speed in MLUPS (million lattice updates per second), in a
            terminal or a notebook. There is no bar if standard error is a file or a pipe.
        live: show the page of the run (docs/live.md): in a frame below the cell of a notebook on this
            machine or on JupyterHub, elsewhere as a URL on standard error. True: on a free port;
            otherwise a port or an address, as for `--live`. The output of the cell keeps the URL
            with the run's token.
        args: additional arguments for `lbmsim run`.

    Returns:
        the output folder, opened; its `summary` reports how the run ended. Warnings of
        lbmsim are issued as `lbmsim.RunWarning`.

    Raises:
        CaseError: the case is invalid; it was not run.
        RunError: the run failed, became unstable, or missed a value of [expect].
        KeyboardInterrupt: after Ctrl-C, when the run has ended.
    """
    case = as_case(case)
    words = _flags(("--restart", restart), ("--device", device), ("--threads", threads))
    words += ["--overwrite"] * overwrite + set_words(set) + set_words(_flow(start_from)) + _page(live) + list(args)
    with case._file() as file:
        command = [*launch(ranks, launcher), str(program()), "run", str(file), "--log", "json", *case._as(file)]
        job = _Job(case, [*command, *words, *_flags(("--output", output))], progress)
        job.wait()
    return job.result


def _page(live: bool | int | str) -> list[str]:
    """Flags of the page of a run. Only a page requested by a notebook may be shown in a frame."""
    if live is False:
        return []
    return ["--live" if live is True else f"--live={live}"] + ["--live-notebook"] * _in_notebook()


def _show_page(directions: str) -> None:
    """Shows the page of a run: lbmsim's lines, and a frame where there is a notebook."""
    with tqdm.external_write_mode():
        print(directions, file=sys.stderr, flush=True)
    url = re.search(r"http://\S+/#[0-9a-f]{32}", directions)
    framed = url and _in_notebook() and _framed(url[0])
    if framed:
        from IPython.display import IFrame, display  # a notebook has it

        display(IFrame(framed, width="100%", height=800))


def _framed(url: str) -> str | None:
    """Returns the address of a page for a frame in this notebook; None where no frame can show it."""
    link = os.environ.get("LBMSIM_LIVE_LINK")
    if link is None and (hub := os.environ.get("JUPYTERHUB_SERVICE_PREFIX")):
        link = hub + "proxy/{port}/"  # of jupyter-server-proxy
    if link is not None:
        page = re.fullmatch(r"http://(.+):(\d+)/(#.+)", url)
        assert page
        return link.replace("{host}", page[1]).replace("{port}", page[2]) + page[3]
    # A frame of VS Code has no port of the machine, but its browser gets one when the printed URL is followed.
    return None if "VSCODE_PID" in os.environ else url


def _flow(source: Result | str | os.PathLike[str] | None) -> dict[str, str]:
    """Returns the key that starts a case from another run's flow."""
    if source is None:
        return {}
    return {"initial.from": str(Path(source.path if isinstance(source, Result) else source).resolve())}


# Warnings already issued about the machine.
_told: builtins.set[str] = builtins.set()


def _warn(text: str, level: int) -> None:
    """Repeats a warning of lbmsim, attributed to the line `level` calls above."""
    if text.startswith("no GPU: "):
        # A warning about the machine: once is enough, and a sweep has many runs.
        if text in _told:
            return
        _told.add(text)
    with tqdm.external_write_mode():
        warnings.warn(in_python(text), RunWarning, stacklevel=level + 1)


def _in_notebook() -> bool:
    with suppress(AttributeError, KeyError):
        return "IPKernelApp" in sys.modules["IPython"].get_ipython().config
    return False


def _watched() -> bool:
    """Reports whether output is interactive: a terminal or a notebook. Elsewhere a bar clutters the log."""
    return _in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def _look(progress: bool) -> dict[str, Any]:
    """Returns tqdm options for the progress bar."""
    if not (progress and _watched()):
        return {"disable": True}
    with suppress(OSError, ValueError, AttributeError):
        # Terminals of programs (script, CI) may not say how large they are: tqdm then shows nothing.
        size = os.get_terminal_size(sys.stderr.fileno())
        if size.columns == 0 or size.lines == 0:
            return {"ncols": size.columns or 80, "nrows": size.lines or 24}
    return {"dynamic_ncols": True}


class _Job:
    """A process of lbmsim, from start to end."""

    def __init__(self, case: Case, command: list[str], progress: bool) -> None:
        self.case = case
        self.folder: Path | None = None  # known when the run has started
        self.summary: dict[str, Any] | None = None
        self.error = ""
        self.stopped = False  # by us
        self.step = 0
        self.direct = command[0] == str(program())
        self.bar = tqdm(disable=True)  # until progress is known
        self.look: dict[str, Any] | None = _look(progress)  # of the bar that is to come
        self.command = command
        self.began = time.time()
        # In a separate session: a terminal sends Ctrl-C to all processes of ours, and a
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
        """Waits until the run ends. Raises an error if it failed."""
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
            message = self.error or explained("\n".join(self.other), self.command) or "lbmsim printed no message"
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
            self.began = time.time()
        elif event == "progress":
            self._advance(data["step"], data["last_step"], data["mlups"])
        elif event == "warning" and not self.stopped:
            _warn(data["text"], 5)  # the level of the line that called run
        elif event == "finish":
            if not self.stopped:
                self._advance(data["last_step"], int(self.bar.total or data["last_step"]), data["mlups"])
            self.summary = data
        elif event == "note" and data.startswith("live "):
            _show_page(data)
        elif event == "error":
            self.error = str(data)

    def _advance(self, step: int, last: int, mlups: float) -> None:
        if self.look is not None:
            # Not before there is progress: a run begins with its warnings, and each would leave an empty bar.
            self.bar = tqdm(desc=self.case.name, unit=" steps", total=last, initial=self.step, **self.look)
            self.bar.start_t = self.began
            self.look = None
        self.bar.total = last
        self.bar.set_postfix_str(f"{mlups:.3g} MLUPS", refresh=False)
        self.bar.update(step - self.step)
        self.step = step

    def _end(self) -> None:
        """Ends the run like Ctrl-C, and waits; a second Ctrl-C kills it."""
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
        except BaseException as cause:
            self._signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=10)
            except BaseException:
                self._signal(signal.SIGKILL)
                self.process.wait()
            if isinstance(cause, KeyboardInterrupt):
                raise KeyboardInterrupt(self._what_counts()) from None
            raise

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def _what_counts(self) -> str:
        told = "the run was killed"
        if self.folder is None or not (left := self.result.checkpoints):
            return f"{told}; there is no checkpoint to resume from"
        return (
            f'{told}: its last checkpoint is from step {left[-1].step}; resume with lbmsim.run(..., restart="latest")'
        )

    def _how_to_go_on(self) -> str:
        told = f"the run ended at step {self.summary['last_step']}" if self.summary else "the run ended"
        if any(f["kind"] == "checkpoint" for f in (self.summary or {}).get("files", [])):
            told += '; resume with lbmsim.run(..., restart="latest")'
        return told


def _flags(*pairs: tuple[str, Any]) -> list[str]:
    return [
        word
        for name, value in pairs
        if value is not None
        for word in (name, os.fspath(value) if isinstance(value, os.PathLike) else str(value))
    ]


def _call(
    words: list[str], good: tuple[int, ...] = (0,), listen: Callable[[str], None] = lambda line: None
) -> subprocess.CompletedProcess[str]:
    """Returns the output of a short command; passes each line of standard error to `listen` immediately."""
    said: list[str] = []
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
        with subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=environment(),
        ) as process:
            assert process.stderr is not None
            try:
                for line in process.stderr:
                    said.append(line)
                    listen(line.rstrip())
                code = process.wait()
            except BaseException:
                process.terminate()  # not kill: a launcher has ranks to end
                raise
        printed.seek(0)
        done = subprocess.CompletedProcess(words, code, printed.read(), "".join(said))
    if code not in good:
        message = done.stderr.strip() or done.stdout.strip() or "lbmsim printed no message"
        raise failure(explained(message, words), code if code > 0 else 128 - code)
    return done


def check(case: AnyCase, *, ranks: int | None = None, set: Changes = None) -> Check:
    """Checks a case without running it. Needs neither MPI nor the memory of the run.

    Args:
        case: a Case, or the path of a case file.
        ranks: number of ranks of the run.
        set: keys to change first.

    Returns:
        the report and its warnings.

    Raises:
        CaseError: the case is invalid; lists all errors.
    """
    case = as_case(case)
    with case._file() as file:
        words = [str(program()), "check", str(file), *case._as(file), *_flags(("--ranks", ranks)), *set_words(set)]
        done = _call(words)
    text = (done.stdout + done.stderr).strip()
    return Check(text, [line[len(_WARNING) :] for line in text.splitlines() if line.startswith(_WARNING)])


_WARNING = "warning: "


def refine(
    case: AnyCase,
    *,
    levels: int | None = None,
    cells: float | None = None,
    spacing: str | None = None,
    bodies: Sequence[str] = (),
    time: str | None = None,
    ranks: int = 1,
    launcher: Launcher = None,
    set: Changes = None,
    threads: int | None = None,
) -> Refinement:
    """Proposes refinement boxes, [refine.NAME], from a coarse run of the case: half a minute to a minute.

    Args:
        case: a Case, or the path of a case file.
        levels: number of levels above level 0. Default: from the cells across the body.
        cells: number of the finest cells across the body. Default: as in the case.
        spacing: length of the finest cells, with a unit, instead of `cells`.
        bodies: names of bodies to refine around. Default: all.
        time: simulated time of the coarse run, with a unit.
        ranks, launcher, set, threads: as in `lbmsim.run`; the boxes do not depend on them, except for `set`.

    Returns:
        the case with its boxes, and the tables of boxes, levels and costs.

    Raises:
        CaseError: the case is invalid, or cannot have boxes.
        RunError: an argument is wrong, or the coarse run failed.
    """
    case = as_case(case)
    words = _flags(
        ("--levels", levels), ("--cells", cells), ("--spacing", spacing), ("--time", time), ("--threads", threads)
    )
    words += _flags(*(("--body", name) for name in bodies))
    with case._file() as file:
        handle, name = tempfile.mkstemp(".toml", f".{case.name}-refined-", file.parent)
        os.close(handle)
        written = Path(name)
        written.unlink()  # lbmsim refine replaces no file
        try:
            start = [*launch(ranks, launcher), str(program()), "refine", str(file), "--output", str(written)]
            done = _call([*start, *case._as(file), *words, *set_words(set)])
            refined = case._with(written.read_text(encoding="utf-8"))
        finally:
            written.unlink(missing_ok=True)
    text = "\n".join(line for line in done.stdout.strip().splitlines() if not line.startswith("wrote ")).strip()
    return Refinement(refined, text, [line[len(_WARNING) :] for line in text.splitlines() if line.startswith(_WARNING)])


def study(
    case: AnyCase,
    *,
    levels: int = 3,
    first: float | None = None,
    ratio: float | None = None,
    scaling: str | None = None,
    order: float | None = None,
    continued: bool = False,
    ranks: int = 1,
    launcher: Launcher = None,
    output: str | os.PathLike[str] | None = None,
    set: Changes = None,
    device: str | int | None = None,
    threads: int | None = None,
    progress: bool = True,
) -> Study:
    """Runs a case on successively refined grids: observed order, extrapolated values, uncertainty.

    Args:
        case: a Case, or the path of a case file. The quantities of its [expect] are measured.
        levels: number of grids.
        first: factor by which the first grid refines the case. Default 1.
        ratio: refinement ratio of consecutive grids. Default 2.
        scaling: "diffusive", the default: the time step scales with the square of the spacing, or
            "acoustic": with the spacing.
        order: formal order of the method. Default 2.
        continued: start each grid from the final flow of the previous grid.
        output: folder for the tables of each grid, in `study`. Default: the output folder of the case.
        ranks, launcher, set, device, threads: as in `lbmsim.run`.
        progress: show the progress of each grid, in a terminal or a notebook.

    Raises:
        CaseError: the case is invalid.
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
    words += ["--continue"] * continued
    folder = {} if output is None else {"output.dir": output}
    shows = progress and _watched()

    def listen(line: str) -> None:
        # lbmsim's own output: "refined by 2: 64 x 64 cells, ..."
        if line.startswith(_WARNING):
            _warn(line[len(_WARNING) :], 4)  # the line that called study
        elif shows and line.startswith("refined by "):
            print(line, file=sys.stderr, flush=True)

    with case._file() as file:
        start = [*launch(ranks, launcher), str(program()), "study", str(file), "--json"]
        done = _call([*start, *case._as(file), *words, *set_words(set), *set_words(folder)], listen=listen)
    return Study(json.loads(done.stdout))


def diff(
    a: Result | Case | str | os.PathLike[str],
    b: Result | Case | str | os.PathLike[str],
    *,
    tolerance: float | None = None,
) -> Diff:
    """Compares two runs, two outputs of any kind, or two cases.

    Args:
        a, b: results, Cases, or paths of output folders, of files in them, or of cases.
        tolerance: numbers count as the same up to this largest difference, relative to the
            largest number of b.

    Raises:
        RunError: there is nothing to compare.
    """
    with _compared(a) as left, _compared(b) as right:
        done = _call([str(program()), "diff", left, right, "--json", *_flags(("--tolerance", tolerance))], (0, 5))
    data = json.loads(done.stdout)
    for side, what in (("a", a), ("b", b)):
        if isinstance(what, Case):  # its file is gone by now
            for report in data["reports"]:
                report[side] = _called(what)
    return Diff(data, _called(a), _called(b), tolerance or 0.0)


def _called(what: Result | Case | str | os.PathLike[str]) -> str:
    if isinstance(what, Case):
        return shown(what.path) if what.path else f"{what.name}.toml"
    return shown(what.path) if isinstance(what, Result) else os.fspath(what)


@contextmanager
def _compared(what: Result | Case | str | os.PathLike[str]) -> Iterator[str]:
    if isinstance(what, Case):
        case = what.copy()
        case["output.dir"] = what._output()  # the location of the temporary file does not matter
        with case._file() as file:
            yield str(file)
    else:
        yield str(what.path) if isinstance(what, Result) else os.fspath(what)
