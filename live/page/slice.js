// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Slices of the present state. The run computes one only while this page waits for it.

import { get, pause, seen } from "./api.js";
import { number, scale } from "./format.js";

export function slice(run, about, signal) {
  const at = (id) => document.getElementById(id);
  if (!about.fields) return;
  at("slice").hidden = false;
  at("field").replaceChildren(...about.fields.map((f) => new Option(f.name.replaceAll("_", " "), f.name)));
  if (about.fields.some((f) => f.name === "speed")) at("field").value = "speed";
  const across = about.axes.filter((a) => a.across);
  at("axis").replaceChildren(...across.map((a) => new Option(a.name, a.name)));
  at("axis").value = across.at(-1).name;
  at("axis-label").hidden = across.length < 2;

  let change = new AbortController();
  const components = () => {
    const list = about.fields.find((f) => f.name === at("field").value).components ?? [];
    at("component").replaceChildren(...list.map((c) => new Option(c, c)));
    at("component-label").hidden = list.length === 0;
  };
  const axis = () => across.find((a) => a.name === at("axis").value);
  const middle = () => {
    at("at").max = axis().cells - 1;
    at("at").value = Math.floor(axis().cells / 2);
    at("at-label").hidden = axis().cells < 2;
  };
  const changed = () => {
    const a = axis(), k = Number(at("at").value);
    const level = about.refined ? ` (cell ${k + 1} of ${a.cells} on level 0)` : "";
    at("place").textContent = `${a.name} = ${number(a.first + a.step * k)} ${a.unit}`.trim() + level;
    change.abort();
    change = new AbortController();
  };
  at("field").addEventListener("change", () => { components(); changed(); });
  at("axis").addEventListener("change", () => { middle(); changed(); });
  for (const id of ["component", "at", "follow"]) at(id).addEventListener("input", changed);
  components();
  middle();
  changed();
  signal.addEventListener("abort", () => change.abort());
  follow();

  // follow asks for one slice after the other: the run and the link set the pace.
  async function follow() {
    for (let once = null; !signal.aborted; ) {
      const now = change.signal;
      await seen();
      if (!at("follow").checked && once === now) {
        await pause(3600e3, now);
        continue;
      }
      const query = new URLSearchParams({ field: at("field").value, component: at("component").value, axis: at("axis").value, at: at("at").value });
      try {
        show(await get(`${run}/slice?${query}`, now));
        once = now;
        await pause(100, now);
      } catch (err) {
        if (now.aborted) continue;
        if (err.code === 409) return; // the run has ended: its last slice stays
        at("slice-caption").textContent = err.message;
        await pause(2000, now);
      }
    }
  }

  function show(s) {
    at("slice-caption").textContent = `${s.Title}, ${s.Under}`;
    at("plane").src = "data:image/png;base64," + s.PNG;
    at("plane").alt = `${s.Title}, ${s.Under}`;
    const span = (a) => `${a.Label}: ${number(a.Min)} to ${number(a.Max)}`;
    at("h-axis").textContent = span(s.Axes[0]);
    at("v-axis").textContent = span(s.Axes[1]);
    scale(at("slice"), s);
  }
}
