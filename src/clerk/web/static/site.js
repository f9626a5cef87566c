// Every public page: say that the browser is offline, and that something is being loaded.
(() => {
  "use strict";
  const offline = document.getElementById("offline");
  const tell = () => { offline.hidden = navigator.onLine; };
  addEventListener("online", tell);
  addEventListener("offline", tell);
  tell();
  const busy = (is) => document.documentElement.classList.toggle("busy", is);
  // Only what takes a while: a quick answer needs no sign.
  let timer = 0;
  addEventListener("submit", (event) => {
    if (event.defaultPrevented || event.target.action.endsWith(".pdf")) return;
    timer = setTimeout(() => busy(true), 400);
  });
  // A page that comes back by the back button is not loading any more.
  addEventListener("pageshow", () => { clearTimeout(timer); busy(false); });
})();
