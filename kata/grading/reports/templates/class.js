"use strict";
// Sorts, filters, unfolds and turns pages. Without it the table is there as a whole, unsorted.

const data = JSON.parse(document.getElementById("data").textContent);
const table = document.getElementById("table");
const find = document.getElementById("find");
const kind = document.getElementById("kind");
const unfold = document.getElementById("unfold");
const headings = [...table.tHead.rows[0].cells];
const size = Number(table.dataset.rows) || Infinity;
const bodies = [...table.tBodies];
const texts = data.students.map((each) => each.text.toLowerCase());
const byName = new Intl.Collator(undefined, { numeric: true }).compare;

let order = data.students.map((_, at) => at);
let matching = order;
let first = 0;
let allOpen = false;

function compare(a, b) {
  return typeof a === "number" ? a - b : byName(a, b);
}

function counted(number) {
  return number.toLocaleString("en");
}

function sortBy(column) {
  const down = headings[column].ariaSort === "ascending";
  for (const each of headings) each.ariaSort = "none";
  headings[column].ariaSort = down ? "descending" : "ascending";
  const sign = down ? -1 : 1;
  const key = (at) => data.students[at].keys[column];
  order.sort((a, b) => sign * compare(key(a), key(b)) || a - b);
  filter();
}

function filter() {
  const sought = find.value.trim().toLowerCase();
  matching = order.filter(
    (at) => texts[at].includes(sought) && (!kind.value || data.students[at].kinds.includes(kind.value)),
  );
  first = 0;
  show();
}

function show() {
  const page = matching.slice(first, first + size);
  for (const each of [...table.tBodies]) each.remove();
  table.append(...page.map(bodyOf));
  document.getElementById("shown").textContent =
    `${counted(matching.length)} of ${counted(order.length)} students`;
  if (size < Infinity) place(page.length);
}

function place(count) {
  const span = count ? `${counted(first + 1)} to ${counted(first + count)} of ${counted(matching.length)}` : "none";
  document.getElementById("place").textContent = span;
  document.getElementById("before").disabled = first === 0;
  document.getElementById("after").disabled = first + size >= matching.length;
}

function turn(pages) {
  first += pages * size;
  show();
  table.parentElement.scrollTop = 0;
}

// All text in a row was escaped when it was written; what is made here runs nothing.
function bodyOf(at) {
  if (!bodies[at]) {
    const made = document.createElement("template");
    made.innerHTML = data.students[at].row.map((line) => data.lines[line]).join("\n");
    const body = made.content.firstElementChild;
    fold(body, allOpen);
    bodies[at] = body;
  }
  return bodies[at];
}

function fold(body, open) {
  body.classList.toggle("open", open);
  body.querySelector(".fold").ariaExpanded = String(open);
}

function foldAll() {
  allOpen = !allOpen;
  unfold.textContent = allOpen ? "Fold all" : "Unfold all";
  for (const each of bodies) if (each) fold(each, allOpen);
}

for (const each of bodies) fold(each, false);
headings.forEach((each, at) => each.firstElementChild.addEventListener("click", () => sortBy(at)));
find.addEventListener("input", filter);
kind.addEventListener("change", filter);
unfold.addEventListener("click", foldAll);
document.getElementById("controls").addEventListener("submit", (event) => event.preventDefault());
document.getElementById("before")?.addEventListener("click", () => turn(-1));
document.getElementById("after")?.addEventListener("click", () => turn(1));
table.addEventListener("click", (event) => {
  const button = event.target.closest(".fold");
  if (button) fold(button.closest("tbody"), button.ariaExpanded !== "true");
});
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});
if (size < Infinity) show();
