// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The page of one run. A part of it is a file with a function that fills its section, a section in the template and a line here.

import { events, get, post } from "./api.js";
import { Chart } from "./chart.js";
import { cell, duration, facts, number, percent, template } from "./format.js";
import { pictures } from "./pictures.js";
import { slice } from "./slice.js";
import { tables } from "./tables.js";
import { view } from "./view.js";

const at = (id) => document.getElementById(id);
const mostSamples = 6000, mostLines = 3000;

// show fills the page with a run until signal ends.
export async function show(run, link, signal) {
  at("main").replaceChildren(template("run"));
  const samples = speed(await get(`${run}/history`, signal), signal);
  const views = { files: [tables(run, at("tables"), signal), pictures(run, at("pictures"), signal)] };
  const log = logView();
  let about = await get(`${run}/about`, signal), phase = null;
  const slices = new AbortController(); // of the requests for slices and views
  signal.addEventListener("abort", () => slices.abort());
  const over = (text) => {
    slices.abort();
    disable(text);
  };
  describe(run, about, signal, slices.signal);
  await events(() => `${run}/events?line=${log.next}`, {
    link,
    log: (e) => log.add(e),
    files: (e) => views.files.forEach((view) => view(e)),
    state: async (s) => {
      state(s);
      samples(s);
      const before = phase;
      phase = s.phase;
      if (before === null || before === phase) return;
      if (before === "running") over("The run has ended: it takes no more orders and shows no more of its state.");
      about = await get(`${run}/about`, signal); // it has begun, or ended
      describe(run, about, signal, slices.signal);
    },
    end: () => {
      link(false, about.live ? "the run and its page have ended" : "lbmsim watch has ended");
      over(about.live ? "The run has ended: it takes no more orders and shows no more of its state." : "lbmsim watch has ended: this page takes no more orders.");
    },
  }, signal);
}

let sliced = null; // signal of the page whose slices and views are shown

// disable leaves the last state to be read, and says why nothing else can be asked for.
function disable(text) {
  const controls = [...at("orders").querySelectorAll("button"), ...["slice", "view"].flatMap((id) => [...at(id).querySelectorAll("select, input, button")])];
  controls.forEach((e) => { e.disabled = true; });
  at("confirm").close();
  if (controls.length > 0) at("answer").textContent = text;
}

// describe shows what stays as it is.
function describe(run, about, signal, slices) {
  at("case").textContent = about.case || "not known yet";
  at("ranks-of").hidden = !about.ranks;
  at("cells-of").textContent = about.refined ? "Cells of level 0" : "Cells";
  at("ranks").replaceChildren(...(about.ranks ?? []).map((r) => {
    const row = document.createElement("tr");
    row.append(cell(r.rank, "number"), cell(r.host), cell(r.device), cell(r.cells.join(" × ")));
    return row;
  }));
  buttons(run, about);
  if (sliced !== signal && about.fields) {
    sliced = signal;
    slice(run, about, slices);
    view(run, about, slices);
  }
}

const words = { checkpoint: "Write a checkpoint", picture: "Write pictures now", averages: "Restart averages", stop: "Stop the run" };

// Orders that cannot be undone need a confirmation: question, explanation, and the word for no.
const asked = {
  stop: ["Stop the run?", "It ends at the same step on all ranks. If the case has [checkpoint], it writes one first.", "Keep it running"],
  averages: ["Restart the averages?", "The samples so far are discarded: of forces, averages, profiles, spectra and means of surfaces.", "Keep the samples"],
};

function buttons(run, about) {
  const list = Object.keys(words).filter((w) => about.orders.includes(w));
  if (list.length === 0 && at("orders").childElementCount > 0) return; // the run has ended: they are disabled
  at("orders").hidden = list.length === 0;
  at("orders").replaceChildren(...list.map((word) => {
    const button = document.createElement("button");
    button.textContent = words[word];
    button.classList.toggle("danger", word === "stop");
    button.addEventListener("click", () => (asked[word] ? confirm(run, word) : order(run, word)));
    return button;
  }));
  at("answer").textContent = about.refused ?? "";
}

async function order(run, word) {
  try {
    await post(`${run}/order/${word}`);
    at("answer").textContent = `${words[word]}: ordered; the ranks obey at their next common step.`;
  } catch (err) {
    at("answer").textContent = err.message;
  }
}

function confirm(run, word) {
  const dialog = at("confirm"), [yes, no] = dialog.querySelectorAll("button");
  [at("h-confirm").textContent, dialog.querySelector("p").textContent, no.textContent] = asked[word];
  yes.textContent = words[word];
  dialog.returnValue = "";
  dialog.onclose = () => dialog.returnValue === "yes" && order(run, word);
  dialog.showModal();
}

