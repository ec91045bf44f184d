# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Fields over time: the .hdf.series index of a folder, and its files as xarray datasets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import h5py
import numpy as np

from .errors import Error, need, shown

if TYPE_CHECKING:
    import numpy.typing as npt
    import xarray as xr

AXES = ("x", "y", "z")
# Names of a field's components: the last dimension, and its labels.
COMPONENTS: dict[int, tuple[str, tuple[str, ...]]] = {
    3: ("component", AXES),
    6: ("tensor", ("xx", "yy", "zz", "xy", "yz", "xz")),
}
PIECE = 128 << 20  # largest number of bytes of a field read at once


class Output(NamedTuple):
    """The fields of one time, as listed in the index."""

    path: Path
    time: float
    step: int
    cells: tuple[int, int, int]  # x, y, z
    origin: tuple[float, float, float]  # centre of the first cell
    spacing: float
    fields: dict[str, tuple[str, int, str]]  # unit, components, type of numpy
    refined: bool


def read_index(path: Path) -> list[Output]:
    """Returns all times of an index, in order. lbmsim replaces the index as a whole."""
    listed = []
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["files"]
        for entry in entries:
            listed.append(_listed(path, entry))
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        raise Error(
            f"{shown(path)} is damaged ({type(wrong).__name__}: {wrong}): "
            "`lbmsim run ... --restart latest` rebuilds it from the files"
        ) from None
    return listed


def _listed(path: Path, entry: dict[str, Any]) -> Output:
    """Converts one entry of an index."""
    grid = entry["grid"]
    fields = {f["name"]: (f["unit"], int(f["components"]), f["type"]) for f in entry["fields"]}
    file = path.parent / entry["name"]
    cells, origin = tuple(grid["cells"]), tuple(grid["origin"])
    return Output(file, entry["time"], entry["step"], cells, origin, grid["spacing"], fields, bool(entry.get("levels")))


def open_file(path: Path) -> h5py.File:
    """Opens an HDF5 file. A file gets its name only when it is complete, so no process writes to it."""
    try:
        return h5py.File(path, "r")
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} is gone: it was removed, or a new run has begun in its folder") from None


@lru_cache(maxsize=4096)
def _whole(path: Path, parts: tuple[str, ...]) -> None:
    """Checks that all parts of a file exist: HDF5 reads missing parts as zeros."""
    for part in parts:
        if not (path.parent / part).exists():
            raise FileNotFoundError(f"{path.parent / part} is missing: it holds a part of the numbers of {path.name}")


def read_data(path: Path, data: h5py.Dataset, key: Any) -> npt.NDArray[Any]:
    """Reads a part of a dataset from a complete file."""
    if data.is_virtual:
        _whole(path, tuple(sorted({source.file_name for source in data.virtual_sources()})))
    return np.asarray(data[key])


class Stored:
    """One field over all times, read when indexed. Provides the array interface for dask.

    A file is open only while a piece of it is read: a run in progress adds files, and a
    process can have only a limited number of open files.
    """

    def __init__(
        self,
        name: str,
        outputs: list[Output | None],
        shape: tuple[int, ...],
        dtype: str,
        squeezed: tuple[int, ...],
        version: object,
    ) -> None:
        self.name = name
        self.outputs = outputs  # None: this time does not have the field
        self.squeezed = squeezed  # axes of the files' [z, y, x] that are omitted
        self.shape = (len(outputs), *(n for axis, n in enumerate(shape) if axis not in squeezed))
        self.dtype = np.dtype(dtype)
        self.ndim = len(self.shape)
        self.version = version

    def __dask_tokenize__(self) -> object:
        return ("lbmsim", self.name, self.shape, str(self.dtype), self.version)

    def __getitem__(self, key: tuple[Any, ...]) -> npt.NDArray[Any]:
        times = np.arange(self.shape[0])[key[0]]
        if np.ndim(times) == 0:
            return self._read(self.outputs[int(times)], key[1:])
        pieces = [self._read(self.outputs[t], key[1:]) for t in times]
        if not pieces:
            return np.empty((0, *(len(range(n)[k]) for n, k in zip(self.shape[1:], key[1:]))), self.dtype)
        return np.stack(pieces)

    def _read(self, output: Output | None, key: tuple[Any, ...]) -> npt.NDArray[Any]:
        if output is None:
            return np.asarray(np.full(self.shape[1:], np.nan, self.dtype)[key])
        rest = list(key)
        for axis in self.squeezed:
            rest.insert(axis, 0)
        with open_file(output.path) as file:
            return read_data(output.path, file[f"VTKHDF/CellData/{self.name}"], tuple(rest))


