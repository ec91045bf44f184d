# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Draws the pictures of the gallery from what its cases wrote.

    python3 cases/gallery/draw.py [--out out] [--to docs] [NAME...]

Reads the newest fields of OUT/NAME and writes TO/gallery_NAME.webp. Needs pyvista, h5py and pillow.
Colour maps are perceptually uniform: viridis and inferno, vanimo and berlin (Crameri, doi:10.5281/zenodo.1243862).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pyvista as pv
from matplotlib import colormaps
from PIL import Image, ImageDraw
from vtkmodules.vtkCommonCore import vtkLogger

HERE = Path(__file__).resolve().parent
NIGHT, PAPER = "#10141a", "#ffffff"
pv.global_theme.allow_empty_mesh = True  # a short run may have no vortices yet
vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)  # else it says that there is no display


def newest_file(folder: Path, what: str = "fields") -> Path:
    files = sorted((folder / what).glob(f"{what}_*.hdf"))
    if not files:
        sys.exit(f"draw.py: there are no {what} in {folder}: run the case first")
    return files[-1]


def newest(folder: Path, what: str = "fields") -> pv.ImageData:
    return pv.read(newest_file(folder, what))


def plane(grid: pv.ImageData, name: str) -> np.ndarray:
    """A field of a case in 2D as rows from the top; of a vector its z component."""
    values = np.asarray(grid.cell_data[name])
    if values.ndim == 2:
        values = values[:, 2]
    nx, ny, _ = (n - 1 for n in grid.dimensions)
    return values.reshape(ny, nx)[::-1]


def coloured(values: np.ndarray, low: float, high: float, colours: str, solid: np.ndarray | None = None) -> Image.Image:
    rgb = colormaps[colours](np.clip((values - low) / (high - low), 0, 1))[..., :3]
    if solid is not None:
        rgb[solid > 0] = 0.55
    return Image.fromarray((rgb * 255 + 0.5).astype(np.uint8))


def scene(colour: str, width: int, height: int) -> pv.Plotter:
    p = pv.Plotter(off_screen=True, window_size=(width, height), lighting="none")
    p.set_background(colour)
    p.add_light(pv.Light(position=(-0.6, -1, 1.6), light_type="camera light", intensity=0.75))
    p.add_light(pv.Light(position=(1, 0.6, 0.8), light_type="camera light", intensity=0.35))
    p.add_light(pv.Light(position=(0, 0, 1), light_type="headlight", intensity=0.2))
    p.enable_anti_aliasing("ssaa")
    return p


def shot(p: pv.Plotter) -> Image.Image:
    p.show(auto_close=False)
    picture = Image.fromarray(p.screenshot(return_img=True))
    p.close()
    return picture


def iso(grid: pv.ImageData, name: str, value: float, colour: str) -> pv.PolyData:
    return grid.cell_data_to_point_data().contour([value], scalars=name, compute_normals=True)


def paint(p: pv.Plotter, surface: pv.PolyData, name: str, colours: str, limits: tuple[float, float]) -> None:
    p.add_mesh(
        surface, scalars=name, cmap=colours, clim=limits, smooth_shading=True, specular=0.25, show_scalar_bar=False
    )


def speed(grid: pv.ImageData) -> None:
    """Adds the speed, where only the velocity was written."""
    if "speed" not in grid.cell_data:
        grid.cell_data["speed"] = np.linalg.norm(grid.cell_data["velocity"], axis=1)


def street(out: Path) -> Image.Image:
    flow = newest(out)
    return coloured(plane(flow, "vorticity"), -2.5, 2.5, "berlin", plane(flow, "solid")).resize(
        (1600, 571), Image.Resampling.LANCZOS
    )


