// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Several runs as a table that fills: a folder of runs, or the grids of a study.

import { get, pause, seen } from "./api.js";
import { cell, duration, number, template } from "./format.js";
import { load } from "./pictures.js";

export async function list(runs, link, signal) {
  const main = document.getElementById("main");
  main.replaceChildren(template("runs"));
  document.getElementById("title").textContent = "Runs";
  document.getElementById("subtitle").textContent = "";
  document.title = "lbmsim";
  const body = main.querySelector("tbody"), rows = [];
  for (; !signal.aborted; runs = await next(link, signal)) {
    runs?.forEach((r, id) => {
      rows[id] ??= new Row(body, id, signal);
      rows[id].update(r);
    });
    if (runs) leftOut(signal);
    if (runs) link(true);
    if (runs?.length === 0) link(false, "no run has written into these folders yet");
  }
}

// leftOut says which runs the list has not.
export async function leftOut(signal) {
  const line = document.getElementById("left-out");
  const { text } = await get("left_out", signal).catch(() => ({ text: line.textContent }));
  line.hidden = !text;
  line.textContent = text;
}

async function next(link, signal) {
  await pause(2000, signal);
  await seen();
  try {
    return await get("runs", signal);
  } catch (err) {
    if (!signal.aborted) link(false, err.code ? err.message : "no link to the server");
  }
}

class Row {
  constructor(body, id, signal) {
    Object.assign(this, { id, signal, shown: "" });
    this.tr = document.createElement("tr");
    this.link = document.createElement("a");
    this.link.href = `#/run/${id}`;
    const name = document.createElement("th");
    name.scope = "row";
    this.title = document.createElement("div");
    this.title.className = "quiet";
    name.append(this.link, this.title);
    this.state = cell("");
    this.progress = cell("");
    this.bar = document.createElement("progress");
    this.steps = document.createElement("div");
    this.progress.append(this.bar, this.steps);
    this.speed = cell("", "number");
    this.left = cell("", "number");
    this.results = cell("");
    this.picture = cell("");
    this.speed.dataset.label = "MLUPS"; // in a narrow window the table has no head
    this.left.dataset.label = "Remaining";
    this.tr.append(name, this.state, this.progress, this.speed, this.left, this.results, this.picture);
    body.append(this.tr);
  }

  update(r) {
    this.link.textContent = r.folder || "starting";
    this.title.textContent = r.title ?? "";
    this.state.textContent = r.standing;
    this.bar.max = Math.max(r.last_step - r.first_step, 1);
    this.bar.value = r.step - r.first_step;
    this.bar.setAttribute("aria-label", `progress of ${r.folder}`);
    this.steps.textContent = `${r.step} of ${r.last_step}`;
    this.speed.textContent = number(r.mlups);
    this.left.textContent = r.phase === "running" ? duration(r.eta) : "";
    const results = (r.results ?? []).flatMap((o) => (o.numbers ?? []).map((n) => [o.output, n]));
    this.results.replaceChildren(...[...results, ...(r.expect ?? []).map((n) => ["", n])].map(([output, n]) => {
      const line = document.createElement("div");
      line.textContent = `${output} ${n.quantity}${n.of ? " of " + n.of : ""} = ${number(n.value, 5)}${n.half ? " ± " + number(n.half, 2) : ""} ${n.unit ?? ""}${n.doubt ? " DOUBTFUL" : ""}${n.note ? ` (${n.note})` : ""}`.trim();
      return line;
    }));
    const p = r.picture;
    if (p && this.shown !== `${p.name} ${p.steps}`) {
      this.shown = `${p.name} ${p.steps}`;
      if (!this.img) {
        this.img = document.createElement("img");
        this.picture.append(this.img);
      }
      this.img.alt = `${p.name} at step ${p.steps[0]}`;
      load(this.img, this.id, p.name, p.steps[0], this.signal).catch(() => { this.shown = ""; });
    }
  }
}
