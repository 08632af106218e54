// The leader's page: everybody by name.
import { at, fill, keep, lasting, listen } from "/files/page.js";

const QUIET = 600; // seconds without a message
let view = null;
let ahead = 0; // of the room's clock, in seconds

const now = () => Date.now() / 1000 + ahead;
const since = (when) => now() - when;
const short = (slug) => slug.split("_")[0];
const isStuck = (person) => person.since > 0 && since(person.since) >= view.stuck_after;
const isPassed = (person) => person.at !== "" && person.standings[person.at]?.[0] === "passed";
// A run of some claims only is "skipped" if they hold; so is what was changed since.
const told = ([kind, held, of]) => {
  if (kind === "skipped") return of ? `${held} claims were run, and hold` : "changed since its last run";
  return of ? `${held} of ${of} claims hold` : kind;
};
const state = (person) => (person.standings[person.at] ? told(person.standings[person.at]) : "");

// Those who fail the same claim with the same mistake are on one card, the longest first.
function together(people) {
  const groups = new Map();
  for (const each of people) {
    const key = [each.at, each.claim || state(each), each.mistake].join(" ");
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups].map(([key, who]) => ({ key, who, first: who[0] }));
}

function card(piece, group) {
  const { first, who } = group;
  fill(piece, {
    exercise: short(first.at), claim: first.claim || state(first),
    mistake: first.mistake, ask: first.ask,
  });
  keep(piece.slots.who, who, "name", (each) => each.id,
    (name, each) => fill(name, { name: each.name, time: lasting(since(each.since)) }));
}

function showUrgent() {
  const failing = view.people.filter((each) => each.since > 0).sort((a, b) => a.since - b.since);
  const stuck = failing.filter(isStuck);
  const others = failing.filter((each) => !isStuck(each));
  at("stuck-count").textContent = stuck.length;
  at("nobody-stuck").hidden = stuck.length > 0;
  keep(at("stuck"), together(stuck), "card", (each) => each.key, card);
  at("failing-section").hidden = others.length === 0;
  at("failing-count").textContent = others.length;
  keep(at("failing"), together(others), "card", (each) => each.key, card);
  keep(at("mistakes"), view.mistakes, "mistake", (each) => `${each.short} ${each.title}`,
    (piece, each) => fill(piece, {
      count: each.count, title: each.title, exercise: each.short, ask: each.ask,
      names: each.names.join(", "),
    }));
  at("no-mistake").hidden = view.mistakes.length > 0;
}

function chip(piece, person) {
  fill(piece, { name: person.name });
  const quiet = since(person.heard) > QUIET;
  const kind = quiet ? "quiet" : isStuck(person) ? "warm" : isPassed(person) ? "done" : "";
  piece.className = `chip ${kind}`;
  piece.title = [state(person), quiet ? `last heard of ${lasting(since(person.heard))} ago` : ""]
    .filter(Boolean).join(", ");
}

function showWhere() {
  const places = view.exercises.map((each) => ({
    ...each, who: view.people.filter((person) => person.at === each.slug),
  }));
  const none = view.people.filter((person) => person.at === "");
  if (none.length) places.unshift({ slug: "", short: "", title: "has not begun", who: none, passed: 0 });
  keep(at("where"), places.filter((each) => each.who.length || each.passed), "place",
    (each) => each.slug, (piece, each) => {
      fill(piece, {
        short: each.short, title: each.title,
        passed: each.passed ? `${each.passed} of ${view.people.length} passed` : "",
      });
      keep(piece.slots.chips, each.who, "chip", (person) => person.id, chip);
    });
}

const MARKS = { passed: "✓", skipped: "–" };

function cell(td, exercise, person) {
  const standing = person.standings[exercise.slug];
  const [kind, held, of] = standing ?? ["", 0, 0];
  const mark = standing ? MARKS[kind] ?? (of ? `${Math.round((100 * held) / of)}` : "!") : "";
  if (td.textContent !== mark) td.textContent = mark;
  td.className = [kind.replaceAll(" ", "-"), person.at === exercise.slug ? "now" : ""].join(" ").trim();
  td.title = standing ? `${exercise.short}: ${told(standing)}` : "";
}

function showEveryone() {
  const heads = at("heads");
  const wanted = view.exercises.map((each) => each.short).join();
  if (heads.dataset.shown !== wanted) {
    heads.dataset.shown = wanted;
    heads.replaceChildren(heads.firstElementChild, ...view.exercises.map((each) => {
      const th = document.createElement("th");
      Object.assign(th, { scope: "col", textContent: each.short, title: each.title });
      return th;
    }));
  }
  keep(at("everyone"), view.people, "row", (each) => each.id, (row, person) => {
    fill(row, { name: person.name });
    row.slots.remove.ariaLabel = `remove ${person.name}`;
    row.slots.remove.onclick ??= () => send("remove", { id: person.id });
    while (row.cells.length <= view.exercises.length) row.insertCell();
    while (row.cells.length > view.exercises.length + 1) row.lastElementChild.remove();
    view.exercises.forEach((each, place) => cell(row.cells[place + 1], each, person));
  });
}

function showShown() {
  const shown = view.people.filter((each) => each.shown);
  at("shown-section").hidden = shown.length === 0;
  keep(at("shown"), shown, "code", (each) => each.id, (piece, person) => fill(piece, {
    name: person.name, exercise: short(person.shown.exercise), text: person.shown.text,
    time: `as it was ${lasting(since(person.shown.since))} ago`,
  }));
}

function showAll() {
  if (!view) return;
  const somebody = view.people.length > 0;
  at("nobody").hidden = somebody;
  for (const id of ["urgent", "where-section", "everyone-section"]) at(id).hidden = !somebody;
  at("here").textContent = view.people.length;
  at("passed").textContent = view.exercises.reduce((sum, each) => sum + each.passed, 0);
  showUrgent();
  showWhere();
  showEveryone();
  showShown();
}

const send = (what, content) =>
  fetch(`${location.pathname}/${what}`, { method: "POST", body: JSON.stringify(content) });

const source = listen((received) => {
  view = received;
  ahead = received.now - Date.now() / 1000;
  showAll();
});
setInterval(showAll, 5000);

at("close").onclick = () => { at("sure").hidden = false; at("no").focus(); };
at("no").onclick = () => { at("sure").hidden = true; at("close").focus(); };
at("yes").onclick = async () => {
  source.close();
  await send("close", {});
  at("closed").hidden = false;
  document.querySelector("main").hidden = true;
  document.querySelector("footer").hidden = true;
};
