# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Values on the surfaces of bodies, [output.surface.NAME]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import Error
from .fields import Output, open_file

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True)
class Surface:
    """The surface of a body at one time, as numpy arrays.

    Attributes:
        path: the file.
        time: of the flow, in the unit of the case.
        step: of the run.
        points: coordinates, [point, 3].
        triangles: the three points of each, [triangle, 3], anticlockwise seen from the fluid.
        values: by field, [triangle] or [triangle, 3]; NaN where there is no fluid.
        units: by field.
    """

    path: Path
    time: float
    step: int
    points: npt.NDArray[Any]
    triangles: npt.NDArray[Any]
    values: dict[str, npt.NDArray[Any]]
    units: dict[str, str]

    @property
    def normals(self) -> npt.NDArray[Any]:
        """Normals into the fluid, [triangle, 3], with the areas as lengths."""
        a, b, c = (self.points[self.triangles[:, k]] for k in range(3))
        normals: npt.NDArray[Any] = np.cross(b - a, c - a) / 2
        return normals


def read_surface(output: Output) -> Surface:
    """Reads the surface in one file of an index."""
    with open_file(output.path) as f:
        file = f["VTKHDF"]
        return Surface(
            output.path,
            output.time,
            output.step,
            file["Points"][...],
            file["Connectivity"][...].reshape(-1, 3),
            {name: file["CellData"][name][...] for name in output.fields},
            {name: unit for name, (unit, _, _) in output.fields.items()},
        )


class Surfaces(Mapping[str, Surface]):
    """Surfaces by the names of [output.surface.NAME], each at the last time; `at` returns others."""

    def __init__(self, outputs: Callable[[], dict[str, list[Output]]]) -> None:
        self._outputs = outputs

    def _of(self, name: str) -> list[Output]:
        found = self._outputs()
        if name not in found:
            raise KeyError(f"there is no surface {name!r}; there are: {', '.join(sorted(found)) or 'none'}")
        if not found[name]:
            raise Error(f"the surface {name!r} has not been written yet")
        return found[name]

    def __getitem__(self, name: str) -> Surface:
        return read_surface(self._of(name)[-1])

    def at(self, name: str, time: float) -> Surface:
        """Returns the surface at the nearest time."""
        return read_surface(min(self._of(name), key=lambda o: abs(o.time - time)))

    def times(self, name: str) -> list[float]:
        """Returns the times at which the surface has been written."""
        return [o.time for o in self._of(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._outputs()))

    def __len__(self) -> int:
        return len(self._outputs())

    def __repr__(self) -> str:
        return f"<surfaces: {', '.join(self) or 'none'}>"
