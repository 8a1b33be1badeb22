// Small conveniences. Every page works without this file.
(function () {
  "use strict";

  // A file dropped on a drop zone goes into its ordinary file field.
  const zone = (event) => event.target instanceof Element ? event.target.closest("[data-drop]") : null;
  const over = (event, is) => { const box = zone(event); if (box) { event.preventDefault(); box.classList.toggle("over", is); } };
  document.addEventListener("dragover", (event) => over(event, true));
  document.addEventListener("dragleave", (event) => over(event, false));
  document.addEventListener("drop", (event) => {
    const box = zone(event);
    if (!box) return;
    over(event, false);
    const field = box.querySelector("[type=file]");
    if (!event.dataTransfer.files.length) return;
    field.files = event.dataTransfer.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
  document.addEventListener("change", (event) => {
    const box = event.target.matches("[data-drop] [type=file]") && zone(event);
    if (!box) return;
    const file = event.target.files[0];
    box.querySelector("[data-chosen]").textContent = file ? `${file.name} · ${Math.ceil(file.size / 1024)} kB` : "";
  });

  // How much of an upload has gone; the bar stands in the form that is being sent.
  document.addEventListener("htmx:xhr:progress", (event) => {
    const bar = event.target.querySelector?.("[data-upload-progress]");
    if (!bar || !event.detail.lengthComputable) return;
    bar.hidden = false;
    bar.max = event.detail.total;
    bar.value = event.detail.loaded;
  });

  // A request that failed says so, in words that the page brought along.
  const failed = (event) => {
    const words = document.querySelector("template[data-failed]");
    const place = document.querySelector(".messages");
    if (words && place && !place.querySelector(".request-failed")) place.append(words.content.cloneNode(true));
    if (event.target.querySelector?.("[data-upload-progress]")) event.target.querySelector("[data-upload-progress]").hidden = true;
  };
  document.addEventListener("htmx:responseError", failed);
  document.addEventListener("htmx:sendError", failed);
  document.addEventListener("htmx:afterOnLoad", (event) => {
    if (event.detail.successful) document.querySelector(".request-failed")?.remove();
  });

  // What an address points at is in sight, in a browser too that does not open what it is folded into.
  const unfold = () => {
    let folded = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const target = folded;
    for (; folded; folded = folded.parentElement) if (folded.matches("details")) folded.open = true;
    target?.scrollIntoView?.();
  };
  if (document.querySelector(".chapter, #compare")) {
    addEventListener("hashchange", unfold);
    unfold();
  }

  // A further section is mostly like the one before, but for its name.
  const part = (field) => field.name.replace(/^.*?-\d+-/, "");
  const copyRow = (from, to) => {
    const before = new Map([...from.querySelectorAll("input, select, textarea")].map((field) => [part(field), field]));
    to.querySelectorAll("input, select, textarea").forEach((field) => {
      const other = before.get(part(field));
      if (!other || part(field) === "name") return;
      if (field.type === "checkbox") field.checked = other.checked;
      else field.value = other.value;
    });
  };

  // One more row of a formset, from the empty form that the page brought along.
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-add-row]");
    if (!button) return;
    const rows = button.closest("[data-rows]");
    const total = rows.querySelector("[name$=-TOTAL_FORMS]");
    const row = document.createElement("template");
    row.innerHTML = rows.querySelector("template").innerHTML.replaceAll("__prefix__", total.value);
    total.value = Number(total.value) + 1;
    const list = rows.querySelector(".rows");
    const like = rows.hasAttribute("data-copy-row") && list.lastElementChild;
    list.append(row.content);
    if (like) copyRow(like, list.lastElementChild);
    list.lastElementChild.querySelector("input:not([type=hidden]), select, textarea")?.focus();
  });

  // An address is shared by what the device has for it, or copied; without either it is a link.
  document.addEventListener("click", async (event) => {
    const link = event.target instanceof Element && event.target.closest("[data-share]");
    if (!link || !(navigator.share || navigator.clipboard)) return;
    event.preventDefault();
    try {
      if (navigator.share) await navigator.share({ title: document.title, url: link.href });
      else {
        await navigator.clipboard.writeText(link.href);
        link.textContent = link.dataset.share;
      }
    } catch { /* thought better of it */ }
  });

  // The account menu closes on Escape and on a click elsewhere.
  const close = (menu) => { menu.open = false; menu.querySelector("summary").focus(); };
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") document.querySelectorAll(".menu[open]").forEach(close); });
  document.addEventListener("click", (event) => document.querySelectorAll(".menu[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; }));
  // Paper has no disclosure triangles.
  addEventListener("beforeprint", () => document.querySelectorAll("details.working").forEach((working) => { working.open = true; }));
})();
