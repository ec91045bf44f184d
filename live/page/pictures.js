// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The pictures that a run has written.

import { blob, lastOf } from "./api.js";
import { template } from "./format.js";

// load shows a picture, which needs the token, in an img.
export async function load(img, run, name, step, signal) {
  const url = URL.createObjectURL(await blob(`${run}/picture?name=${encodeURIComponent(name)}&step=${step}`, signal));
  if (img.src) URL.revokeObjectURL(img.src);
  img.src = url;
}

class Series {
  constructor(run, name, host, signal) {
    Object.assign(this, { run, name, signal, steps: [], latest: true });
    host.append(template("picture"));
    const card = host.lastElementChild, head = card.querySelector("h2");
    head.textContent = name;
    head.id = "h-picture-" + name;
    card.setAttribute("aria-labelledby", head.id);
    this.img = card.querySelector("img");
    this.range = card.querySelector("input");
    this.output = card.querySelector("output");
    this.load = lastOf((step) => load(this.img, run, name, step, signal), signal);
    this.range.addEventListener("input", () => {
      this.latest = Number(this.range.value) === this.steps.length - 1;
      this.show();
    });
  }

  update(steps) {
    const before = this.steps[Number(this.range.value)];
    this.steps = steps;
    this.range.max = steps.length - 1;
    this.range.disabled = steps.length < 2;
    this.range.value = this.latest ? steps.length - 1 : Math.max(steps.indexOf(before), 0);
    this.show();
  }

  show() {
    const step = this.steps[Number(this.range.value)];
    this.output.textContent = step;
    this.img.alt = `${this.name} at step ${step}`;
    this.load(step);
  }
}

// pictures returns what takes the list of files of a run.
export function pictures(run, host, signal) {
  const all = new Map(), left = document.getElementById("pictures-left-out");
  return (files) => {
    for (const f of files.pictures) {
      if (!all.has(f.name)) all.set(f.name, new Series(run, f.name, host, signal));
      all.get(f.name).update(f.steps);
    }
    left.hidden = !files.undrawn;
    left.textContent = files.undrawn ? `${files.undrawn} more series of pictures are in the folder; the page has room for ${files.pictures.length}.` : "";
  };
}
