// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Requests to the server. The token comes in the fragment of the URL, which browsers send to no server, and stays in this tab.

const key = "lbmsim-token " + location.pathname; // storage is per host and port, from which a proxy serves several pages
const given = /^#([0-9a-f]{32})$/.exec(location.hash);
if (given) {
  sessionStorage.setItem(key, given[1]);
  history.replaceState(null, "", location.pathname + "#/");
}

export class Refused extends Error {
  constructor(code, text) {
    super(text);
    this.code = code;
  }
}

async function ask(path, options = {}) {
  const answer = await fetch("api/" + path, { ...options, headers: { ...options.headers, Authorization: "Bearer " + (sessionStorage.getItem(key) ?? "") } });
  if (!answer.ok) throw new Refused(answer.status, (await answer.text()).trim());
  return answer;
}

export const get = async (path, signal) => (await ask(path, { signal })).json();
export const blob = async (path, signal) => (await ask(path, { signal })).blob();
export const post = async (path) => (await ask(path, { method: "POST" })).text();

// events calls on[kind](data) for each server-sent event, until signal ends it. It connects again when the link breaks:
// on.link reports whether there is one.
export async function events(path, on, signal) {
  for (let wait = 500; !signal.aborted; wait = Math.min(2 * wait, 8000)) {
    try {
      const answer = await ask(path(), { signal, headers: { Accept: "text/event-stream" } }); // otherwise a proxy waits for the end
      on.link(true);
      wait = 500;
      if (await read(answer.body.getReader(), on)) return;
      on.link(false, "the link is broken");
    } catch (err) {
      if (signal.aborted) return;
      on.link(false, err instanceof Refused ? err.message : "no link to the server");
      if (err.code === 401) return;
    }
    await pause(wait, signal);
  }
}

// read reports whether the server said that it ends.
async function read(reader, on) {
  const decoder = new TextDecoder();
  for (let text = "", ended = false; ; ) {
    const { done, value } = await reader.read();
    if (done) return ended;
    text += decoder.decode(value, { stream: true });
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const event = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end));
      if (event) on[event[1]]?.(JSON.parse(event[2]));
      ended ||= event?.[1] === "end";
    }
  }
}

export const pause = (ms, signal) =>
  new Promise((go) => {
    const timer = setTimeout(go, ms);
    signal?.addEventListener("abort", () => { clearTimeout(timer); go(); }, { once: true });
  });

// lastOf returns a function that reads what it is called with last, once the read before has ended. A read that fails is tried
// again for a minute: the server names what there is only when that changes.
export function lastOf(read, signal) {
  let wanted, had, busy = false, wake = () => {};
  return async (what) => {
    if (what !== wanted) wake();
    wanted = what;
    if (busy) return;
    busy = true;
    for (let wait = 500; wanted !== had && wait < 60000 && !signal.aborted; ) {
      const now = wanted;
      try {
        await read(now);
        had = now;
        wait = 500;
      } catch {
        const woken = new Promise((go) => { wake = go; });
        if (wanted === now) await Promise.race([pause(wait, signal), woken]);
        wait = wanted === now ? 2 * wait : 500;
      }
    }
    busy = false;
  };
}

// seen waits while the page is in a hidden tab: it asks for nothing then.
export const seen = () =>
  document.hidden ? new Promise((go) => document.addEventListener("visibilitychange", go, { once: true })) : Promise.resolve();
