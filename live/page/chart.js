// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Curves over steps or time, by uPlot.
/* global uPlot */

import { number } from "./format.js";

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const dark = matchMedia("(prefers-color-scheme: dark)");

// Chart draws curves in a box: [{label, colour, width}], the first set of data is x. A band lies between two of them.
export class Chart {
  constructor(box, signal) {
    this.box = box;
    this.shape = null;
    this.data = null;
    const again = () => { this.clear(); this.draw(); };
    dark.addEventListener("change", again, { signal });
    const size = new ResizeObserver(() => this.plot?.setSize(this.size()));
    size.observe(box);
    signal.addEventListener("abort", () => { size.disconnect(); this.clear(); });
  }

  size() {
    return { width: Math.max(this.box.clientWidth, 50), height: this.box.clientHeight - 32 };
  }

  clear() {
    this.plot?.destroy();
    this.plot = null;
  }

  // show sets what is drawn; x is the label of the first set of data.
  show(x, curves, data, band) {
    const shape = JSON.stringify([x, curves, band]);
    if (shape !== this.shape) this.clear();
    this.shape = shape;
    this.x = x;
    this.curves = curves;
    this.band = band;
    this.data = data;
    this.draw();
  }

  draw() {
    if (!this.data) return;
    if (this.plot) return this.plot.setData(this.data);
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { stroke: colour("--grid"), width: 1 } };
    const value = (_, v) => number(v, 5);
    const options = {
      ...this.size(),
      scales: { x: { time: false } },
      axes: [{ ...axis, values: (_, all) => all.map((v) => number(v, 6)) }, { ...axis, size: 62, values: (_, all) => all.map((v) => number(v, 4)) }],
      series: [{ label: this.x, value }, ...this.curves.map((c) => ({ label: c.label, value, stroke: colour(c.colour), width: c.width ?? 1.5, points: { show: this.data[0].length === 1 } }))],
      bands: this.band ? [{ series: this.band, fill: colour("--band") }] : [],
      cursor: { drag: { x: true, y: false } },
    };
    this.plot = new uPlot(options, this.data, this.box);
  }
}