def _axis(n: int, first: float, spacing: float) -> npt.NDArray[np.float64]:
    return first + spacing * np.arange(n, dtype=np.float64)


def dataset(outputs: list[Output], *, flat: str, drop: bool, title: str, source: str, version: object) -> xr.Dataset:
    """Returns the fields of an index over time.

    Args:
        outputs: its times.
        flat: axes of one cell that are not dimensions: "z" in 2D, the normal of a plane.
        drop: also omit the coordinate of these axes.
        title: of the case.
        source: the index.
        version: changes when the files do.
    """
    xarray, da = need("xarray", "xarray"), need("dask.array", "xarray")
    last = outputs[-1]
    for o in outputs:
        if o.refined:
            group = "" if o.path.name.startswith("fields_") else f'group="{o.path.name.rsplit("_", 1)[0]}"'
            raise Error(
                f"the grid of {shown(o.path)} is refined, a dataset has one spacing: use result.levels({group})"
            )
        if (o.cells, o.origin, o.spacing) != (last.cells, last.origin, last.spacing):
            raise Error(
                f"{o.path.name} has another grid than {last.path.name}: a dataset has one. h5py reads the files"
            )
    names = list(dict.fromkeys(name for o in reversed(outputs) for name in o.fields))
    has_units = any(unit for o in outputs for unit, _, _ in o.fields.values())
    length, duration = ("m", "s") if has_units else ("cells", "steps")

    dims = [axis for axis in reversed(AXES) if axis not in flat]
    coords: dict[str, Any] = {
        "time": ("time", np.array([o.time for o in outputs], np.float64), {"units": duration, "long_name": "time"}),
        "step": ("time", np.array([o.step for o in outputs], np.int64), {"long_name": "step"}),
    }
    for i, axis in enumerate(AXES):
        values = _axis(last.cells[i], last.origin[i], last.spacing)
        attrs = {"units": length, "long_name": axis}
        if axis in dims:
            coords[axis] = (axis, values, attrs)
        elif not drop:
            coords[axis] = ((), values[0], attrs)
    squeezed = tuple(i for i, axis in enumerate(reversed(AXES)) if axis in flat)

    variables: dict[str, Any] = {}
    for name in names:
        having = [o for o in outputs if name in o.fields]
        unit, components, _ = having[-1].fields[name]
        dtype = np.result_type(*{o.fields[name][2] for o in having})
        shape: tuple[int, ...] = tuple(reversed(last.cells))
        field_dims: list[str] = ["time", *dims]
        if components > 1:
            shape = (*shape, components)
            extra, labels = COMPONENTS.get(components, (f"component_{components}", tuple(map(str, range(components)))))
            field_dims.append(extra)
            coords[extra] = (extra, list(labels))
        stored = Stored(name, [o if name in o.fields else None for o in outputs], shape, str(dtype), squeezed, version)
        data = da.from_array(
            stored, chunks=_chunks(stored), asarray=False, fancy=False, meta=np.empty((0,) * stored.ndim, stored.dtype)
        )
        attrs = {"units": unit or "lattice units", "long_name": name.replace("_", " ")}
        variables[name] = (field_dims, data, attrs)
    made: xr.Dataset = xarray.Dataset(variables, coords, {"title": title, "source": source})
    return made


def _chunks(stored: Stored) -> tuple[int, ...]:
    """Returns chunks of one time, and of large fields a few planes of the first axis, as stored in the file."""
    if stored.ndim < 2:
        return (1,)
    plane = int(np.prod(stored.shape[2:], dtype=np.int64)) * stored.dtype.itemsize
    return (1, min(stored.shape[1], max(1, PIECE // plane)), *stored.shape[2:])


class Planes(Mapping[str, "xr.Dataset"]):
    """Datasets by the names of [output.plane.NAME]; each is built on access."""

    def __init__(self, names: Iterable[str], make: Any) -> None:
        self._names = sorted(names)
        self._make = make

    def __getitem__(self, name: str) -> xr.Dataset:
        if name not in self._names:
            raise KeyError(f"there is no plane {name!r}; there are: {', '.join(self._names) or 'none'}")
        made: xr.Dataset = self._make(name)
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<planes: {', '.join(self._names) or 'none'}>"