// state shows the present state.
function state(s) {
  const running = s.phase === "running", si = s.units === "SI";
  document.title = s.last_step ? `${Math.floor((100 * s.step) / s.last_step)} % ${s.title || s.case} – lbmsim` : "lbmsim";
  at("title").textContent = s.title || s.case || "lbmsim";
  at("subtitle").textContent = [s.title && s.case, s.version && `lbmsim ${s.version}`, s.host, s.job && `SLURM job ${s.job}`].filter(Boolean).join(" · ");
  at("phase").textContent = s.standing;
  at("phase").className = s.bad ? "bad" : running ? "good" : "";
  at("steps").textContent = s.last_step ? `step ${s.step} of ${s.last_step}` : "";
  at("bar").max = Math.max(s.last_step - s.first_step, 1);
  at("bar").value = s.step - s.first_step;
  facts(at("facts"), [
    running && ["Remaining", duration(s.eta)],
    ["Elapsed", duration(s.elapsed)],
    ["Simulated time", number(s.time, 6) + (si ? " s" : " steps")],
    ["Ranks", s.ranks],
    s.checkpoint && ["Last checkpoint", s.checkpoint.split("/").at(-1)],
    s.restart && ["Resumed from", s.restart.split("/").at(-1)],
    s.reason && ["Ended", s.reason],
    s.error && ["Error", s.error],
  ]);
  facts(at("health"), [
    ["Largest Mach number", number(s.max_mach, 3)],
    ["Largest speed", number(s.max_speed) + (si ? " m/s" : " cells/step")],
    ["Drift of the density", percent(s.density_drift)],
    ["Energy at grid scale", percent(s.grid_scale)],
    s.temperature_excess > 0 && ["Temperature overshoot", percent(s.temperature_excess)],
  ]);
  warnings(s.warnings ?? []);
  parts(s);
}

// warnings shows the last ones; a list that has not changed stays as it is, so that its text can be selected.
function warnings(all) {
  const texts = all.slice(-8).map((w) => w.text), list = at("warnings");
  at("warned").hidden = texts.length === 0;
  if (list.dataset.shown === texts.join("\n")) return;
  list.dataset.shown = texts.join("\n");
  list.replaceChildren(...texts.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
}

// parts shows what the time of the run went into.
function parts(s) {
  const t = s.times;
  at("parts").hidden = !t;
  if (!t) return facts(at("times"), [["MLUPS", number(s.mlups)]]);
  const list = [["Compute", t.compute, "compute"], [s.ranks > 1 ? "Exposed communication" : "Kernel launch", t.exposed, "exposed"], ["Output", t.output, "output"], ["Monitoring, sync", t.watch, "monitor"]];
  const all = list.reduce((sum, [, v]) => sum + v, 0) || 1;
  at("parts").replaceChildren(...list.map(([, v, kind]) => {
    const span = document.createElement("span");
    span.className = kind;
    span.style.width = (100 * v) / all + "%";
    return span;
  }));
  facts(at("times"), [
    ["MLUPS", number(s.mlups)],
    s.roofline > 0 && ["Of the memory roofline", s.roofline > 1 ? "disturbed by other load" : percent(s.roofline, 2)],
    ...list.map(([name, v, kind]) => [name, `${percent(v / all, 2)}`, kind]),
  ]);
}

const curves = { max_mach: "Mach number", density_drift: "drift of the density", grid_scale: "energy at grid scale" };

// speed draws speed and health over steps, and returns what adds the present state to them.
function speed(samples, signal) {
  const plots = [new Chart(at("speed"), signal), new Chart(at("watch"), signal)];
  at("watch-of").replaceChildren(...Object.entries(curves).map(([key, name]) => new Option(name, key)));
  const draw = () => {
    if (samples.length === 0) return;
    const step = samples.map((s) => s.step), key = at("watch-of").value;
    plots[0].show("step", [{ label: "MLUPS", colour: "--curve" }], [step, samples.map((s) => s.mlups)]);
    plots[1].show("step", [{ label: curves[key], colour: "--curve" }], [step, samples.map((s) => s[key])]);
  };
  at("watch-of").addEventListener("change", draw);
  draw();
  return (s) => {
    if (!(s.step > (samples.at(-1)?.step ?? s.first_step))) return;
    samples.push(s);
    if (samples.length > mostSamples) samples = samples.filter((_, k) => k % 2 === 0);
    draw();
  };
}

function logView() {
  const box = at("log"), lines = [];
  return {
    next: 0,
    add(e) {
      const below = box.scrollHeight - box.scrollTop - box.clientHeight < 30;
      lines.push(...e.lines);
      lines.splice(0, Math.max(lines.length - mostLines, 0));
      this.next = e.next;
      at("log-of").hidden = lines.length === 0;
      box.textContent = lines.join("\n");
      if (below) box.scrollTop = box.scrollHeight;
    },
  };
}
