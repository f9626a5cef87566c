// The viewer of a page: zoom, dragging, hits, links to passages, copy buttons, keys.
// Everything works without it, page by page.
(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const words = byId("viewer").dataset;
  const permalink = byId("permalink");
  const say = (button, text) => {
    const before = button.textContent;
    button.textContent = text;
    setTimeout(() => { button.textContent = before; }, 1500);
  };
  const copy = async (button, text, from) => {
    try {
      await navigator.clipboard.writeText(text);
      say(button, words.copied);
    } catch {
      getSelection().selectAllChildren(from);
      say(button, words.selected);
    }
  };

  // Copying.  A relative permalink is of use on this site only: copy it as the browser resolves it.
  const code = byId("embed");
  code.value = code.value.replace(code.dataset.path, new URL(code.dataset.path, location.href).href);
  const mail = byId("by-mail");
  mail.href = mail.href.replace(encodeURIComponent(permalink.getAttribute("href")), encodeURIComponent(permalink.href));
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const from = byId(button.dataset.copy);
      const text = from.value ?? (from.id === "text" ? from.innerText : from.textContent.replace(permalink.getAttribute("href"), permalink.href));
      copy(button, text.trim(), from);
    });
  }
  const share = byId("share");
  if (navigator.share) {
    share.hidden = false;
    share.addEventListener("click", () => navigator.share({ title: document.title, url: permalink.href }).catch(() => {}));
  }

  // A link to the selected words; of many, those they begin and end with.
  const passage = byId("copy-passage");
  const selected = () => {
    const selection = getSelection();
    const inside = (node) => node && (node.nodeType === 1 ? node : node.parentElement).closest("#text, #scan");
    const found = inside(selection.anchorNode) && inside(selection.focusNode) ? selection.toString().split(/\s+/).filter(Boolean) : [];
    return found.length > 12 ? [...found.slice(0, 6), "…", ...found.slice(-6)] : found;
  };
  passage.hidden = false;
  let chosen = [];
  document.addEventListener("selectionchange", () => {
    const now = selected();
    if (now.length || document.activeElement !== passage) chosen = now;
    passage.disabled = chosen.length === 0;
  });
  passage.addEventListener("click", () => {
    copy(passage, `${permalink.href}?passage=${encodeURIComponent(chosen.join(" "))}#passage`, permalink);
  });

  // Zoom, without loading the page again; the links around it keep it.
  const pane = document.querySelector(".scan-pane");
  const scan = byId("scan");
  const zooms = [...document.querySelectorAll("a.zoom")];
  const level = () => zooms.findIndex((each) => each.hasAttribute("aria-current"));
  const zoom = (at) => {
    const to = zooms[at];
    if (!to || at === level()) return;
    const middle = [(pane.scrollLeft + pane.clientWidth / 2) / pane.scrollWidth, (pane.scrollTop + pane.clientHeight / 2) / pane.scrollHeight];
    zooms.forEach((each) => { if (each === to) each.setAttribute("aria-current", "true"); else each.removeAttribute("aria-current"); });
    scan.className = `scan zoom-${to.dataset.zoom}`;
    const image = scan.querySelector("img");
    const sharper = image.src.replace(/w=\d+/, `w=${to.dataset.width}`);
    if (Number(to.dataset.width) > Number(/w=(\d+)/.exec(image.src)[1])) image.src = sharper;
    pane.scrollTo(middle[0] * pane.scrollWidth - pane.clientWidth / 2, middle[1] * pane.scrollHeight - pane.clientHeight / 2);
    const here = new URL(location.href);
    here.searchParams.set("zoom", to.dataset.zoom);
    history.replaceState(null, "", here);
    keepZoom();
  };
  const keepZoom = () => {
    for (const link of document.querySelectorAll("a[rel=prev], a[rel=next], #thumbnails a")) {
      const to = new URL(link.href);
      const now = zooms[level()]?.dataset.zoom;
      if (now && now !== "100") to.searchParams.set("zoom", now); else to.searchParams.delete("zoom");
      link.href = to;
    }
  };
  if (pane) {
    keepZoom();
    zooms.forEach((each, at) => each.addEventListener("click", (event) => { event.preventDefault(); zoom(at); }));
    pane.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(level() + (event.deltaY < 0 ? 1 : -1));
    }, { passive: false });
    // Dragging moves the scan, unless it begins on a word, which is then selected.
    let from = null;
    pane.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button || event.target.closest("text")) return;
      from = [event.clientX + pane.scrollLeft, event.clientY + pane.scrollTop];
      pane.setPointerCapture(event.pointerId);
      pane.classList.add("dragged");
      event.preventDefault();
      pane.focus({ preventScroll: true });
    });
    pane.addEventListener("pointermove", (event) => { if (from) pane.scrollTo(from[0] - event.clientX, from[1] - event.clientY); });
    for (const end of ["pointerup", "pointercancel"]) pane.addEventListener(end, () => { from = null; pane.classList.remove("dragged"); });
    // The next page is fetched while this one is read.
    const next = document.querySelector("a[rel=next]");
    const image = scan.querySelector("img");
    const fetchNext = () => { if (next) new Image().src = image.src.replace(location.pathname, new URL(next.href).pathname); };
    if (image.complete) fetchNext(); else image.addEventListener("load", fetchNext, { once: true });
    image.addEventListener("error", () => { pane.classList.add("missing"); });
    // What is marked is in view, also on a scan that is larger than its pane.
    const first = scan.querySelector("rect.passage, rect.hit");
    if (first) pane.scrollTop = first.getBoundingClientRect().top - scan.getBoundingClientRect().top - pane.clientHeight / 3;
  }

  // Stepping through the hits.
  const marks = [...document.querySelectorAll('.text mark[id^="hit-"]')];
  const boxes = [...document.querySelectorAll(".scan rect.hit")];
  const counter = byId("hit-counter");
  let now = -1;
  const show = (number) => {
    if (!marks.length) return;
    now = (number + marks.length) % marks.length;
    marks.forEach((mark, at) => mark.classList.toggle("now", at === now));
    boxes.forEach((box, at) => box.classList.toggle("now", at === now && boxes.length === marks.length));
    marks[now].scrollIntoView({ block: "center" });
    if (counter) counter.textContent = words.hit.replace("{0}", now + 1).replace("{1}", marks.length);
  };
  for (const [id, step] of [["previous-hit", -1], ["next-hit", 1]]) {
    const button = byId(id);
    if (!button) continue;
    button.hidden = marks.length === 0;
    button.addEventListener("click", () => show(now < 0 && step < 0 ? -1 : now + step));
  }

  // Relations as lines over the text, from word to word.
  const text = byId("text");
  const related = [...document.querySelectorAll(".notes li[data-from]")];
  if (text && related.length) {
    const make = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
    const over = make("svg");
    over.setAttribute("class", "relations");
    over.setAttribute("aria-hidden", "true");
    text.append(over);
    const mark = (name) => {
      let found = byId(name);
      while (found && found.tagName !== "MARK") found = found.nextElementSibling;
      return found;
    };
    const draw = () => {
      const whole = text.getBoundingClientRect();
      over.replaceChildren();
      for (const each of related) {
        const ends = [mark(each.dataset.from), mark(each.dataset.to)].map((end) => end?.getClientRects()[0]);
        if (!ends[0] || !ends[1]) continue;
        const [[x1, y1], [x2, y2]] = ends.map((box) => [box.left + box.width / 2 - whole.left, box.top - whole.top]);
        const path = make("path");
        const lift = Math.min(40, 12 + Math.abs(x2 - x1) / 8);
        path.setAttribute("d", `M${x1} ${y1} Q${(x1 + x2) / 2} ${Math.min(y1, y2) - lift} ${x2} ${y2}`);
        path.setAttribute("class", `relation ${each.className}`);
        over.append(path);
      }
    };
    draw();
    new ResizeObserver(draw).observe(text);
  }
  // A project is shown or hidden as soon as it is ticked.
  for (const box of document.querySelectorAll("input[type=checkbox][name=project]")) {
    box.addEventListener("change", () => box.form.requestSubmit());
  }
  // A link to the thumbnails opens them.
  if (location.hash === "#thumbnails" && byId("thumbnails")) byId("thumbnails").open = true;

  // Keys.  Single keys can be switched off: speech input would press them.
  const shortcuts = byId("shortcuts");
  byId("keys").hidden = false;
  try { shortcuts.checked = localStorage.getItem("shortcuts") !== "off"; } catch { /* no storage: on */ }
  shortcuts.addEventListener("change", () => {
    try { localStorage.setItem("shortcuts", shortcuts.checked ? "on" : "off"); } catch { /* until the page is left */ }
  });
  const follow = (rel) => document.querySelector(`a[rel=${rel}]`)?.click();
  const keys = {
    n: () => show(now + 1),
    p: () => show(now < 0 ? -1 : now - 1),
    "+": () => zoom(level() + 1),
    "=": () => zoom(level() + 1),
    "-": () => zoom(level() - 1),
    0: () => zoom(0),
    g: () => byId("go-to").select(),
    "/": () => byId("find").select(),
    ArrowLeft: () => follow("prev"),
    ArrowRight: () => follow("next"),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /input|select|textarea/i.test(event.target.tagName)) return;
    const isArrow = event.key.startsWith("Arrow");
    if (!isArrow && !shortcuts.checked) return;
    // Arrow keys move a scan that is larger than its pane.
    if (isArrow && event.target === pane && pane.scrollWidth > pane.clientWidth + 1) return;
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
})();
