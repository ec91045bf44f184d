// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Tables of the run as curves: forces with their running means and 95 % intervals, series, probes.

import { get, lastOf } from "./api.js";
import { Chart } from "./chart.js";
import { number, template } from "./format.js";

const most = 6000; // rows in a curve; then each second one goes

class Table {
  constructor(run, name, host, signal) {
    Object.assign(this, { run, name, signal, next: 0, mark: "", columns: [], data: [] });
    host.append(template("table"));
    this.card = host.lastElementChild;
    const id = "h-" + name;
    const head = this.card.querySelector("h2");
    head.id = id;
    head.textContent = name.replace(/\.csv$/, "").replace("_", " ");
    this.card.setAttribute("aria-labelledby", id);
    this.choice = this.card.querySelector("select");
    this.choice.addEventListener("change", () => this.draw());
    this.plot = this.card.querySelector(".plot");
    this.plot.setAttribute("aria-label", head.textContent + " over time");
    this.chart = new Chart(this.plot, signal);
    this.grown = lastOf(() => this.read(), signal);
  }

  // read reads new rows.
  async read() {
    const r = await get(`${this.run}/rows?table=${encodeURIComponent(this.name)}&from=${this.next}&mark=${this.mark}`, this.signal);
    if (r.again || this.columns.length === 0) this.begin(r.columns);
    for (const line of r.text.split("\n")) {
      const values = line.split(",");
      if (values.length === this.columns.length) values.forEach((v, k) => this.data[k].push(v !== "" && Number.isFinite(Number(v)) ? Number(v) : null)); // Number does not know +Inf
    }
    if (this.data[0].length > most) this.data = this.data.map((d) => d.filter((_, k) => k % 2 === 0 || k === d.length - 1));
    this.next = r.next;
    this.mark = r.mark;
    this.draw();
  }

  begin(columns) {
    this.columns = columns;
    this.data = columns.map(() => []);
    const shown = columns.filter((c, k) => k > 1 && !/^(mean |\+- )/.test(c) && !/^[xyz]( \(|$)/.test(c));
    const before = this.choice.value;
    this.choice.replaceChildren(...shown.map((c) => new Option(c, c)));
    const first = shown.find((c) => /^drag\b/.test(c));
    if (shown.includes(before)) this.choice.value = before;
    else if (first) this.choice.value = first;
  }

  draw() {
    const name = this.choice.value, at = this.columns.indexOf(name);
    if (at < 0 || this.data[0].length === 0) return;
    const x = this.data[1], value = this.data[at];
    const mean = this.data[this.columns.indexOf("mean " + name)], half = this.data[this.columns.indexOf("+- " + name)];
    const curves = [{ label: name, colour: "--curve" }], data = [x, value];
    let last = `last ${number(value.at(-1), 6)}`;
    if (mean) {
      curves.push({ label: "mean", colour: "--mean", width: 2 }, { label: "mean + half-width", colour: "--band", width: 1 }, { label: "mean − half-width", colour: "--band", width: 1 });
      const known = mean.map((m, k) => m !== null && half[k] !== null);
      data.push(mean, mean.map((m, k) => (known[k] ? m + half[k] : null)), mean.map((m, k) => (known[k] ? m - half[k] : null)));
      if (mean.at(-1) !== null) last += `, mean ${number(mean.at(-1), 6)}` + (known.at(-1) ? ` ± ${number(half.at(-1), 2)} (95 %)` : "");
    }
    this.chart.show(this.columns[1], curves, data, mean ? [3, 4] : undefined);
    this.card.querySelector(".last").textContent = last;
  }
}

// tables returns what takes the list of files of a run.
export function tables(run, host, signal) {
  const all = new Map(), left = document.getElementById("tables-left-out");
  return (files) => {
    for (const f of files.tables) {
      if (!all.has(f.name)) all.set(f.name, new Table(run, f.name, host, signal));
      all.get(f.name).grown(`${f.size} ${f.changed}`);
    }
    left.hidden = !files.left_out;
    left.textContent = files.left_out ? `${files.left_out} more tables are in the folder; the page has room for ${files.tables.length}.` : "";
  };
}
