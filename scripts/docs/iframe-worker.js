// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

/* Browsers start no workers from local files (file://). There the search runs in a hidden frame
   instead, which has what a worker has: messages and importScripts. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.frame = frame;
      const inside = frame.contentWindow;
      window.addEventListener("message", event => {
        if (event.source !== inside) return;
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      });
      inside.document.open();
      inside.document.write("<html><body></body></html>");
      inside.document.close();
      inside.postMessage = data => window.dispatchEvent(new MessageEvent("message", { data, source: inside }));
      const load = source => new Promise(done => {
        const script = inside.document.createElement("script");
        script.src = source;
        script.onload = done;
        inside.document.body.appendChild(script);
      });
      inside.importScripts = (...urls) => urls.reduce((all, next) => all.then(() => load(next)), Promise.resolve());
      this.ready = load(url);
    }
    postMessage(data) {
      const inside = this.frame.contentWindow;
      this.ready.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
