# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Makes the bodies of the gallery's cases: car.stl, vessel.stl and rock.raw, beside this script.

    python3 cases/gallery/shapes.py

Needs numpy. The files are the same on every machine that has the same numpy.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent


def write_stl(file: Path, parts: list[np.ndarray]) -> None:
    """Writes triangles of shape (n, 3, 3), corners counter-clockwise seen from outside, as binary STL."""
    triangles = np.concatenate(parts)
    record = np.zeros(len(triangles), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("tag", "<u2")])
    record["corners"] = triangles
    file.write_bytes(
        f"{file.stem} of lbmsim's gallery".ljust(80).encode() + np.uint32(len(triangles)).tobytes() + record.tobytes()
    )
    print(f"{file.name}: {len(triangles)} triangles")


def loft(rings: np.ndarray) -> np.ndarray:
    """Closed surface through rings (stations, points, 3) that turn left seen against the axis; its ends are fans."""
    inner, outer = rings[:-1], rings[1:]
    a, b = inner, np.roll(inner, -1, axis=1)
    c, d = outer, np.roll(outer, -1, axis=1)
    sides = [np.stack([a, b, d], axis=2).reshape(-1, 3, 3), np.stack([a, d, c], axis=2).reshape(-1, 3, 3)]
    ends = []
    for ring, turn in ((rings[0], True), (rings[-1], False)):
        middle = np.broadcast_to(ring.mean(axis=0), ring.shape)
        here, after = ring, np.roll(ring, -1, axis=0)
        ends.append(np.stack([middle, after, here] if turn else [middle, here, after], axis=1))
    return np.concatenate(sides + ends)


def superellipse(points: int, power: float) -> tuple[np.ndarray, np.ndarray]:
    """A round box |p|^power + |q|^power = 1, turning left."""
    angle = 2 * np.pi * np.arange(points) / points
    p, q = np.cos(angle), np.sin(angle)
    return np.sign(p) * np.abs(p) ** (2 / power), np.sign(q) * np.abs(q) ** (2 / power)


def between(x: np.ndarray, table: list[tuple[float, float]]) -> np.ndarray:
    """A smooth curve through points of rising x (monotone cubic after Fritsch & Carlson)."""
    px, py = np.array(table).T
    slope = np.diff(py) / np.diff(px)
    tangent = np.concatenate(
        [[slope[0]], np.where(slope[1:] * slope[:-1] > 0, (slope[1:] + slope[:-1]) / 2, 0), [slope[-1]]]
    )
    tangent[1:-1] = np.clip(
        tangent[1:-1],
        -3 * np.minimum(np.abs(slope[1:]), np.abs(slope[:-1])),
        3 * np.minimum(np.abs(slope[1:]), np.abs(slope[:-1])),
    )
    k = np.clip(np.searchsorted(px, x) - 1, 0, len(px) - 2)
    h = px[k + 1] - px[k]
    t = (x - px[k]) / h
    return (
        (2 * t**3 - 3 * t**2 + 1) * py[k]
        + (t**3 - 2 * t**2 + t) * h * tangent[k]
        + (3 * t**2 - 2 * t**3) * py[k + 1]
        + (t**3 - t**2) * h * tangent[k + 1]
    )


def car() -> None:
    """A fastback of 4.2 m without wheels, which the case adds as cylinders that turn."""
    points, stations = 144, 180
    p, q = superellipse(points, 4.0)

    def hull(x: np.ndarray, top: list, bottom: list, half: list, lean: float) -> np.ndarray:
        upper, lower, width = between(x, top), between(x, bottom), between(x, half)
        height = (lower + q[:, None] * (upper - lower) / 2 + (upper - lower) / 2).T
        rise = (q + 1) / 2  # 0 at the bottom, 1 at the top
        side = (p * (1 - lean * rise**2))[None, :] * width[:, None]
        return np.stack([np.broadcast_to(x[:, None], side.shape), side, height], axis=2)

    along = (1 - np.cos(np.linspace(0, np.pi, stations))) / 2  # closer at the ends
    body = hull(
        4.2 * along,
        [(0, 0.50), (0.12, 0.66), (0.5, 0.76), (1.2, 0.86), (2.2, 0.92), (3.4, 0.97), (4.05, 0.95), (4.2, 0.86)],
        [(0, 0.34), (0.15, 0.20), (0.5, 0.17), (3.3, 0.17), (4.0, 0.30), (4.2, 0.42)],
        [(0, 0.58), (0.12, 0.74), (0.6, 0.86), (1.5, 0.90), (3.2, 0.91), (4.0, 0.84), (4.2, 0.74)],
        0.10,
    )
    cabin = hull(
        1.0 + 2.95 * along,
        [(1.0, 0.78), (1.25, 0.97), (1.75, 1.27), (2.15, 1.36), (2.6, 1.35), (3.2, 1.20), (3.7, 1.02), (3.95, 0.90)],
        [(1.0, 0.62), (1.4, 0.60), (3.6, 0.60), (3.95, 0.70)],
        [(1.0, 0.60), (1.4, 0.74), (2.2, 0.80), (3.0, 0.78), (3.7, 0.66), (3.95, 0.56)],
        0.34,
    )
    parts = [loft(body), loft(cabin)]
    turn = np.linspace(0, np.pi, 25)
    ring_p, ring_q = superellipse(32, 2.0)
    for side in (-1, 1):  # mirrors
        radius = np.maximum(np.sin(turn), 1e-3)
        mirror = np.stack(
            [
                np.broadcast_to((1.42 - 0.06 * np.cos(turn))[:, None], (25, 32)),
                side * 0.93 + 0.13 * radius[:, None] * ring_p,
                0.98 + 0.075 * radius[:, None] * ring_q,
            ],
            axis=2,
        )
        parts.append(loft(mirror))
    write_stl(HERE / "car.stl", parts)


def vessel() -> None:
    """The interior of a tube of diameter 1 with a throat of half that diameter, 5 % off the axis (x from -4 to 14)."""
    x = np.concatenate([np.linspace(-4, -1.1, 30), np.linspace(-1, 1, 121), np.linspace(1.1, 14, 130)])
    inside = np.abs(x) <= 1
    swell = np.where(inside, (1 + np.cos(np.pi * x)) / 2, 0)
    radius, shift = 0.5 * (1 - 0.5 * swell), 0.05 * swell
    p, q = superellipse(128, 2.0)
    rings = np.stack(
        [
            np.broadcast_to(x[:, None], (len(x), 128)),
            radius[:, None] * p,
            shift[:, None] + radius[:, None] * q,
        ],
        axis=2,
    )
    write_stl(HERE / "vessel.stl", [loft(rings)])


def rock() -> None:
    """A porous sample of 192^3 voxels, 60 % pores: noise with a largest and a smallest wavelength, cut at a value."""
    n = 192
    k = np.fft.fftfreq(n) * n
    k2 = k[:, None, None] ** 2 + k[None, :, None] ** 2 + np.fft.rfftfreq(n)[None, None, :] ** 2 * n * n
    noise = np.fft.rfftn(np.random.default_rng(7).standard_normal((n, n, n)))
    smooth = np.fft.irfftn(noise * np.exp(-k2 / 7.0**2) * (k2 > 2.5**2), s=(n, n, n), axes=(0, 1, 2))
    solid = smooth > np.quantile(smooth, 0.60)
    (HERE / "rock.raw").write_bytes(solid.astype(np.uint8).tobytes())  # x fastest
    print(f"rock.raw: {n}^3 voxels, {1 - solid.mean():.1%} pores")


if __name__ == "__main__":
    car()
    vessel()
    rock()
