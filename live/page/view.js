// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Views in 3D of the present state, which the viewer turns. The run computes one only while this page waits for it: small ones while
// the camera moves, and a large one when it rests.

import { get, pause, seen } from "./api.js";
import { number, scale } from "./format.js";

const rests = 300; // ms after the last move

export function view(run, about, signal) {
  const at = (id) => document.getElementById(id);
  if (!about.view) return;
  at("view").hidden = false;
  const fields = about.fields.filter((f) => f.name !== "solid");
  for (const id of ["surface", "colour"]) {
    at(id).replaceChildren(...fields.map((f) => new Option(f.name.replaceAll("_", " ") + (f.components ? " magnitude" : ""), f.name)));
    at(id).value = about.view[id];
  }
  at("value").value = about.view.value ?? "";
  let levels = null; // of the surface's field
  let camera, moved = -rests;
  let change = new AbortController(); // of what is shown, or of the camera at rest
  signal.addEventListener("abort", () => change.abort());
  const changed = () => {
    change.abort();
    change = new AbortController();
  };

  // move turns the camera by degrees and brings it nearer by steps.
  function move(turn, tilt, zoom) {
    camera.turn = (((camera.turn + turn) % 360) + 360) % 360;
    camera.tilt = Math.min(Math.max(camera.tilt + tilt, -85), 85);
    camera.zoom = Math.min(Math.max(camera.zoom + zoom, -8), 20);
    const moving = performance.now() - moved < rests; // then its pictures follow each other without being called off
    moved = performance.now();
    if (!moving) changed();
    at("camera").textContent = `turned ${Math.round(camera.turn)}°, ${Math.round(camera.tilt)}° above, distance ${number(2 ** (-camera.zoom / 4), 2)}`;
  }
  const reset = () => {
    camera = { turn: 0, tilt: 24, zoom: 0 };
    move(0, 0, 0);
  };
  reset();
  moved = -rests;
  at("reset").addEventListener("click", reset);
  at("nearer").addEventListener("click", () => move(0, 0, 1));
  at("farther").addEventListener("click", () => move(0, 0, -1));
  const keys = { ArrowLeft: [10, 0, 0], ArrowRight: [-10, 0, 0], ArrowUp: [0, 5, 0], ArrowDown: [0, -5, 0], "+": [0, 0, 1], "=": [0, 0, 1], "-": [0, 0, -1] };
  const box = at("turn");
  box.addEventListener("keydown", (e) => {
    if (signal.aborted || e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
    e.preventDefault();
    move(...keys[e.key]);
  });
  box.addEventListener("pointerdown", (e) => {
    box.setPointerCapture(e.pointerId);
    box.focus();
  });
  box.addEventListener("pointermove", (e) => {
    if (signal.aborted || !box.hasPointerCapture(e.pointerId) || !(e.movementX || e.movementY)) return;
    move((-360 * e.movementX) / box.clientWidth, (180 * e.movementY) / box.clientHeight, 0);
  });
  box.addEventListener("wheel", (e) => { // elsewhere the wheel moves the page
    if (signal.aborted || document.activeElement !== box) return;
    e.preventDefault();
    move(0, 0, -Math.sign(e.deltaY));
  }, { passive: false });
  at("surface").addEventListener("change", () => {
    at("value").value = at("value").placeholder = "";
    levels = null;
    at("level").disabled = true;
    changed();
  });
  at("value").addEventListener("change", changed);
  let sliding;
  at("level").addEventListener("input", () => {
    at("value").value = Number(levels[at("level").value].toPrecision(4));
    clearTimeout(sliding);
    sliding = setTimeout(changed, 150); // not one view for each value on the way
  });
  for (const id of ["colour", "view-follow"]) at(id).addEventListener("change", changed);
  follow();

  // follow asks for one view after the other: the run and the link set the pace.
  async function follow() {
    for (let once = null; !signal.aborted; ) {
      await seen();
      const now = change.signal, moving = performance.now() - moved < rests;
      if (!moving && !at("view-follow").checked && once === now) {
        await pause(3600e3, now);
        continue;
      }
      const query = new URLSearchParams({ surface: at("surface").value, value: at("value").value, colour: at("colour").value, turn: Math.round(camera.turn) % 360, tilt: Math.round(camera.tilt), zoom: camera.zoom });
      if (moving) query.set("moving", 1);
      try {
        show(await get(`${run}/view?${query}`, now));
        if (!moving) {
          once = now;
          await pause(100, now);
        }
      } catch (err) {
        if (now.aborted) continue;
        if (err.code === 409) return; // the run has ended: its last view stays
        at("view-caption").textContent = err.message;
        await pause(2000, now);
      }
    }
  }

  function show(s) {
    at("view-caption").textContent = `${s.Title}, ${s.Under}`;
    at("space").src = "data:image/png;base64," + s.PNG;
    at("space").alt = `${s.Title}, ${s.Under}`;
    scale(at("view"), s);
    if (!s.Levels) return;
    levels = s.Levels;
    at("value").placeholder = Number(s.Value.toPrecision(4)); // and empty: the next view has a value of its own
    at("level").disabled = false;
    at("level").value = Math.max(levels.findLastIndex((v) => v <= s.Value), 0);
  }
}
