// What both pages share: listening to the room, and changing only what has changed.

export const at = (id) => document.getElementById(id);

// Calls show(view) for each event; the page says so while the room does not answer.
export function listen(show) {
  const source = new EventSource(`${location.pathname.replace(/\/$/, "")}/events`);
  let seen = "";
  source.onmessage = (event) => {
    seen = new Date().toLocaleTimeString();
    at("lost").hidden = true;
    show(JSON.parse(event.data));
  };
  source.onerror = () => {
    at("seen-at").textContent = seen;
    at("lost").hidden = !seen;
  };
  return source;
}

const write = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

// Writes texts into the slots of a piece; an empty one is hidden.
export function fill(piece, texts) {
  for (const [name, text] of Object.entries(texts)) {
    const slot = piece.slots[name];
    write(slot, String(text));
    slot.hidden = text === "";
  }
}

function made(template) {
  const piece = at(template).content.firstElementChild.cloneNode(true);
  piece.slots = {};
  for (const each of piece.querySelectorAll("[data-slot]")) piece.slots[each.dataset.slot] = each;
  return piece;
}

// Lets a container hold one piece for each item, in this order; pieces that were there are kept.
export function keep(container, items, template, key, update) {
  const old = new Map([...container.children].map((each) => [each.key, each]));
  let place = container.firstElementChild;
  for (const item of items) {
    const piece = old.get(key(item)) ?? made(template);
    old.delete(key(item));
    piece.key = key(item);
    update(piece, item);
    if (piece === place) place = place.nextElementSibling;
    else container.insertBefore(piece, place);
  }
  for (const each of old.values()) each.remove();
}

// How long something has lasted, in a word that does not change every second.
export function lasting(seconds) {
  if (seconds < 60) return "less than a minute";
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}
