// What is offered under a field while somebody types. Without this file the form asks as it stands. `data-only`
// names what is offered. With `data-picks` the choice is written into the field, not followed; `send`: and sent.
(function () {
  "use strict";
  const PAUSE = 150; // milliseconds without a key, after which the office is asked

  const equip = (field, place) => {
    const list = document.createElement("div");
    const told = document.createElement("div");
    list.id = `suggestions-${place}`;
    list.className = "suggestions";
    list.hidden = true;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", field.labels[0]?.textContent.trim() || field.placeholder);
    told.className = "visually-hidden";
    told.setAttribute("role", "status");
    (field.closest("[role=search]") ?? field.parentElement).append(list, told);
    for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-controls", list.id], ["aria-expanded", "false"]]) field.setAttribute(name, value);

    let active = -1, timer = 0, asking = new AbortController();
    const options = () => [...list.children];

    const choose = (index) => {
      active = index;
      options().forEach((option, at) => option.setAttribute("aria-selected", String(at === active)));
      const option = options()[active];
      if (option) {
        field.setAttribute("aria-activedescendant", option.id);
        option.scrollIntoView({ block: "nearest" });
      } else field.removeAttribute("aria-activedescendant");
    };
    const open = (is) => {
      list.hidden = !is;
      field.setAttribute("aria-expanded", String(is));
      choose(-1);
    };
    const close = () => {
      clearTimeout(timer);
      asking.abort();
      open(false);
    };
    const show = (html) => {
      const answer = new DOMParser().parseFromString(html, "text/html");
      const links = [...answer.querySelectorAll("li > a")];
      links.forEach((link, at) => {
        link.id = `${list.id}-${at}`;
        link.tabIndex = -1;
        link.setAttribute("role", "option");
      });
      list.replaceChildren(...links);
      told.textContent = answer.querySelector("[data-told]")?.textContent.trim() ?? "";
      open(links.length > 0 && document.activeElement === field);
    };
    const ask = async () => {
      asking.abort();
      asking = new AbortController();
      const { signal } = asking;
      try {
        const answer = await fetch(`${field.dataset.suggestions}?${new URLSearchParams({ q: field.value.trim(), ...(field.dataset.only && { only: field.dataset.only }) })}`, { signal });
        const html = answer.ok ? await answer.text() : "";
        if (!signal.aborted) show(html);
      } catch { /* overtaken by the next key, or no connection: the form still asks */ }
    };

    field.addEventListener("input", () => {
      clearTimeout(timer);
      if (field.value.trim().length < 2) close();
      else timer = setTimeout(ask, PAUSE);
    });
    field.addEventListener("keydown", (event) => {
      const count = options().length;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && count && !event.isComposing) {
        event.preventDefault();
        if (list.hidden) open(true);
        choose((active + step + 1 + (count + 1)) % (count + 1) - 1); // one place among them is the field itself
      } else if (event.key === "Enter" && !list.hidden && active >= 0) {
        event.preventDefault();
        options()[active].click();
      } else if (event.key === "Escape" && !list.hidden) {
        event.preventDefault();
        close();
      }
    });
    list.addEventListener("click", (event) => {
      const option = event.target.closest("[data-value]");
      if (!option || !field.dataset.picks) return;
      event.preventDefault();
      field.value = option.dataset.value;
      close();
      if (field.dataset.picks === "send") field.form.requestSubmit();
    });
    list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
    field.addEventListener("blur", close);
  };

  document.querySelectorAll("input[data-suggestions]").forEach(equip);
})();