def tandem(out: Path) -> Image.Image:
    """All levels in pixels of the finest cells, and the ends of the boxes."""
    with h5py.File(newest_file(out)) as file:
        levels = file["levels"]
        finest = len(levels) - 1
        n = levels["0/0"].attrs["box"][3:5] << finest
        vorticity, solid, boxes = np.zeros(n[::-1]), np.zeros(n[::-1]), []
        for level in range(finest + 1):
            width = 1 << (finest - level)
            for box in levels[str(level)].values():
                x0, y0, _, x1, y1, _ = (int(cell) * width for cell in box.attrs["box"])
                for to, values in ((vorticity, box["vorticity"][0, ..., 2]), (solid, box["solid"][0])):
                    to[y0:y1, x0:x1] = np.kron(values, np.ones((width, width)))
                if level > 0:
                    boxes.append((x0, n[1] - y1, x1, n[1] - y0))
    picture = coloured(vorticity[::-1], -2.5, 2.5, "berlin", solid[::-1])
    picture = picture.resize((2 * picture.width, 2 * picture.height), Image.Resampling.NEAREST)
    pen = ImageDraw.Draw(picture)
    for corners in boxes:
        pen.rectangle([2 * corner for corner in corners], outline="#8a8f96")
    w, h = picture.size
    cut = (round(5 / 32 * w), round(3 / 16 * h), round(31 / 32 * w), round(13 / 16 * h))
    return picture.crop(cut).resize((1600, 615), Image.Resampling.LANCZOS)


def mixer(out: Path) -> Image.Image:
    """The radial velocity in the middle of the gap, one half cut away to show the rotor."""
    flow = newest(out).cell_data_to_point_data()
    angle, z = np.meshgrid(np.linspace(-np.pi, 0.35 * np.pi, 700), np.linspace(*flow.bounds[4:], 400))
    middle = pv.StructuredGrid(0.9 * np.cos(angle), 0.9 * np.sin(angle), z).sample(flow)
    radial = (middle["velocity"][:, :2] * middle.points[:, :2]).sum(axis=1) / 0.9
    middle["radial"] = radial
    p = scene(NIGHT, 1500, 1000)
    p.add_mesh(middle, scalars="radial", cmap="vanimo", clim=(-0.12, 0.12), show_scalar_bar=False, ambient=0.35)
    height = flow.bounds[5] - flow.bounds[4]
    p.add_mesh(
        pv.Cylinder(center=flow.center, direction=(0, 0, 1), radius=0.8, height=height, resolution=200),
        color="#9aa3ad",
        smooth_shading=True,
        split_sharp_edges=True,
    )
    p.camera_position = [(1.6, -4.6, 2.3), flow.center, (0, 0, 1)]
    p.camera.zoom(1.25)
    return shot(p)


def sound(out: Path) -> Image.Image:
    """The pressure less its mean, 120 x 120 diameters; beside the wake it is sound."""
    flow, mean = newest(out), newest(out, "averages")
    p = plane(flow, "pressure") - plane(mean, "mean_pressure")
    half = int(60 / flow.spacing[0])
    x, y = (int(-flow.origin[a] / flow.spacing[a]) for a in (0, 1))
    part = slice(len(p) - y - half, len(p) - y + half), slice(x - half, x + half)
    return coloured(p[part], -0.004, 0.004, "vanimo", plane(flow, "solid")[part]).resize(
        (1100, 1100), Image.Resampling.LANCZOS
    )


def taylor_green(out: Path) -> Image.Image:
    flow = newest(out)
    p = scene(NIGHT, 1300, 1050)
    paint(p, iso(flow, "q_criterion", 9, "speed"), "speed", "inferno", (0, 1.1))
    p.camera_position = [(15.5, -10.5, 10.5), (3.14, 3.14, 3.0), (0, 0, 1)]
    p.camera.zoom(1.2)
    return shot(p)


def car(out: Path) -> list[Image.Image]:
    frames = [Image.open(file).convert("RGB") for file in sorted(out.glob("vortices_*.png"))]
    if not frames:
        raise SystemExit(f"{out} has no vortices_*.png: run the case first")
    return frames


