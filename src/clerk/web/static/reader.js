// The page view: copy buttons, and stepping through the hits.  Everything works without it.
(() => {
  "use strict";
  const say = (button, text) => {
    const before = button.textContent;
    button.textContent = text;
    setTimeout(() => { button.textContent = before; }, 1500);
  };
  const permalink = document.getElementById("permalink");
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const from = document.getElementById(button.dataset.copy);
      // A relative permalink is of use on this site only: copy it as the browser resolves it.
      const said = from.id === "text" ? from.textContent : from.textContent.replace(permalink.getAttribute("href"), permalink.href);
      try {
        await navigator.clipboard.writeText(said.trim());
        say(button, "Copied");
      } catch {
        const range = document.createRange();
        range.selectNodeContents(from);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        say(button, "Selected");
      }
    });
  }
  const marks = [...document.querySelectorAll(".text mark")];
  const boxes = [...document.querySelectorAll(".scan rect")];
  const counter = document.getElementById("hit-counter");
  let now = -1;
  const show = (number) => {
    if (!marks.length) return;
    now = (number + marks.length) % marks.length;
    marks.forEach((mark, at) => mark.classList.toggle("now", at === now));
    boxes.forEach((box, at) => box.classList.toggle("now", at === now && boxes.length === marks.length));
    marks[now].scrollIntoView({ block: "center" });
    if (counter) counter.textContent = `Hit ${now + 1} of ${marks.length}`;
  };
  for (const [id, step] of [["previous-hit", -1], ["next-hit", 1]]) {
    const button = document.getElementById(id);
    if (!button) continue;
    button.hidden = marks.length === 0;
    button.addEventListener("click", () => show(now < 0 && step < 0 ? -1 : now + step));
  }
  // Relations as lines over the text, from word to word.
  const text = document.getElementById("text");
  const related = [...document.querySelectorAll(".notes li[data-from]")];
  if (text && related.length) {
    const make = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
    const over = make("svg");
    over.setAttribute("class", "relations");
    over.setAttribute("aria-hidden", "true");
    text.append(over);
    const mark = (name) => {
      let found = document.getElementById(name);
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
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /input|select|textarea/i.test(event.target.tagName)) return;
    if (event.key === "n") show(now + 1);
    if (event.key === "p") show(now < 0 ? -1 : now - 1);
  });
})();
