// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Which page is shown: the only run, the list of all, or one of the list.

import { get, pause, seen } from "./api.js";
import { leftOut, list } from "./runs.js";
import { show } from "./run.js";

const at = (id) => document.getElementById(id);

function link(there, why = "") {
  at("link").textContent = there ? "connected" : why;
  at("link").classList.toggle("bad", !there);
}

let page = new AbortController();

async function route() {
  page.abort();
  page = new AbortController();
  const { signal } = page;
  for (; !signal.aborted; await pause(2000, signal)) {
    try {
      await seen();
      const runs = await get("runs", signal);
      const chosen = /^#\/run\/(\d+)$/.exec(location.hash);
      at("back").hidden = !chosen;
      leftOut(signal);
      if (chosen || runs.length === 1) return await show(chosen ? chosen[1] : "0", link, signal);
      return await list(runs, link, signal);
    } catch (err) {
      if (signal.aborted) return;
      link(false, err.code === 401 ? "open the URL that lbmsim printed: it ends with a token" : err.message);
    }
  }
}

document.querySelector(".skip").addEventListener("click", (e) => {
  e.preventDefault(); // the fragment is the route
  at("main").focus();
});
addEventListener("hashchange", () => (/^#[0-9a-f]{32}$/.test(location.hash) ? location.reload() : route()));
route();