def porous(out: Path) -> Image.Image:
    flow = newest(out)
    speed(flow)
    points = flow.cell_data_to_point_data()
    low, high = np.array(flow.bounds[0::2]), np.array(flow.bounds[1::2])
    middle, size = (low + high) / 2, high - low
    share = np.linspace(0.04, 0.96, 20)
    seeds = np.array([low + size * (0.03, a, b) for a in share for b in share])
    lines = points.streamlines_from_source(
        pv.PolyData(seeds),
        vectors="velocity",
        max_length=6 * size[0],
        max_steps=6000,
        initial_step_length=0.5,
        integration_direction="forward",
    )
    top = float(np.quantile(flow.cell_data["speed"], 0.985))
    p = scene(NIGHT, 1300, 1050)
    rock = points.contour([0.5], scalars="solid", compute_normals=True)
    p.add_mesh(rock.clip(normal=(0.35, -1, 0.45), origin=middle, invert=True), color="#9a8f80", smooth_shading=True)
    p.add_mesh(
        lines.tube(radius=0.003 * size[0]), scalars="speed", cmap="viridis", clim=(0, top), show_scalar_bar=False
    )
    p.camera_position = [middle + size[0] * np.array([-1.3, -2.3, 1.25]), middle, (0, 0, 1)]
    p.camera.zoom(1.15)
    return shot(p)


def convection(out: Path) -> Image.Image:
    """The surface of the hot fluid, coloured by its height."""
    flow = newest(out)
    hot = flow.cell_data_to_point_data().contour([0.13], scalars="temperature", compute_normals=True)
    hot["height"] = hot.points[:, 2]
    p = scene(NIGHT, 1800, 900)
    paint(p, hot, "height", "inferno", (-0.25, 0.95))
    middle = np.array(flow.center)
    p.camera_position = [middle + np.array([-1.8, -6.6, 3.9]), middle - np.array([0, 0, 0.25]), (0, 0, 1)]
    p.camera.zoom(1.18)
    return shot(p)


def stenosis(out: Path) -> Image.Image:
    flow = newest(out)
    speed(flow)
    p = scene(NIGHT, 1800, 420)
    vessel = pv.read(HERE / "vessel.stl").scale(0.003)
    p.add_mesh(vessel.clip("-y", origin=(0, 0, 0)), color="#c98088", opacity=0.4, smooth_shading=True)
    paint(p, iso(flow, "q_criterion", 6e5, "speed"), "speed", "viridis", (0, 5))
    p.camera_position = [(0.009, -0.06, 0.016), (0.009, 0, 0), (0, 0, 1)]
    p.enable_parallel_projection()
    p.camera.parallel_scale = 0.0038
    return shot(p)


PICTURES: dict[str, Callable[[Path], Image.Image | list[Image.Image]]] = {
    "street": street,
    "tandem": tandem,
    "taylor_green": taylor_green,
    "car": car,
    "porous": porous,
    "convection": convection,
    "mixer": mixer,
    "stenosis": stenosis,
    "sound": sound,
}


def main() -> None:
    words = argparse.ArgumentParser(description="Draws the pictures of the gallery.")
    words.add_argument("--out", type=Path, default=Path("out"), help="folder of the outputs (out)")
    words.add_argument("--to", type=Path, default=Path("docs"), help="folder of the pictures (docs)")
    words.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    given = words.parse_args()
    for name in given.names or PICTURES:
        if name not in PICTURES:
            words.error(f"there is no {name}: {', '.join(PICTURES)}")
        file = given.to / f"gallery_{name}.webp"
        drawn = PICTURES[name](given.out / name)
        if isinstance(drawn, list):  # the frames of an animation, as `lbmsim film` makes of them with ffmpeg
            drawn[0].save(file, save_all=True, append_images=drawn[1:], duration=66, loop=0, quality=70, method=6)
        else:
            drawn.save(file, quality=82, method=6)
        print(f"{file}: {file.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
