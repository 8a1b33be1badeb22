// The keys of an official's queue, while the focus is in it. They work on its boxes and links, which do all of it too.
(function () {
  "use strict";

  const queue = document.querySelector("[data-queue]");
  const help = queue?.querySelector("[data-keys]");
  if (!help) return;
  const rows = [...queue.querySelectorAll("tbody tr")];
  help.hidden = false;

  const box = (row) => row?.querySelector("[type=checkbox]");
  const go = (row) => row && (box(row) ?? row.querySelector("a")).focus();
  queue.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, textarea, input:not([type=checkbox])")) return;
    const row = event.target.closest("tbody tr");
    const at = rows.indexOf(row);
    const keys = {
      j: () => go(rows[at + 1]),
      k: () => go(rows[Math.max(at - 1, 0)]),
      x: () => box(row)?.click(),
      a: () => document.getElementById("together").requestSubmit(),
      Enter: () => event.target === box(row) && row.querySelector("a").click(),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    if (event.key !== "Enter" || event.target === box(row)) event.preventDefault();
    keys[event.key]();
  });
})();
