// The curve of a rating as a tool: a crosshair by mouse, finger and arrow keys. It reads the table below the drawing;
// without this file there are both.
(function () {
  "use strict";
  const toDay = (text) => Date.parse(text) / 864e5;
  const month = new Intl.DateTimeFormat(document.documentElement.lang, { month: "long", year: "numeric", timeZone: "UTC" });

  const readRow = (row) => ({
    iso: row.querySelector("time").dateTime,
    at: toDay(row.querySelector("time").dateTime),
    rating: Number(row.dataset.rating),
    day: row.cells[0].textContent.trim(),
    shown: row.cells[1].textContent.trim(),
    words: row.cells[2].textContent.trim(),
    rank: row.querySelector("[data-rank]")?.textContent ?? "",
  });
  const readTable = (table) => [...table.tBodies[0].rows].map(readRow).reverse();
  const held = (rows, at) => rows.findLast((row) => row.at <= at); // the last of those up to a day

  const equip = (figure) => {
    const plot = figure.querySelector(".plot");
    const reading = figure.querySelector(".reading");
    if (!plot || !reading) return;
    const drawing = plot.querySelector("svg");
    const [rows, others] = [...figure.querySelectorAll("table")].map(readTable);
    const [left, top, right, floor] = drawing.dataset.frame.split(" ").map(Number);
    const [first, last] = drawing.dataset.days.split(" ").map(toDay);
    const [low, high] = drawing.dataset.levels.split(" ").map(Number);
    const x = (at) => left + (right - left) * (last > first ? (at - first) / (last - first) : 0.5);
    const y = (rating) => floor - (floor - top) * (rating - low) / (high - low);

    const draw = (tag, className) => {
      const shape = document.createElementNS(drawing.namespaceURI, tag);
      shape.setAttribute("class", className);
      shape.setAttribute("visibility", "hidden");
      drawing.append(shape);
      return shape;
    };
    const set = (shape, values) => {
      shape.setAttribute("visibility", "visible");
      for (const [name, value] of Object.entries(values)) shape.setAttribute(name, value);
    };
    const hair = draw("path", "hair"), dots = [draw("circle", "at"), draw("circle", "at beside")];

    const slider = document.createElement("input");
    slider.type = "range";
    slider.max = slider.value = rows.length - 1;
    slider.setAttribute("aria-label", reading.dataset.slider);
    slider.setAttribute("aria-valuetext", rows.at(-1).shown);
    plot.append(slider);
    const output = reading.querySelector("output"), link = document.createElement("a");

    const show = (place) => {
      const row = rows[place];
      const other = others && held(others, row.at);
      set(hair, { d: `M${x(row.at)} ${top}V${floor}` });
      set(dots[0], { cx: x(row.at), cy: y(row.rating), r: 4 });
      if (other) set(dots[1], { cx: x(row.at), cy: y(other.rating), r: 4 });
      else dots[1].setAttribute("visibility", "hidden");
      const rank = row.rank ? "" : rows.slice(0, place + 1).findLast((each) => each.rank)?.rank;
      const parts = [row.day, other ? `${row.shown} / ${other.shown}` : row.shown, row.words, rank];
      slider.value = place;
      slider.setAttribute("aria-valuetext", parts.filter(Boolean).join(", "));
      output.value = parts.filter(Boolean).join(" · ");
      link.href = figure.dataset.month + row.iso.slice(0, 7);
      if (!link.isConnected) reading.append(" ", link);
      link.textContent = reading.dataset.statement.replace("{}", month.format(new Date(row.iso)));
    };
    const open = async () => {
      const address = `${link.href}#changes`;
      try {
        const answer = await fetch(link.href);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const statement = document.adoptNode(page.getElementById("changes"));
        document.getElementById("changes").replaceWith(statement);
        window.htmx.process(statement);
        history.replaceState(null, "", address);
        figure.scrollIntoView();
      } catch {
        location.assign(address);
      }
    };

    const nearest = (event) => {
      const box = drawing.getBoundingClientRect();
      const wanted = (event.clientX - box.left) / box.width * drawing.viewBox.baseVal.width;
      const gaps = rows.map((row) => Math.abs(x(row.at) - wanted));
      return gaps.lastIndexOf(Math.min(...gaps));
    };
    plot.addEventListener("pointermove", (event) => show(nearest(event)));
    plot.addEventListener("click", (event) => {
      if (event.target === slider) return; // by a screen reader
      show(nearest(event));
      open();
    });
    slider.addEventListener("input", () => show(slider.valueAsNumber));
    // A slider says its value itself
    slider.addEventListener("focus", () => output.setAttribute("aria-live", "off"));
    slider.addEventListener("blur", () => output.removeAttribute("aria-live"));
    slider.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        show(slider.valueAsNumber);
        open();
      }
    });
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open();
    });
  };

  document.querySelectorAll(".curve[data-month]").forEach(equip);
})();
