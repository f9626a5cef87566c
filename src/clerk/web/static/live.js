// Keeps the region #live up to date.  One tab per browser holds the stream and notifies the others;
// in addition everything is fetched again every 30 s.  Without this file a refresh does the same.
(() => {
  "use strict";
  const POLL = 30000, RETRY = 5000;
  // With many browsers on one server each of them fetches less often.
  const AT_MOST_EVERY = 500, FOR_EACH_BROWSER = 25;
  const live = document.getElementById("live");
  const badge = document.getElementById("live-state");
  const pause = document.getElementById("live-pause");
  if (!live || !window.htmx) return;

  let paused = false, held = false, stale = false, lost = false, out = false, last = 0, timer = 0, browsers = 1;

  const show = () => {
    const [state, text] = out ? ["lost", "Logged out; log in again"]
      : paused ? ["paused", "Paused"]
      : held ? ["paused", "Paused while you select"]
      : lost ? ["lost", "Connection lost; retrying"]
      : ["live", "Live"];
    if (badge.textContent !== text) badge.textContent = text;
    badge.parentElement.dataset.state = state;
  };

  // Never swap what a person is using: a ticked box, a field being filled, an open dialog.
  const isInUse = () => live.querySelector("tbody input:checked, input[name=sure]:checked, dialog[open]") !== null
    || (live.contains(document.activeElement) && /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName));

  const refresh = () => {
    held = isInUse();
    show();
    if (paused || out || document.hidden || held) { stale = true; return; }
    const wait = last + Math.max(AT_MOST_EVERY, FOR_EACH_BROWSER * browsers) - Date.now();
    if (wait > 0) { timer = timer || setTimeout(() => { timer = 0; refresh(); }, wait); return; }
    last = Date.now();
    stale = false;
    htmx.trigger(live, "clerk:change");
  };

  if (window.Idiomorph) {
    Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name) => name !== "open";
    // A filter that is being chosen stays as it is.
    Idiomorph.defaults.callbacks.beforeNodeMorphed = (old) => !(old.matches && old.matches("form.keep"));
  }
  // A box may be ticked while the answer is on its way.
  live.addEventListener("htmx:beforeSwap", (event) => {
    if (isInUse()) { event.detail.shouldSwap = false; stale = true; }
  });
  live.addEventListener("htmx:responseError", (event) => {
    out = event.detail.xhr.status === 401;
    show();
  });
  live.addEventListener("htmx:sendError", () => { lost = true; show(); });
  live.addEventListener("htmx:afterOnLoad", (event) => {
    if (event.detail.successful) { lost = false; show(); }
  });

  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.textContent = paused ? "Resume" : "Pause";
    pause.setAttribute("aria-pressed", String(paused));
    show();
    if (!paused) refresh();
  });
  // Once nothing is in use any more, what was held back is fetched.
  live.addEventListener("change", () => { if (held && !isInUse()) refresh(); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden && stale) refresh(); });
  setInterval(refresh, POLL);

  const others = new BroadcastChannel("clerk");
  const hear = (said) => {
    if (said === "lost") lost = true;
    else { lost = false; browsers = Number(said) || 1; refresh(); }
    show();
  };
  others.addEventListener("message", (event) => hear(event.data));
  const tell = (said) => { others.postMessage(said); hear(said); };

  const lead = () => new Promise(() => {
    const open = () => {
      const stream = new EventSource("/ops/stream");
      stream.addEventListener("hello", (event) => tell(event.data));
      stream.addEventListener("change", (event) => tell(event.data));
      stream.addEventListener("error", () => {
        tell("lost");
        if (stream.readyState === EventSource.CLOSED) setTimeout(open, RETRY);
      });
    };
    open();
  });
  if (navigator.locks) navigator.locks.request("clerk-stream", lead);
  show();
})();
