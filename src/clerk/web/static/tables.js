// On a phone a row of a table is a card: each cell gets the name of its column to be shown before it.
// Without this file tables are scrolled sideways.
(() => {
  "use strict";
  const label = () => {
    for (const table of document.querySelectorAll("main table:not(.calendar)")) {
      const names = [...table.querySelectorAll("thead th")].map((each) => (each.querySelector(".skip") ? "" : each.textContent.trim()));
      if (!names.length) continue;
      table.classList.add("cards");
      for (const row of table.tBodies[0] ? table.tBodies[0].rows : []) {
        let column = 0;
        for (const cell of row.cells) {
          if (column && names[column] && cell.dataset.label !== names[column]) cell.dataset.label = names[column];
          cell.classList.toggle("blank", !cell.textContent.trim() && !cell.firstElementChild);
          column += cell.colSpan;
        }
      }
    }
  };
  label();
  const here = document.querySelector("nav [aria-current]");
  if (here) here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.offsetLeft - 40;
  document.body.addEventListener("htmx:afterSwap", label);
})();
