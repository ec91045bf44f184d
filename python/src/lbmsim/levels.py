# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Fields of a refined grid: the boxes of each level as numpy arrays, and one array of all cells."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import Error, shown
from .fields import open_file, read_data

if TYPE_CHECKING:
    import numpy.typing as npt


class Box(Mapping[str, "npt.NDArray[Any]"]):
    """A box of cells of one level: a mapping from the names of its fields to arrays, read on access.

    Arrays are [z, y, x], in 2D [y, x], followed by the components of vectors and tensors.

    Attributes:
        corner: lower corner, along x, y and z, in metres (in cells of level 0 for a case in lattice units).
        spacing: size of its cells, likewise.
        first, end: its cells along x, y and z, first <= i < end, counted from the domain's lower corner.
        shape: cells along the axes of its arrays.
        covered: for each cell, whether a finer level covers it. The values of such cells are meaningless.
    """

    def __init__(self, path: Path, group: str, about: Mapping[str, Any], names: tuple[str, ...], flat: bool) -> None:
        self._path, self._group, self._names, self._flat = path, group, names, flat
        self._finer: list[Box] = []
        self.corner = np.asarray(about["corner"], np.float64)
        self.spacing = np.asarray(about["spacing"], np.float64)
        ends = [int(n) for n in about["box"]]
        self.first, self.end = tuple(ends[:3]), tuple(ends[3:])
        size = [b - a for a, b in zip(self.first, self.end)][::-1]
        self.shape = tuple(size[1:] if flat else size)

    @cached_property
    def covered(self) -> npt.NDArray[np.bool_]:
        mask = np.zeros(self.shape, np.bool_)
        for box in self._finer:
            mask[self._above(box)] = True
        return mask

    def _above(self, box: Box) -> tuple[slice, ...]:
        """Returns the part of the arrays covered by a box of the next finer level."""
        part = []
        for first, end, lo, hi in zip(self.first, self.end, box.first, box.end):
            lo, hi = max(lo // 2, first), min(hi // 2, end)
            part.append(slice(lo - first, max(lo, hi) - first))
        return tuple(reversed(part[: len(self.shape)]))

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        if name not in self._names:
            raise KeyError(f"there is no field {name!r}; there are: {', '.join(self._names)}")
        with open_file(self._path) as file:
            return read_data(self._path, file[f"{self._group}/{name}"], 0 if self._flat else ())

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        cells = " x ".join(str(n) for n in reversed(self.shape))
        return f"<box of {cells} cells: {', '.join(self._names)}>"


class Level:
    """The cells of one spacing.

    Attributes:
        number: 0 for the coarsest level.
        spacing: of its cells, in metres (in cells of level 0 for a case in lattice units).
        boxes: disjoint; level 0 has one, the domain.
    """

    def __init__(self, number: int, boxes: list[Box]) -> None:
        self.number, self.boxes = number, boxes
        self.spacing = float(boxes[0].spacing[0])

    def __repr__(self) -> str:
        return f"<level {self.number}: spacing {self.spacing:g}, boxes: {len(self.boxes)}>"


class Levels:
    """A file of fields of a refined grid. It is open only while being read.

    Attributes:
        path: the file.
        time, step: when its fields were taken.
        levels: the coarsest first.
        units: of each field.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Reads the positions of the boxes.

        Raises:
            lbmsim.Error: the file has no refined grid.
        """
        self.path = Path(path).absolute()
        with open_file(self.path) as file:
            if "levels" not in file:
                raise Error(f"{shown(self.path)} has no levels: its grid is not refined")
            about, levels = file["lbmsim"].attrs, file["levels"]
            self.time, self.step = float(about["time"][0]), int(about["step"][0])
            groups = [[levels[f"{n}/{k}"] for k in range(len(levels[str(n)]))] for n in range(len(levels))]
            self._flat = len(groups) > 1 and int(groups[1][0].attrs["box"][5]) == 1
            names = tuple(groups[0][0])
            self.units = {name: _text(groups[0][0][name].attrs.get("unit", "")) for name in names}
            self.levels = [
                Level(number, [Box(self.path, box.name, dict(box.attrs), names, self._flat) for box in boxes])
                for number, boxes in enumerate(groups)
            ]
        for level, finer in zip(self.levels, self.levels[1:]):
            for box in level.boxes:
                box._finer = finer.boxes

    def resample(self, name: str, level: int | None = None) -> npt.NDArray[Any]:
        """Returns a field of the whole domain as one array of cells of a level.

        Each cell has the value of the finest cell that contains it. Where the grid is finer than the level, it has the
        mean of the finest cells in it, weighted by volume.

        Args:
            name: of the field.
            level: 0 for the coarsest. Default: the finest, which may need much memory.

        Raises:
            lbmsim.Error: there is no such level.
        """
        level = len(self.levels) - 1 if level is None else level
        if not 0 <= level < len(self.levels):
            raise Error(f"there is no level {level} in {shown(self.path)}; its finest level is {len(self.levels) - 1}")
        whole = self.levels[0].boxes[0]
        axes = len(whole.shape)
        result: npt.NDArray[Any] | None = None
        for of in self.levels:
            for box in of.boxes:
                values = box[name]
                if result is None:
                    averaged = len(self.levels) - 1 > level and not np.issubdtype(values.dtype, np.floating)
                    kind = np.dtype(np.float64) if averaged else values.dtype
                    result = np.zeros((*(n << level for n in whole.shape), *values.shape[axes:]), kind)
                if of.number >= level:
                    values[box.covered] = 0
                if of.number > level:
                    _add_means(result, values.astype(np.float64), box, of.number - level)
                    continue
                for axis in range(axes):
                    values = np.repeat(values, 1 << (level - of.number), axis)
                at = [slice(a << (level - of.number), b << (level - of.number)) for a, b in zip(box.first, box.end)]
                result[tuple(reversed(at[:axes]))] = values
        assert result is not None
        return result

    def centres(self, level: int | None = None) -> tuple[npt.NDArray[np.float64], ...]:
        """Returns the cell centres of `resample` along x, y and, in 3D, z."""
        level = len(self.levels) - 1 if level is None else level
        whole = self.levels[0].boxes[0]
        spacing = whole.spacing / (1 << level)
        cells = [n << level for n in reversed(whole.shape)]
        return tuple(whole.corner[a] + spacing[a] * (np.arange(n) + 0.5) for a, n in enumerate(cells))

    def __repr__(self) -> str:
        return f"<levels of {shown(self.path)}: {len(self.levels)}, fields: {', '.join(self.units)}>"


def _add_means(to: npt.NDArray[Any], values: npt.NDArray[np.float64], box: Box, levels: int) -> None:
    """Adds cells from a given number of finer levels, weighted by volume; a box may end within a cell."""
    axes = len(box.shape)
    at = []
    for axis, a in enumerate(reversed(range(axes))):
        cells = np.arange(box.first[a], box.end[a]) >> levels
        values = np.add.reduceat(values, np.flatnonzero(np.diff(cells, prepend=-1)), axis) / (1 << levels)
        at.append(slice(int(cells[0]), int(cells[-1]) + 1))
    to[tuple(at)] += values.astype(to.dtype)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
