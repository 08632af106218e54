// Exhibits: choose a line or turn a knob, and its map, what is measured and the claims follow.
// Every state was computed with PyTorch (weights.py, layers.py): this script looks it up.
"use strict";

(() => {
  const { range, largest, wrongAt, fill, short, written } = exhibitNumbers;

  const element = (name, values = {}, ...inside) => {
    const node = Object.assign(document.createElement(name), values);
    node.append(...inside);
    return node;
  };
  const STEPS = {
    ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
    Home: [0, -99], End: [0, 99],
  };

  class Exhibit {
    constructor(root) {
      Object.assign(this, { root, form: root.querySelector("form"), state: {} });
      Object.assign(this, JSON.parse(root.querySelector("script").textContent));
      Object.assign(this, exhibits[root.dataset.exhibit]);
      root.classList.add("live");
      this.form.addEventListener("input", () => this.changed());
      this.form.addEventListener("submit", (event) => event.preventDefault());
      const maps = root.querySelector(".maps");
      for (const kind of ["pointerover", "click", "focusin"])
        maps.addEventListener(kind, (event) => this.point(event.target));
      maps.addEventListener("keydown", (event) => this.move(event));
      addEventListener("hashchange", () => this.restore());
      this.read();
      this.start = { ...this.state };
      this.restore();
    }

    // ---- the state: the form, and the address

    /** Take over from the address the values that exist; the others are those of the start. */
    restore() {
      const wanted = new URLSearchParams(location.hash.slice(1));
      for (const [key, start] of Object.entries(this.start)) {
        const values = key === "line" ? this.lines() : this.knobs[key];
        const at = values.findIndex((value) => String(value) === wanted.get(key));
        this.set(key, at < 0 ? start : values[at]);
      }
      this.read();
      this.draw();
    }

    lines() {
      return [...this.form.elements.line].map((input) => input.value);
    }

    set(key, value) {
      const input = this.form.elements[key];
      input.value = input.type === "range" ? this.knobs[key].indexOf(value) : value;
    }

    read() {
      this.state.line = this.form.elements.line.value;
      for (const [key, values] of Object.entries(this.knobs)) {
        const input = this.form.elements[key];
        const slides = input.type === "range";
        this.state[key] = slides ? values[Number(input.value)] : input.value;
        if (!slides) continue;
        input.setAttribute("aria-valuetext", this.state[key]);
        input.parentElement.querySelector(".value").textContent = this.state[key];
      }
    }

    changed() {
      this.read();
      history.replaceState(null, "", `#${new URLSearchParams(this.state)}`);
      this.draw();
    }

    // ---- the maps

    draw() {
      this.result = this.chosen();
      for (const group of ["given", "right", "got"]) this.drawGroup(group);
      this.drawClaims();
      for (const note of this.root.querySelectorAll(".told"))
        note.classList.toggle("chosen", note.dataset.line === this.state.line);
      this.point(null);
    }

    /** The state of the form: states are in the order of the lines, then of the knobs' values. */
    chosen() {
      const choices = { line: this.lines(), ...this.knobs };
      const place = Object.entries(choices).reduce((at, [key, values]) =>
        at * values.length + values.map(String).indexOf(String(this.state[key])), 0);
      const { facts, hues, ...places } = this.states[place];
      const maps = Object.entries(places).map(([name, at]) => [name, this.maps[at]]);
      return { facts, hue: hues && ((value) => hues[value]), ...Object.fromEntries(maps) };
    }

    drawGroup(group) {
      const place = this.root.querySelector(`[data-group="${group}"] .tables`);
      if (!place) return;
      const maps = this.result[group]?.map((rows, block) => this.drawTable(group, rows, block));
      place.replaceChildren(...(maps ?? [this.raised()]));
      const first = place.querySelector(".cell");
      if (first) first.tabIndex = 0; // one stop for all of the group: see `move`
    }

    raised() {
      const error = element("code", { textContent: this.error });
      return element("p", { className: "raised" }, error);
    }

    drawTable(group, rows, block) {
      const across = this.names(group, "columns", rows[0].length);
      const down = this.names(group, "rows", rows.length);
      const heads = across.map((name) => element("th", { scope: "col", textContent: name }));
      const lines = rows.map((row, r) => {
        const cells = row.map((value, c) => this.drawCell(group, value, [block, r, c]));
        return element("tr", {}, element("th", { scope: "row", textContent: down[r] }), ...cells);
      });
      const head = element("thead", {}, element("tr", {}, element("td"), ...heads));
      const table = element("table", {}, head, element("tbody", {}, ...lines));
      const name = this.blockName(group, block);
      if (name) table.prepend(element("caption", { textContent: name }));
      const which = this.root.querySelector(`[data-group="${group}"] .which`).textContent;
      table.setAttribute("role", "grid");
      table.setAttribute("aria-label", name ? `${which}, ${name}` : which);
      return table;
    }

    drawCell(group, value, place) {
      const { right, got, hue } = this.result;
      const wrong = group === "got" && wrongAt(right, got, ...place);
      const cell = element("td", { className: "cell", textContent: written(this.look, value) });
      cell.classList.toggle("wrong", wrong);
      cell.classList.toggle("negative", value < 0);
      cell.classList.toggle("long", cell.textContent.length > 4);
      if (hue) cell.classList.add(`hue${hue(value)}`);
      else cell.style.setProperty("--share", this.share(value));
      Object.assign(cell.dataset, { value, place: place.join() });
      cell.tabIndex = -1;
      cell.setAttribute("role", "gridcell");
      cell.setAttribute("aria-label", this.tell(group, value, place, wrong));
      return cell;
    }

    /** The share of the strongest colour, which the largest right number has. */
    share(value) {
      const most = largest(this.result.right.flat(2)) || 1;
      return Number.isFinite(value) ? Math.min(1, Math.abs(value) / most) : 0;
    }

    /** A cell in words: where it is, what it holds, and what is right. */
    tell(group, value, [block, row, column], wrong) {
      const twin = this.result.right[block]?.[row]?.[column];
      const name = (axis, at) => this.look.names?.[at] ?? `${this.labels(group, axis)[1]} ${at}`;
      const parts = [this.blockName(group, block), name("rows", row), name("columns", column)];
      const place = parts.filter(Boolean).join(", ");
      const [got, right] = [value, twin ?? 0].map((number) => written(this.look, number));
      if (group !== "got") return fill(this.words["cell-right"], { place, right: got });
      const kind = twin === undefined ? "nowhere" : wrong ? "wrong" : "got";
      return fill(this.words[`cell-${kind}`], { place, got, right });
    }

    /** The labels of an axis; the input of a line may have labels of its own. */
    labels(group, axis) {
      return (group === "given" && this.look[`given-${axis}`]) || this.look[axis];
    }

    names(group, axis, size) {
      return this.look.names ?? range(size).map((at) => `${this.labels(group, axis)[0]}${at}`);
    }

    blockName(group, block) {
      const names = this.look[group === "given" ? "given-names" : "block-names"];
      const word = this.labels(group, "blocks")?.[0];
      return names ? names[block] : word ? `${word} ${block}` : "";
    }

    // ---- the claims

    drawClaims() {
      const measured = this.result.facts;
      for (const item of this.root.querySelectorAll("[data-fact]")) {
        const fact = measured[item.dataset.fact];
        item.hidden = !fact;
        if (!fact) continue;
        item.className = fact.holds === null ? "measured" : fact.holds ? "holds" : "fails";
        const numbers = Object.entries(fact.numbers);
        const texts = numbers.map(([key, value]) => [key, short(value)]);
        const text = fill(this.facts[item.dataset.fact], Object.fromEntries(texts));
        item.querySelector(".number").textContent = text;
        const exact = numbers.map(([key, value]) => [key, String(value)]);
        item.dataset.numbers = JSON.stringify(Object.fromEntries(exact));
      }
      this.summarise(measured);
    }

    /** One sentence about the change, which a screen reader says. */
    summarise(measured) {
      const fails = Object.values(measured).filter((fact) => fact.holds === false).length;
      const how = this.words[["fails-none", "fails-one"][fails] ?? "fails-some"];
      const label = this.form.querySelector(".line :checked + span").textContent;
      const values = { ...measured.same?.numbers, label, fails: fill(how, { number: fails }) };
      const sentence = fill(this.words[this.kind(measured, fails)], values);
      this.root.querySelector(".summary").textContent = sentence;
    }

    kind(measured, fails) {
      if (!measured.same) return "summary-raised";
      if (this.state.line === "right") return "summary-right";
      if (!measured.same.holds) return "summary";
      return fails ? "summary-elsewhere" : "summary-unseen";
    }

    // ---- the cells

    /** Mark a cell and its twin in the other map, and write what both hold. */
    point(target) {
      const cell = target?.closest?.(".cell");
      for (const marked of this.root.querySelectorAll(".pointed-at"))
        marked.classList.remove("pointed-at");
      const note = this.root.querySelector(".pointed");
      this.hint ??= note.textContent;
      note.textContent = cell ? cell.getAttribute("aria-label") : this.hint;
      if (!cell) return;
      const own = cell.closest(".group").dataset.group;
      const groups = own === "given" ? [own] : ["right", "got"];
      for (const group of groups) this.mark(group, cell.dataset.place);
    }

    /** Mark a cell, and the names of its row and its column. */
    mark(group, place) {
      const cell = this.root.querySelector(`[data-group="${group}"] [data-place="${place}"]`);
      if (!cell) return;
      const heads = cell.closest("table").querySelectorAll("thead th");
      for (const node of [cell, cell.parentElement.firstChild, heads[cell.cellIndex - 1]])
        node.classList.add("pointed-at");
    }

    /** Move from cell to cell and from block to block, by the arrow keys, Home and End. */
    move(event) {
      const step = STEPS[event.key];
      const cell = event.target.closest(".cell");
      if (!step || !cell) return;
      event.preventDefault();
      const to = this.neighbour(cell, step) ?? cell;
      cell.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    }

    neighbour(cell, [down, across]) {
      const rows = [...cell.closest(".group").querySelectorAll("tbody tr")]; // of all blocks
      const row = rows[rows.indexOf(cell.parentElement) + down];
      if (!row) return null;
      const cells = [...row.querySelectorAll(".cell")];
      return cells[Math.max(0, Math.min(cells.length - 1, cell.cellIndex - 1 + across))];
    }
  }

  document.querySelectorAll("[data-exhibit]").forEach((root) => new Exhibit(root));
})();
