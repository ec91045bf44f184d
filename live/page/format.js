// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers and times as text.

export function number(v, digits = 4) {
  if (v === null || v === undefined || Number.isNaN(v)) return "–";
  if (v !== 0 && (Math.abs(v) >= 1e6 || Math.abs(v) < 1e-3)) return v.toExponential(digits - 1).replace(/\.?0+e/, "e");
  return String(Number(v.toPrecision(digits)));
}

export const percent = (v, digits = 3) => number(100 * v, digits) + " %";

export function duration(seconds) {
  if (!(seconds >= 0)) return "–";
  const s = Math.round(seconds), h = Math.floor(s / 3600), m = Math.floor((s % 3600) / 60);
  if (h > 0) return `${h} h ${m} min`;
  if (m > 0) return `${m} min ${s % 60} s`;
  return `${s} s`;
}

// facts fills a list of names and values.
export function facts(list, rows) {
  list.replaceChildren(...rows.filter((r) => r).map(([name, value, swatch]) => {
    const row = document.createElement("div"), dt = document.createElement("dt"), dd = document.createElement("dd");
    if (swatch) {
      const s = document.createElement("span");
      s.className = "swatch " + swatch;
      dt.append(s);
    }
    dt.append(name);
    dd.textContent = value;
    row.append(dt, dd);
    return row;
  }));
}

// scale shows the colours of a picture and the values at their ends.
export function scale(host, s) {
  const [low, high] = host.querySelectorAll(".scale span"), unit = s.Unit ? " " + s.Unit : "";
  low.textContent = number(s.Ends[0]) + unit;
  high.textContent = number(s.Ends[1]) + unit;
  const bar = host.querySelector(".scale canvas").getContext("2d"), wide = bar.canvas.width / s.Colours.length;
  s.Colours.forEach((c, k) => {
    bar.fillStyle = c;
    bar.fillRect(Math.floor(k * wide), 0, Math.ceil(wide), bar.canvas.height);
  });
}

export function cell(text, kind) {
  const td = document.createElement("td");
  td.textContent = text;
  if (kind) td.className = kind;
  return td;
}

export const template = (name) => document.getElementById(name).content.cloneNode(true);
