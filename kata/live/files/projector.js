// The projector's page: numbers and questions, and no names.
import { at, fill, keep, listen } from "/files/page.js";

listen((view) => {
  at("here").textContent = view.people;
  keep(at("bars"), view.exercises, "bar", (each) => each.slug, (piece, each) => {
    fill(piece, { short: each.short, title: each.title, count: each.passed ? `${each.passed} passed` : "" });
    const share = (count) => `${(100 * count) / Math.max(1, view.people)}%`;
    piece.slots.passed.style.width = share(each.passed);
    piece.slots.here.style.width = share(each.here);
    piece.slots.here.textContent = each.here || "";
  });
  keep(at("mistakes"), view.mistakes.slice(0, 5), "mistake", (each) => `${each.short} ${each.ask}`,
    (piece, each) => fill(piece, { count: each.count, ask: each.ask, exercise: each.short }));
  at("no-mistake").hidden = view.mistakes.length > 0;
});
