# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Results of a run in its output folder."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .case import Case
from .errors import Error, need, shown
from .fields import Output, Planes, dataset, open_file, read_index
from .levels import Levels
from .surfaces import Surfaces
from .tables import Tables, case_text

if TYPE_CHECKING:
    import pyvista as pv
    import xarray as xr

INDEX = ".hdf.series"
AHEAD = timedelta(seconds=10)  # largest difference between clocks of machines
SILENT = timedelta(seconds=30)  # largest delay of a state after its time, as in `lbmsim status`


class Checkpoint(NamedTuple):
    """A state to resume from: `lbmsim.run(case, restart=checkpoint.path)`."""

    step: int
    path: Path


class Result:
    """The output folder of a run, which may still be running.

    Every access reads the folder, so a result is always up to date. Files are open only
    while being read; there is nothing to close.

    Attributes:
        path: the folder.
        summary: how the run ended, for a result of `lbmsim.run`: the data of lbmsim's
            event "finish" (`mlups`, `seconds`, `steps`, `reason`, `expect`, ...). None for
            an opened folder, or a run that did not reach its end.
    """

    def __init__(self, path: str | os.PathLike[str], summary: dict[str, Any] | None = None) -> None:
        self.path = Path(path).absolute()
        self.summary = summary
        self._made: dict[Path, tuple[object, xr.Dataset]] = {}

    # The run.

    @property
    def status(self) -> dict[str, Any] | None:
        """The status of the run, from status.json: phase, step, mlups, eta in seconds, warnings.

        `phase` is running, finished, stopped or failed. `reason` states why a run stopped. It
        is "stop.now" after Ctrl-C in Python for a run with a launcher: Python stops the run
        with a file of that name. None if the run has written no status.
        """
        try:
            status: dict[str, Any] = json.loads((self.path / "status.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return status

    @property
    def results(self) -> list[dict[str, Any]]:
        """The results of a finished run: an entry for each [output.force.NAME], as in status.json.

        Each has `output` (NAME), `file` (its table), `samples` since `start`, a `note` if these are too few, and
        `numbers`: `quantity` (as in [expect.force.NAME], or "strouhal" or "frequency"), `unit`, `value` and `half`,
        half the width of the 95 % interval, and `meaning`. `value` is None if the series still drifts; `note` then
        states the remedy. A frequency with a `doubt`, the kind of a warning, may not belong to the flow;
        `note` is that warning.
        """
        status = self.status or {}
        return list(status.get("results") or [])

    @property
    def running(self) -> bool:
        """Whether a run is writing here. A run killed on another machine counts for another half minute."""
        status = self.status
        if status is None or status["phase"] != "running":
            return False
        # Python before 3.11 reads neither the Z nor nanoseconds.
        updated = datetime.strptime(status["updated"][:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
        age = datetime.now(timezone.utc) - updated
        if status["host"] != socket.gethostname():
            return -AHEAD <= age < timedelta(seconds=status["every"]) + SILENT  # of a time ahead nothing is known
        return _exists(status["process"]) and age < timedelta(seconds=status["every"]) + SILENT

    @property
    def case(self) -> Case:
        """The resolved case, with all defaults filled in, from the newest output that contains it.

        Raises:
            lbmsim.Error: no output contains it.
        """
        text = self._about("case")
        if text is None:
            for table in self.path.glob("*.csv"):
                if text := case_text(table):
                    break
        if text is None:
            raise Error(f"no field, checkpoint or table in {shown(self.path)} contains its case")
        return Case.from_text(text, self.path.name)

    @property
    def provenance(self) -> dict[str, Any] | None:
        """The versions, ranks and devices that computed the newest fields, for each segment between restarts."""
        text = self._about("provenance")
        return None if text is None else dict(json.loads(text))

    def _about(self, what: str) -> str | None:
        """Returns a text stored in HDF5 files, from the newest file that has it."""
        files = [checkpoint.path for checkpoint in self.checkpoints]
        files += [read_index(index)[-1].path for index in self._indices().values()]
        for file in sorted(files, key=_written, reverse=True):
            try:
                with open_file(file) as f:
                    if f"lbmsim/{what}" in f:
                        return str(f[f"lbmsim/{what}"].asstr()[()])
            except OSError:
                continue  # removed, or not a file of lbmsim
        return None

    # Fields.

    @property
    def fields(self) -> xr.Dataset:
        """The fields of all output times, [output.fields].

        Dimensions are (time, z, y, x), in 2D (time, y, x). Vectors have `component` (x, y, z)
        as last dimension, symmetric tensors `tensor` (xx, yy, zz, xy, yz, xz). Coordinates are cell
        centres, in metres and seconds, or in cells and steps for a case in lattice units, with `step`
        next to `time`. Every array's unit is in `attrs["units"]`. Values are read lazily by dask.

        Raises:
            lbmsim.Error: there are no such fields, their grid changed, or it is refined (see `levels`).
            lbmsim.MissingExtraError: xarray or dask is missing.
        """
        return self._dataset("fields")

    @property
    def averages(self) -> xr.Dataset:
        """The time averages, [output.averages], at their output times. As `fields`.

        Raises:
            lbmsim.Error: the output has no averages, or their grid is refined: use `levels(group="averages")`.
        """
        return self._dataset("averages")

    @property
    def blowup(self) -> xr.Dataset:
        """The last steps of a run that became unstable, around its first bad cell. As `fields`."""
        return self._dataset("blowup")

    @property
    def planes(self) -> Planes:
        """The planes, [output.plane.NAME], by name. As `fields`, without the dimension normal to the plane."""
        names = [key.split("/", 1)[1] for key in self._indices() if key.startswith("planes/")]
        return Planes(names, lambda name: self._dataset(f"planes/{name}"))

    @property
    def surfaces(self) -> Surfaces:
        """The surfaces of bodies, [output.surface.NAME], by name."""

        def outputs() -> dict[str, list[Output]]:
            groups = {key.partition("/"): path for key, path in self._indices().items()}
            return {name: read_index(path) for (kind, _, name), path in groups.items() if kind == "surfaces" and name}

        return Surfaces(outputs)

    def _indices(self) -> dict[str, Path]:
        """The index of each group of fields: fields, averages, blowup, planes/NAME, surfaces/NAME."""
        found: dict[str, Path] = {}
        for folder, folders, files in os.walk(self.path):
            others = {"checkpoints", "inputs", "study"}
            folders[:] = [f for f in folders if f not in others and not f.endswith(".parts")]
            at = Path(folder)
            for file in files:
                if file.endswith(INDEX):
                    name = file[: -len(INDEX)]
                    # [output.fields] dir may name any folder; planes and surfaces have their own folders.
                    kind = at.parent.name
                    own = kind in ("planes", "surfaces") and at.parent.parent == self.path and at.name == name
                    found[f"{kind}/{name}" if own else name] = at / file
        return found

    def _index(self, group: str) -> Path:
        found = self._indices()
        if group not in found:
            raise Error(f"{shown(self.path)} has no {group}; it has: {', '.join(sorted(found)) or 'no fields at all'}")
        return found[group]

    def _dataset(self, group: str) -> xr.Dataset:
        index = self._index(group)
        stat = index.stat()
        version = (str(index), stat.st_mtime_ns, stat.st_size)
        if index in self._made and self._made[index][0] == version:
            return self._made[index][1].copy()  # changing it does not change what other callers get
        outputs = read_index(index)
        case = self.case
        flat, drop = "", False
        if len(case["domain.cells"]) == 2:
            flat, drop = "z", True
        elif group.startswith("planes/"):
            flat = str(case[f"output.plane.{group.split('/', 1)[1]}.normal"])
        elif group == "averages":
            flat = str(case.get("output.averages.over", ""))  # one layer of cells along it
        made = dataset(outputs, flat=flat, drop=drop, title=case.title, source=str(index), version=version)
        self._made[index] = (version, made)
        return made.copy()

    def levels(self, time: float | None = None, *, step: int | None = None, group: str = "fields") -> Levels:
        """Returns the fields of one time on a refined grid, as numpy arrays by level and box.

        Arguments are as for `pyvista`.

        Raises:
            lbmsim.Error: there are no such fields, or their grid is not refined.
        """
        return Levels(_nearest(read_index(self._index(group)), time, step).path)

    # 3D rendering.

    def pyvista(self, time: float | None = None, *, step: int | None = None, group: str = "fields") -> pv.ImageData:
        """Returns the fields of one time for PyVista, as cell data. A case in 2D is one cell thick.

        Args:
            time: in the case's unit of time; the nearest output is used. Default: the last.
            step: instead of the time; the nearest output is used.
            group: "fields", "averages", "blowup" or "planes/NAME".

        Raises:
            lbmsim.Error: there are no such fields.
            lbmsim.MissingExtraError: PyVista is missing.
        """
        pyvista = need("pyvista", "pyvista")
        output = _nearest(read_index(self._index(group)), time, step)
        if not output.path.exists():
            raise FileNotFoundError(f"{output.path} is gone")
        grid: pv.ImageData = pyvista.read(output.path)
        return grid

    def bodies(
        self, time: float | None = None, *, step: int | None = None, group: str = "fields"
    ) -> dict[str, pv.PolyData]:
        """Returns the voxelized surfaces of the bodies, by the names of [body.NAME].

        They come from the field `solid`, which is written by default if a case has bodies.
        Arguments are as for `pyvista`.

        Raises:
            lbmsim.Error: the case has no bodies, or the field `solid` was not written.
            lbmsim.MissingExtraError: PyVista is missing.
        """
        pyvista, geometry = need("pyvista", "pyvista"), need("vtkmodules.vtkFiltersGeometry", "pyvista")
        case = self.case
        bodies: dict[str, Any] = dict(case.get("body", {}))
        if not bodies:
            raise Error(f"the case of {shown(self.path)} has no bodies")
        # Bodies that others are made of are not in the flow themselves, and are not counted.
        used = {part for body in bodies.values() for part in body.get("of", [])}
        grid = self.pyvista(time, step=step, group=group)
        if "solid" not in grid.cell_data:
            raise Error(f'{group} of {shown(self.path)} lack the field "solid": name it in the fields of the output')
        surfaces = {}
        for k, name in enumerate((name for name in bodies if name not in used), 1):
            # VTK's own filter: PyVista has changed the name and the meaning of what wraps it.
            outside = geometry.vtkGeometryFilter()
            outside.SetInputDataObject(grid.extract_cells(grid.cell_data["solid"] == k))
            outside.Update()
            surfaces[name] = pyvista.wrap(outside.GetOutput())
        return surfaces

    # The rest.

    @property
    def tables(self) -> Tables:
        """Probes, lines, forces and series as DataFrames, by file name: `tables["force_drag"]`.

        Column names are without units, which are in `attrs["units"]`. A line's table has a
        block of rows per time.
        """
        return Tables(self.path)

    @property
    def checkpoints(self) -> list[Checkpoint]:
        """The checkpoints, oldest first."""
        files = (self.path / "checkpoints").glob("checkpoint_*.h5")
        return sorted(Checkpoint(int(file.stem.split("_")[1]), file) for file in files)

    @property
    def pictures(self) -> list[Path]:
        """The pictures (PNG), oldest first."""
        return sorted(self.path.glob("*.png"), key=lambda file: file.stem.rsplit("_", 1)[-1])

    def __repr__(self) -> str:
        return f"<lbmsim.Result {shown(self.path)}: {', '.join(self._parts())}>"

    def _parts(self) -> Iterator[str]:
        if status := self.status:
            phase = status["phase"] if status["phase"] != "running" or self.running else "silent"
            yield f"{phase}, step {status['step']} of {status['last_step']}"
        for group, index in sorted(self._indices().items()):
            n = len(read_index(index))
            yield f"{group} at {n} time{'s' if n > 1 else ''}"
        if tables := list(self.tables):
            yield f"tables: {', '.join(tables)}"
        for kind, n in (("picture", len(self.pictures)), ("checkpoint", len(self.checkpoints))):
            if n:
                yield f"{n} {kind}{'s' if n > 1 else ''}"


def open(path: str | os.PathLike[str]) -> Result:
    """Opens the output folder of a finished or running run.

    Args:
        path: the folder, such as "out/cavity".

    Raises:
        FileNotFoundError: there is no such folder, or no run in it.
    """
    result = Result(path)
    if not result.path.is_dir():
        raise FileNotFoundError(f"there is no folder {path}, seen from {Path.cwd()}")
    if result.status is None and not (result._indices() or result.tables or result.pictures or result.checkpoints):
        raise FileNotFoundError(f"{path} is not the output folder of a run, or its run has not begun")
    return result


def _written(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0


def _exists(process: int) -> bool:
    """Reports whether a process of this machine exists and has memory: a killed process has none."""
    try:
        return bool(Path(f"/proc/{process}/cmdline").read_bytes())
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _nearest(outputs: list[Output], time: float | None, step: int | None) -> Output:
    if time is not None and step is not None:
        raise ValueError("either time or step says which fields, not both")
    if time is not None:
        return min(outputs, key=lambda o: abs(o.time - time))
    if step is not None:
        return min(outputs, key=lambda o: abs(o.step - step))
    return outputs[-1]
