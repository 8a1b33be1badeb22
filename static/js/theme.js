// Runs before the first paint, so that a chosen theme never flashes the other one.
(function () {
  "use strict";
  const root = document.documentElement;
  const stored = () => { try { return localStorage.getItem("theme") || "system"; } catch { return "system"; } };
  const store = (theme) => { try { localStorage.setItem("theme", theme); } catch { /* a private window keeps nothing */ } };
  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  const show = () => {
    const now = document.querySelector(`.theme-switch [value="${stored()}"]`);
    if (now) now.checked = true;
  };

  apply(stored());
  document.addEventListener("DOMContentLoaded", show);
  document.addEventListener("htmx:load", show);
  document.addEventListener("change", (event) => {
    if (!event.target.matches(".theme-switch input")) return;
    store(event.target.value);
    apply(event.target.value);
  });
})();
