// Exhibits: choose a line or turn a knob, and its map, what is measured and the claims follow.
// Each exhibit has a script of its own that calls exhibit(name, formula). A formula has a twin in
// Python (formulas/), and a test compares the two.
"use strict";

/**
 * @typedef {number[][]} Matrix rows of numbers
 * @typedef {{numbers: Object<string, number|string>, holds: ?boolean}} Measure
 * @typedef {{right: Matrix[], got: ?Matrix[], given?: Matrix[], hidden?: function(number, number): boolean,
 *            hue?: function(number): number, facts?: Object<string, Measure>}} Result
 */

const exhibit = (() => {
  const { range, largest, wrongAt, common, fill, short, written } = exhibitNumbers;

  const element = (name, values = {}, ...inside) => {
    const made = Object.assign(document.createElement(name), values);
    made.append(...inside);
    return made;
  };

  class Exhibit {
    constructor(root, formula) {
      Object.assign(this, { root, formula, form: root.querySelector("form"), state: {} });
      Object.assign(this, JSON.parse(root.querySelector('script[type="application/json"]').textContent));
      root.classList.add("live");
      this.form.addEventListener("input", () => this.changed());
      this.form.addEventListener("submit", (event) => event.preventDefault());
      const maps = root.querySelector(".maps");
      for (const kind of ["pointerover", "click", "focusin"]) maps.addEventListener(kind, (event) => this.point(event.target));
      maps.addEventListener("keydown", (event) => this.move(event));
      addEventListener("hashchange", () => this.restore());
      this.read();
      this.start = { ...this.state };
      this.restore();
    }

    /** What stands in the address, where it is known; the rest as it was at first. */
    restore() {
      const wanted = new URLSearchParams(location.hash.slice(1));
      for (const [key, start] of Object.entries(this.start)) {
        const known = key === "line" ? [...this.form.elements.line].map((each) => each.value) : this.knobs[key];
        const at = known.findIndex((value) => String(value) === wanted.get(key));
        this.set(key, at < 0 ? start : known[at]);
      }
      this.read();
      this.draw();
    }

    set(key, value) {
      const input = this.form.elements[key];
      input.value = input.type === "range" ? this.knobs[key].indexOf(value) : value;
    }

    read() {
      this.state.line = this.form.elements.line.value;
      for (const [key, values] of Object.entries(this.knobs)) {
        const input = this.form.elements[key];
        this.state[key] = input.type === "range" ? values[Number(input.value)] : input.value;
        if (input.type === "range") {
          input.setAttribute("aria-valuetext", this.state[key]);
          input.parentElement.querySelector(".value").textContent = this.state[key];
        }
      }
    }

    changed() {
      this.read();
      history.replaceState(null, "", `#${new URLSearchParams(this.state)}`);
      this.draw();
    }

    draw() {
      this.result = this.formula(this.inputs, this.state);
      for (const group of ["given", "right", "got"]) this.drawGroup(group);
      this.drawClaims();
      for (const told of this.root.querySelectorAll(".told")) told.classList.toggle("chosen", told.dataset.line === this.state.line);
      this.point(null);
    }

    drawGroup(group) {
      const place = this.root.querySelector(`[data-group="${group}"] .tables`);
      if (!place) return;
      const values = this.result[group];
      place.replaceChildren(...(values ? values.map((rows, block) => this.drawTable(group, rows, block)) : [this.raised()]));
      const first = place.querySelector(".cell");
      if (first) first.tabIndex = 0;
    }

    raised() {
      return element("p", { className: "raised" }, element("code", { textContent: this.inputs.error }));
    }

    drawTable(group, rows, block) {
      const [across, down] = [this.names(group, "columns", rows[0].length), this.names(group, "rows", rows.length)];
      const head = element("tr", {}, element("td"), ...across.map((name) => element("th", { scope: "col", textContent: name })));
      const body = rows.map((row, r) =>
        element("tr", {}, element("th", { scope: "row", textContent: down[r] }), ...row.map((value, c) => this.drawCell(group, value, [block, r, c]))),
      );
      const made = element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
      const name = this.blockName(group, block);
      if (name) made.prepend(element("caption", { textContent: name }));
      made.setAttribute("role", "grid");
      made.setAttribute("aria-label", [this.root.querySelector(`[data-group="${group}"] .which`).textContent, name].filter(Boolean).join(", "));
      return made;
    }

    drawCell(group, value, [block, row, column]) {
      const { right, got, hue } = this.result;
      const wrong = group === "got" && wrongAt(right, got, block, row, column);
      const cell = element("td", { className: "cell", tabIndex: -1, textContent: written(this.look, value) });
      cell.classList.toggle("wrong", wrong);
      cell.classList.toggle("negative", value < 0);
      if (hue) cell.classList.add(`hue${hue(value)}`);
      else cell.style.setProperty("--share", Number.isFinite(value) ? Math.min(1, Math.abs(value) / (largest(right.flat(2)) || 1)) : 0);
      Object.assign(cell.dataset, { value, place: [block, row, column].join() });
      cell.setAttribute("role", "gridcell");
      cell.setAttribute("aria-label", this.tell(group, value, [block, row, column], wrong));
      return cell;
    }

    /** A cell in words: where it is, what it holds, and what is right. */
    tell(group, value, [block, row, column], wrong) {
      const right = this.result.right[block]?.[row]?.[column];
      const name = (axis, at) => this.look.names?.[at] ?? `${this.labels(group, axis)[1]} ${at}`;
      const where = [this.blockName(group, block), name("rows", row), name("columns", column)].filter(Boolean).join(", ");
      const kind = group !== "got" ? "right" : right === undefined ? "nowhere" : wrong ? "wrong" : "got";
      const [shown, known] = [value, right ?? 0].map((each) => written(this.look, each));
      return fill(this.words[`cell-${kind}`], { place: where, right: group === "got" ? known : shown, got: shown });
    }

    /** How an axis is labelled; what goes in may have labels of its own. */
    labels(group, what) {
      return (group === "given" && this.look[`given-${what}`]) || this.look[what];
    }

    names(group, axis, size) {
      return this.look.names ?? range(size).map((at) => `${this.labels(group, axis)[0]}${at}`);
    }

    blockName(group, block) {
      const names = this.look[group === "given" ? "given-names" : "block-names"];
      const word = this.labels(group, "blocks")?.[0];
      return names ? names[block] : word ? `${word} ${block}` : "";
    }

    drawClaims() {
      const measured = this.result.got ? { ...this.measures(), ...this.result.facts } : {};
      for (const item of this.root.querySelectorAll("[data-fact]")) {
        const fact = measured[item.dataset.fact];
        item.hidden = !fact;
        if (!fact) continue;
        item.className = fact.holds === null ? "measured" : fact.holds ? "holds" : "fails";
        item.dataset.numbers = JSON.stringify(fact.numbers, (_, value) => (Number.isFinite(value) || typeof value !== "number" ? value : String(value)));
        const texts = Object.entries(fact.numbers).map(([key, value]) => [key, short(value)]);
        item.querySelector(".number").textContent = fill(this.facts[item.dataset.fact], Object.fromEntries(texts));
      }
      this.summarise(measured);
    }

    measures() {
      const asked = Object.keys(this.facts).filter((key) => key in common);
      return Object.fromEntries(asked.map((key) => [key, common[key](this.result)]));
    }

    /** One sentence on what has changed, which a screen reader says. */
    summarise(measured) {
      const fails = Object.keys(this.facts).filter((key) => measured[key]?.holds === false).length;
      const { count, total } = measured.same?.numbers ?? {};
      const unseen = fails ? "summary-elsewhere" : "summary-unseen";
      const kind = !measured.same ? "summary-raised" : this.state.line === "right" ? "summary-right" : count ? "summary" : unseen;
      const how = fill(this.words[["fails-none", "fails-one"][fails] ?? "fails-some"], { number: fails });
      const label = this.form.querySelector(".line :checked + span").textContent;
      this.root.querySelector(".summary").textContent = fill(this.words[kind], { label, count, total, fails: how });
    }

    /** Marks a cell and its twin in the other map, and says what both hold. */
    point(target) {
      const cell = target?.closest?.(".cell");
      for (const each of this.root.querySelectorAll(".pointed-at")) each.classList.remove("pointed-at");
      const note = this.root.querySelector(".pointed");
      this.hint ??= note.textContent;
      note.textContent = cell ? cell.ariaLabel : this.hint;
      if (!cell) return;
      const groups = cell.closest(".group").dataset.group === "given" ? ["given"] : ["right", "got"];
      for (const group of groups) {
        const twin = this.root.querySelector(`[data-group="${group}"] [data-place="${cell.dataset.place}"]`);
        if (!twin) continue;
        const heads = twin.closest("table").querySelectorAll("thead th");
        for (const each of [twin, twin.parentElement.querySelector("th"), heads[twin.cellIndex - 1]]) each.classList.add("pointed-at");
      }
    }

    /** The arrow keys, Home and End move from cell to cell, and from block to block. */
    move(event) {
      const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -99], End: [0, 99] };
      const step = steps[event.key];
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

  /** Brings the exhibit of this name to life, wherever it stands on the page. */
  return (name, formula) => {
    const root = document.querySelector(`[data-exhibit="${name}"]`);
    if (root) new Exhibit(root, formula);
  };
})();
